// SPDX-License-Identifier: Apache-2.0
// What went over the wire while a run was made on another computer: each request with its answer, on the
// clock of the computer that asked. Plain values, and what is computed from them; any thread. Times are
// nanoseconds since the session began, unless they are said to be a repeat's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/index.h"

namespace opscope::report {

enum class TrafficKind : std::uint8_t {
  Open,      ///< connecting, the handshake, the first words
  Call,      ///< of a function of the board's
  Upload,    ///< of a file
  CopyTo,    ///< tensor's bytes to the board
  CopyFrom,  ///< and from it
  Sync,      ///< waiting for a device
  System,    ///< looking up a function, allocating and the like
  Free       ///< of objects; nothing waits for its answer
};
inline constexpr std::size_t kTrafficKinds = 8;

/// What the run was doing.
enum class TrafficPhase : std::uint8_t {
  Opening,  ///< until the board and its server are known
  Loading,  ///< the executable is uploaded and a machine made
  Inputs,   ///< are copied to the board
  WarmUp,
  Bare,    ///< a repeat without recording, to tell what recording costs
  Repeat,  ///< a recorded repeat, see TrafficEvent::repeat
  Records  ///< what was measured is brought over
};
inline constexpr std::size_t kTrafficPhases = 7;

/// As in samples files: "copy to", "warm-up".
std::string_view trafficKindName(TrafficKind kind);
std::optional<TrafficKind> trafficKindOf(std::string_view name);
std::string_view trafficPhaseName(TrafficPhase phase);
std::optional<TrafficPhase> trafficPhaseOf(std::string_view name);

/// One request with its answer, or several that make one copy.
struct TrafficEvent {
  double startNs = 0;     ///< the request began to be sent
  double durationNs = 0;  ///< until its answer was here
  std::uint64_t bytesOut = 0;
  std::uint64_t bytesIn = 0;
  std::uint32_t requests = 1;    ///< that this is
  std::uint32_t name = 0;        ///< index into TrafficTrack::names: the function, or the kind of request
  std::uint32_t repeat = kNone;  ///< kNone: before the first one
  TrafficKind kind = TrafficKind::Call;
  TrafficPhase phase = TrafficPhase::Opening;
  bool failed = false;  ///< the answer was an error, or none came
  bool operator==(const TrafficEvent&) const = default;
};

/// One recorded repeat on the axis of the traffic.
struct TrafficRepeat {
  double startNs = 0;  ///< its first request
  /// Where the repeat's own time 0, which calls are told in, lies: in the middle of where it can. Negative:
  /// not known, since the way of profiling does not tell when calls were made.
  double zeroNs = -1;
  double doubtNs = 0;  ///< by how much it may lie earlier or later
  bool operator==(const TrafficRepeat&) const = default;
};

struct TrafficTrack {
  std::vector<std::string> names;      ///< each once
  std::vector<TrafficEvent> events;    ///< sorted by start
  std::vector<TrafficRepeat> repeats;  ///< of the first ones; may be fewer than Run::repeats
  std::uint64_t notKept = 0;           ///< events beyond the most that are kept; they are in the sums below
  std::uint64_t requests = 0;          ///< in all
  std::uint64_t bytesOut = 0;          ///< all that went over the connection
  std::uint64_t bytesIn = 0;
  double wallNs = 0;      ///< from the first word to the end of the run
  double transferNs = 0;  ///< of it, with a transfer underway, see isTransfer
  bool operator==(const TrafficTrack&) const = default;
};

/// Bytes are what it is for: uploads, copies, and bringing over what was measured.
bool isTransfer(TrafficKind kind, TrafficPhase phase);

/// "copy to board 1.2 MiB", "upload 310.2 KiB", "call main": an event in few words.
std::string trafficLabel(const TrafficTrack& track, const TrafficEvent& event);
/// "812 bytes", "1.2 MiB".
std::string trafficBytes(std::uint64_t bytes);
/// "4.2 MiB out, 310.2 KiB in, 12.3 % of 1.30 s in transfers": the whole in one line.
std::string trafficWords(const TrafficTrack& track);

}  // namespace opscope::report
