// SPDX-License-Identifier: Apache-2.0
#include "engine/probe/capture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string_view>

namespace opscope::probe {

using base::CallKind;

namespace {

constexpr std::int32_t kDeepestTuple = 8;
constexpr std::int64_t kMostMembers = 1 << 16;

std::string_view viewOf(Text text) {
  return {text.data, text.size};
}

/// What the system has for those who ask, or nothing when it does not tell.
std::uint64_t availableBytes() {
  char text[512] = {};
  const int file = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return 0;
  }
  const ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  const char* const line = got > 0 ? strstr(text, "MemAvailable:") : nullptr;
  return line == nullptr ? 0 : strtoull(line + strlen("MemAvailable:"), nullptr, 10) * 1024;
}

TVMFFIObjectHandle globalFunction(const char* name) {
  const TVMFFIByteArray bytes{name, strlen(name)};
  TVMFFIObjectHandle found = nullptr;
  return TVMFFIFunctionGetGlobal(&bytes, &found) == 0 ? found : nullptr;
}

void dropFunction(TVMFFIObjectHandle& function) {
  if (function != nullptr) {
    TVMFFIObjectDecRef(function);
    function = nullptr;
  }
}

std::uint64_t elementsOf(const DLTensor& tensor) {
  std::uint64_t count = 1;
  for (std::int32_t d = 0; d < tensor.ndim; ++d) {
    count *= static_cast<std::uint64_t>(tensor.shape[d]);
  }
  return count;
}

std::uint64_t bytesOf(const DLTensor& tensor) {
  return (elementsOf(tensor) * tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
}

bool isCompact(const DLTensor& tensor) {
  if (tensor.strides == nullptr) {
    return true;
  }
  std::int64_t expected = 1;
  for (std::int32_t d = tensor.ndim; d-- > 0;) {
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected) {
      return elementsOf(tensor) == 0;
    }
    expected *= tensor.shape[d];
  }
  return true;
}

base::ProbeOmission omissionOf(const DLTensor& tensor, bool withElements) {
  if (tensor.device.device_type != kDLCPU) {
    return base::ProbeOmission::Device;
  }
  if (!isCompact(tensor) && (tensor.dtype.bits * tensor.dtype.lanes) % 8 != 0) {
    return base::ProbeOmission::Layout;
  }
  return withElements ? base::ProbeOmission::None : base::ProbeOmission::Room;
}

}  // namespace

template <class T>
bool Growing<T>::push(const T& value) {
  if (m_size == m_room) {
    const std::size_t room = m_room == 0 ? 64 : 2 * m_room;
    auto* const items = static_cast<T*>(realloc(static_cast<void*>(m_items), room * sizeof(T)));
    if (items == nullptr) {
      return false;
    }
    m_items = items;
    m_room = room;
  }
  m_items[m_size++] = value;
  return true;
}

template <class T>
void Growing<T>::release() {
  free(m_items);
  m_items = nullptr;
  m_size = m_room = 0;
}

bool Capture::start(std::uint64_t limitBytes, Wanted wanted, const TVMFFIAny* functions, std::int32_t count) {
  release();
  m_wanted = wanted;
  for (std::int32_t i = 0; i < count; ++i) {
    const Text name = textOf(functions[i]);
    Name copy{static_cast<char*>(malloc(name.size + 1)), name.size};
    if (copy.data == nullptr || !m_functions.push(copy)) {
      free(copy.data);
      release();
      return false;
    }
    memcpy(copy.data, name.data, name.size);
  }
  const std::uint64_t available = availableBytes();
  m_blocks.setLimit(available != 0 && limitBytes > available / 2 ? available / 2 : limitBytes);
  m_arraySize = globalFunction("ffi.ArraySize");
  m_arrayItem = globalFunction("ffi.ArrayGetItem");
  m_isOn = true;
  return true;
}

