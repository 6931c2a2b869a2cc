// SPDX-License-Identifier: Apache-2.0
// A constant of an executable in words. Any thread.
#pragma once

#include <string>

#include "engine/vm/executable.h"

namespace opscope::session {

/// "float32 [64, 3, 7, 7]", "shape [1, 3]", "string "text…"", "dtype float32", "int 4".
std::string constantWords(const vm::Constant& constant);

}  // namespace opscope::session
