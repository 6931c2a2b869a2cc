// SPDX-License-Identifier: Apache-2.0
// `serve`: this process becomes opscope-server, which lies beside this program and takes the same words.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/standard_streams.h"

namespace opscope::cli {

int serve(const ServeOptions& options) {
  std::error_code error;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (own.parent_path() / "opscope-server").string();
  std::vector<std::string> words{program};
  words.insert(words.end(), options.words.begin(), options.words.end());
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  writeStandardError(base::formatError({base::ErrorCode::NotFound, "The server cannot be started.",
                                        fmt::format("{}: {}", program, std::strerror(errno)),
                                        "opscope-server must lie beside opscope-cli."}));
  return kWorkFailed;
}

}  // namespace opscope::cli