void Capture::release() {
  m_isOn = false;
  closeCalls();
  for (std::size_t i = 0; i < m_functions.size(); ++i) {
    free(m_functions[i].data);
  }
  m_functions.release();
  m_unwritten.release();
  m_open.release();
  m_written.release();
  m_outputs.release();
  m_held.release();
  m_blocks.clear();
  dropFunction(m_arraySize);
  dropFunction(m_arrayItem);
  m_calls = m_lost = 0;
}

void Capture::closeCalls() {
  m_open.cut(0);
  m_written.cut(0);
  m_tooDeep = 0;
}

base::ProbeCaptureState Capture::state() const {
  base::ProbeCaptureState state;
  state.blocks = m_blocks.count();
  state.bytes = m_blocks.size();
  state.limit = m_blocks.limit();
  state.calls = m_calls;
  state.lostCalls = m_lost;
  return state;
}

bool Capture::isFunction(Text name) {
  for (std::size_t i = 0; i < m_functions.size(); ++i) {
    if (m_functions[i].size == name.size && memcmp(m_functions[i].data, name.data, name.size) == 0) {
      return true;
    }
  }
  return false;
}

base::CallKind Capture::kindOf(Text name) {
  return isFunction(name) ? CallKind::Function : base::callKindOf(viewOf(name));
}

std::size_t Capture::unwrittenAt(const void* tensor) {
  std::size_t at = m_unwritten.size();
  while (at > 0 && m_unwritten[at - 1] != tensor) {
    --at;
  }
  return at;  // one more than its index; 0: not there
}

/// Those that were allocated for it; where there is none, a kernel's last tensor.
void Capture::findWritten(Open& open, CallKind kind, Text name, const TVMFFIAny* args) {
  bool writes = false;
  for (std::int32_t i = 0; i < open.count; ++i) {
    const DLTensor* const tensor = tensorOf(args[i]);
    const bool isWritten = (kind == CallKind::Kernel || kind == CallKind::Builtin) && tensor != nullptr &&
                           unwrittenAt(tensor) != 0;
    m_written[open.firstWritten + static_cast<std::size_t>(i)] = isWritten;
    writes = writes || isWritten;
  }
  if (writes || kind != CallKind::Kernel || base::onlyLooks(viewOf(name))) {
    return;
  }
  for (std::int32_t i = open.count; i-- > 0;) {
    if (tensorOf(args[i]) != nullptr) {
      m_written[open.firstWritten + static_cast<std::size_t>(i)] = open.inPlace = true;
      return;
    }
  }
}

void Capture::before(const TVMFFIAny& function, const TVMFFIAny& name, const TVMFFIAny* args,
                     std::int32_t count) {
  Open open{function.v_ptr, m_calls++, m_written.size(), count, false};
  bool fits = m_tooDeep == 0 && m_open.size() < base::kProbeMostDepth;
  for (std::int32_t i = 0; fits && i < count; ++i) {
    fits = m_written.push(false);
  }
  fits = fits && m_open.push(open);
  if (!fits) {
    m_written.cut(open.firstWritten);
    ++m_tooDeep;
    ++m_lost;
    return;
  }
  const Text text = textOf(name);
  findWritten(m_open[m_open.size() - 1], kindOf(text), text, args);
}

/// Calls that failed inside of one that caught their error were never ended: they are passed over.
bool Capture::takeOpen(const void* function, Open& taken) {
  while (m_open.size() > 0) {
    taken = m_open[m_open.size() - 1];
    m_open.cut(m_open.size() - 1);
    if (taken.function == function) {
      return true;
    }
    m_written.cut(taken.firstWritten);
  }
  return false;
}

