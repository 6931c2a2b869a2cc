// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/interpreter.h"

#include <fmt/format.h>

#include <array>

#include "engine/vm/builtins/arguments.h"
#include "engine/vm/constants.h"
#include "engine/vm/value_text.h"

namespace opscope::vm {

namespace ffi = tvm::ffi;

namespace {

ffi::Any& asAny(TVMFFIAny& slot) {
  return reinterpret_cast<ffi::Any&>(slot);
}

ffi::PackedArgs asArguments(const TVMFFIAny* views, std::int32_t count) {
  return {reinterpret_cast<const ffi::AnyView*>(views), count};
}

/// The condition of an If: read_if_cond gives a bool, an integer is taken too.
bool isTrue(const TVMFFIAny& value) {
  if (value.type_index != kTVMFFIBool && value.type_index != kTVMFFIInt) {
    raise("TypeError", "the condition of a branch should be a bool or an integer, got " +
                           describeValue(ffi::AnyView::CopyFromTVMFFIAny(value)));
  }
  return value.v_int64 != 0;
}

const TVMFFIAny& rawOf(const ffi::Any& value) {
  return reinterpret_cast<const TVMFFIAny&>(value);
}

}  // namespace

Interpreter::Interpreter(std::shared_ptr<const ExecutableData> data, std::vector<DLDevice> devices,
                         runtime::AllocatorKind allocator, std::uint32_t recursionLimit)
    : MachineContext(std::move(devices), allocator),
      m_data(std::move(data)),
      m_recursionLimit(recursionLimit),
      m_module(ffi::UnsafeInit{}),
      m_token(ffi::make_object<MachineTokenObj>()) {}

base::Result<> Interpreter::load(ffi::Module module, const std::vector<std::string>& standIns) {
  m_module = std::move(module);
  OPSCOPE_TRY_ASSIGN(m_functions, resolveFunctions(*m_data, m_module, m_token, standIns));
  OPSCOPE_TRY_ASSIGN(m_constants, makeConstants(*m_data));
  OPSCOPE_TRY_ASSIGN(m_program, buildDenseProgram(*m_data, m_functions, m_constants,
                                                  static_cast<void*>(static_cast<MachineContext*>(this))));
  return {};
}

ffi::Any Interpreter::run(std::uint32_t function, std::span<const ffi::Any> arguments) {
  m_failure.reset();
  throwIfStopped();
  ffi::Any result;
  const auto* first = reinterpret_cast<const TVMFFIAny*>(arguments.data());
  callFunction(function, asArguments(first, static_cast<std::int32_t>(arguments.size())), &result);
  return result;
}

void Interpreter::throwStopped() {
  raise("Cancelled", "stopped");
}

// ---- frames ----

void Interpreter::pushFrame(std::uint32_t function, const DenseInstruction* caller,
                            const TVMFFIAny* arguments, std::uint32_t count) {
  if (m_frames.size() >= m_recursionLimit) {
    raise("RecursionError",
          fmt::format("more than {} calls of the executable's functions are in progress; it seems to "
                      "call itself without end",
                      m_recursionLimit));
  }
  const DenseFunction& callee = m_program.functions[function];
  m_frames.emplace_back();
  try {
    m_frames.back() = {&callee, m_registers.push(callee.registerCount, callee.mostArguments), caller};
  } catch (...) {
    m_frames.pop_back();
    throw;
  }
  TVMFFIAny* registers = m_frames.back().registers;
  for (std::uint32_t i = 0; i < count; ++i) {
    asAny(registers[i]) = ffi::AnyView::CopyFromTVMFFIAny(arguments[i]);
  }
}

void Interpreter::popFrame() {
  const Frame frame = m_frames.back();
  m_registers.pop(frame.registers, frame.function->registerCount, frame.function->mostArguments);
  m_frames.pop_back();
}

void Interpreter::unwind(std::size_t depth) {
  while (m_frames.size() > depth) {
    popFrame();
  }
}

void Interpreter::requireCount(std::uint32_t function, std::int32_t count) const {
  if (count != static_cast<std::int32_t>(m_program.functions[function].parameterCount)) {
    raise("TypeError", fmt::format("{} takes {} arguments, got {}", m_data->functions[function].name,
                                   m_program.functions[function].parameterCount, count));
  }
}

void Interpreter::recordFailure(const DenseInstruction* instruction) {
  if (m_failure.has_value()) {
    return;  // the innermost place is the one to tell
  }
  FailurePlace place;
  place.function = static_cast<std::uint32_t>(m_frames.back().function - m_program.functions.data());
  place.inCompiledCode = instruction == nullptr;
  if (instruction != nullptr) {
    place.instruction = static_cast<std::uint32_t>(instruction - m_program.instructions.data());
    place.hasCallee = instruction->op < DenseOp::Return;
    place.callee = instruction->function;
  }
  m_failure = place;
}

// ---- calls that use the thread's own stack ----

void Interpreter::callValue(ffi::AnyView callee, ffi::PackedArgs arguments, ffi::Any* result) {
  if (const auto* function = callee.as<ffi::FunctionObj>()) {
    function->CallPacked(arguments.data(), arguments.size(), result);
    return;
  }
  const auto* closure = callee.as<ClosureObj>();
  if (closure == nullptr || !closure->machine.same_as(m_token)) {
    raise("TypeError", closure == nullptr ? "expected a function or a closure to call"
                                          : "the closure belongs to another executable");
  }
  if (closure->captured.empty()) {
    callFunction(closure->function, arguments, result);
    return;
  }
  std::vector<ffi::AnyView> all(arguments.data(), arguments.data() + arguments.size());
  all.insert(all.end(), closure->captured.begin(), closure->captured.end());
  callFunction(closure->function, ffi::PackedArgs(all.data(), static_cast<std::int32_t>(all.size())), result);
}

void Interpreter::callFunction(std::uint32_t function, ffi::PackedArgs arguments, ffi::Any* result) {
  if (m_program.functions[function].kind == FunctionKind::VmTir) {
    callCompiled(function, arguments, result);
    return;
  }
  requireCount(function, arguments.size());
  if (m_stackGuard.isNearlyFull()) {
    raise("RecursionError",
          "the thread's stack is nearly full; the executable seems to call itself without end");
  }
  pushFrame(function, nullptr, reinterpret_cast<const TVMFFIAny*>(arguments.data()),
            static_cast<std::uint32_t>(arguments.size()));
  execute(result);
}

void Interpreter::callCompiled(std::uint32_t function, ffi::PackedArgs arguments, ffi::Any* result) {
  requireCount(function, arguments.size());
  if (m_stackGuard.isNearlyFull()) {
    raise("RecursionError",
          "the thread's stack is nearly full; the executable seems to call itself without end");
  }
  const std::size_t depth = m_frames.size();
  try {
    pushFrame(function, nullptr, reinterpret_cast<const TVMFFIAny*>(arguments.data()),
              static_cast<std::uint32_t>(arguments.size()));
    TVMFFIAny* registers = m_frames.back().registers;
    const std::array<ffi::AnyView, 4> handles = {
        static_cast<void*>(static_cast<MachineContext*>(this)), static_cast<void*>(registers),
        static_cast<void*>(m_constants.data()), static_cast<void*>(m_functions.values.data())};
    ffi::Any ignored;
    m_functions.code[function]->CallPacked(handles.data(), static_cast<std::int32_t>(handles.size()),
                                           &ignored);
    // The result stands after the parameters.
    asAny(registers[arguments.size()]).swap(*result);
  } catch (...) {
    if (m_frames.size() > depth) {
      recordFailure(nullptr);
    }
    unwind(depth);
    throw;
  }
  popFrame();
}

// ---- the run loop ----

CallSite Interpreter::siteOf(const DenseInstruction* instruction) const {
  return {static_cast<std::uint32_t>(instruction - m_program.instructions.data()), instruction->function,
          static_cast<std::uint32_t>(m_frames.size() - 1)};
}

inline void Interpreter::fillViews(const DenseInstruction* instruction, const TVMFFIAny* registers,
                                   TVMFFIAny* views) const {
  const TVMFFIAny* literals = m_program.literals.data();
  const Slot* slots = m_program.arguments.data() + instruction->firstArgument;
  for (std::uint32_t i = 0; i < instruction->argumentCount; ++i) {
    views[i] = slots[i].read(registers, literals);
  }
}

/// A call that returns before the next instruction is looked at.
template <bool kObserved>
inline void Interpreter::call(const DenseInstruction* instruction, TVMFFIAny* registers, TVMFFIAny* views) {
  fillViews(instruction, registers, views);
  if constexpr (kObserved) {
    m_observer->beginCall(siteOf(instruction), views, instruction->argumentCount);
  }
  ffi::Any result;
  const ffi::PackedArgs arguments = asArguments(views, instruction->argumentCount);
  if (instruction->op == DenseOp::CallBuiltin) {
    instruction->builtin(arguments, &result);
  } else if (instruction->op == DenseOp::CallFunction) {
    instruction->code->CallPacked(arguments.data(), arguments.size(), &result);
  } else if (instruction->op == DenseOp::CallCompiled) {
    callCompiled(instruction->function, arguments, &result);
  }
  const bool isKept = instruction->destination != DenseInstruction::kDropped;
  if (isKept) {
    // What the register held before is released here, inside the observed call, as TVM does it.
    asAny(registers[instruction->destination]) = std::move(result);
  }
  if constexpr (kObserved) {
    m_observer->endCall(siteOf(instruction), isKept ? registers[instruction->destination] : rawOf(result));
  }
}

void Interpreter::moveTo(Cursor& at, const Frame& frame) {
  at.registers = frame.registers;
  at.views = frame.registers + frame.function->registerCount;
}

template <bool kObserved>
inline void Interpreter::enter(Cursor& at) {
  fillViews(at.pc, at.registers, at.views);
  if constexpr (kObserved) {
    m_observer->beginCall(siteOf(at.pc), at.views, at.pc->argumentCount);
  }
  pushFrame(at.pc->function, at.pc, at.views, at.pc->argumentCount);
  moveTo(at, m_frames.back());
  at.pc = m_program.instructions.data() + m_frames.back().function->firstInstruction;
}

/// Ends the top frame; true when it was the one that `result` is for.
template <bool kObserved>
inline bool Interpreter::leave(Cursor& at, std::size_t base, ffi::Any* result) {
  const Slot slot = m_program.arguments[at.pc->firstArgument];
  ffi::Any value(ffi::AnyView::CopyFromTVMFFIAny(slot.read(at.registers, m_program.literals.data())));
  const bool isBase = m_frames.size() == base;
  at.pc = m_frames.back().caller;
  popFrame();
  if (isBase) {
    *result = std::move(value);
    return true;
  }
  moveTo(at, m_frames.back());
  const bool isKept = at.pc->destination != DenseInstruction::kDropped;
  if (isKept) {
    asAny(at.registers[at.pc->destination]) = std::move(value);
  }
  if constexpr (kObserved) {
    m_observer->endCall(siteOf(at.pc), isKept ? at.registers[at.pc->destination] : rawOf(value));
  }
  ++at.pc;
  return false;
}

template <bool kObserved>
void Interpreter::loop(Cursor& at, ffi::Any* result) {
  const std::size_t base = m_frames.size();
  const TVMFFIAny* literals = m_program.literals.data();
  const Slot* slots = m_program.arguments.data();
  for (;;) {
    throwIfStopped();
    switch (at.pc->op) {
      case DenseOp::CallBuiltin:
      case DenseOp::CallFunction:
      case DenseOp::CallCompiled:
        call<kObserved>(at.pc, at.registers, at.views);
        ++at.pc;
        break;
      case DenseOp::ClearRegister:
        if constexpr (kObserved) {
          call<true>(at.pc, at.registers, at.views);
        } else {
          asAny(at.registers[at.pc->destination]).reset();
        }
        ++at.pc;
        break;
      case DenseOp::CallBytecode:
        enter<kObserved>(at);
        break;
      case DenseOp::Return:
        if (leave<kObserved>(at, base, result)) {
          return;
        }
        break;
      case DenseOp::Jump:
        at.pc += at.pc->jump;
        break;
      case DenseOp::Branch:
        at.pc += isTrue(slots[at.pc->firstArgument].read(at.registers, literals)) ? 1 : at.pc->jump;
        break;
    }
  }
}

void Interpreter::execute(ffi::Any* result) {
  const std::size_t below = m_frames.size() - 1;
  Cursor at;
  at.pc = m_program.instructions.data() + m_frames.back().function->firstInstruction;
  moveTo(at, m_frames.back());
  try {
    if (m_observer != nullptr) {
      loop<true>(at, result);
    } else {
      loop<false>(at, result);
    }
  } catch (...) {
    recordFailure(at.pc);
    unwind(below);
    throw;
  }
}

}  // namespace opscope::vm
