// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"

#include <array>

#include "engine/base/printable.h"

namespace opscope::base {

std::string_view errorCodeName(ErrorCode code) {
  static constexpr std::array<std::string_view, 13> kNames = {
      "InvalidArgument", "NotFound",     "Io",      "Format",         "Unsupported",
      "MissingFunction", "KernelFailed", "Remote",  "ConnectionLost", "Timeout",
      "OutOfMemory",     "Cancelled",    "Internal"};
  const auto index = static_cast<std::size_t>(code);
  return index < kNames.size() ? kNames[index] : "Internal";
}

std::string formatError(const Error& error) {
  std::string text = "opscope: error: " + printable(error.message) + "\n";
  const auto addIndented = [&text](std::string_view prefix, const std::string& lines) {
    std::size_t begin = 0;
    while (begin < lines.size()) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      text.append("  ").append(prefix);
      text.append(printable(std::string_view(lines).substr(begin, end - begin))).append("\n");
      prefix = {};
      begin = end + 1;
    }
  };
  addIndented("", error.detail);
  addIndented("hint: ", error.hint);
  return text;
}

}  // namespace opscope::base
