// SPDX-License-Identifier: Apache-2.0
// An argument of a call before it becomes a value of tvm-ffi. Plain values; any thread. Arrays share their
// bytes between copies.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "engine/arrays/array.h"

namespace opscope::session {

struct InputValue;

struct NoneValue {
  bool operator==(const NoneValue&) const = default;
};
struct ShapeValue {
  std::vector<std::int64_t> values;
  bool operator==(const ShapeValue&) const = default;
};
struct TupleValue {
  std::vector<InputValue> members;
};
/// In scenarios only: what an earlier step returned.
struct StepResult {
  std::size_t step = 0;             ///< position of the step, 0 the first
  std::vector<std::int64_t> index;  ///< members to go into, outermost first; empty: the whole result
  bool reshaped = false;            ///< `shape` is set (it may be empty: a scalar)
  std::vector<std::int64_t> shape;  ///< new shape of the tensor, same number of elements
  bool operator==(const StepResult&) const = default;
};

struct InputValue {
  std::variant<NoneValue, arrays::Array, ShapeValue, std::int64_t, double, bool, std::string, TupleValue,
               StepResult>
      value;
};

/// "float32 [1, 3]", "shape [4]", "int 3", "none", "(float32 [2], shape [1])", "result of step 2".
std::string describeInputValue(const InputValue& value);

}  // namespace opscope::session
