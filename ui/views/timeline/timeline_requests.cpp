// SPDX-License-Identifier: GPL-3.0-or-later
// Requests of the RPC lane and steps of a scenario, chosen by mouse and keys. They are no calls: the
// Selection does not know them, so which of them is chosen is the Timeline's own.
#include <QScrollBar>

#include "ui/models/format.h"
#include "ui/views/timeline/timeline_view.h"

namespace opscope::ui {

void TimelineView::chooseOther(int row, std::uint32_t block) {
  const SceneRow& chosen = m_scene.rows[std::size_t(row)];
  m_scene.other = OtherBlock{chosen.group, chosen.lane->spanIndex(block)};
  m_scene.currentRow = row;
  const report::Span& span = *chosenSpan();
  const TimeScale& view = target();
  const bool seen = span.startNs < view.endNs && span.startNs + span.durationNs > view.startNs;
  if (!seen) {
    const double middle = span.startNs + span.durationNs / 2;
    setView(panView(view, middle - (view.startNs + view.endNs) / 2, m_scene.timeline->bounds()), false);
  }
  showRow(row);
  showOtherTip();
  viewport()->update();
  tellCurrent();
}

void TimelineView::dropOther() {
  if (!m_scene.other) return;
  m_scene.other.reset();
  m_scene.currentRow =
      m_scene.span == report::kNone ? -1 : m_scene.rowOfSpan(m_scene.span, m_scene.currentRow);
  m_tip->hide();
  viewport()->update();
}

bool TimelineView::stepOther(int by) {
  const std::uint32_t block = m_scene.currentBlock(m_scene.currentRow);
  if (!m_scene.other || block == report::kNone) return false;
  const auto size = std::uint32_t(m_scene.rows[std::size_t(m_scene.currentRow)].lane->size());
  const bool atEnd = by < 0 ? block == 0 : block + 1 >= size;
  chooseOther(m_scene.currentRow, atEnd ? block : by < 0 ? block - 1 : block + 1);
  return true;
}

bool TimelineView::enterRequests() {
  for (int row = 0; row < int(m_scene.rows.size()); ++row) {
    const SceneRow& shown = m_scene.rows[std::size_t(row)];
    if (shown.group != TimelineRow::Group::Rpc || shown.lane == nullptr || shown.lane->size() == 0) continue;
    chooseOther(row, shown.lane->nearest(m_scene.scale.startNs));
    return true;
  }
  return false;
}

void TimelineView::showOtherTip() {
  const std::uint32_t block = m_scene.currentBlock(m_scene.currentRow);
  if (!m_scene.other || block == report::kNone) return;
  SceneHit hit;
  hit.row = m_scene.currentRow;
  hit.block = block;
  m_tip->setText(tipOf(m_scene, hit));
  const QRect seen = currentRect();
  m_tip->place(QPoint(seen.center().x(), seen.bottom()), QRect(QPoint(), m_scene.size));
  m_tip->show();
  m_tip->raise();
}

const report::Span* TimelineView::chosenSpan() const {
  if (!m_scene.timeline) return nullptr;
  if (m_scene.other) return &m_scene.otherSpans(m_scene.other->group)[m_scene.other->span];
  return m_scene.span == report::kNone ? nullptr : &m_scene.timeline->spans()[m_scene.span];
}

}  // namespace opscope::ui
