// SPDX-License-Identifier: Apache-2.0
#include "engine/session/tracker_overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/rpc/address.h"
#include "engine/rpc/handshake.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/tracker_client.h"

namespace opscope::session {

namespace {

/// A board that does not answer must not keep the others from being shown.
constexpr double kBoardSeconds = 1.5;
constexpr std::size_t kMostBoardsAsked = 32;

std::string textIn(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_string() ? place->get<std::string>() : std::string();
}

std::int64_t numberIn(const nlohmann::json& object, const char* name) {
  const auto place = object.find(name);
  return place != object.end() && place->is_number_integer() ? place->get<std::int64_t>() : 0;
}

KeyOverview& keyIn(std::map<std::string, KeyOverview>& keys, const std::string& key) {
  KeyOverview& overview = keys[key];
  overview.key = key;
  return overview;
}

/// All boards that may be held are asked at once.
void askHolders(const std::vector<rpc::TrackerServer>& servers, const OverviewOptions& options,
                std::map<std::string, KeyOverview>& keys) {
  OverviewOptions shortly = options;
  shortly.timeoutSeconds = std::min(kBoardSeconds, options.timeoutSeconds);
  std::vector<std::pair<std::string, std::future<base::Result<BoardStatus>>>> asked;
  for (const rpc::TrackerServer& server : servers) {
    if (keys[server.key].busy == 0 || asked.size() == kMostBoardsAsked) {
      continue;
    }
    asked.emplace_back(server.key, std::async(std::launch::async, [server, shortly] {
                         return readBoardStatus(server.host, server.port, shortly);
                       }));
  }
  for (auto& [key, answer] : asked) {
    if (auto status = answer.get()) {
      auto& holders = keys[key].holders;
      holders.insert(holders.end(), status->holders.begin(), status->holders.end());
    }
  }
}

}  // namespace

base::Result<BoardStatus> parseBoardStatus(std::string_view text, const std::string& board) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("sessions") || !json["sessions"].is_array()) {
    return base::Error{base::ErrorCode::Format,
                       fmt::format("{} tells a status that is not understood.", board), "",
                       "Its version may be another one."};
  }
  BoardStatus status;
  status.sessions = numberIn(json, "session_count");
  status.mostSessions = numberIn(json, "max_sessions");
  status.waiting = numberIn(json, "waiting");
  for (const nlohmann::json& session : json["sessions"]) {
    if (session.is_object()) {
      status.holders.push_back(
          {board, textIn(session, "holder"), textIn(session, "peer"), numberIn(session, "since_unix_s")});
    }
  }
  return status;
}

base::Result<BoardStatus> readBoardStatus(const std::string& host, const std::string& port,
                                          const OverviewOptions& options) {
  const rpc::Deadline deadline = rpc::Deadline::after(millisecondsOf(options.timeoutSeconds));
  OPSCOPE_TRY_ASSIGN(const auto connection, rpc::Connection::connect(host, port, deadline, options.stop));
  const std::stop_callback cancel(options.stop, [&connection] { connection->abort(); });
  rpc::Hello hello;
  hello.key = rpc::kStatusKey;
  hello.secret = options.secret;
  OPSCOPE_TRY_ASSIGN(const rpc::Welcome welcome, rpc::shakeHands(*connection, hello, deadline));
  if (!welcome.key.starts_with(rpc::kStatusPrefix)) {
    return base::Error{base::ErrorCode::Unsupported,
                       fmt::format("{} does not tell who holds it.", connection->peer()),
                       "Only opscope-server does.", ""};
  }
  return parseBoardStatus(std::string_view(welcome.key).substr(rpc::kStatusPrefix.size()),
                          rpc::addressText(host, port));
}

base::Result<TrackerOverview> readTracker(const Target& target, const OverviewOptions& options) {
  if (target.kind != Target::Kind::Tracker) {
    return base::Error{base::ErrorCode::InvalidArgument, fmt::format("{} is no tracker.", target.text),
                       "Only a tracker knows of several boards.", "Give tracker://HOST:PORT."};
  }
  const std::chrono::milliseconds time = millisecondsOf(options.timeoutSeconds);
  OPSCOPE_TRY_ASSIGN(const auto tracker,
                     rpc::TrackerClient::open({target.host, target.port, time, time, options.stop}));
  rpc::TrackerSummary summary;
  {
    const std::stop_callback cancel(options.stop, [&tracker] { tracker->cancel(); });
    OPSCOPE_TRY_ASSIGN(summary, tracker->summary());
  }
  std::map<std::string, KeyOverview> keys;
  for (const rpc::TrackerServer& server : summary.servers) {
    KeyOverview& overview = keyIn(keys, server.key);
    ++overview.boards;
    overview.addresses.push_back(rpc::addressText(server.host, server.port));
  }
  for (const rpc::TrackerQueue& queue : summary.queues) {
    KeyOverview& overview = keyIn(keys, queue.key);
    overview.free = queue.free;
    overview.waiting = queue.waiting;
  }
  for (auto& [key, overview] : keys) {
    overview.busy = std::max<std::int64_t>(0, overview.boards - overview.free);
  }
  askHolders(summary.servers, options, keys);
  TrackerOverview told;
  for (auto& [key, overview] : keys) {
    told.keys.push_back(std::move(overview));
  }
  return told;
}

}  // namespace opscope::session
