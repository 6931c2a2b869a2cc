// SPDX-License-Identifier: Apache-2.0
// What a builtin sees of the machine that calls it: the pointer behind the %vm register. Lives as long as its
// machine; used on the machine's thread only.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>

#include <vector>

#include "engine/runtime/storage.h"

namespace opscope::vm {

class MachineContext {
 public:
  MachineContext(const MachineContext&) = delete;
  MachineContext& operator=(const MachineContext&) = delete;

  /// Devices in the order the executable numbers them; the host is last. Never empty.
  const std::vector<DLDevice>& devices() const { return m_devices; }
  runtime::StorageAllocator& allocator() { return m_allocator; }
  const runtime::StorageAllocator& allocator() const { return m_allocator; }

  /// Calls an ffi function or a closure of this machine. Throws what the callee throws, TypeError for other
  /// values.
  virtual void callValue(tvm::ffi::AnyView callee, tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result) = 0;
  /// Throws when a stop was requested; compiled mode passes here where bytecode has its instructions.
  virtual void throwIfStopped() const = 0;

 protected:
  MachineContext(std::vector<DLDevice> devices, runtime::AllocatorKind kind)
      : m_devices(std::move(devices)), m_allocator(kind) {}
  virtual ~MachineContext() = default;

 private:
  std::vector<DLDevice> m_devices;
  runtime::StorageAllocator m_allocator;
};

}  // namespace opscope::vm
