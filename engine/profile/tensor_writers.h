// SPDX-License-Identifier: Apache-2.0
// Which instruction writes a tensor first: read from the bytecode, since nothing can use the contents of a
// tensor that was just made before something has written them. Plain values; any thread.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "engine/vm/executable.h"

namespace opscope::profile {

/// Instruction of a call of vm.builtin.alloc_tensor to the instruction that first takes the tensor as an
/// argument. Tensors without such a call in the rest of their function are left out.
using TensorWriters = std::unordered_map<std::uint32_t, std::uint32_t>;

TensorWriters findTensorWriters(const vm::ExecutableData& data);

}  // namespace opscope::profile
