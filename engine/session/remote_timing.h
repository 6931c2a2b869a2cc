// SPDX-License-Identifier: Apache-2.0
// Times on a board's own clock. On the worker; the program and what is timed outlive it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/profile/time_evaluator.h"
#include "engine/rpc/remote_calls.h"
#include "engine/session/remote_program.h"

namespace opscope::session {

/// What the board's evaluator calls: a function of a module by its name, or a registered one without a
/// module.
struct Timed {
  std::optional<rpc::ModuleHandle> module;
  std::string name;
  std::vector<rpc::Value> arguments;
  DLDevice device{kDLCPU, 0};
};

/// Seconds a call of each repeat, as `runtime.RPCTimeEvaluator` gives them, in ns. One untimed call comes
/// before. Errors: those of the session; Format.
base::Result<std::vector<double>> evaluateOnBoard(rpc::Client& client, const Timed& timed,
                                                  const profile::TimeSettings& settings);

/// Takes the time of something on a board.
class RemoteStopwatch {
 public:
  virtual ~RemoteStopwatch() = default;
  /// Calls it `number` times; ns of all of them. Errors: those of the session and of what is called.
  virtual base::Result<double> time(std::int64_t number) = 0;
};

/// The sequence's only step, a function of the executable, by the server's time evaluator.
base::Result<std::unique_ptr<RemoteStopwatch>> timeFunction(RemoteProgram& program, RemoteSequence& sequence,
                                                            const profile::TimeSettings& settings);

/// All steps together, by our probe's marks around each: the time between steps does not count. Runs them
/// once. Errors: Unsupported where the probe cannot run, and for a flush of the caches.
base::Result<std::unique_ptr<RemoteStopwatch>> timeSteps(RemoteProgram& program, RemoteSequence& sequence,
                                                         const OpenedExecutable& file,
                                                         const profile::TimeSettings& settings,
                                                         std::function<base::Result<>()> checkStop);

struct TimeWatch {
  std::function<bool()> stopRequested;
  std::function<void(std::int64_t done, double elapsedNs)> progress;
};

/// All repeats, each asked for on its own, so that Stop takes effect between them; `number` grows here as
/// TVM's evaluator lets it grow.
profile::Timing timeOnBoard(RemoteStopwatch& stopwatch, const profile::TimeSettings& settings,
                            const TimeWatch& watch);

}  // namespace opscope::session