void Capture::after(const TVMFFIAny& function, const TVMFFIAny& name, const TVMFFIAny& result,
                    const TVMFFIAny* args, std::int32_t count) {
  if (m_tooDeep > 0) {
    --m_tooDeep;
    return;
  }
  Open open{};
  if (!takeOpen(function.v_ptr, open)) {
    return;
  }
  const Text text = textOf(name);
  const CallKind kind = kindOf(text);
  const bool isKept = this->isKept(kind);
  const bool writesNone = open.inPlace && holdsTensor(result, 0);  // it returns what it makes
  bool isWhole = true;
  for (std::int32_t i = 0; i < count; ++i) {
    const bool isWritten =
        !writesNone && i < open.count && m_written[open.firstWritten + static_cast<std::size_t>(i)];
    if (isKept && (isWritten || m_wanted == Wanted::All)) {
      isWhole = addArgument(args[i], i, isWritten) && isWhole;
    }
    const std::size_t at = tensorOf(args[i]) == nullptr ? 0 : unwrittenAt(tensorOf(args[i]));
    if (at != 0) {
      m_unwritten[at - 1] = m_unwritten[m_unwritten.size() - 1];
      m_unwritten.cut(m_unwritten.size() - 1);
    }
  }
  m_written.cut(open.firstWritten);
  const DLTensor* const made = tensorOf(result);
  if (viewOf(text) == base::kAllocTensor && made != nullptr) {
    isWhole = unwrittenAt(made) != 0 || m_unwritten.push(made);
  }
  if (isKept) {
    isWhole = addTensors(result, "ret", 3, true, 0) && isWhole;
    keep(open.sequence, text);
  }
  m_lost += isWhole ? 0 : 1;
}

bool Capture::isKept(CallKind kind) const {
  return kind == CallKind::Kernel || kind == CallKind::Builtin ||
         (kind == CallKind::Function && m_wanted == Wanted::All);
}

bool Capture::addArgument(const TVMFFIAny& value, std::int32_t index, bool isOutput) {
  char place[16];
  const int size = snprintf(place, sizeof place, "arg%d", index);
  return addTensors(value, place, static_cast<std::uint32_t>(size), isOutput, 0);
}

bool Capture::addTensors(const TVMFFIAny& value, const char* place, std::uint32_t placeBytes, bool isOutput,
                         int depth) {
  const DLTensor* const tensor = tensorOf(value);
  if (tensor == nullptr) {
    return value.type_index != kTVMFFIArray || addMembers(value, place, placeBytes, isOutput, depth);
  }
  Output output{};
  output.tensor = tensor;
  output.placeBytes = placeBytes;
  output.isOutput = isOutput;
  memcpy(output.place, place, placeBytes);
  return m_outputs.push(output);
}

bool Capture::addMembers(const TVMFFIAny& array, const char* place, std::uint32_t placeBytes, bool isOutput,
                         int depth) {
  TVMFFIAny arguments[2] = {array, {}};
  TVMFFIAny size{};
  if (depth >= kDeepestTuple || m_arraySize == nullptr || m_arrayItem == nullptr ||
      TVMFFIFunctionCall(m_arraySize, arguments, 1, &size) != 0 || size.v_int64 > kMostMembers) {
    return false;
  }
  arguments[1].type_index = kTVMFFIInt;
  for (std::int64_t i = 0; i < size.v_int64; ++i) {
    arguments[1].v_int64 = i;
    TVMFFIAny member{};
    if (TVMFFIFunctionCall(m_arrayItem, arguments, 2, &member) != 0) {
      return false;
    }
    const bool isObject = member.type_index >= kTVMFFIStaticObjectBegin;
    if (isObject && !m_held.push(member)) {
      TVMFFIObjectDecRef(member.v_obj);
      return false;
    }
    char inner[sizeof(Output::place)];
    const int written = snprintf(inner, sizeof inner, "%.*s/%lld", static_cast<int>(placeBytes), place,
                                 static_cast<long long>(i));
    if (written >= static_cast<int>(sizeof inner) ||
        !addTensors(member, inner, static_cast<std::uint32_t>(written), isOutput, depth + 1)) {
      return false;
    }
  }
  return true;
}

