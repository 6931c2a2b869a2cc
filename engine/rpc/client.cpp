// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/near_match.h"
#include "engine/base/printable.h"
#include "engine/rpc/call_result.h"

namespace opscope::rpc {

namespace {

/// Frees wait for the next request, up to this many.
constexpr std::size_t kMaxWaitingFrees = 128;
/// Calls are sent before answers are read up to this size, which a socket's buffers hold: a server that waits
/// for its answers to be read does not read what we send.
constexpr std::uint64_t kBytesUnderway = 16384;
/// Type codes that servers up to TVM 0.20 want with a handle to free.
constexpr std::int64_t kLegacyTensor = static_cast<std::int64_t>(LegacyTag::NDArray);

/// Functions that put a file on the board.
constexpr std::array<std::string_view, 2> kUploads = {"tvm.rpc.server.upload", "opscope.upload_chunk"};

/// A C string ends at its first zero byte: better told than cut.
base::Result<> checkText(std::span<const Value> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto* text = std::get_if<std::string>(&arguments[i]);
    if (text != nullptr && text->find('\0') != std::string::npos) {
      return base::Error{base::ErrorCode::InvalidArgument,
                         fmt::format("argument {} of a remote call is a string with a zero byte in it", i),
                         {},
                         "send bytes"};
    }
  }
  return {};
}

}  // namespace

Client::Client(std::unique_ptr<Connection> connection, const ConnectSettings& settings)
    : m_settings(settings), m_channel(std::move(connection), settings.traffic) {}

Client::~Client() {
  shutdown();
}

void Client::shutdown() {
  m_channel.close(m_settings.closeTime);
}

Waiting Client::callWaiting(const CallOptions& options) const {
  return {options.time.value_or(m_settings.callTime), options.deadline};
}

Waiting Client::copyWaiting(const CopyOptions& options) const {
  return {options.time.value_or(m_settings.copyTime), options.deadline};
}

base::Result<CallResult> Client::call(FunctionHandle function, std::initializer_list<Value> arguments,
                                      const CallOptions& options) {
  return call(function, std::span<const Value>(arguments.begin(), arguments.size()), options);
}

/// "step main": the function, and the first short text or named function that it is given.
void Client::describeCall(FunctionHandle function, std::span<const Value> arguments) {
  constexpr std::size_t kLongest = 80;
  TrafficLog& traffic = *m_channel.traffic();
  const std::string_view known = traffic.functionName(function.handle);
  std::string name(known.empty() ? std::string_view("a function") : known);
  const bool uploads = std::ranges::find(kUploads, known) != kUploads.end();
  for (const Value& argument : arguments) {
    const auto* const text = std::get_if<std::string>(&argument);
    if (text != nullptr && !text->empty() && text->size() <= kLongest) {
      name += ' ' + base::printable(*text);
      break;
    }
  }
  traffic.describe(name, uploads);
}

base::Result<> Client::putCall(FunctionHandle function, std::span<const Value> arguments) {
  if (m_channel.traffic() != nullptr) {
    describeCall(function, arguments);
  }
  FrameWriter& outbox = m_channel.outbox();
  outbox.begin(FrameCode::Call);
  outbox.putNumber(function.handle);
  OPSCOPE_TRY(outbox.putValues(m_server.encoding, arguments));
  outbox.end();
  m_channel.expect();
  return {};
}

base::Result<CallResult> Client::receiveCall(const Waiting& waiting) {
  OPSCOPE_TRY_ASSIGN(const Reply reply, m_channel.receive(waiting));
  auto result = readCallResult(m_server.encoding, reply.payload, m_channel.takeLargeBody());
  if (!result) {
    return m_channel.fail(std::move(result).error());
  }
  rememberLegacyType(*result);
  return result;
}

base::Result<CallResult> Client::call(FunctionHandle function, std::span<const Value> arguments,
                                      const CallOptions& options) {
  OPSCOPE_TRY(checkText(arguments));
  OPSCOPE_TRY(putCall(function, arguments));
  const Waiting waiting = callWaiting(options);
  OPSCOPE_TRY(m_channel.flush(waiting, options.progress));
  return receiveCall(waiting);
}

