// SPDX-License-Identifier: Apache-2.0
// Values as TVM's relax.run.print shows them: tensors as numpy prints arrays, tuples in parentheses, and
// Python's str.format around them. Any thread.
#pragma once

#include <dlpack/dlpack.h>
#include <tvm/ffi/any.h>

#include <string>
#include <string_view>
#include <vector>

namespace opscope::vm {

/// "[[0. 1. 2.]\n [3. 4. 5.]]": as numpy 2.4 does by default (8 digits, lines of 75, more than 1000 elements
/// cut to three at each end). `tensor` is compact and in host memory; other element types than those of
/// element_types.h are told by type and shape.
std::string arrayText(const DLTensor& tensor);

/// Any value: tensors by arrayText, tuples and shapes in parentheses, numbers as Python prints them, "None".
std::string pythonText(tvm::ffi::AnyView value);

/// Python's `format.format(*texts)` for text arguments: {}, {0}, {:>8}, {{ and }}. Throws ValueError or
/// IndexError as Python does for what does not fit.
std::string formatTexts(std::string_view format, const std::vector<std::string>& texts);

}  // namespace opscope::vm