bool Capture::holdsTensor(const TVMFFIAny& value, int depth) {
  if (value.type_index != kTVMFFIArray) {
    return tensorOf(value) != nullptr;
  }
  const std::size_t outputs = m_outputs.size();
  const bool known = addMembers(value, "ret", 3, true, depth);
  const bool holds = m_outputs.size() > outputs;
  m_outputs.cut(outputs);
  return known && holds;
}

/// Writes what stands in m_outputs, and empties it.
void Capture::keep(std::uint64_t sequence, Text name) {
  if (m_outputs.size() > 0 && !writeCall(sequence, name, true) && !writeCall(sequence, name, false)) {
    ++m_lost;
  }
  m_outputs.cut(0);
  for (std::size_t i = 0; i < m_held.size(); ++i) {
    TVMFFIObjectDecRef(m_held[i].v_obj);
  }
  m_held.cut(0);
}

bool Capture::writeCall(std::uint64_t sequence, Text name, bool withElements) {
  /// What calls without their elements may take beyond the limit of those with them.
  constexpr std::uint64_t kForHeads = 64U << 20;
  std::uint64_t bytes = sizeof(base::ProbeCapturedCall) + name.size;
  for (std::size_t i = 0; i < m_outputs.size(); ++i) {
    const Output& output = m_outputs[i];
    const DLTensor& tensor = *output.tensor;
    bytes += sizeof(base::ProbeCapturedTensor) + output.placeBytes +
             static_cast<std::uint64_t>(tensor.ndim) * sizeof(std::int64_t);
    bytes += omissionOf(tensor, withElements) == base::ProbeOmission::None ? bytesOf(tensor) : 0;
  }
  if (!m_blocks.reserve(bytes, withElements ? 0 : kForHeads)) {
    return false;
  }
  base::ProbeCapturedCall head;
  head.nameBytes = static_cast<std::uint32_t>(name.size);
  head.sequence = sequence;
  head.tensors = static_cast<std::uint32_t>(m_outputs.size());
  m_blocks.write(&head, sizeof head);
  m_blocks.write(name.data, name.size);
  for (std::size_t i = 0; i < m_outputs.size(); ++i) {
    writeTensor(m_outputs[i], withElements);
  }
  return true;
}

void Capture::writeTensor(const Output& output, bool withElements) {
  const DLTensor& tensor = *output.tensor;
  base::ProbeCapturedTensor head;
  head.typeCode = tensor.dtype.code;
  head.typeBits = tensor.dtype.bits;
  head.typeLanes = tensor.dtype.lanes;
  head.rank = static_cast<std::uint32_t>(tensor.ndim);
  head.placeBytes = output.placeBytes;
  head.omission = omissionOf(tensor, withElements);
  head.isOutput = output.isOutput ? 1 : 0;
  head.bytes = bytesOf(tensor);
  m_blocks.write(&head, sizeof head);
  m_blocks.write(output.place, output.placeBytes);
  m_blocks.write(tensor.shape, head.rank * sizeof(std::int64_t));
  if (head.omission == base::ProbeOmission::None) {
    writeElements(tensor, head.bytes);
  }
}

void Capture::writeElements(const DLTensor& tensor, std::uint64_t bytes) {
  const char* const first = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  if (isCompact(tensor)) {
    m_blocks.write(first, bytes);
    return;
  }
  const std::int64_t each = tensor.dtype.bits * tensor.dtype.lanes / 8;
  for (std::uint64_t i = 0; i < elementsOf(tensor); ++i) {
    std::uint64_t rest = i;
    std::int64_t at = 0;
    for (std::int32_t d = tensor.ndim; d-- > 0;) {
      const auto size = static_cast<std::uint64_t>(tensor.shape[d]);
      at += static_cast<std::int64_t>(rest % size) * tensor.strides[d];
      rest /= size;
    }
    m_blocks.write(first + at * each, static_cast<std::size_t>(each));
  }
}

}  // namespace opscope::probe
