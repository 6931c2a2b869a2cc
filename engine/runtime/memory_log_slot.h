// SPDX-License-Identifier: Apache-2.0
// The place from which allocators take the memory log that is set now. Shared by the allocators of a run:
// those of builtins (key-value caches, states) are made inside a run and outlive it. Any thread.
#pragma once

#include <tvm/ffi/memory.h>
#include <tvm/ffi/object.h>

#include <atomic>
#include <mutex>

#include "engine/runtime/memory_log.h"
#include "engine/runtime/spin_lock.h"

namespace opscope::runtime {

class MemoryLogSlotObj : public tvm::ffi::Object {
 public:
  /// `log` must live until another or nullptr is set; no event is written to it after that.
  void set(MemoryLog* log) {
    const std::lock_guard guard(m_lock);
    m_log.store(log, std::memory_order_relaxed);
  }

  /// A hint that costs one load: add() looks again.
  bool isSet() const { return m_log.load(std::memory_order_relaxed) != nullptr; }

  /// MemoryLog::add with these arguments, when a log is set.
  template <class... Arguments>
  void add(const Arguments&... arguments) {
    const std::lock_guard guard(m_lock);  // so that the log cannot be taken away meanwhile
    if (MemoryLog* log = m_log.load(std::memory_order_relaxed)) {
      log->add(arguments...);
    }
  }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.MemoryLogSlot", MemoryLogSlotObj, tvm::ffi::Object);

 private:
  std::atomic<MemoryLog*> m_log{nullptr};
  SpinLock m_lock;
};

class MemoryLogSlot : public tvm::ffi::ObjectRef {
 public:
  static MemoryLogSlot make();
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(MemoryLogSlot, tvm::ffi::ObjectRef, MemoryLogSlotObj);
};

inline MemoryLogSlot MemoryLogSlot::make() {
  return MemoryLogSlot(tvm::ffi::make_object<MemoryLogSlotObj>());
}

}  // namespace opscope::runtime
