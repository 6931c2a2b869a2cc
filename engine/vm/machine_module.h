// SPDX-License-Identifier: Apache-2.0
// A virtual machine as an ffi module, the interface that TVM's clients use locally and over RPC. Made, used
// and destroyed on one thread. It owns its machine and shares the executable; functions taken from it keep
// it alive, and results and saved values keep what they need. The same functions typed: stateful_machine.h.
// Behaviour: seed 000, the module table of VirtualMachineImpl.
//
// Errors are raised with TVM's kinds. Where TVM reads out of bounds (too few arguments) it is a TypeError
// here; where it crashes (a function before vm_initialization) a RuntimeError.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <memory>

#include "engine/runtime/run_context.h"
#include "engine/vm/executable_module.h"
#include "engine/vm/machine.h"

namespace opscope::vm {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // as for every object of tvm-ffi

class MachineModuleObj : public tvm::ffi::ModuleObj {
 public:
  /// `executable` is a module of kind relax.VMExecutable; its imports become this module's. Raises TypeError
  /// for other modules, and what is wrong with the executable.
  explicit MachineModuleObj(tvm::ffi::Module executable);

  const char* kind() const final { return "relax.VirtualMachine"; }
  /// One of the module's functions, else a saved function or one of the executable.
  tvm::ffi::Optional<tvm::ffi::Function> GetFunction(const tvm::ffi::String& name) override;

 protected:
  using Method = void (MachineModuleObj::*)(tvm::ffi::PackedArgs, tvm::ffi::Any*);

  /// The machine; raises RuntimeError before vm_initialization.
  Machine& machine();
  ExecutableModuleObj& executable() { return executableOf(m_executable); }

  /// While a function of the machine runs: its context is current, and nobody may replace the machine.
  class Use {
   public:
    explicit Use(MachineModuleObj& module)
        : m_module(module), m_machine(module.machine()), m_scope(m_machine.context()) {
      ++m_module.m_uses;
    }
    ~Use() { --m_module.m_uses; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    MachineFunctions* operator->() { return &m_machine.functions(); }

   private:
    MachineModuleObj& m_module;
    Machine& m_machine;
    runtime::RunContextScope m_scope;
  };

 private:
  friend class MachineLease;
  struct Entry;

  void initialise(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void saveFunction(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void invokeClosure(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void invokeStateful(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void setInstrument(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void getOutputArity(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void getOutput(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void setInput(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void setInputWithParamModule(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void getFunctionArity(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void getFunctionParamName(tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  tvm::ffi::Optional<tvm::ffi::Function> functionOfExecutable(const tvm::ffi::String& name);

  tvm::ffi::Module m_executable;
  std::unique_ptr<Machine> m_machine;
  int m_uses = 0;  ///< calls in progress
};

#pragma GCC diagnostic pop

/// The machine behind a module, kept as it is for as long as the lease lives: vm_initialization raises
/// meanwhile.
class MachineLease {
 public:
  /// Raises TypeError for a module that is no machine, RuntimeError before vm_initialization.
  explicit MachineLease(tvm::ffi::Module module);
  ~MachineLease();
  MachineLease(const MachineLease&) = delete;
  MachineLease& operator=(const MachineLease&) = delete;

  Machine& machine() { return m_object.machine(); }
  std::shared_ptr<const ExecutableData> executable() { return m_object.executable().data(); }

 private:
  tvm::ffi::Module m_module;
  MachineModuleObj& m_object;
};

/// A machine for `executable`, a module of kind relax.VMExecutable, to be initialised by vm_initialization.
tvm::ffi::Module makeMachineModule(const tvm::ffi::Module& executable);

}  // namespace opscope::vm
