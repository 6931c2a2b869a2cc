// SPDX-License-Identifier: Apache-2.0
// What a machine keeps between calls, and the functions on it, as TVM's module of a machine has them. Belongs
// to a Machine and its thread. Raises tvm::ffi::Error with TVM's kinds, so that the ffi module passes them on
// unchanged. Behaviour: seed 000, SetInput, SaveClosure, GetClosureInternal, _InvokeClosureStateful,
// _GetOutput, _GetOutputArity, _GetFunctionParamName.
#pragma once

#include <tvm/ffi/any.h>
#include <tvm/ffi/function.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/vm/closure.h"
#include "engine/vm/interpreter.h"

namespace opscope::vm {

class MachineFunctions {
 public:
  using Values = std::vector<tvm::ffi::Any>;

  explicit MachineFunctions(Interpreter& interpreter) : m_interpreter(interpreter) {}

  /// The saved function, else the executable's function `name`; nothing when there is none. Raises
  /// InternalError for a packed function, which is no closure.
  std::optional<Closure> find(std::string_view name) const;
  /// The same; raises ValueError when there is none.
  Closure get(std::string_view name) const;

  bool isSaved(std::string_view name) const { return m_saved.find(name) != m_saved.end(); }
  void save(std::string_view function, const std::string& savedName, bool includeReturn,
            tvm::ffi::PackedArgs lastArguments);

  /// Calls a closure or ffi function; tensors that kernels could not read are copied first. Raises what the
  /// callee raises.
  tvm::ffi::Any call(tvm::ffi::AnyView callee, tvm::ffi::PackedArgs arguments);

  enum class LastInput { Value, ParamModule };
  void setInput(std::string_view function, tvm::ffi::PackedArgs inputs, LastInput last);
  void invokeStateful(std::string_view function);
  /// Raises what invokeStateful would raise before it runs anything.
  void requireInputs(std::string_view function) const;
  /// Inputs that were set, or nullptr.
  const Values* inputsOf(std::string_view function) const;

  std::int64_t outputArity(std::string_view function, std::span<const std::int64_t> path) const;
  tvm::ffi::Any output(std::string_view function, std::span<const std::int64_t> path) const;

  std::int64_t functionArity(std::string_view function) const;
  std::string parameterName(std::string_view function, std::int64_t index) const;

  /// A value fit for this machine's kernels; bare DLTensors, which have no owner, become tensors. `name`
  /// words errors.
  tvm::ffi::Any convert(tvm::ffi::AnyView value, const std::string& name);

 private:
  std::uint32_t indexOf(std::string_view function) const;
  const FunctionEntry& entryOf(std::string_view function) const;
  tvm::ffi::Any outputAt(std::string_view function, std::span<const std::int64_t> path) const;

  Interpreter& m_interpreter;
  std::map<std::string, Values, std::less<>> m_inputs;
  std::map<std::string, tvm::ffi::Any, std::less<>> m_outputs;
  std::map<std::string, Closure, std::less<>> m_saved;
};

/// Raises `error` with the kind that TVM would raise for it.
[[noreturn]] void raiseError(const base::Error& error);

}  // namespace opscope::vm
