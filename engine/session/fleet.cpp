// SPDX-License-Identifier: Apache-2.0
#include "engine/session/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "engine/rpc/tracker_client.h"
#include "engine/session/session.h"
#include "engine/session/targets.h"

namespace opscope::session {

namespace {

constexpr std::chrono::seconds kAnswerTime{10};
constexpr std::int64_t kMostBoards = 256;

base::Result<std::int64_t> freeBoards(const ProfileRequest& request, const std::stop_token& stop) {
  OPSCOPE_TRY_ASSIGN(const Target target, parseTarget(request.settings.target));
  if (target.kind != Target::Kind::Tracker) {
    return base::Error{base::ErrorCode::InvalidArgument, "Only a tracker knows of several boards.",
                       fmt::format("The target is {}.", target.text),
                       "Give tracker://HOST:PORT/KEY as the target."};
  }
  OPSCOPE_TRY_ASSIGN(const auto tracker,
                     rpc::TrackerClient::open({target.host, target.port, kAnswerTime, kAnswerTime, stop}));
  OPSCOPE_TRY_ASSIGN(const rpc::TrackerSummary summary, tracker->summaryWith(target.key));
  const rpc::TrackerQueue queue = summary.queueOf(target.key);
  if (queue.free <= 0) {
    return base::Error{
        base::ErrorCode::NotFound, fmt::format("No board with key {} is free.", target.key),
        fmt::format("The tracker knows {}; {} requests wait.", summary.serversOf(target.key), queue.waiting),
        "Wait until others are done; \"opscope-cli boards\" shows what there is."};
  }
  return std::min(queue.free, kMostBoards);
}

std::string boardOf(const report::Document& document, std::size_t number) {
  if (document.run != nullptr && document.run->remote) {
    for (const report::Fact& fact : document.run->remote->board) {
      if (fact.name == "Board") {
        return fact.value;
      }
    }
  }
  return fmt::format("board {}", number + 1);
}

/// The sessions, and what they told last.
class Fleet {
 public:
  explicit Fleet(const FleetOptions& options) : m_options(options) {}

  std::vector<FleetResult> profile(const ProfileRequest& request, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      m_sessions.push_back(std::make_unique<Session>([this, i](Event event) { hear(i, std::move(event)); }));
    }
    for (const auto& session : m_sessions) {
      session->profile(request);
    }
    const std::stop_callback stopped(m_options.stop, [this] {
      for (const auto& session : m_sessions) {
        session->stop();
      }
    });
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_results.size() == count; });
    return std::move(m_results);
  }

 private:
  void hear(std::size_t number, Event event) {
    FleetResult result;
    if (auto* const finished = std::get_if<ProfileFinished>(&event.body)) {
      result.document = std::move(finished->document);
    } else if (auto* const failed = std::get_if<RequestFailed>(&event.body)) {
      result.document = std::move(failed->partial);
      result.error = std::move(failed->error);
    } else if (std::holds_alternative<RequestCancelled>(event.body)) {
      result.error = base::Error{base::ErrorCode::Cancelled, "Stopped.", "", ""};
    } else {
      return;
    }
    result.board = boardOf(result.document, number);
    const std::lock_guard lock(m_mutex);
    if (m_options.onResult) {
      m_options.onResult(result);
    }
    m_results.push_back(std::move(result));
    m_changed.notify_all();
  }

  const FleetOptions& m_options;
  std::mutex m_mutex;
  std::condition_variable m_changed;
  std::vector<FleetResult> m_results;                // guarded by m_mutex
  std::vector<std::unique_ptr<Session>> m_sessions;  // last: their workers use the others
};

}  // namespace

base::Result<std::vector<FleetResult>> profileFleet(const ProfileRequest& request,
                                                    const FleetOptions& options) {
  OPSCOPE_TRY_ASSIGN(const std::int64_t count, freeBoards(request, options.stop));
  if (options.onStart) {
    options.onStart(static_cast<std::size_t>(count));
  }
  return Fleet(options).profile(request, static_cast<std::size_t>(count));
}

}  // namespace opscope::session
