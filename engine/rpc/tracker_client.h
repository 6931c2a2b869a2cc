// SPDX-License-Identifier: Apache-2.0
// A client of TVM's tracker, which knows the boards and hands them out. One thread at a time, except for
// cancel(); owns its connection. Every wait has a deadline.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/rpc/connection.h"

namespace opscope::rpc {

struct TrackerSettings {
  std::string host;
  std::string port = "9190";
  std::chrono::milliseconds connectTime{10'000};
  std::chrono::milliseconds answerTime{10'000};  ///< for the handshake and each summary
  std::stop_token stop{};                        ///< ends opening
};

/// Boards of one key.
struct TrackerQueue {
  std::string key;
  std::int64_t free = 0;
  std::int64_t waiting =
      0;  ///< requests; some of them may have been given up, which a tracker finds out late
};

/// A server that told the tracker of itself. A board that is held by somebody is listed too.
struct TrackerServer {
  std::string key;   ///< without "server:"; several boards may share one
  std::string host;  ///< as ConnectSettings takes it
  std::string port;
};

struct TrackerSummary {
  std::vector<TrackerQueue> queues;  ///< in the order of their keys
  std::vector<TrackerServer> servers;

  /// The queue of a key: zeros when the tracker has none yet.
  TrackerQueue queueOf(const std::string& key) const;
  /// Servers with that key.
  std::int64_t serversOf(const std::string& key) const;
};

/// A board that is ours until its session ends. The match key holds once.
struct TrackerBoard {
  std::string host;
  std::string port;
  std::string matchKey;
};

struct BoardRequest {
  std::string key;
  std::string user{};
  std::int64_t priority = 1;  ///< higher ones first; TVM's own programs ask with 1
  Deadline deadline = Deadline::none();
  bool waitForUnknown = false;  ///< also when no board has this key yet
  /// Told at the start of the wait and about each second: what else the tracker has for this key. Costs a
  /// summary each time.
  std::function<void(const TrackerQueue& queue, std::int64_t servers)> onWaiting{};
};

struct TrackerAnswer;

class TrackerClient {
 public:
  /// Connects and greets. Errors: those of Connection::connect; Timeout (it accepts connections but does not
  /// answer), ConnectionLost and Format (no tracker), Cancelled.
  static base::Result<std::unique_ptr<TrackerClient>> open(const TrackerSettings& settings);

  /// All boards and queues. Errors: Timeout, ConnectionLost, Format, Cancelled.
  base::Result<TrackerSummary> summary();

  /// The summary, when some board has the key. Errors: NotFound when none has, naming the keys that there
  /// are; those of summary().
  base::Result<TrackerSummary> summaryWith(const std::string& key);

  /// Waits for a board. Errors: NotFound when no board has the key, naming those that there are; Timeout at
  /// the deadline, with how many are ahead; Cancelled; ConnectionLost; Format.
  base::Result<TrackerBoard> request(const BoardRequest& request);

  /// Gives up what is waited for by closing the connection, which is the only way. Any thread.
  void cancel() { m_connection->abort(); }

  const std::string& peer() const { return m_connection->peer(); }

 private:
  TrackerClient(std::unique_ptr<Connection> connection, const TrackerSettings& settings)
      : m_settings(settings), m_connection(std::move(connection)) {}
  base::Result<> greet();
  base::Result<> send(const std::string& json);
  base::Result<TrackerAnswer> receive();
  base::Result<TrackerBoard> awaitBoard(const BoardRequest& request);
  base::Result<> askSummary();
  base::Error tooLate(const BoardRequest& request, const TrackerQueue& queue, std::int64_t servers) const;
  base::Error explain(base::Error cause) const;

  const TrackerSettings m_settings;
  std::unique_ptr<Connection> m_connection;
  int m_summariesDue = 0;  ///< asked for and not read
};

}  // namespace opscope::rpc
