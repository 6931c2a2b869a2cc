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
                         const std::vector<runtime::AllocatorKind>& allocators, std::uint32_t recursionLimit)
    : MachineContext(std::move(devices), allocators),
      m_data(std::move(data)),
      m_recursionLimit(recursionLimit),
      m_module(ffi::UnsafeInit{}),
      m_token(ffi::make_object<MachineTokenObj>()) {}

base::Result<> Interpreter::load(ffi::Module module, const ffi::Array<ffi::Any>& imports,
                                 const std::vector<std::string>& standIns) {
  m_module = std::move(module);
  OPSCOPE_TRY_ASSIGN(m_functions, resolveFunctions(*m_data, imports, m_token, standIns));
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

ffi::Any Interpreter::run(ffi::AnyView callee, ffi::PackedArgs arguments) {
  m_failure.reset();
  throwIfStopped();
  ffi::Any result;
  callValue(callee, arguments, &result);
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

std::string_view Interpreter::runningFunction() const {
  if (m_frames.empty()) {
    return {};
  }
  const auto function = static_cast<std::size_t>(m_frames.back().function - m_program.functions.data());
  return m_data->functions[function].name;
}

void Interpreter::requireCount(std::uint32_t function, std::int32_t count) const {
  if (count != static_cast<std::int32_t>(m_program.functions[function].parameterCount)) {
    // TVM's kind for this, odd as it is.
    raise("InternalError", fmt::format("{} takes {} arguments, got {}", m_data->functions[function].name,
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
  } else {
    std::vector<ffi::AnyView> all(arguments.data(), arguments.data() + arguments.size());
    all.insert(all.end(), closure->captured.begin(), closure->captured.end());
    callFunction(closure->function, ffi::PackedArgs(all.data(), static_cast<std::int32_t>(all.size())),
                 result);
  }
  if (closure->dropsResult) {
    result->reset();
  }
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

bool Interpreter::instrument(const DenseInstruction* instruction, const TVMFFIAny* views,
                             const ffi::Any* result) {
  const ffi::Function hook = m_instrument;  // it may replace or remove itself
  if (hook == nullptr) {
    return true;
  }
  std::vector<ffi::AnyView> arguments = {m_functions.values[instruction->function],
                                         m_data->functions[instruction->function].name, result == nullptr,
                                         result != nullptr ? ffi::AnyView(*result) : ffi::AnyView(nullptr)};
  const ffi::PackedArgs given = asArguments(views, instruction->argumentCount);
  std::vector<ffi::String> typeNames;
  typeNames.reserve(static_cast<std::size_t>(given.size()));
  for (std::int32_t i = 0; i < given.size(); ++i) {
    const bool isType = given[i].type_index() == kTVMFFIDataType;
    arguments.push_back(
        isType ? ffi::AnyView(typeNames.emplace_back(ffi::DLDataTypeToString(given[i].cast<DLDataType>())))
               : given[i]);
  }
  try {
    ffi::Any action;
    hook.CallPacked(arguments.data(), static_cast<std::int32_t>(arguments.size()), &action);
    constexpr std::int64_t kSkipCall = 1;
    return action.try_cast<std::int64_t>() != kSkipCall;
  } catch (...) {
    recordFailure(instruction);
    m_failure->inInstrument = true;
    throw;
  }
}

template <Interpreter::Watch kWatch>
inline void Interpreter::begin(const DenseInstruction* instruction, const TVMFFIAny* views) {
  if constexpr (kWatch == Watch::Observer) {
    m_observer->beginCall(siteOf(instruction), views, instruction->argumentCount);
  } else if constexpr (kWatch == Watch::Instrument) {
    if (m_observer != nullptr) {
      m_observer->beginCall(siteOf(instruction), views, instruction->argumentCount);
    }
  }
}

/// Gives the result of a call to its register. The observer's call ends after that, because what the register
/// held before is released as part of the call, as in TVM; the instrument sees the result before it.
template <Interpreter::Watch kWatch>
inline void Interpreter::end(const DenseInstruction* instruction, TVMFFIAny* registers,
                             const TVMFFIAny* views, ffi::Any&& result) {
  const bool isKept = instruction->destination != DenseInstruction::kDropped;
  if constexpr (kWatch == Watch::Instrument) {
    if (m_observer != nullptr) {
      m_observer->endCall(siteOf(instruction), rawOf(result));
    }
    instrument(instruction, views, &result);
  }
  if (isKept) {
    asAny(registers[instruction->destination]) = std::move(result);
  }
  if constexpr (kWatch == Watch::Observer) {
    m_observer->endCall(siteOf(instruction), isKept ? registers[instruction->destination] : rawOf(result));
  }
}

/// False when the instrument says to skip the call; its result is None then.
template <Interpreter::Watch kWatch>
inline bool Interpreter::isWanted(const DenseInstruction* instruction, TVMFFIAny* registers,
                                  const TVMFFIAny* views) {
  if constexpr (kWatch == Watch::Instrument) {
    if (!instrument(instruction, views, nullptr)) {
      if (instruction->destination != DenseInstruction::kDropped) {
        asAny(registers[instruction->destination]).reset();
      }
      return false;
    }
  }
  return true;
}

/// A call that returns before the next instruction is looked at.
template <Interpreter::Watch kWatch>
inline void Interpreter::call(const DenseInstruction* instruction, TVMFFIAny* registers, TVMFFIAny* views) {
  fillViews(instruction, registers, views);
  if (!isWanted<kWatch>(instruction, registers, views)) {
    return;
  }
  begin<kWatch>(instruction, views);
  ffi::Any result;
  const ffi::PackedArgs arguments = asArguments(views, instruction->argumentCount);
  if (instruction->op == DenseOp::CallBuiltin) {
    instruction->builtin(arguments, &result);
  } else if (instruction->op == DenseOp::CallFunction) {
    instruction->code->CallPacked(arguments.data(), arguments.size(), &result);
  } else if (instruction->op == DenseOp::CallCompiled) {
    callCompiled(instruction->function, arguments, &result);
  }
  end<kWatch>(instruction, registers, views, std::move(result));
}

void Interpreter::moveTo(Cursor& at, const Frame& frame) {
  at.registers = frame.registers;
  at.views = frame.registers + frame.function->registerCount;
}

template <Interpreter::Watch kWatch>
inline void Interpreter::enter(Cursor& at) {
  fillViews(at.pc, at.registers, at.views);
  if (!isWanted<kWatch>(at.pc, at.registers, at.views)) {
    ++at.pc;
    return;
  }
  begin<kWatch>(at.pc, at.views);
  pushFrame(at.pc->function, at.pc, at.views, at.pc->argumentCount);
  moveTo(at, m_frames.back());
  at.pc = m_program.instructions.data() + m_frames.back().function->firstInstruction;
}

/// Ends the top frame; true when it was the one that `result` is for.
template <Interpreter::Watch kWatch>
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
  end<kWatch>(at.pc, at.registers, at.views, std::move(value));
  ++at.pc;
  return false;
}

template <Interpreter::Watch kWatch>
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
        call<kWatch>(at.pc, at.registers, at.views);
        ++at.pc;
        break;
      case DenseOp::ClearRegister:
        if constexpr (kWatch != Watch::None) {
          call<kWatch>(at.pc, at.registers, at.views);
        } else {
          asAny(at.registers[at.pc->destination]).reset();
        }
        ++at.pc;
        break;
      case DenseOp::CallBytecode:
        enter<kWatch>(at);
        break;
      case DenseOp::Return:
        if (leave<kWatch>(at, base, result)) {
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
    if (m_instrument != nullptr) {
      loop<Watch::Instrument>(at, result);
    } else if (m_observer != nullptr) {
      loop<Watch::Observer>(at, result);
    } else {
      loop<Watch::None>(at, result);
    }
  } catch (...) {
    recordFailure(at.pc);
    unwind(below);
    throw;
  }
}

}  // namespace opscope::vm
