// SPDX-License-Identifier: Apache-2.0
// Values in words, for messages and lists. Any thread.
#pragma once

#include <tvm/ffi/any.h>

#include <span>
#include <string>

namespace opscope::vm {

/// "float32 [1, 784]", "shape [3, 4]", "int 5", "tuple of 2", "none", "closure main_inner", or the object's
/// type key. Never throws; no data is read.
std::string describeValue(tvm::ffi::AnyView value);

/// "[1, 784]", "[]".
std::string shapeText(std::span<const int64_t> shape);

}  // namespace opscope::vm