base::Result<std::vector<base::Result<CallResult>>> Client::callAll(std::span<const CallRequest> requests,
                                                                    const CallOptions& options) {
  for (const CallRequest& request : requests) {
    std::string unsent;
    std::vector<Gap> gaps;
    OPSCOPE_TRY(checkText(request.arguments));
    OPSCOPE_TRY(encodeSequence(m_server.encoding, request.arguments, unsent, &gaps));
  }
  const Waiting waiting = callWaiting(options);
  std::vector<base::Result<CallResult>> results;
  for (std::size_t sent = 0; results.size() < requests.size();) {
    for (; sent < requests.size() && (sent == results.size() || m_channel.outbox().size() < kBytesUnderway);
         ++sent) {
      OPSCOPE_TRY(putCall(requests[sent].function, requests[sent].arguments));
    }
    OPSCOPE_TRY(m_channel.flush(waiting, {}));
    while (results.size() < sent) {
      results.push_back(receiveCall(waiting));
      if (failure().has_value()) {
        return *failure();
      }
    }
  }
  return results;
}

void Client::rememberLegacyType(const CallResult& result) {
  if (m_server.encoding != Encoding::Legacy) {
    return;
  }
  if (result.owner != 0) {
    m_legacyTypes[result.owner] = kLegacyTensor;
  } else if (const auto* module = std::get_if<ModuleHandle>(&result.value)) {
    m_legacyTypes[module->handle] = result.typeTag;
  } else if (const auto* object = std::get_if<ObjectHandle>(&result.value)) {
    m_legacyTypes[object->handle] = result.typeTag;
  }
}

base::Result<FunctionHandle> Client::keptFunction(const std::string& name) {
  if (const auto found = m_kept.find(name); found != m_kept.end()) {
    return found->second;
  }
  OPSCOPE_TRY_ASSIGN(const auto function, globalFunction(name));
  if (!function.has_value()) {
    return base::Error{base::ErrorCode::MissingFunction,
                       fmt::format("the server {} has no function {}", peer(), base::printable(name)),
                       {},
                       "its version of TVM may be older or newer than what needs it"};
  }
  return m_kept.emplace(name, *function).first->second;
}

base::Result<CallResult> Client::callGlobal(const std::string& name, std::initializer_list<Value> arguments,
                                            const CallOptions& options) {
  OPSCOPE_TRY_ASSIGN(const FunctionHandle function, keptFunction(name));
  return call(function, arguments, options);
}

base::Result<std::optional<FunctionHandle>> Client::globalFunction(std::string_view name) {
  TrafficLog* const traffic = m_channel.traffic();
  if (traffic != nullptr) {
    traffic->describe(fmt::format("look up {}", base::printable(name)));
  }
  OPSCOPE_TRY_ASSIGN(const Value value, systemCall(FrameCode::GetGlobalFunction, {std::string(name)}));
  const auto* pointer = std::get_if<OpaquePointer>(&value);
  if (pointer == nullptr || pointer->address == 0) {
    return std::optional<FunctionHandle>();
  }
  if (traffic != nullptr) {
    traffic->nameFunction(pointer->address, name);
  }
  return std::optional(FunctionHandle{pointer->address});
}

base::Result<> Client::putSystemCall(FrameCode code, std::span<const Value> values) {
  OPSCOPE_TRY(checkText(values));
  FrameWriter& outbox = m_channel.outbox();
  outbox.begin(code);
  OPSCOPE_TRY(outbox.putValues(m_server.encoding, values));
  outbox.end();
  return {};
}

base::Result<Value> Client::receiveOne(const Waiting& waiting) {
  OPSCOPE_TRY_ASSIGN(const Reply reply, m_channel.receive(waiting));
  auto value = readOneValue(m_server.encoding, reply.payload);
  if (!value) {
    return m_channel.fail(std::move(value).error());
  }
  return value;
}

base::Result<Value> Client::systemCall(FrameCode code, std::initializer_list<Value> values) {
  OPSCOPE_TRY(putSystemCall(code, std::span<const Value>(values.begin(), values.size())));
  m_channel.expect();
  const Waiting waiting = callWaiting({});
  OPSCOPE_TRY(m_channel.flush(waiting));
  return receiveOne(waiting);
}

