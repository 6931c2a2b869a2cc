// SPDX-License-Identifier: Apache-2.0
#include "engine/session/states.h"

#include <algorithm>
#include <vector>

namespace opscope::session {

namespace {

struct Row {
  State state;
  std::string_view name;
  std::vector<State> next;
};

/// The transition table. Ready: an executable is open and nothing runs; Failed: the last request failed.
/// From Measuring to Opening or Preparing: a second executable is compared with the first, or a sweep goes on
/// to its next value (from WarmingUp when one failed there).
const std::vector<Row>& table() {
  using enum State;
  static const std::vector<Row> rows = {
      {Idle, "idle", {Opening}},
      {Opening, "opening", {Ready, Preparing, Stopping, Failed}},
      {Ready, "ready", {Opening, Preparing}},
      {Preparing, "preparing", {WarmingUp, Measuring, Stopping, Failed}},
      {WarmingUp, "warming up", {Preparing, Measuring, Stopping, Failed}},
      {Measuring, "measuring", {Opening, Preparing, Finishing, Stopping, Failed}},
      {Finishing, "finishing", {Ready, Failed}},
      {Stopping, "stopping", {Finishing, Ready, Idle}},
      {Failed, "failed", {Opening, Preparing}},
  };
  return rows;
}

}  // namespace

bool mayFollow(State from, State to) {
  const auto row = std::ranges::find(table(), from, &Row::state);
  return row != table().end() && std::ranges::find(row->next, to) != row->next.end();
}

std::string_view stateName(State state) {
  const auto row = std::ranges::find(table(), state, &Row::state);
  return row == table().end() ? std::string_view("unknown") : row->name;
}

}  // namespace opscope::session
