// SPDX-License-Identifier: GPL-3.0-or-later
// How a run can be made again: from what it tells of itself, with nothing read from disk. Plain values; any
// thread.
#pragma once

#include <QString>
#include <vector>

#include "engine/report/run.h"
#include "ui/bridge/session_types.h"
#include "ui/models/saved_board.h"

namespace opscope::ui {

struct AgainPlan {
  session::ProfileRequest request;  ///< path, inputs, settings, lengths
  std::string hash;                 ///< that the file must have
  std::string scenarioHash;         ///< the same of request.plan.scenarioFile, if there is one
  QString name;                     ///< "net.so"
  QString problem;                  ///< why it cannot be made again; empty: it can, as far as is known here
};

/// Inputs are read from Run::inputs, of a scenario its file from the environment, lengths, device and runtime
/// from what the run tells. A board's secret is that of the saved board with the same address.
AgainPlan againPlanOf(const report::Run& run, const std::vector<SavedBoard>& boards);

/// The inputs of "x float32 [1, 3] random:0; n = 1". False where a value cannot be made from these words.
bool inputsFromWords(const std::string& words, session::InputPlan& plan);

/// One turn of the two sides: so many repeats of one plan.
struct AgainTurn {
  int side = 0;          ///< 0 old, 1 new
  std::size_t plan = 0;  ///< of the side
  std::uint32_t repeats = 0;
  std::uint32_t warmup = 0;
  bool begins = false;  ///< the first of its run
};

/// By turns, old first. Runs of one repeat each side are parted into at most kAgainTurns turns; of groups
/// each run is one turn.
std::vector<AgainTurn> turnsOf(const std::vector<AgainPlan>& before, const std::vector<AgainPlan>& after);

inline constexpr std::uint32_t kAgainTurns = 5;

}  // namespace opscope::ui
