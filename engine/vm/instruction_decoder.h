// SPDX-License-Identifier: Apache-2.0
// The code section of a VM executable: instruction offsets and words to Instruction and Argument, checked
// against the functions and constants read before. Part of decodeExecutable; any thread.
#pragma once

#include "engine/vm/byte_reader.h"
#include "engine/vm/executable.h"

namespace opscope::vm {

/// Reads both word lists from `reader` into `data.instructions` and `data.arguments` and checks every
/// function's range, registers and jumps. Failures are left in the reader.
void decodeInstructions(ByteReader& reader, ExecutableData& data);

}  // namespace opscope::vm
