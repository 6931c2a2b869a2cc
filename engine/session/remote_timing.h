// SPDX-License-Identifier: Apache-2.0
// The board's own time evaluator. On the worker.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/result.h"
#include "engine/profile/time_settings.h"
#include "engine/rpc/remote_calls.h"
#include "engine/session/remote_board.h"

namespace opscope::session {

/// What the evaluator calls: a function of a module by its name, or a registered one without a module.
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

struct TimeWatch {
  std::function<bool()> stopRequested;
  std::function<void(std::int64_t done, double elapsedNs)> progress;
};

struct BoardTiming {
  std::vector<profile::RepeatTime> repeats;
  std::optional<base::Error> error;  ///< why there are fewer than wanted
};

/// All repeats, each asked for on its own, so that Stop takes effect between them; `number` grows here as
/// TVM's evaluator lets it grow.
BoardTiming timeOnBoard(rpc::Client& client, const Timed& timed, const profile::TimeSettings& settings,
                        const TimeWatch& watch);

}  // namespace opscope::session
