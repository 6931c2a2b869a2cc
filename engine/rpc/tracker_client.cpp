// SPDX-License-Identifier: Apache-2.0
#include "engine/rpc/tracker_client.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/near_match.h"
#include "engine/base/printable.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/tracker_messages.h"
#include "engine/rpc/wire_numbers.h"

namespace opscope::rpc {

namespace {

/// Summaries of large fleets are longer than what trackers take themselves.
constexpr std::int32_t kMaxAnswerBytes = 16 * static_cast<std::int32_t>(kMaxTrackerMessageBytes);
constexpr std::chrono::milliseconds kWaitingStep{1'000};
constexpr const char* kNoTrackerHint =
    "is it a tracker of TVM's? By default they listen on port 9190, and servers from 9090 on";

}  // namespace

TrackerQueue TrackerSummary::queueOf(const std::string& key) const {
  const auto found =
      std::find_if(queues.begin(), queues.end(), [&key](const TrackerQueue& q) { return q.key == key; });
  return found == queues.end() ? TrackerQueue{key, 0, 0} : *found;
}

std::int64_t TrackerSummary::serversOf(const std::string& key) const {
  return std::count_if(servers.begin(), servers.end(),
                       [&key](const TrackerServer& s) { return s.key == key; });
}

base::Error TrackerClient::explain(base::Error cause) const {
  if (cause.code == base::ErrorCode::ConnectionLost) {
    return {cause.code, fmt::format("the tracker {} closed the connection", peer()), std::move(cause.detail),
            kNoTrackerHint};
  }
  if (cause.code == base::ErrorCode::Timeout) {
    return {cause.code, fmt::format("{} accepts connections but does not answer as a tracker", peer()),
            std::move(cause.detail), kNoTrackerHint};
  }
  return cause;
}

base::Result<std::unique_ptr<TrackerClient>> TrackerClient::open(const TrackerSettings& settings) {
  OPSCOPE_TRY_ASSIGN(auto connection,
                     Connection::connect(settings.host, settings.port, Deadline::after(settings.connectTime),
                                         settings.stop));
  std::unique_ptr<TrackerClient> client(new TrackerClient(std::move(connection), settings));
  const std::stop_callback stopping(settings.stop, [&client] { client->cancel(); });
  OPSCOPE_TRY(client->greet());
  return client;
}

base::Result<> TrackerClient::greet() {
  const Deadline deadline = Deadline::after(m_settings.answerTime);
  // Trackers lose what comes together with the magic, or in its parts.
  std::string magic;
  appendNumber(magic, kTrackerMagic);
  std::int32_t echo = 0;
  auto done = m_connection->send(magic, deadline);
  if (done) {
    done = m_connection->receiveExact(&echo, sizeof(echo), deadline);
  }
  if (!done) {
    return explain(std::move(done).error());
  }
  if (echo != kTrackerMagic) {
    return base::Error{base::ErrorCode::Format, fmt::format("{} is no tracker", peer()),
                       fmt::format("found {:#x} as its first word, expected {:#x}",
                                   static_cast<std::uint32_t>(echo), kTrackerMagic),
                       kNoTrackerHint};
  }
  return {};
}

base::Result<> TrackerClient::send(const std::string& json) {
  std::string message;
  appendNumber(message, static_cast<std::int32_t>(json.size()));
  auto sent = m_connection->send(message + json, Deadline::after(m_settings.answerTime));
  if (!sent) {
    return explain(std::move(sent).error());
  }
  return {};
}

base::Result<TrackerAnswer> TrackerClient::receive() {
  const Deadline deadline = Deadline::after(m_settings.answerTime);
  std::int32_t size = 0;
  auto received = m_connection->receiveExact(&size, sizeof(size), deadline);
  if (received && (size < 0 || size > kMaxAnswerBytes)) {
    return base::Error{base::ErrorCode::Format, fmt::format("{} tells an answer of {} bytes", peer(), size),
                       fmt::format("expected at most {}", kMaxAnswerBytes), kNoTrackerHint};
  }
  std::string text;
  if (received) {
    text.resize(static_cast<std::size_t>(size));
    received = m_connection->receiveExact(text.data(), text.size(), deadline);
  }
  if (!received) {
    return explain(std::move(received).error());
  }
  OPSCOPE_TRY_ASSIGN(TrackerAnswer answer, readTrackerAnswer(text, m_settings.host));
  m_summariesDue -= answer.summary.has_value() ? 1 : 0;
  return answer;
}

base::Result<> TrackerClient::askSummary() {
  OPSCOPE_TRY(send(summaryRequest()));
  ++m_summariesDue;
  return {};
}

base::Result<TrackerSummary> TrackerClient::summary() {
  OPSCOPE_TRY(askSummary());
  for (;;) {
    OPSCOPE_TRY_ASSIGN(TrackerAnswer answer, receive());
    if (!answer.summary.has_value()) {
      return base::Error{base::ErrorCode::Format,
                         fmt::format("{} gave a board where its summary was asked for", peer()),
                         "its answers are out of order", "try again; when it stays so, restart the tracker"};
    }
    if (m_summariesDue == 0) {
      return *std::move(answer.summary);
    }
  }
}

base::Result<TrackerSummary> TrackerClient::summaryWith(const std::string& key) {
  OPSCOPE_TRY_ASSIGN(TrackerSummary all, summary());
  const TrackerQueue queue = all.queueOf(key);
  if (queue.free > 0 || all.serversOf(key) > 0) {
    return all;
  }
  std::vector<std::string> keys;
  for (const TrackerServer& server : all.servers) {
    if (std::find(keys.begin(), keys.end(), server.key) == keys.end()) {
      keys.push_back(server.key);
    }
  }
  const std::string near = base::nearMatch(key, keys);
  return base::Error{
      base::ErrorCode::NotFound,
      fmt::format("the tracker {} has no board with the key \"{}\"", peer(), base::printable(key)),
      fmt::format("its boards have the keys: {}", base::printable(base::joinNames(keys))),
      near.empty() ? "start a server there that registers with this key, or check that host and key are "
                     "not swapped"
                   : fmt::format("did you mean \"{}\"?", base::printable(near))};
}

base::Result<TrackerBoard> TrackerClient::request(const BoardRequest& request) {
  if (!request.waitForUnknown) {
    OPSCOPE_TRY(summaryWith(request.key));
  }
  OPSCOPE_TRY(send(boardRequest(request)));
  return awaitBoard(request);
}

base::Result<TrackerBoard> TrackerClient::awaitBoard(const BoardRequest& request) {
  TrackerQueue queue{request.key, 0, 0};
  std::int64_t servers = 0;
  for (;;) {
    OPSCOPE_TRY_ASSIGN(const bool readable,
                       m_connection->awaitReadable(earlier(request.deadline, Deadline::after(kWaitingStep))));
    if (readable) {
      OPSCOPE_TRY_ASSIGN(TrackerAnswer answer, receive());
      if (answer.board.has_value()) {
        return *std::move(answer.board);
      }
      queue = answer.summary->queueOf(request.key);
      servers = answer.summary->serversOf(request.key);
      if (request.onWaiting) {
        request.onWaiting(queue, servers);
      }
    } else if (request.deadline.expired()) {
      return tooLate(request, queue, servers);
    } else if (m_summariesDue == 0) {  // answered while the request waits, on the same connection
      OPSCOPE_TRY(askSummary());
    }
  }
}

namespace {

std::string counted(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

base::Error TrackerClient::tooLate(const BoardRequest& request, const TrackerQueue& queue,
                                   std::int64_t servers) const {
  return {base::ErrorCode::Timeout,
          fmt::format("no board with the key \"{}\" became free in time", base::printable(request.key)),
          fmt::format("{}: {} with this key, {} free, {} waiting", peer(), counted(servers, "board"),
                      queue.free, counted(queue.waiting, "request")),
          "wait longer, ask with a higher priority, or look who holds the boards"};
}

}  // namespace opscope::rpc
