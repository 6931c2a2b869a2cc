// SPDX-License-Identifier: Apache-2.0
// The first part of a session: who the server is.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/clock.h"
#include "engine/rpc/call_result.h"
#include "engine/rpc/client.h"
#include "engine/rpc/handshake.h"

namespace opscope::rpc {

namespace {

/// What tells servers apart, asked in one go.
constexpr std::array<std::string_view, 4> kTellTales = {
    "ffi.SystemLib", "runtime.SystemLib", "opscope.server_info", "tvm.rpc.server.GetCRTMaxPacketSize"};
constexpr std::size_t kSystemLib = 0;
constexpr std::size_t kOldSystemLib = 1;
constexpr std::size_t kServerInfo = 2;
constexpr std::size_t kPacketSize = 3;

/// Init's answer is one none, whose tag is another number in the oldest encoding.
base::Result<Encoding> encodingOfInit(std::string_view payload) {
  ByteCursor cursor(payload);
  OPSCOPE_TRY_ASSIGN(const auto count, cursor.number<std::int32_t>("the number of values"));
  OPSCOPE_TRY_ASSIGN(const auto tag, cursor.number<std::int32_t>("a value's tag"));
  OPSCOPE_TRY(cursor.expectEnd());
  if (count == 1 && Tag{tag} == Tag::None) {
    return Encoding::Tvm022;
  }
  if (count == 1 && LegacyTag{tag} == LegacyTag::Null) {
    return Encoding::Legacy;
  }
  return base::Error{base::ErrorCode::Format,
                     fmt::format("the answer to Init has {} values, the first with tag {}", count, tag),
                     "expected one that is none",
                     {}};
}

std::string withoutPrefix(const std::string& key) {
  constexpr std::string_view kPrefix = "server:";
  return key.starts_with(kPrefix) ? key.substr(kPrefix.size()) : key;
}

}  // namespace

std::vector<Value> hopTo(const std::string& host, std::int64_t port, const std::string& key) {
  return {std::string("rpc.Connect"), host, port, key, false};
}

base::Result<std::unique_ptr<Client>> Client::open(const ConnectSettings& settings) {
  OPSCOPE_TRY(checkMatchKey(settings.key));
  if (settings.traffic != nullptr) {
    settings.traffic->begin(base::monotonicNs());
  }
  OPSCOPE_TRY_ASSIGN(auto connection,
                     Connection::connect(settings.host, settings.port, Deadline::after(settings.connectTime),
                                         settings.stop));
  return over(std::move(connection), settings);
}

base::Result<std::unique_ptr<Client>> Client::over(std::unique_ptr<Connection> connection,
                                                   const ConnectSettings& settings) {
  Connection& socket = *connection;
  if (settings.traffic != nullptr) {
    settings.traffic->begin(base::monotonicNs());
  }
  const std::stop_callback stopping(settings.stop, [&socket] { socket.abort(); });
  OPSCOPE_TRY_ASSIGN(const Welcome welcome,
                     shakeHands(socket,
                                {settings.key, settings.sessionSeconds, settings.clientName, settings.secret,
                                 settings.reached},
                                Deadline::after(settings.answerTime)));
  if (settings.traffic != nullptr) {
    settings.traffic->connected(socket.bytesSent(), socket.bytesReceived(), base::monotonicNs());
  }
  std::unique_ptr<Client> client(new Client(std::move(connection), settings));
  client->m_server.deviceKey = withoutPrefix(welcome.key);
  client->m_server.throughHop = !settings.constructor.empty();
  const bool isOurs = welcome.infoHandle != 0 && settings.constructor.empty();
  OPSCOPE_TRY(isOurs ? client->initialiseOurs({welcome.infoHandle}) : client->initialise());
  if (client->m_server.kind != ServerKind::Opscope) {
    OPSCOPE_TRY(client->detect());
  }
  return client;
}

base::Result<> Client::putInit() {
  FrameWriter& outbox = m_channel.outbox();
  outbox.begin(FrameCode::Init);
  outbox.putText(kProtocolVersion);
  OPSCOPE_TRY(outbox.putValues(m_server.encoding, m_settings.constructor));
  outbox.end();
  m_channel.expect();
  return {};
}

base::Result<> Client::receiveInit(const Waiting& waiting) {
  OPSCOPE_TRY_ASSIGN(const Reply reply, m_channel.receive(waiting));
  const auto encoding = encodingOfInit(reply.payload);
  if (!encoding) {
    return m_channel.fail(encoding.error());
  }
  m_server.encoding = *encoding;
  if (m_settings.reached) {
    m_settings.reached(OpeningStep::Init);
  }
  return {};
}

base::Result<> Client::initialise() {
  const Waiting waiting{m_settings.answerTime};
  OPSCOPE_TRY(putInit());
  OPSCOPE_TRY(m_channel.flush(waiting));
  return receiveInit(waiting);
}

/// One turn to the server instead of three. What does not come as it should is asked for in the common way.
base::Result<> Client::initialiseOurs(FunctionHandle describe) {
  const Waiting waiting{m_settings.answerTime};
  OPSCOPE_TRY(putInit());
  OPSCOPE_TRY(putCall(describe, {}));
  OPSCOPE_TRY(m_channel.flush(waiting));
  OPSCOPE_TRY(receiveInit(waiting));
  auto info = receiveCall(waiting);
  if (failure().has_value()) {
    return *failure();
  }
  if (info) {
    takeServerInfo(info->value);
  }
  return {};
}

void Client::takeServerInfo(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) {
    return;
  }
  m_server.kind = ServerKind::Opscope;
  m_server.opscopeInfo = *text;
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const auto abi = json.is_object() ? json.find("abi") : json.end();
  const bool numbersAs021 = json.is_object() && abi != json.end() && *abi == "0.21";
  m_server.encoding = numbersAs021 ? Encoding::Tvm021 : Encoding::Tvm022;
}

