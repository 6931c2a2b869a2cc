// SPDX-License-Identifier: GPL-3.0-or-later
// Zooms that can be undone. A view is one step when it has stood still for a while. GUI thread; a value.
#pragma once

#include <optional>
#include <vector>

#include "ui/models/timeline_scale.h"
#include "ui/models/undo_step.h"

namespace opscope::ui {

class ZoomHistory {
 public:
  void reset(const TimeScale& view) {
    m_past.clear();
    m_future.clear();
    m_settled = view;
    m_moving = 0;
  }
  /// The view begins to move, or goes on.
  void move() {
    if (m_moving == 0) m_moving = nextUndoStep();
  }
  /// The view stands still.
  void settle(const TimeScale& view) {
    const UndoStep step = m_moving != 0 ? m_moving : nextUndoStep();
    m_moving = 0;
    if (view.sameView(m_settled)) return;
    m_past.push_back({m_settled, step});
    if (m_past.size() > kMost) m_past.erase(m_past.begin());
    m_future.clear();
    m_settled = view;
  }
  bool isMoving() const { return m_moving != 0; }
  /// When what undo() takes back was done, and what redo() does again; 0: nothing.
  UndoStep undoStep() const { return m_moving != 0 ? m_moving : m_past.empty() ? 0 : m_past.back().step; }
  UndoStep redoStep() const { return m_future.empty() || m_moving != 0 ? 0 : m_future.back().step; }
  std::optional<TimeScale> undo() { return step(m_past, m_future); }
  std::optional<TimeScale> redo() { return step(m_future, m_past); }

 private:
  static constexpr std::size_t kMost = 100;

  struct Step {
    TimeScale view;
    UndoStep step = 0;
  };

  std::optional<TimeScale> step(std::vector<Step>& from, std::vector<Step>& to) {
    if (from.empty()) return std::nullopt;
    const Step taken = from.back();
    from.pop_back();
    to.push_back({m_settled, taken.step});
    m_settled = taken.view;
    m_moving = 0;
    return m_settled;
  }

  TimeScale m_settled;
  UndoStep m_moving = 0;  ///< of the movement that goes on; 0: the view stands still
  std::vector<Step> m_past;
  std::vector<Step> m_future;
};

}  // namespace opscope::ui
