// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/tracker_messages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace opscope::rpc {

namespace {

using Json = nlohmann::json;

constexpr int kRequest = 4;
constexpr int kSummary = 6;
constexpr int kFail = -1;

base::Error unexpected(std::string_view found) {
  return {base::ErrorCode::Format,
          fmt::format("the tracker's answer cannot be read: {}", found.substr(0, 200)),
          "expected [0, [HOST, PORT, KEY]] or [0, {\"queue_info\": ..., \"server_info\": ...}]",
          {}};
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

std::optional<std::string> textOf(const Json& json) {
  return json.is_string() ? std::optional(json.get<std::string>()) : std::nullopt;
}

/// Servers in Python tell ports as numbers, those in C++ as text.
std::optional<std::string> portOf(const Json& json) {
  return json.is_number_integer() ? std::optional(std::to_string(json.get<std::int64_t>())) : textOf(json);
}

bool isLoopback(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.") || host.starts_with("::ffff:127.");
}

/// What the tracker sees as its own computer is, seen from here, the tracker's.
std::optional<std::string> hostOf(const Json& json, const std::string& trackerHost) {
  auto host = textOf(json);
  if (host.has_value() && isLoopback(*host)) {
    return trackerHost;
  }
  return host;
}

std::int64_t countOf(const Json& queue, const char* name) {
  const auto found = queue.find(name);
  return found != queue.end() && found->is_number_integer()
             ? std::max<std::int64_t>(found->get<std::int64_t>(), 0)
             : 0;
}

std::optional<TrackerServer> serverOf(const Json& entry, const std::string& trackerHost) {
  if (!entry.is_object() || !entry.contains("key") || !entry.contains("addr")) {
    return std::nullopt;
  }
  const Json& address = entry["addr"];
  const auto key = textOf(entry["key"]);
  if (!key.has_value() || !address.is_array() || address.size() != 2) {
    return std::nullopt;
  }
  constexpr std::string_view kPrefix = "server:";
  return TrackerServer{key->starts_with(kPrefix) ? key->substr(kPrefix.size()) : *key,
                       hostOf(address[0], trackerHost).value_or(""), portOf(address[1]).value_or("")};
}

TrackerSummary summaryOf(const Json& json, const std::string& trackerHost) {
  TrackerSummary summary;
  if (const auto queues = json.find("queue_info"); queues != json.end() && queues->is_object()) {
    for (const auto& [key, queue] : queues->items()) {
      if (queue.is_object()) {
        summary.queues.push_back({key, countOf(queue, "free"), countOf(queue, "pending")});
      }
    }
  }
  if (const auto servers = json.find("server_info"); servers != json.end() && servers->is_array()) {
    for (const Json& entry : *servers) {
      if (auto server = serverOf(entry, trackerHost)) {
        summary.servers.push_back(*std::move(server));
      }
    }
  }
  return summary;
}

}  // namespace

std::string summaryRequest() {
  return dumped(Json::array({kSummary}));
}

std::string boardRequest(const BoardRequest& request) {
  return dumped(Json::array({kRequest, request.key, request.user, request.priority}));
}

base::Result<TrackerAnswer> readTrackerAnswer(std::string_view text, const std::string& trackerHost) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_array() || json.empty() || !json[0].is_number_integer()) {
    return unexpected(text);
  }
  if (json[0].get<int>() == kFail) {
    return base::Error{
        base::ErrorCode::Remote, "the tracker refused what it was asked",
        json.size() > 1 ? fmt::format("it says: {}", dumped(json[1])) : std::string("it says no reason"),
        "look into the tracker's log, and whether its TVM is much older or newer"};
  }
  if (json.size() < 2 || json[0].get<int>() != 0) {
    return unexpected(text);
  }
  TrackerAnswer answer;
  if (json[1].is_object()) {
    answer.summary = summaryOf(json[1], trackerHost);
    return answer;
  }
  if (!json[1].is_array() || json[1].size() != 3) {
    return unexpected(text);
  }
  const auto host = hostOf(json[1][0], trackerHost);
  const auto port = portOf(json[1][1]);
  const auto key = textOf(json[1][2]);
  if (!host.has_value() || !port.has_value() || !key.has_value()) {
    return unexpected(text);
  }
  answer.board = TrackerBoard{*host, *port, *key};
  return answer;
}

}  // namespace opscope::rpc
