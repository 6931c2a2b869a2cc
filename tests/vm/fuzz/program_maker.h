// SPDX-License-Identifier: Apache-2.0
// Makes executables of a valid format with hostile contents, and changes real ones. One thread.
#pragma once

#include <string>

#include "engine/vm/executable.h"
#include "tests/vm/fuzz/fuzz_random.h"

namespace opscope::vm::test {

struct FuzzProgram {
  ExecutableData data;
  std::string tensorBytes;  ///< what TensorConstant::offset of `data` counts in
};

/// A program of calls to builtins, to itself and to nothing that exists, with branches, loops, closures,
/// nested values and constants of every kind. Most of its arguments fit their builtin, some do not.
FuzzProgram makeProgram(FuzzRandom& random);

/// One to twelve changes of instructions, arguments, functions and constants, in range or out of it.
void changeProgram(FuzzRandom& random, ExecutableData& data);

}  // namespace opscope::vm::test
