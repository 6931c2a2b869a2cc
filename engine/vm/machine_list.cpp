// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/machine_list.h"

#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include "engine/vm/machine_context.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

constexpr const char* kListFunction = "opscope.vm.machines";

}  // namespace

void MachineListObj::add(MachineContext* machine) {
  const std::lock_guard lock(m_mutex);
  m_machines.insert(machine);
}

void MachineListObj::remove(MachineContext* machine) {
  const std::lock_guard lock(m_mutex);
  m_machines.erase(machine);
}

void MachineListObj::trimPools() {
  const std::lock_guard lock(m_mutex);  // a machine that is ending waits
  for (MachineContext* machine : m_machines) {
    machine->trimPools();
  }
}

MachineList machineList() {
  if (const auto held = ffi::Function::GetGlobal(kListFunction)) {
    return (*held)().cast<MachineList>();
  }
  const MachineList list(ffi::make_object<MachineListObj>());
  ffi::Function::SetGlobal(kListFunction, ffi::Function::FromTyped([list] { return list; }));
  return list;
}

}  // namespace opscope::vm
