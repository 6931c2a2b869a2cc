// SPDX-License-Identifier: Apache-2.0
// What a session tells. Plain moved values and shared immutable data; delivered on the session's worker
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/report/run.h"
#include "engine/session/executable_info.h"
#include "engine/session/requests.h"

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
};

/// One value that a run returned, in words; `path` as in OUT.npz ("out", "out/0").
struct OutputSummary {
  std::string path;
  std::string description;  ///< "float32 [1, 1000]"
  std::string preview;      ///< the first values
};

struct RunFinished {
  std::vector<OutputSummary> outputs;
  double durationNs = 0;
  std::string archive;  ///< what OUT.npz would hold, when it was asked for
};

struct ProfileFinished {
  report::Document document;  ///< run->failure says why when it is not complete
};

struct RequestFailed {
  base::Error error;
  /// What was measured before it failed; run is null when nothing was.
  report::Document partial;
  /// Parameter, member ("x/0") or free dimension of the plan that is wrong; empty when it is none of them.
  std::string input;
};

/// Stop took effect before anything was measured.
struct RequestCancelled {};

using EventBody = std::variant<StateChanged, ExecutableOpened, Progress, RunFinished, ProfileFinished,
                               RequestFailed, RequestCancelled>;

struct Event {
  RequestId request = 0;
  EventBody body;
};

}  // namespace opscope::session
