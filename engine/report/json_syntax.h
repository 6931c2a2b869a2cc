// SPDX-License-Identifier: Apache-2.0
// Tells where broken JSON is broken, since the fast parser does not. Slow, for errors only. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace opscope::report {

struct SyntaxError {
  std::string place;   ///< "line 1, column 17, in calls[3].Name"
  std::string detail;  ///< found and expected, in words
};

/// `text` is what the fast parser refused; `fallback` is its reason, told when nothing better is found.
SyntaxError findSyntaxError(std::string_view text, const std::string& fallback);

}  // namespace opscope::report
