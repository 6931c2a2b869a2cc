// SPDX-License-Identifier: Apache-2.0
// The one implementation of the virtual machine: the interpreter, the functions on its state, and the errors
// in words. VirtualMachine and StatefulMachine are its faces in C++, machine_module.h the one in the ffi.
// Threads and ownership as VirtualMachine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/vm/interpreter.h"
#include "engine/vm/machine_functions.h"
#include "engine/vm/stateful_machine.h"

namespace opscope::vm {

class Machine final : public StatefulMachine {
 public:
  /// Without a `context`, calls use the one that is current on their thread, or else one of the machine's
  /// own.
  Machine(std::shared_ptr<const ExecutableData> data, const Options& options, runtime::RunContext* context,
          std::vector<std::string> standIns);
  ~Machine() override;

  /// Errors: InvalidArgument and Unsupported for devices that do not exist here.
  static base::Result<> checkOptions(const Options& options);

  /// As Interpreter::load. Once, before anything else.
  base::Result<> load(tvm::ffi::Module module, const tvm::ffi::Array<tvm::ffi::Any>& imports);

  // The raising functions, for callers that pass tvm-ffi's errors on. They need a scope of context().
  MachineFunctions& functions() { return m_functions; }
  const MachineFunctions& functions() const { return m_functions; }
  runtime::RunContext& context();
  const std::vector<DLDevice>& devices() const { return m_interpreter.devices(); }

  base::Result<tvm::ffi::Any> invoke(std::string_view function, Values arguments) override;
  base::Result<tvm::ffi::Any> invokeGlobal(std::string_view name, Values arguments) override;
  void setObserver(CallObserver* observer) override { m_interpreter.setObserver(observer); }
  void setLogs(const runtime::RuntimeLogs& logs) override;
  void requestStop() override { m_interpreter.requestStop(); }
  void clearStop() override { m_interpreter.clearStop(); }
  void* libraryHandle() const override;
  std::uint32_t frameCount() const override { return m_interpreter.frameCount(); }
  std::string_view runningFunction() const override { return m_interpreter.runningFunction(); }
  bool stopRequested() const override { return m_interpreter.stopRequested(); }
  const ExecutableData& executable() const override { return m_interpreter.data(); }
  runtime::AllocatorCounters allocatorCounters() const override { return m_interpreter.allocatorCounters(); }

  base::Result<> saveFunction(std::string_view function, const std::string& savedName, bool includeReturn,
                              Values lastArguments) override;
  base::Result<tvm::ffi::Any> closure(std::string_view function) const override;
  base::Result<tvm::ffi::Any> invokeClosure(const tvm::ffi::Any& callee, Values arguments) override;
  base::Result<> setInput(std::string_view function, Values inputs) override;
  base::Result<> setInputWithParamModule(std::string_view function, Values inputs) override;
  base::Result<> invokeStateful(std::string_view function) override;
  base::Result<std::int64_t> outputArity(std::string_view function, Path path) const override;
  base::Result<tvm::ffi::Any> output(std::string_view function, Path path) const override;
  base::Result<std::int64_t> functionArity(std::string_view function) const override;
  base::Result<std::string> parameterName(std::string_view function, std::int64_t index) const override;
  void setInstrument(tvm::ffi::Function instrument) override {
    m_interpreter.setInstrument(std::move(instrument));
  }

 private:
  base::Result<> checkFunction(std::string_view function) const;
  base::Result<std::vector<tvm::ffi::Any>> convertInputs(const FunctionEntry& function, Values arguments);
  /// Runs `body`, which may raise what a function of the executable raises.
  template <class Body>
  auto running(std::string_view what, Body&& body);
  base::Error runError(const tvm::ffi::Error& error) const;
  std::string placeText() const;

  runtime::RunContext* m_context;
  std::unique_ptr<runtime::RunContext> m_ownContext;
  std::vector<std::string> m_standIns;
  Interpreter m_interpreter;
  MachineFunctions m_functions;
};

}  // namespace opscope::vm
