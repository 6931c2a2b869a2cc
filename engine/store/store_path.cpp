// SPDX-License-Identifier: Apache-2.0
#include "engine/store/store_path.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace opscope::store {

namespace {

constexpr const char* kOurs = "OPSCOPE_STORE";

std::filesystem::path fromEnvironment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

/// Errors when there is neither; a relative $XDG_DATA_HOME does not count, as its specification says.
base::Result<std::filesystem::path> dataFolder() {
  const std::filesystem::path data = fromEnvironment("XDG_DATA_HOME");
  if (data.is_absolute()) {
    return data / "opscope";
  }
  const std::filesystem::path home = fromEnvironment("HOME");
  if (home.is_absolute()) {
    return home / ".local" / "share" / "opscope";
  }
  return base::Error{base::ErrorCode::NotFound, "There is no place for the store of runs.",
                     "Neither $XDG_DATA_HOME nor $HOME names a folder.",
                     "Name a store with --store FILE or $OPSCOPE_STORE."};
}

}  // namespace

base::Result<std::filesystem::path> storePath(std::string_view option) {
  if (!option.empty()) {
    return std::filesystem::path(option);
  }
  if (std::filesystem::path named = fromEnvironment(kOurs); !named.empty()) {
    return named;
  }
  OPSCOPE_TRY_ASSIGN(const std::filesystem::path folder, dataFolder());
  return folder / "runs.sqlite";
}

base::Result<> makeStoreFolder(std::string_view option) {
  if (!option.empty() || !fromEnvironment(kOurs).empty()) {
    return {};
  }
  OPSCOPE_TRY_ASSIGN(const std::filesystem::path folder, dataFolder());
  std::error_code problem;
  std::filesystem::create_directories(folder.parent_path(), problem);
  // What was measured may tell of work that is nobody else's business.
  if (!problem && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    problem = std::error_code(errno, std::generic_category());
  }
  if (problem) {
    return base::Error{base::ErrorCode::Io,
                       fmt::format("Cannot make the folder {}: {}", folder.string(), problem.message()), "",
                       "Name a store in another place with --store FILE or $OPSCOPE_STORE."};
  }
  return {};
}

}  // namespace opscope::store
