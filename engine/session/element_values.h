// SPDX-License-Identifier: Apache-2.0
// Fills memory with the elements that an InputSpec asks for. Any thread; no state but the random stream.
#pragma once

#include "engine/arrays/array.h"
#include "engine/base/result.h"
#include "engine/session/input_spec.h"
#include "engine/session/random_stream.h"

namespace opscope::session {

/// Whether elements of `type` can hold what `spec` asks for (the constant; LO and HI). Errors:
/// InvalidArgument, "int8 holds whole numbers from -128 to 127. Given is 300.".
base::Result<> checkElementValues(const InputSpec& spec, arrays::ElementType type);

/// Fills all of `bytes`. `spec` has passed the check and is not a file. Range counts up from 0 and begins
/// again where the type can no longer hold each whole number (int8 at 128, bool at 2, float16 at 2048).
void fillElements(const InputSpec& spec, arrays::ElementType type, RandomStream& random,
                  arrays::Bytes& bytes);

}  // namespace opscope::session
