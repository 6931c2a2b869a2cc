// SPDX-License-Identifier: Apache-2.0
// The kernels that a function calls and with which shapes, from the executable's texts alone: for boards that
// cannot be looked at while they run. Any thread; pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/session/input_value.h"
#include "engine/vm/executable_file.h"
#include "engine/vm/signature.h"

namespace opscope::session {

struct KernelArgument {
  vm::DataType type;
  std::vector<std::int64_t> shape;
  bool operator==(const KernelArgument&) const = default;
};

/// One place in the bytecode that calls a kernel.
struct KernelCall {
  std::string kernel;
  std::uint32_t instruction = 0;
  std::uint32_t depth = 0;
  std::vector<KernelArgument> arguments;
};

struct KernelCalls {
  std::vector<KernelCall> calls;
  std::vector<std::string> unknown;  ///< kernels whose arguments the executable does not tell, each once
};

/// Sizes of the free dimensions, from the shapes that are given.
std::map<std::string, std::int64_t> sizesOf(const vm::Signature& signature,
                                            const std::vector<InputValue>& arguments);

/// The calls of `function` (index in the table) and of the functions that it calls, once for each place:
/// loops are not unrolled, and both sides of a branch are there.
KernelCalls findKernelCalls(const vm::ExecutableFile& file, std::int64_t function,
                            const std::map<std::string, std::int64_t>& sizes);

}  // namespace opscope::session
