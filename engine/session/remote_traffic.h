// SPDX-License-Identifier: Apache-2.0
// What went over the wire while a board was profiled: told apart by what the run was doing, and set on one
// axis with the board's calls. On the worker.
#pragma once

#include "engine/report/traffic.h"
#include "engine/session/remote_board.h"

namespace opscope::session {

/// What is asked of the board from now on belongs to this. `repeat`: of a recorded repeat, or the one before.
void enterPhase(RemoteBoard& board, report::TrafficPhase phase, std::uint32_t repeat = report::kNone);

/// Puts what the board's log holds into the run, and one line about it among the facts of the environment.
/// Does nothing when no traffic was recorded. `run.remote` is set.
///
/// The board's clock is not asked for: a repeat's step lies between its request and its answer, so that its
/// begin on our clock is known to half of what the two are longer than the step was there.
void addTraffic(RemoteBoard& board, report::Run& run);

/// The same without a board, for tests. `wallNs` is since the log began.
report::TrafficTrack trafficTrack(const rpc::TrafficLog& log, const report::Run& run, double wallNs);

}  // namespace opscope::session
