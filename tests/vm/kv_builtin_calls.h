// SPDX-License-Identifier: Apache-2.0
// Calls builtins as the registry and kernels call them.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/string.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace opscope::vm::test {

/// Calls "vm.builtin." + `name`.
inline tvm::ffi::Any callBuiltin(const std::string& name, const std::vector<tvm::ffi::Any>& arguments) {
  const std::vector<tvm::ffi::AnyView> views(arguments.begin(), arguments.end());
  tvm::ffi::Any result;
  tvm::ffi::Function::GetGlobalRequired("vm.builtin." + name)
      .CallPacked(views.data(), static_cast<std::int32_t>(views.size()), &result);
  return result;
}

/// "KIND: MESSAGE" of the error that the call raises, "" when it succeeds.
inline std::string builtinFailure(const std::string& name, const std::vector<tvm::ffi::Any>& arguments) {
  try {
    callBuiltin(name, arguments);
    return {};
  } catch (const tvm::ffi::Error& error) {
    return error.kind() + ": " + error.message();
  }
}

inline tvm::ffi::Any shapeOf(std::initializer_list<std::int64_t> values) {
  return tvm::ffi::Shape(values);
}

inline tvm::ffi::Any tupleOf(const std::vector<tvm::ffi::Any>& items) {
  return tvm::ffi::Array<tvm::ffi::Any>(items.begin(), items.end());
}

}  // namespace opscope::vm::test