base::Result<> Client::detect() {
  if (m_server.encoding == Encoding::Legacy) {
    m_server.kind = ServerKind::Legacy;
    return {};
  }
  for (const std::string_view name : kTellTales) {
    const Value value = std::string(name);
    OPSCOPE_TRY(putSystemCall(FrameCode::GetGlobalFunction, std::span(&value, 1)));
    m_channel.expect();
  }
  const Waiting waiting{m_settings.answerTime};
  OPSCOPE_TRY(m_channel.flush(waiting));
  std::vector<std::uint64_t> handles;
  for (std::size_t i = 0; i < kTellTales.size(); ++i) {
    OPSCOPE_TRY_ASSIGN(const Value value, receiveOne(waiting));
    const auto* pointer = std::get_if<OpaquePointer>(&value);
    handles.push_back(pointer == nullptr ? 0 : pointer->address);
  }
  const auto told = readServerInfo(handles);
  for (const std::uint64_t handle : handles) {
    if (handle != 0) {
      free(handle);
    }
  }
  return told;
}

base::Result<> Client::readServerInfo(const std::vector<std::uint64_t>& handles) {
  if (handles[kOldSystemLib] != 0 && handles[kSystemLib] == 0) {
    m_server.kind = ServerKind::Tvm021;
    m_server.encoding = Encoding::Tvm021;
  }
  if (handles[kServerInfo] != 0) {
    OPSCOPE_TRY_ASSIGN(const CallResult info,
                       call({handles[kServerInfo]}, {}, {.time = m_settings.answerTime}));
    takeServerInfo(info.value);
  }
  if (handles[kPacketSize] != 0) {
    OPSCOPE_TRY_ASSIGN(const CallResult limit,
                       call({handles[kPacketSize]}, {}, {.time = m_settings.answerTime}));
    const auto* bytes = std::get_if<std::int64_t>(&limit.value);
    m_server.maxPacketBytes = bytes == nullptr || *bytes <= 0 ? 0 : static_cast<std::uint64_t>(*bytes);
  }
  return {};
}

}  // namespace opscope::rpc
