// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/selection.h"

namespace opscope::ui {

OpId opOf(const report::Call& call) {
  return {call.name, call.shapes, call.device};
}

void Selection::setOp(const OpId& op) {
  if (m_op == op && !m_call) return;
  m_op = op;
  m_call.reset();
  Q_EMIT opChanged();
}

void Selection::setCall(const report::Run& run, std::uint32_t call) {
  if (call >= run.calls.size()) return;
  if (m_call == call) return;
  m_op = opOf(run.calls[call]);
  m_call = call;
  Q_EMIT opChanged();
}

void Selection::setRange(const std::optional<TimeRange>& range) {
  if (m_range == range) return;
  m_range = range;
  Q_EMIT rangeChanged();
}

void Selection::setFilter(const OpFilter& filter) {
  if (m_filter == filter) return;
  const bool typingOn = !m_filter.isEmpty() && !filter.isEmpty() && !m_past.empty() &&
                        m_filter.isRegularExpression == filter.isRegularExpression &&
                        (filter.text.startsWith(m_filter.text) || m_filter.text.startsWith(filter.text));
  if (!typingOn) m_past.push_back({m_filter, nextUndoStep()});
  m_future.clear();
  applyFilter(filter);
}

void Selection::applyFilter(const OpFilter& filter) {
  m_filter = filter;
  Q_EMIT filterChanged();
}

void Selection::setColourBy(ColourBy colourBy) {
  if (m_colourBy == colourBy) return;
  m_colourBy = colourBy;
  Q_EMIT colourChanged();
}

void Selection::undo() {
  goBack(m_past, m_future);
}

void Selection::redo() {
  goBack(m_future, m_past);
}

void Selection::goBack(std::vector<Step>& from, std::vector<Step>& to) {
  if (from.empty()) return;
  const Step taken = from.back();
  from.pop_back();
  to.push_back({m_filter, taken.step});
  applyFilter(taken.filter);
}

void Selection::reset() {
  m_past.clear();
  m_future.clear();
  m_op = {};
  m_call.reset();
  m_range.reset();
  m_filter = {};
  Q_EMIT opChanged();
  Q_EMIT rangeChanged();
  Q_EMIT filterChanged();
}

bool Selection::clearOne() {
  if (!m_filter.isEmpty()) {
    setFilter({});
  } else if (m_range) {
    setRange(std::nullopt);
  } else if (!m_op.isNull()) {
    setOp({});
  } else {
    return false;
  }
  return true;
}

}  // namespace opscope::ui
