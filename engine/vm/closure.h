// SPDX-License-Identifier: Apache-2.0
// A function of an executable as a value, with captured arguments. Used on its machine's thread; it may
// outlive the machine, but only that machine can call it.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/object.h>

#include <cstdint>
#include <string>
#include <vector>

namespace opscope::vm {

/// Marks which machine a closure belongs to; compared by identity.
class MachineTokenObj : public tvm::ffi::Object {
 public:
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.MachineToken", MachineTokenObj, tvm::ffi::Object);
};

class ClosureObj : public tvm::ffi::Object {
 public:
  std::string name;
  std::uint32_t function = 0;           ///< index into the executable's function table
  tvm::ffi::ObjectRef machine;          ///< a MachineTokenObj
  std::vector<tvm::ffi::Any> captured;  ///< appended after the arguments of a call
  bool dropsResult = false;             ///< saved without its result: a call gives None

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.Closure", ClosureObj, tvm::ffi::Object);
};

class Closure : public tvm::ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Closure, tvm::ffi::ObjectRef, ClosureObj);
};

}  // namespace opscope::vm
