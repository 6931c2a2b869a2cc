// SPDX-License-Identifier: Apache-2.0
// Between plain values and those of tvm-ffi. On the worker.
#pragma once

#include <tvm/ffi/any.h>

#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/session/input_value.h"

namespace opscope::session {

/// The object in `value`, or nothing. Unlike Any::as, None is no object of any class.
template <class T>
std::optional<T> objectOf(const tvm::ffi::Any& value) {
  return value.type_index() == kTVMFFINone ? std::nullopt : value.as<T>();
}

/// A tensor over the array's own bytes, which it keeps alive: nothing is copied. A kernel that writes to its
/// input writes to the array.
tvm::ffi::Any tensorOf(const arrays::Array& array);

/// The value of an argument. `results` are those of the scenario's earlier steps. Tuples become arrays, step
/// results are looked up, indexed and reshaped (a view on the same memory). Errors: InvalidArgument, naming
/// `place`: a member that is not there, a reshape with another number of elements.
base::Result<tvm::ffi::Any> valueOf(const InputValue& input, std::span<const tvm::ffi::Any> results,
                                    std::string_view place);

/// True when the value needs results of earlier steps, at any depth.
bool needsResults(const InputValue& input);

/// Member `index` of a tuple. Errors: InvalidArgument naming `place` and what is there.
base::Result<tvm::ffi::Any> memberOf(const tvm::ffi::Any& value, std::int64_t index, std::string_view place);

}  // namespace opscope::session
