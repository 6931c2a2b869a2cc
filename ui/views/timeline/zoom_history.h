// SPDX-License-Identifier: GPL-3.0-or-later
// Zooms that can be undone. A view is one step when it has stood still for a while. Any thread; a value.
#pragma once

#include <optional>
#include <vector>

#include "ui/models/timeline_scale.h"

namespace opscope::ui {

class ZoomHistory {
 public:
  void reset(const TimeScale& view) {
    m_past.clear();
    m_future.clear();
    m_settled = view;
  }
  /// The view stands still.
  void settle(const TimeScale& view) {
    if (view.sameView(m_settled)) return;
    m_past.push_back(m_settled);
    if (m_past.size() > kMost) m_past.erase(m_past.begin());
    m_future.clear();
    m_settled = view;
  }
  bool canUndo() const { return !m_past.empty(); }
  bool canRedo() const { return !m_future.empty(); }
  std::optional<TimeScale> undo() { return step(m_past, m_future); }
  std::optional<TimeScale> redo() { return step(m_future, m_past); }

 private:
  static constexpr std::size_t kMost = 100;

  std::optional<TimeScale> step(std::vector<TimeScale>& from, std::vector<TimeScale>& to) {
    if (from.empty()) return std::nullopt;
    to.push_back(m_settled);
    m_settled = from.back();
    from.pop_back();
    return m_settled;
  }

  TimeScale m_settled;
  std::vector<TimeScale> m_past;
  std::vector<TimeScale> m_future;
};

}  // namespace opscope::ui
