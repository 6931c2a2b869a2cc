// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/server/registration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/base/log.h"
#include "engine/rpc/protocol.h"

namespace opscope::rpc::server {

using base::Error;
using base::ErrorCode;
using base::Result;
using nlohmann::json;

namespace {

enum TrackerCode { kPut = 3, kUpdateInfo = 5, kGetPendingMatchKeys = 7 };

Error unexpected(std::string_view asked, std::string_view reply) {
  return Error{ErrorCode::Remote,
               fmt::format("The tracker's answer to {} is not understood", asked),
               std::string(reply.substr(0, 200)),
               {}};
}

Result<> expectDone(std::string_view asked, const std::string& reply) {
  const json value = json::parse(reply, nullptr, false);
  return value.is_number_integer() && value == 0 ? Result<>() : unexpected(asked, reply);
}

}  // namespace

Registration::Registration(RegistrationSettings settings, MatchKey& matchKey)
    : m_settings(std::move(settings)),
      m_matchKey(matchKey),
      m_thread([this](const std::stop_token& stop) { work(stop); }) {}

Registration::~Registration() {
  m_thread.request_stop();
  m_thread.join();
}

void Registration::work(const std::stop_token& stop) {
  std::string lastTold;
  while (!stop.stop_requested()) {
    const Result<> ended = stayRegistered(stop);
    m_connection.reset();
    if (stop.stop_requested()) {
      return;
    }
    if (!ended && ended.error().message != lastTold) {  // the same trouble is told once
      lastTold = ended.error().message;
      base::log(base::LogLevel::Warning,
                fmt::format("tracker {}:{}: {}; trying again", m_settings.trackerHost, m_settings.trackerPort,
                            lastTold));
    }
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, m_settings.retry, [] { return false; });
  }
}

Result<std::string> Registration::ask(const std::string& message) {
  const Deadline deadline = Deadline::after(m_settings.replyLimit);
  std::int32_t length = static_cast<std::int32_t>(message.size());
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  OPSCOPE_TRY(m_connection->send(bytes + message, deadline));
  OPSCOPE_TRY(m_connection->receiveExact(&length, sizeof(length), deadline));
  if (length < 1 || static_cast<std::size_t>(length) > kMaxTrackerMessageBytes) {
    return Error{ErrorCode::Remote, fmt::format("The tracker's answer claims {} bytes", length), {}, {}};
  }
  std::string reply(static_cast<std::size_t>(length), '\0');
  OPSCOPE_TRY(m_connection->receiveExact(reply.data(), reply.size(), deadline));
  return reply;
}

/// The tracker drops a message that comes together with the magic, so its echo is waited for.
Result<> Registration::greet() {
  const Deadline deadline = Deadline::after(m_settings.replyLimit);
  std::int32_t magic = kTrackerMagic;
  OPSCOPE_TRY(m_connection->send({reinterpret_cast<const char*>(&magic), sizeof(magic)}, deadline));
  OPSCOPE_TRY(m_connection->receiveExact(&magic, sizeof(magic), deadline));
  if (magic != kTrackerMagic) {
    return Error{ErrorCode::Remote, "What answers there is no tracker", {}, {}};
  }
  const json address = m_settings.customAddress.empty() ? json(nullptr) : json(m_settings.customAddress);
  const json info = {{"key", "server:" + m_settings.key}, {"addr", json::array({address, m_settings.port})}};
  OPSCOPE_TRY_ASSIGN(const std::string reply, ask(json::array({kUpdateInfo, info}).dump()));
  return expectDone("UPDATE_INFO", reply);
}

Result<> Registration::offer() {
  const json address = m_settings.customAddress.empty() ? json(nullptr) : json(m_settings.customAddress);
  const json place = json::array({m_settings.port, m_matchKey.renew()});
  OPSCOPE_TRY_ASSIGN(const std::string reply,
                     ask(json::array({kPut, m_settings.key, place, address}).dump()));
  return expectDone("PUT", reply);
}

Result<bool> Registration::keyIsThere() {
  const std::string key = m_matchKey.current();
  OPSCOPE_TRY_ASSIGN(const std::string reply, ask(json::array({kGetPendingMatchKeys}).dump()));
  const json keys = json::parse(reply, nullptr, false);
  if (!keys.is_array()) {
    return unexpected("GET_PENDING_MATCHKEYS", reply);
  }
  return std::ranges::find(keys, json(key)) != keys.end();
}

/// Until a client came with the key.
Result<> Registration::awaitClient(const std::stop_token& stop) {
  int missing = 0;
  while (!stop.stop_requested() && !m_matchKey.awaitTaken(true, m_settings.poll, stop)) {
    if (stop.stop_requested()) {
      break;
    }
    OPSCOPE_TRY_ASSIGN(const bool there, keyIsThere());
    missing = there ? 0 : missing + 1;
    if (missing >= m_settings.missingPolls && !m_matchKey.taken()) {
      base::log(base::LogLevel::Info, "a client took the key and did not come; offering a new one");
      OPSCOPE_TRY(offer());
      missing = 0;
    }
  }
  return {};
}

/// Nothing is sent to the tracker meanwhile, but a lost one is noticed.
Result<> Registration::awaitSessionEnd(const std::stop_token& stop) {
  while (!stop.stop_requested() && m_matchKey.awaitTaken(false, m_settings.poll, stop)) {
    if (m_connection->readable()) {
      return Error{ErrorCode::ConnectionLost, "The tracker closed the connection", {}, {}};
    }
  }
  return {};
}

Result<> Registration::stayRegistered(const std::stop_token& stop) {
  OPSCOPE_TRY_ASSIGN(m_connection, Connection::connect(m_settings.trackerHost, m_settings.trackerPort,
                                                       Deadline::after(m_settings.replyLimit), stop));
  const std::stop_callback abort(stop, [this] { m_connection->abort(); });
  OPSCOPE_TRY(greet());
  base::log(base::LogLevel::Info,
            fmt::format("registered with the tracker {}:{} as {}", m_settings.trackerHost,
                        m_settings.trackerPort, m_settings.key));
  while (!stop.stop_requested()) {
    OPSCOPE_TRY(awaitSessionEnd(stop));
    if (stop.stop_requested()) {
      break;
    }
    OPSCOPE_TRY(offer());
    OPSCOPE_TRY(awaitClient(stop));
  }
  return {};
}

}  // namespace opscope::rpc::server
