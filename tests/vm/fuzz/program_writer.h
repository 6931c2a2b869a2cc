// SPDX-License-Identifier: Apache-2.0
// Turns executables built in memory into the bytes that TVM would write. Any thread; values only.
#pragma once

#include <string>

#include "engine/vm/executable.h"

namespace opscope::vm::test {

/// Nothing is checked: fields that are out of range are written so. Tensor constants take their bytes from
/// `tensorBytes`, where TensorConstant::offset counts from.
std::string serialise(const ExecutableData& data, const std::string& tensorBytes);

}  // namespace opscope::vm::test
