// SPDX-License-Identifier: Apache-2.0
#include "engine/session/board_holder.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/base/printable.h"
#include "engine/rpc/connection.h"
#include "engine/rpc/handshake.h"

namespace opscope::session {

namespace {

using Json = nlohmann::json;

constexpr const char* kStatusKey = "opscope.status";
constexpr std::string_view kPrefix = "status:";

std::int64_t countIn(const Json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_number_integer() ? place->get<std::int64_t>() : 0;
}

std::string textIn(const Json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_string() ? base::printable(place->get<std::string>())
                                                     : std::string();
}

std::string oneHolder(const Json& session) {
  const std::string holder = textIn(session, "holder");
  const std::string peer = textIn(session, "peer");
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t minutes =
      (std::chrono::duration_cast<std::chrono::seconds>(now).count() - countIn(session, "since_unix_s")) / 60;
  std::string words = holder.empty() ? peer : fmt::format("{} ({})", holder, peer);
  if (minutes >= 1 && minutes < 60 * 24 * 365) {
    words += fmt::format(" since {} min", minutes);
  }
  return words;
}

}  // namespace

std::optional<std::string> holderWords(std::string_view statusJson) {
  const Json status = Json::parse(statusJson, nullptr, /*allow_exceptions=*/false);
  if (!status.is_object() || countIn(status, "session_count") < countIn(status, "max_sessions")) {
    return std::nullopt;
  }
  const auto sessions = status.find("sessions");
  if (sessions == status.end() || !sessions->is_array() || sessions->empty()) {
    return std::nullopt;
  }
  std::string words;
  for (const Json& session : *sessions) {
    if (session.is_object()) {
      words += (words.empty() ? "" : ", ") + oneHolder(session);
    }
  }
  const std::int64_t waiting = countIn(status, "waiting");
  return waiting > 0 ? fmt::format("{}; {} wait{}", words, waiting, waiting == 1 ? "s" : "") : words;
}

base::Error withHolder(const rpc::ConnectSettings& settings, base::Error error) {
  if (error.code != base::ErrorCode::Timeout) {
    return error;
  }
  const rpc::Deadline deadline = rpc::Deadline::after(std::chrono::seconds(1));
  auto connection = rpc::Connection::connect(settings.host, settings.port, deadline, settings.stop);
  if (!connection) {
    return error;
  }
  const auto welcome = rpc::shakeHands(**connection, {kStatusKey, 0, {}, settings.secret}, deadline);
  if (!welcome || !welcome->key.starts_with(kPrefix)) {
    return error;
  }
  if (const auto words = holderWords(std::string_view(welcome->key).substr(kPrefix.size()))) {
    error.detail = fmt::format("It is held by {}.", *words);
    error.hint = "wait until they are done, or ask them";
  }
  return error;
}

}  // namespace opscope::session
