// SPDX-License-Identifier: Apache-2.0
// The machines that live in this process, for vm.builtin.memory_manager.clear: it takes no argument that
// says whose memory it is to release. The ffi registry, which is process-wide itself, holds the list. Any
// thread.
#pragma once

#include <tvm/ffi/object.h>

#include <mutex>
#include <set>

namespace opscope::vm {

class MachineContext;

class MachineListObj : public tvm::ffi::Object {
 public:
  void add(MachineContext* machine);
  void remove(MachineContext* machine);
  /// Releases the free blocks of every machine's pool.
  void trimPools();

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.MachineList", MachineListObj, tvm::ffi::Object);

 private:
  std::mutex m_mutex;
  std::set<MachineContext*> m_machines;
};

class MachineList : public tvm::ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(MachineList, tvm::ffi::ObjectRef, MachineListObj);
};

/// The list of this process; made and put into the registry at the first call.
MachineList machineList();

}  // namespace opscope::vm
