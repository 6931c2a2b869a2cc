// SPDX-License-Identifier: Apache-2.0
// What there is to take: the keys of a tracker with their boards, and who holds a board that our server
// serves. Plain values. On any thread that may wait; several may run at once.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/session/targets.h"

namespace opscope::session {

/// A session on a board of our server's.
struct BoardHolder {
  std::string board;   ///< "10.0.0.7:9090"
  std::string holder;  ///< "ada@laptop"; empty when the client does not say
  std::string peer;    ///< its address, as the board sees it
  std::int64_t sinceUnixS = 0;
};

/// What opscope-server tells of itself to whoever asks.
struct BoardStatus {
  std::vector<BoardHolder> holders;  ///< eight at most
  std::int64_t sessions = 0;
  std::int64_t mostSessions = 0;
  std::int64_t waiting = 0;
};

struct KeyOverview {
  std::string key;
  std::int64_t boards = 0;
  std::int64_t free = 0;
  std::int64_t busy = 0;     ///< boards that are not free
  std::int64_t waiting = 0;  ///< requests
  std::vector<std::string> addresses;
  std::vector<BoardHolder> holders;  ///< as far as the boards tell
};

struct TrackerOverview {
  std::vector<KeyOverview> keys;  ///< in the order of their names
};

struct OverviewOptions {
  double timeoutSeconds = 10;
  std::string secret;  ///< for the boards' status; may be empty
  std::stop_token stop;
};

/// The tracker's summary; boards of keys where not all are free are asked who holds them, each for a short
/// time. `target` is a tracker, with or without key. Errors: InvalidArgument for another target; those of the
/// tracker client.
base::Result<TrackerOverview> readTracker(const Target& target, const OverviewOptions& options);

/// `text` is what a server of ours tells, `board` its address. Errors: Format.
base::Result<BoardStatus> parseBoardStatus(std::string_view text, const std::string& board);

/// Asks a server of ours without taking a session. Errors: those of the handshake; Unsupported when the
/// server is not ours, and tells nothing.
base::Result<BoardStatus> readBoardStatus(const std::string& host, const std::string& port,
                                          const OverviewOptions& options);

}  // namespace opscope::session
