// SPDX-License-Identifier: Apache-2.0
// What a builtin sees of the machine that calls it: the pointer behind the %vm register. Lives as long as its
// machine; used on the machine's thread only.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>

#include <vector>

#include "engine/runtime/storage.h"
#include "engine/vm/machine_list.h"

namespace opscope::vm {

class MachineContext {
 public:
  MachineContext(const MachineContext&) = delete;
  MachineContext& operator=(const MachineContext&) = delete;

  /// Devices in the order the executable numbers them; the host is last. Never empty.
  const std::vector<DLDevice>& devices() const { return m_devices; }
  /// Of the first device.
  runtime::StorageAllocator& allocator() { return *m_allocators.front(); }
  const runtime::StorageAllocator& allocator() const { return *m_allocators.front(); }
  /// Of the device with this number in devices().
  runtime::StorageAllocator& allocator(std::size_t device) { return *m_allocators[device]; }
  /// Of all devices together; their peaks need not have been at the same time.
  runtime::AllocatorCounters allocatorCounters() const;
  /// As StorageAllocator::setLog, for the memory of all devices.
  void setMemoryLog(runtime::MemoryLog* log);
  /// Releases the free blocks of the pools to the system. Any thread.
  void trimPools();

  /// Calls an ffi function or a closure of this machine. Throws what the callee throws, TypeError for other
  /// values.
  virtual void callValue(tvm::ffi::AnyView callee, tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result) = 0;
  /// Throws when a stop was requested; compiled mode passes here where bytecode has its instructions.
  virtual void throwIfStopped() const = 0;

 protected:
  /// `kinds`: one for each device; the last one holds for the devices after it. Neither is empty.
  MachineContext(std::vector<DLDevice> devices, const std::vector<runtime::AllocatorKind>& kinds);
  virtual ~MachineContext();

 private:
  std::vector<DLDevice> m_devices;
  // Devices of the same kind of allocator share one: all memory is the host's.
  runtime::StorageAllocator m_pooled{runtime::AllocatorKind::Pooled};
  runtime::StorageAllocator m_naive{runtime::AllocatorKind::Naive};
  std::vector<runtime::StorageAllocator*> m_allocators;
  MachineList m_list;
};

}  // namespace opscope::vm
