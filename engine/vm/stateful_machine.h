// SPDX-License-Identifier: Apache-2.0
// A virtual machine with what TVM's module of a machine keeps between calls: inputs that were set, outputs,
// saved functions, an instrument. The same functions as ffi calls are in machine_module.h. Threads and
// ownership as VirtualMachine. Behaviour: seed 000, the functions of VirtualMachineImpl's module.
#pragma once

#include <tvm/ffi/function.h>

#include <string>

#include "engine/vm/virtual_machine.h"

namespace opscope::vm {

class StatefulMachine : public VirtualMachine {
 public:
  /// As VirtualMachine::create.
  static base::Result<std::unique_ptr<StatefulMachine>> create(const ExecutableFile& file,
                                                               const Options& options,
                                                               runtime::RunContext& context);

  using Values = std::span<const tvm::ffi::Any>;
  using Path = std::span<const std::int64_t>;  ///< into nested tuples; empty: the whole

  /// Keeps `function` with its last arguments bound as `savedName`, which then goes before the executable's
  /// function of that name. Without `includeReturn` a call of it gives None. Errors: InvalidArgument.
  virtual base::Result<> saveFunction(std::string_view function, const std::string& savedName,
                                      bool includeReturn, Values lastArguments) = 0;

  /// A saved function, or one of the executable, as a value that functions of the executable take and
  /// invokeClosure calls. Errors: InvalidArgument for an unknown name and for a packed function.
  virtual base::Result<tvm::ffi::Any> closure(std::string_view function) const = 0;

  /// Calls a closure of this machine or any ffi function. Errors: KernelFailed, Cancelled, InvalidArgument.
  virtual base::Result<tvm::ffi::Any> invokeClosure(const tvm::ffi::Any& callee, Values arguments) = 0;

  /// Inputs for invokeStateful: tensors, shapes, scalars, tuples, nested. Errors: InvalidArgument.
  virtual base::Result<> setInput(std::string_view function, Values inputs) = 0;
  /// The same; the last input is a module whose function get_params gives the value.
  virtual base::Result<> setInputWithParamModule(std::string_view function, Values inputs) = 0;
  /// Runs `function` with the inputs that were set and keeps its result. Errors: InvalidArgument, also when
  /// no inputs are set; as VirtualMachine::invoke.
  virtual base::Result<> invokeStateful(std::string_view function) = 0;

  /// Number of items of the kept result, or of the tuple at `path` in it; -1 for what is no tuple. Errors:
  /// InvalidArgument: nothing kept, a path that leads nowhere.
  virtual base::Result<std::int64_t> outputArity(std::string_view function, Path path) const = 0;
  /// The value at `path` of the kept result. Errors: as outputArity, and for a tuple: say which item.
  virtual base::Result<tvm::ffi::Any> output(std::string_view function, Path path) const = 0;

  /// Number of named parameters. Errors: InvalidArgument for a name that the executable does not have.
  virtual base::Result<std::int64_t> functionArity(std::string_view function) const = 0;
  /// Errors: InvalidArgument.
  virtual base::Result<std::string> parameterName(std::string_view function, std::int64_t index) const = 0;

  /// Interpreter::setInstrument says what it is called with. Null removes it.
  virtual void setInstrument(tvm::ffi::Function instrument) = 0;
};

}  // namespace opscope::vm
