// SPDX-License-Identifier: Apache-2.0
// What a file seems to be that holds no measurements, in words. For sources of this module. Any thread; pure
// functions.
#pragma once

#include <string_view>

#include "engine/base/error.h"

namespace opscope::report {

/// The error for a text that none of the readers knows: what it seems to be, what was expected, what to do.
/// `asReport` is what the reader of TVM's reports said, and is the answer for texts that seem to be one.
base::Error unknownDocument(std::string_view text, std::string_view file, const base::Error& asReport);

}  // namespace opscope::report
