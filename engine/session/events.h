// SPDX-License-Identifier: Apache-2.0
// What a session tells. Plain moved values and shared immutable data; delivered on the session's worker
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/report/repeat_times.h"
#include "engine/report/run.h"
#include "engine/session/divergence.h"
#include "engine/session/executable_info.h"
#include "engine/session/requests.h"
#include "engine/session/value_facts.h"

namespace opscope::session {

enum class State { Idle, Opening, Ready, Preparing, WarmingUp, Measuring, Finishing, Stopping, Failed };

struct StateChanged {
  State state = State::Idle;
};

struct ExecutableOpened {
  std::shared_ptr<const ExecutableInfo> info;
};

/// Between repeats and steps; at most ten a second.
struct Progress {
  State stage = State::Idle;
  std::uint64_t done = 0;
  std::uint64_t total = 0;       ///< 0: unknown
  double remainingSeconds = -1;  ///< below 0: unknown
  /// Repeats that are here already, where a board's come over later than they are done: what is kept at
  /// least, also when the board answers no more. Nothing: all that are done.
  std::optional<std::uint64_t> kept = std::nullopt;
};

/// What repeats of a profile took that goes on, when ProfileRequest::tellsRepeats asks for it: each repeat
/// once, in order, a few times a second; of many short ones only the newest have ops. Those at the end may
/// come with ProfileFinished alone; so do all of a board that is not ours.
struct RepeatsMeasured {
  report::RepeatTimes times;
};

/// One value that a run returned, in words; `path` as in OUT.npz ("out", "out/0").
struct OutputSummary {
  std::string path;
  std::string description;                         ///< "float32 [1, 1000]"
  std::string preview;                             ///< the first values
  std::optional<ValueFacts> facts = std::nullopt;  ///< nothing for none, opaque values, unknown types
};

/// What `dumpFile` holds.
struct DumpSummary {
  std::uint64_t calls = 0;
  std::uint64_t tensors = 0;
  std::uint64_t bytes = 0;             ///< of the file
  std::uint64_t leftOut = 0;           ///< tensors of types that files cannot hold
  std::uint64_t callsBeyondLimit = 0;  ///< that are not in it
  std::uint64_t callsWithoutRoom = 0;  ///< that are not either: the board could not keep their tensors
};

/// A tensor that holds NaN or Inf.
struct NonFiniteValues {
  std::string place;        ///< "arg1", "ret/0"; of a result "out/0"
  std::string description;  ///< "float32 [2, 16]"
  std::uint64_t elements = 0;
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;
  std::string position;    ///< of the first: "[0, 5]"
  std::string firstValue;  ///< "nan", "inf", "-inf"
  std::string origin;      ///< "input x", where that is known
};

/// What the check found. `op` is empty when nothing was found; then only the count is set.
struct FiniteSummary {
  std::uint64_t callsChecked = 0;
  std::string op;        ///< the callee, or the function whose result it is where its calls are not seen
  std::string function;  ///< that calls it; empty for a result
  std::uint64_t sequence = 0;
  std::uint32_t instruction = 0;
  NonFiniteValues output;
  std::vector<NonFiniteValues> inputs;  ///< that held such values already; none: the op is the source
  bool holds() const { return op.empty(); }
};

/// While a request waits for a board, in words: "2 wait before this one".
struct BoardWaiting {
  std::string words;
};

struct RunFinished {
  std::vector<OutputSummary> outputs;  ///< none when the check ended the run
  double durationNs = 0;               ///< 0 for a run that was dumped or checked: it tells nothing
  std::string archive;                 ///< what OUT.npz would hold, when it was asked for
  std::optional<DumpSummary> dump;
  std::optional<FiniteSummary> finite;
  std::vector<report::Warning> warnings;  ///< of the board
};

struct ProfileFinished {
  report::Document document;  ///< run->failure says why when it is not complete
};

struct DivergeFinished {
  Divergence divergence;
};

struct TimeFinished {
  std::string function;                      ///< or the scenario's file name
  std::string inputs;                        ///< in words
  std::string device;                        ///< "cpu0"
  int threads = 1;                           ///< of the kernel pool
  std::vector<profile::RepeatTime> repeats;  ///< at least one; of a scenario, all steps are one call
  std::int64_t repeatsWanted = 1;            ///< more than there are when it was stopped
  std::vector<report::Warning> warnings{};   ///< of the board
};

struct RequestFailed {
  base::Error error;
  /// What was measured before it failed; run is null when nothing was.
  report::Document partial;
  /// Parameter, member ("x/0") or free dimension of the plan that is wrong; empty when it is none of them.
  std::string input;
  /// As `partial`, of a TimeRequest: its complete repeats.
  std::optional<TimeFinished> partialTime = std::nullopt;
};

/// Stop took effect before anything was measured.
struct RequestCancelled {
  std::string kept;  ///< what was written all the same, in words
};

struct SweepPoint {
  std::int64_t value = 0;
  report::Document document;         ///< run is null when nothing was measured
  std::optional<base::Error> error;  ///< why it is not there or not whole
};

/// A value that fails does not keep the others from being measured.
struct SweepFinished {
  std::string over;
  std::vector<SweepPoint> points;  ///< in the order of the request; fewer when it was stopped
};

using EventBody =
    std::variant<StateChanged, ExecutableOpened, Progress, RunFinished, ProfileFinished, DivergeFinished,
                 RequestFailed, RequestCancelled, TimeFinished, SweepFinished, BoardWaiting, RepeatsMeasured>;

struct Event {
  RequestId request = 0;
  EventBody body;
};

}  // namespace opscope::session
