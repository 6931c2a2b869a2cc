// SPDX-License-Identifier: Apache-2.0
#include "engine/report/file_names.h"

#include <algorithm>

namespace opscope::report {

namespace {

constexpr std::string_view kNextInput = "; ";
constexpr std::string_view kArchive = ".npz:";

/// "/tmp/x.npz:in/ids" as "x.npz:in/ids": what follows an archive's name is a key.
std::string fileWithoutFolder(std::string_view words) {
  const std::size_t archive = words.find(kArchive);
  const std::size_t slash = words.substr(0, archive).rfind('/');
  return std::string(slash == std::string_view::npos ? words : words.substr(slash + 1));
}

bool isPath(std::string_view words) {
  const auto begins = [words](std::string_view start) { return words.starts_with(start); };
  return begins("/") || begins("./") || begins("../") || begins("~/") || words.ends_with(".npz") ||
         words.ends_with(".npy") || words.ends_with(".json");
}

/// Where the words of the file end that begin at `at`: before the next file, or with the input.
std::size_t endOfFile(std::string_view input, std::size_t at) {
  return std::min({input.find(", @", at), input.find(" and @", at), input.size()});
}

std::string partWithoutFolders(std::string_view input) {
  std::size_t at = input.find(" @");
  if (at == std::string_view::npos) {
    return isPath(input) ? fileWithoutFolder(input) : std::string(input);
  }
  std::string out;
  std::size_t done = 0;
  for (; at != std::string_view::npos; at = input.find(" @", done)) {
    at += 2;
    out += input.substr(done, at - done);
    done = endOfFile(input, at);
    out += fileWithoutFolder(input.substr(at, done - at));
  }
  return out + std::string(input.substr(done));
}

}  // namespace

std::string fileNameOf(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string withoutFolders(std::string_view words) {
  std::string out;
  for (std::size_t at = 0; at <= words.size();) {
    const std::size_t end = std::min(words.find(kNextInput, at), words.size());
    out += partWithoutFolders(words.substr(at, end - at));
    out += end < words.size() ? kNextInput : "";
    at = end + kNextInput.size();
  }
  return out;
}

}  // namespace opscope::report
