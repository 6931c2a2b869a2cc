// SPDX-License-Identifier: Apache-2.0
// Shapes as TVM's reports write them. Any thread; pure functions. Behaviour: seed 004, ShapeString and
// ToShape.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace opscope::profile {

/// "float32[1, 3]", "int64[]" without dimensions, "float16x4[8]" for packed elements.
std::string shapeString(std::span<const std::int64_t> shape, DLDataType type);

/// All of them, "float32[1, 3], float32[64]"; "" without any.
std::string shapeString(std::span<const DLTensor* const> tensors);

/// The shape that a tensor holds as its elements, for functions with dynamic shapes: without dimensions the
/// shape of a scalar, else a vector of int32 or int64 on the host, also a strided one. Errors:
/// InvalidArgument for other tensors.
base::Result<std::vector<std::int64_t>> shapeHeldBy(const DLTensor& tensor);

}  // namespace opscope::profile
