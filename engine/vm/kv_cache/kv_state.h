// SPDX-License-Identifier: Apache-2.0
// What the host drives between calls of a language model: sequences that are added, forked and popped, and
// forward passes. Made by an executable, passed to its functions as an object. One thread at a time. Every
// function raises tvm::ffi::Error.
#pragma once

#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/object.h>

#include <cstdint>
#include <optional>
#include <span>

namespace opscope::vm {

class KvStateObj : public tvm::ffi::Object {
 public:
  virtual ~KvStateObj() = default;

  virtual void clear() = 0;
  virtual void addSequence(std::int64_t id) = 0;
  virtual void removeSequence(std::int64_t id) = 0;
  /// `position` -1 is the end of the parent.
  virtual void forkSequence(std::int64_t parent, std::int64_t child, std::int64_t position) = 0;
  virtual void pop(std::int64_t id, std::int64_t count) = 0;
  virtual void beginForward(tvm::ffi::ShapeView ids, tvm::ffi::ShapeView lengths,
                            const std::optional<std::span<const std::int64_t>>& treeParents) = 0;
  virtual void endForward() = 0;

  static constexpr bool _type_mutable = true;
  static constexpr std::uint32_t _type_child_slots = 2;
  TVM_FFI_DECLARE_OBJECT_INFO("opscope.KvState", KvStateObj, tvm::ffi::Object);
};

class KvState : public tvm::ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(KvState, tvm::ffi::ObjectRef, KvStateObj);
};

}  // namespace opscope::vm
