// SPDX-License-Identifier: Apache-2.0
// Runs the functions of one executable: frames, registers, the run loop. Belongs to a VirtualMachine and its
// thread; requestStop and clearStop may be called from any thread. Raises tvm::ffi::Error. Behaviour: seed
// 000, RunLoop, RunInstrCall, InvokeBytecode, GetClosureInternal.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/vm/call_observer.h"
#include "engine/vm/closure.h"
#include "engine/vm/dense_program.h"
#include "engine/vm/machine_context.h"
#include "engine/vm/register_stack.h"
#include "engine/vm/stack_guard.h"

namespace opscope::vm {

/// Where the innermost failure of a run happened.
struct FailurePlace {
  std::uint32_t function = 0;     ///< the function that was running
  std::uint32_t instruction = 0;  ///< bytecode only
  bool inCompiledCode = false;    ///< compiled mode: no instruction, no callee
  bool inInstrument = false;      ///< the instrument raised, not the callee
  bool hasCallee = false;
  std::uint32_t callee = 0;
};

class Interpreter final : public MachineContext {
 public:
  /// `allocators` as MachineContext has them.
  Interpreter(std::shared_ptr<const ExecutableData> data, std::vector<DLDevice> devices,
              const std::vector<runtime::AllocatorKind>& allocators, std::uint32_t recursionLimit);

  /// Resolves functions in `imports` and the registry, copies constants, builds the dense form. Once, before
  /// run. `module` keeps the library's code loaded.
  base::Result<> load(tvm::ffi::Module module, const tvm::ffi::Array<tvm::ffi::Any>& imports,
                      const std::vector<std::string>& standIns);

  /// Runs function number `function` of kind Bytecode or VmTir. Raises what a callee raises; registers are
  /// released then and the interpreter is ready for the next run.
  tvm::ffi::Any run(std::uint32_t function, std::span<const tvm::ffi::Any> arguments);
  /// The same for a closure of this machine or an ffi function.
  tvm::ffi::Any run(tvm::ffi::AnyView callee, tvm::ffi::PackedArgs arguments);

  void setObserver(CallObserver* observer) { m_observer = observer; }
  /// Calls `instrument` before and after each Call instruction (not for calls inside of compiled functions,
  /// as in TVM) with (function, name, before, result or None, arguments...); types among the arguments come
  /// as text. When it gives 1 before a call, the call is skipped and its result is None. Null removes it; a
  /// change during a run holds from the next call of a function of the executable on.
  void setInstrument(tvm::ffi::Function instrument) { m_instrument = std::move(instrument); }
  void requestStop() { m_stop.store(true, std::memory_order_relaxed); }
  void clearStop() { m_stop.store(false, std::memory_order_relaxed); }
  bool stopRequested() const { return m_stop.load(std::memory_order_relaxed); }

  std::uint32_t frameCount() const { return static_cast<std::uint32_t>(m_frames.size()); }
  std::string_view runningFunction() const;
  /// The one given to load.
  const tvm::ffi::Module& module() const { return m_module; }

  /// The place of the failure of the latest run, if it had one.
  const std::optional<FailurePlace>& failure() const { return m_failure; }
  const ExecutableData& data() const { return *m_data; }
  /// The function with this number as a value: a closure, or an ffi function for kind Packed.
  const tvm::ffi::Any& functionValue(std::uint32_t function) const { return m_functions.values[function]; }

  void callValue(tvm::ffi::AnyView callee, tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result) override;
  void throwIfStopped() const override {
    if (m_stop.load(std::memory_order_relaxed)) [[unlikely]] {
      throwStopped();
    }
  }

 private:
  struct Frame {
    const DenseFunction* function = nullptr;
    TVMFFIAny* registers = nullptr;
    const DenseInstruction* caller = nullptr;  ///< the Call that made it; nullptr when entered from outside
  };
  /// Where the run loop stands: the instruction, its frame's registers and its space for arguments.
  struct Cursor {
    const DenseInstruction* pc = nullptr;
    TVMFFIAny* registers = nullptr;
    TVMFFIAny* views = nullptr;
  };

  [[noreturn]] static void throwStopped();
  void pushFrame(std::uint32_t function, const DenseInstruction* caller, const TVMFFIAny* arguments,
                 std::uint32_t count);
  void popFrame();
  void unwind(std::size_t depth);
  void requireCount(std::uint32_t function, std::int32_t count) const;
  void callFunction(std::uint32_t function, tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void callCompiled(std::uint32_t function, tvm::ffi::PackedArgs arguments, tvm::ffi::Any* result);
  void recordFailure(const DenseInstruction* instruction);

  /// What a run loop does around calls; one loop is compiled for each, so that None costs nothing.
  enum class Watch { None, Observer, Instrument };

  /// Runs the top frame until it returns.
  void execute(tvm::ffi::Any* result);
  /// Runs the instrument before (`result` is null) or after a call; false: skip the call.
  bool instrument(const DenseInstruction* instruction, const TVMFFIAny* views, const tvm::ffi::Any* result);
  template <Watch kWatch>
  bool isWanted(const DenseInstruction* instruction, TVMFFIAny* registers, const TVMFFIAny* views);
  template <Watch kWatch>
  void begin(const DenseInstruction* instruction, const TVMFFIAny* views);
  template <Watch kWatch>
  void end(const DenseInstruction* instruction, TVMFFIAny* registers, const TVMFFIAny* views,
           tvm::ffi::Any&& result);
  template <Watch kWatch>
  void loop(Cursor& at, tvm::ffi::Any* result);
  static void moveTo(Cursor& at, const Frame& frame);
  template <Watch kWatch>
  void enter(Cursor& at);
  template <Watch kWatch>
  bool leave(Cursor& at, std::size_t base, tvm::ffi::Any* result);
  template <Watch kWatch>
  void call(const DenseInstruction* instruction, TVMFFIAny* registers, TVMFFIAny* views);
  void fillViews(const DenseInstruction* instruction, const TVMFFIAny* registers, TVMFFIAny* views) const;
  CallSite siteOf(const DenseInstruction* instruction) const;

  std::shared_ptr<const ExecutableData> m_data;
  std::uint32_t m_recursionLimit;
  tvm::ffi::Module m_module;  ///< keeps the library's code loaded
  tvm::ffi::ObjectRef m_token;
  std::vector<tvm::ffi::Any> m_constants;
  FunctionPool m_functions;
  DenseProgram m_program;
  RegisterStack m_registers;
  std::vector<Frame> m_frames;
  StackGuard m_stackGuard;
  CallObserver* m_observer = nullptr;
  tvm::ffi::Function m_instrument{nullptr};
  std::atomic<bool> m_stop{false};
  std::optional<FailurePlace> m_failure;
};

}  // namespace opscope::vm
