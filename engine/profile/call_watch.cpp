// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/call_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/string.h>

#include <algorithm>

#include "engine/runtime/tensor_copy.h"
#include "engine/vm/executable.h"
#include "engine/vm/value_text.h"

namespace opscope::profile {

namespace ffi = tvm::ffi;

namespace {

const ffi::TensorObj* tensorIn(ffi::AnyView value) {
  return value.as<ffi::TensorObj>();
}

bool holdsTensor(ffi::AnyView value) {
  if (const auto* members = value.as<ffi::ArrayObj>()) {
    return std::any_of(members->begin(), members->end(),
                       [](const ffi::Any& member) { return holdsTensor(member); });
  }
  return tensorIn(value) != nullptr;
}

void addTensors(ffi::AnyView value, std::string place, bool isOutput, bool isInPlace,
                std::vector<WatchedTensor>& tensors) {
  if (const auto* tensor = tensorIn(value)) {
    tensors.push_back({std::move(place), static_cast<const DLTensor*>(tensor), isOutput, isInPlace});
  } else if (const auto* members = value.as<ffi::ArrayObj>()) {
    for (std::size_t i = 0; i < members->size(); ++i) {
      addTensors(members->begin()[i], fmt::format("{}/{}", place, i), isOutput, isInPlace, tensors);
    }
  }
}

}  // namespace

base::Result<> CallConsumer::beforeCall(const WatchedCall& /*call*/) {
  return {};
}

CallWatch::CallWatch(vm::StatefulMachine& machine, std::vector<CallConsumer*> consumers)
    : m_machine(machine), m_consumers(std::move(consumers)) {
  for (const vm::FunctionEntry& function : machine.executable().functions) {
    if (function.kind != vm::FunctionKind::Packed) {
      m_functions.insert(function.name);
    }
  }
  m_machine.setObserver(this);
  m_machine.setInstrument(ffi::Function::FromPacked(
      [this](ffi::PackedArgs packed, ffi::Any* /*result*/) { instrument(packed); }));
  vm::CallObserver& observer = *this;
  CompiledCallHook* const hook = this;
  m_compiledCalls.emplace(machine, observer, hook);
}

CallWatch::~CallWatch() {
  m_compiledCalls.reset();
  m_machine.setInstrument(ffi::Function(nullptr));
  m_machine.setObserver(nullptr);
}

void CallWatch::beforeCall(std::string_view name, const TVMFFIAny* args, std::int32_t count) {
  before(name, kindOf(name), {reinterpret_cast<const ffi::AnyView*>(args), count});
  m_open.back().function = m_machine.runningFunction();
}

void CallWatch::afterCall(std::string_view name, const TVMFFIAny& result, const TVMFFIAny* args,
                          std::int32_t count) {
  after(name, kindOf(name), ffi::AnyView::CopyFromTVMFFIAny(result),
        {reinterpret_cast<const ffi::AnyView*>(args), count});
}

// The machine asks the instrument, tells the observer, calls, tells the observer, asks the instrument again.

void CallWatch::beginCall(const vm::CallSite& site, const TVMFFIAny* /*args*/, std::int32_t /*count*/) {
  if (!m_open.empty()) {
    m_open.back().site = site;
    m_open.back().isPlaced = true;
  }
}

void CallWatch::endCall(const vm::CallSite& site, const TVMFFIAny& /*result*/) {
  // Calls that failed inside of one that caught their error were never ended: they are passed over.
  const auto isThis = [&](const OpenCall& call) {
    return call.isPlaced && call.site.instruction == site.instruction && call.site.depth == site.depth;
  };
  while (m_open.size() > 1 && !isThis(m_open.back())) {
    m_open.pop_back();
  }
}

void CallWatch::instrument(ffi::PackedArgs packed) {
  const auto name = packed[1].cast<ffi::String>();
  const CallKind kind = kindOf({name.data(), name.size()});
  const ffi::PackedArgs arguments = packed.Slice(4);
  if (packed[2].cast<bool>()) {
    before({name.data(), name.size()}, kind, arguments);
  } else {
    after({name.data(), name.size()}, kind, packed[3], arguments);
  }
}

CallKind CallWatch::kindOf(std::string_view name) const {
  return m_functions.contains(name) ? CallKind::Function : base::callKindOf(name);
}

/// Kernels write into tensors that were allocated for them: those that no call has had yet. Where there is
/// none and nothing is returned, the last tensor is written in place, as TVM's convention has it.
void CallWatch::findWritten(OpenCall& call, CallKind kind, ffi::PackedArgs arguments) const {
  call.written.assign(static_cast<std::size_t>(arguments.size()), false);
  if (kind != CallKind::Kernel && kind != CallKind::Builtin) {
    return;
  }
  for (std::int32_t i = 0; i < arguments.size(); ++i) {
    const auto* tensor = tensorIn(arguments[i]);
    call.written[static_cast<std::size_t>(i)] = tensor != nullptr && m_unwritten.contains(tensor);
  }
}

WatchedCall CallWatch::describe(const OpenCall& call, std::string_view name, CallKind kind,
                                ffi::PackedArgs arguments) const {
  WatchedCall shown;
  shown.sequence = call.sequence;
  shown.name = name;
  shown.kind = kind;
  for (std::int32_t i = 0; i < arguments.size(); ++i) {
    const bool isWritten = call.written[static_cast<std::size_t>(i)];
    addTensors(arguments[i], fmt::format("arg{}", i), isWritten, isWritten && call.inPlace, shown.tensors);
  }
  return shown;
}

void CallWatch::before(std::string_view name, CallKind kind, ffi::PackedArgs arguments) {
  OpenCall call;
  call.sequence = m_nextSequence++;
  findWritten(call, kind, arguments);
  const bool writes = std::ranges::find(call.written, true) != call.written.end();
  if (!writes && kind == CallKind::Kernel && !base::onlyLooks(name)) {
    for (std::int32_t i = arguments.size(); i-- > 0;) {
      if (tensorIn(arguments[i]) != nullptr) {
        call.written[static_cast<std::size_t>(i)] = call.inPlace = true;
        break;
      }
    }
  }
  const WatchedCall shown = describe(call, name, kind, arguments);
  m_open.push_back(std::move(call));
  for (CallConsumer* consumer : m_consumers) {
    keepOrThrow(consumer->beforeCall(shown));
  }
}

void CallWatch::after(std::string_view name, CallKind kind, ffi::AnyView result, ffi::PackedArgs arguments) {
  if (m_open.empty()) {
    return;  // the watch began inside of this call
  }
  OpenCall call = std::move(m_open.back());
  m_open.pop_back();
  if (call.inPlace && holdsTensor(result)) {  // it returns what it makes
    call.written.assign(call.written.size(), false);
  }
  for (std::int32_t i = 0; i < arguments.size(); ++i) {
    m_unwritten.erase(tensorIn(arguments[i]));
  }
  if (name == base::kAllocTensor) {
    m_unwritten.insert(tensorIn(result));
    return;  // nothing stands in it yet
  }
  WatchedCall shown = describe(call, name, kind, arguments);
  shown.instruction = call.site.instruction;
  shown.function =
      call.function.empty() ? functionAround(m_machine.executable(), call.site.instruction) : call.function;
  addTensors(result, "ret", kind != CallKind::Bookkeeping, false, shown.tensors);
  for (CallConsumer* consumer : m_consumers) {
    keepOrThrow(consumer->afterCall(shown));
  }
}

void CallWatch::keepOrThrow(base::Result<> outcome) {
  if (!outcome) {
    const std::string message = outcome.error().message;
    m_error = std::move(outcome).error();
    throw ffi::Error("RuntimeError", message, "");
  }
}

std::string_view functionAround(const vm::ExecutableData& data, std::uint32_t instruction) {
  for (const vm::FunctionEntry& function : data.functions) {
    if (function.kind == vm::FunctionKind::Bytecode && function.startInstruction <= instruction &&
        instruction < function.endInstruction) {
      return function.name;
    }
  }
  return {};
}

base::Result<std::span<const std::byte>> compactBytes(const DLTensor& tensor,
                                                      std::vector<std::byte>& scratch) {
  std::size_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i) {
    count *= static_cast<std::size_t>(tensor.shape[i]);
  }
  const std::size_t size = (count * tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
  if (ffi::IsContiguous(tensor)) {
    return std::span(static_cast<const std::byte*>(tensor.data) + tensor.byte_offset, size);
  }
  scratch.resize(size);
  DLTensor compact = tensor;
  compact.data = scratch.data();
  compact.strides = nullptr;
  compact.byte_offset = 0;
  OPSCOPE_TRY(runtime::copyTensor(tensor, compact));
  return std::span<const std::byte>(scratch);
}

std::string describeTensor(const DLTensor& tensor) {
  return fmt::format(
      "{} {}", vm::dataTypeName({tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes}),
      vm::shapeText(std::span<const std::int64_t>(tensor.shape, static_cast<std::size_t>(tensor.ndim))));
}

std::string positionText(const DLTensor& tensor, std::uint64_t index) {
  std::vector<std::uint64_t> position(static_cast<std::size_t>(tensor.ndim));
  for (std::size_t i = position.size(); i-- > 0;) {
    const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(tensor.shape[i], 1));
    position[i] = index % size;
    index /= size;
  }
  return fmt::format("[{}]", fmt::join(position, ", "));
}

}  // namespace opscope::profile