base::Result<std::uint64_t> Client::pointerCall(FrameCode code, std::initializer_list<Value> values) {
  OPSCOPE_TRY_ASSIGN(const Value value, systemCall(code, values));
  if (const auto* pointer = std::get_if<OpaquePointer>(&value)) {
    return pointer->address;
  }
  if (std::holds_alternative<std::monostate>(value)) {  // a null pointer, to some
    return 0;
  }
  return m_channel.fail({base::ErrorCode::Format,
                         fmt::format("the answer to {} is a {}", frameCodeName(code), kindOf(value)),
                         "expected an opaque pointer",
                         {}});
}

void Client::putIgnored(FrameCode code, std::initializer_list<Value> values) {
  if (failure().has_value() || !putSystemCall(code, std::span<const Value>(values.begin(), values.size()))) {
    return;  // with the session its objects go
  }
  m_channel.expectIgnored();
  if (m_channel.expected() >= kMaxWaitingFrees) {
    const Waiting waiting = callWaiting({});
    if (m_channel.flush(waiting)) {
      static_cast<void>(m_channel.drain(waiting));  // a failure is kept and told by the next request
    }
  }
}

void Client::free(std::uint64_t handle) {
  if (m_server.encoding != Encoding::Legacy) {
    putIgnored(FrameCode::FreeHandle, {OpaquePointer{handle}});
    return;
  }
  const auto known = m_legacyTypes.find(handle);
  const std::int64_t type =
      known == m_legacyTypes.end() ? static_cast<std::int64_t>(LegacyTag::Function) : known->second;
  putIgnored(FrameCode::FreeHandle, {OpaquePointer{handle}, type});
  if (known != m_legacyTypes.end()) {
    m_legacyTypes.erase(known);
  }
}

void Client::freeData(DLDevice device, std::uint64_t data) {
  putIgnored(FrameCode::FreeData, {device, OpaquePointer{data}});
}

base::Result<std::uint64_t> Client::allocate(const TensorView& shape,
                                             const std::optional<std::string>& scope) {
  TensorView empty = shape;
  empty.data = 0;
  empty.byteOffset = 0;
  return pointerCall(FrameCode::AllocateWithScope,
                     {std::move(empty), scope.has_value() ? Value(*scope) : Value()});
}

base::Result<std::uint64_t> Client::allocateBytes(DLDevice device, std::uint64_t bytes,
                                                  std::uint64_t alignment, DLDataType dtype) {
  return pointerCall(FrameCode::AllocateBytes,
                     {device, static_cast<std::int64_t>(bytes), static_cast<std::int64_t>(alignment), dtype});
}

base::Result<> Client::copyAmong(const TensorView& from, const TensorView& to, std::uint64_t stream) {
  OPSCOPE_TRY(systemCall(FrameCode::CopyAmongRemote, {from, to, OpaquePointer{stream}}));
  return {};
}

base::Result<> Client::synchronise(DLDevice device, std::uint64_t stream) {
  OPSCOPE_TRY(systemCall(FrameCode::StreamSync, {device, OpaquePointer{stream}}));
  return {};
}

base::Result<> Client::setDevice(DLDevice device) {
  OPSCOPE_TRY(systemCall(FrameCode::SetDevice, {device}));
  return {};
}

base::Result<std::uint64_t> Client::createStream(DLDevice device) {
  return pointerCall(FrameCode::CreateStream, {device});
}

base::Result<> Client::freeStream(DLDevice device, std::uint64_t stream) {
  OPSCOPE_TRY(systemCall(FrameCode::FreeStream, {device, OpaquePointer{stream}}));
  return {};
}

base::Result<> Client::setStream(DLDevice device, std::uint64_t stream) {
  OPSCOPE_TRY(systemCall(FrameCode::SetStream, {device, OpaquePointer{stream}}));
  return {};
}

base::Result<std::uint64_t> Client::currentStream(DLDevice device) {
  return pointerCall(FrameCode::GetCurrentStream, {device});
}

base::Result<Value> Client::deviceAttribute(DLDevice device, DeviceAttribute kind) {
  return systemCall(FrameCode::GetAttribute, {device, static_cast<std::int64_t>(kind)});
}

}  // namespace opscope::rpc
