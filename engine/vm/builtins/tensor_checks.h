// SPDX-License-Identifier: Apache-2.0
// Checks that builtins make before they touch a tensor's bytes. Any thread.
#pragma once

#include <dlpack/dlpack.h>

#include <cstdint>

#include "engine/vm/builtins/arguments.h"

namespace opscope::vm {

/// Argument `index` as a tensor in host memory with compact elements; throws ValueError or TypeError
/// otherwise. Its shape product fits in 63 bits.
const DLTensor& hostTensor(const Arguments& arguments, std::int32_t index);

std::int64_t elementCount(const DLTensor& tensor);

/// Throws ValueError: "sort: elements of type int4 are not supported".
[[noreturn]] void failElementType(const Arguments& arguments, DLDataType type);

}  // namespace opscope::vm
