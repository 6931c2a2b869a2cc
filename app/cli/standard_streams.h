// SPDX-License-Identifier: Apache-2.0
// The three streams that every program starts with, and those that it was started without. Any thread.
#pragma once

#include <string_view>

namespace opscope::cli {

/// Puts something harmless where standard input, output or error is closed, so that no file that is opened
/// later takes their place. Writing to a missing standard output stays an error. First thing in main.
void fillMissingStreams();

/// To standard error, whole. There is nobody to tell when that fails.
void writeStandardError(std::string_view text);

}  // namespace opscope::cli
