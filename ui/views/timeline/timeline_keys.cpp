// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of the Timeline.
#include <QKeyEvent>
#include <algorithm>

#include "ui/views/timeline/timeline_view.h"

namespace opscope::ui {
namespace {

constexpr double kKeyZoom = 1.5;
constexpr double kKeyPan = 0.15;

}  // namespace

double TimelineView::anchorX() const {
  const bool inside = m_mouse.x() >= m_scene.titleWidth() && m_mouse.x() < m_scene.size.width();
  return inside ? m_mouse.x() - m_scene.titleWidth() : m_scene.scale.width / 2;
}

bool TimelineView::isOwnKey(const QKeyEvent* event) const {
  if (!m_scene.timeline) return false;
  // The number pad and Shift for "+" are fine; Ctrl and Alt are for the window's commands.
  if ((event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) != Qt::NoModifier) return false;
  // Esc leaves a request or a step first; all else that it clears is the window's.
  if (event->key() == Qt::Key_Escape) return m_scene.other.has_value();
  switch (event->key()) {
    case Qt::Key_W:
    case Qt::Key_A:
    case Qt::Key_S:
    case Qt::Key_D:
    case Qt::Key_F:
    case Qt::Key_M:
    case Qt::Key_P:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
    case Qt::Key_Period:
    case Qt::Key_Comma:
    case Qt::Key_Plus:
    case Qt::Key_Minus:
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_Return:
    case Qt::Key_Enter:
      return true;
    default:
      return false;
  }
}

bool TimelineView::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && isOwnKey(static_cast<QKeyEvent*>(event))) {
    event->accept();
    return true;
  }
  return QAbstractScrollArea::event(event);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  event->setAccepted(takeKey(event));
}

bool TimelineView::takeKey(QKeyEvent* event) {
  if (!isOwnKey(event)) return false;
  m_tip->hide();
  if (event->key() == Qt::Key_P && event->modifiers().testFlag(Qt::ShiftModifier)) {
    if (const auto lane = laneAt(m_scene.currentRow)) togglePin(*lane);
    return true;
  }
  if (event->key() == Qt::Key_Escape) {
    dropOther();
    return true;
  }
  return navigate(event->key()) || act(event->key());
}

bool TimelineView::navigate(int key) {
  const TimeScale view = target();
  const TimeBounds bounds = m_scene.timeline->bounds();
  switch (key) {
    case Qt::Key_W:
      setView(zoomView(view, kKeyZoom, anchorX(), bounds), true);
      return true;
    case Qt::Key_S:
      setView(zoomView(view, 1 / kKeyZoom, anchorX(), bounds), true);
      return true;
    case Qt::Key_A:
      setView(panView(view, -kKeyPan * view.spanNs(), bounds), true);
      return true;
    case Qt::Key_D:
      setView(panView(view, kKeyPan * view.spanNs(), bounds), true);
      return true;
    case Qt::Key_Home:
      setView(panView(view, -bounds.lengthNs(), bounds), true);
      return true;
    case Qt::Key_End:
      setView(panView(view, bounds.lengthNs(), bounds), true);
      return true;
    case Qt::Key_F:
      fitSelection();
      return true;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      Q_EMIT repeatRequested(key == Qt::Key_PageUp ? -1 : 1);
      return true;
    default:
      return false;
  }
}

bool TimelineView::act(int key) {
  switch (key) {
    case Qt::Key_Period:
      stepCall(1);
      return true;
    case Qt::Key_Comma:
      stepCall(-1);
      return true;
    case Qt::Key_Left:
      stepBlock(-1);
      return true;
    case Qt::Key_Right:
      stepBlock(1);
      return true;
    case Qt::Key_Up:
      stepRow(-1);
      return true;
    case Qt::Key_Down:
      stepRow(1);
      return true;
    case Qt::Key_M:
      markRange();
      return true;
    case Qt::Key_P:
      togglePin();
      return true;
    case Qt::Key_Plus:
    case Qt::Key_Minus: {
      auto group = m_scene.currentRow >= 0 ? m_scene.rows[std::size_t(m_scene.currentRow)].group
                                           : TimelineRow::Group::Vm;
      if (group == TimelineRow::Group::Steps) group = TimelineRow::Group::Vm;  // they stand among its rows
      m_folds[std::size_t(group)] = key == Qt::Key_Minus;
      arrange();
      return true;
    }
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (const report::Span* span = chosenSpan()) {
        showTimes(span->startNs, span->startNs + span->durationNs, 0.25);
        showOtherTip();
      }
      return true;
    default:
      return false;
  }
}

std::uint32_t TimelineView::startingSpan() const {
  if (m_scene.span != report::kNone) return m_scene.span;
  const auto spans = m_scene.timeline->spans();
  const auto first = std::lower_bound(spans.begin(), spans.end(), m_scene.scale.startNs,
                                      [](const report::Span& span, double ns) { return span.startNs < ns; });
  return std::uint32_t(first - spans.begin());
}

void TimelineView::stepBlock(int by) {
  if (stepOther(by)) return;
  int row = m_scene.currentRow;
  std::uint32_t block = m_scene.blockOf(row, m_scene.span);
  if (block == report::kNone) {
    // The last row with calls is one of kernels, where the eye is.
    for (row = int(m_scene.rows.size()) - 1; row >= 0; --row) {
      const SceneRow& shown = m_scene.rows[std::size_t(row)];
      if (shown.lane != nullptr && shown.lane->size() > 0 && holdsCalls(shown.group)) break;
    }
    // Before the repeats there are requests only.
    if (row < 0) {
      enterRequests();
      return;
    }
    const TimelineLane& lane = *m_scene.rows[std::size_t(row)].lane;
    block = std::min(lane.firstEndingAfter(m_scene.scale.startNs), std::uint32_t(lane.size() - 1));
    by = 0;
  }
  const SceneRow& shown = m_scene.rows[std::size_t(row)];
  std::uint32_t span = m_scene.spanOf(shown, block);
  // Tasks of one call stand beside each other, and tasks without a call have nothing to choose.
  while (by != 0 && (span == report::kNone || span == m_scene.span)) {
    if ((by < 0 && block == 0) || (by > 0 && block + 1 >= shown.lane->size())) return;
    block = by < 0 ? block - 1 : block + 1;
    span = m_scene.spanOf(shown, block);
  }
  choose(span, row);
  keepVisible(span);
}

void TimelineView::stepRow(int by) {
  const int from = m_scene.currentRow;
  if (m_scene.currentBlock(from) == report::kNone) return stepBlock(0);
  const report::Span& current = *chosenSpan();
  for (int row = from + by; row >= 0 && row < int(m_scene.rows.size()); row += by) {
    const TimelineLane* lane = m_scene.rows[std::size_t(row)].lane;
    if (lane == nullptr || lane->size() == 0) continue;
    const std::uint32_t near = lane->nearest(current.startNs + current.durationNs / 2);
    if (holdsOthers(m_scene.rows[std::size_t(row)].group)) return chooseOther(row, near);
    const std::uint32_t span = m_scene.spanOf(m_scene.rows[std::size_t(row)], near);
    if (span == report::kNone) continue;
    choose(span, row);
    keepVisible(span);
    return;
  }
}

void TimelineView::focusInEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusInEvent(event);
  viewport()->update();
}

void TimelineView::focusOutEvent(QFocusEvent* event) {
  QAbstractScrollArea::focusOutEvent(event);
  viewport()->update();
}

}  // namespace opscope::ui
