// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse of the Timeline.
#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/views/timeline/timeline_view.h"

namespace opscope::ui {
namespace {

constexpr double kSnapPixels = 3;
constexpr double kHandlePixels = 8;
/// One notch of a wheel.
constexpr double kNotch = 120;

}  // namespace

void TimelineView::mousePressEvent(QMouseEvent* event) {
  if (!m_scene.timeline) return;
  const QPoint point = event->position().toPoint();
  m_tip->hide();
  m_tipTimer.stop();
  m_pressed = point;
  m_dragMoved = false;
  if (event->button() == Qt::MiddleButton) {
    m_drag = Drag::Pan;
    m_pressedScale = m_scene.scale;
    return;
  }
  if (event->button() != Qt::LeftButton) return;
  if (point.x() < m_scene.titleWidth()) {
    pressTitle(point);
  } else if (point.y() < m_scene.stripHeight()) {
    startStripDrag(point.x());
  } else {
    startDrag(event);
  }
}

void TimelineView::startDrag(QMouseEvent* event) {
  m_drag = event->modifiers().testFlag(Qt::ShiftModifier) ? Drag::Range : Drag::Measure;
  m_pressedNs = snapped(m_scene.timeAt(event->position().x()), m_pressed);
}

void TimelineView::startStripDrag(double x) {
  const QRect strip = m_scene.strip();
  const TimeBounds bounds = m_scene.timeline->bounds();
  const double left = m_scene.stripX(m_scene.scale.startNs);
  const double right = m_scene.stripX(m_scene.scale.endNs);
  const double near = m_scene.theme->px(kHandlePixels);
  // Handles reach inwards by at most a quarter, so that a small window can still be moved.
  const double inwards = std::min(near, (right - left) / 4);
  if (x >= left - near && x <= left + inwards) {
    m_drag = Drag::WindowStart;
  } else if (x <= right + near && x >= right - inwards) {
    m_drag = Drag::WindowEnd;
  } else {
    m_drag = Drag::WindowMove;
    if (x < left || x > right) {
      const double at = bounds.beginNs + (x - strip.left()) / strip.width() * bounds.lengthNs();
      setView(panView(m_scene.scale, at - (m_scene.scale.startNs + m_scene.scale.endNs) / 2, bounds), false);
    }
  }
  m_pressedScale = m_scene.scale;
}

void TimelineView::dragStrip(double x) {
  const TimeBounds bounds = m_scene.timeline->bounds();
  const double by = (x - m_pressed.x()) / m_scene.strip().width() * bounds.lengthNs();
  TimeScale view = m_pressedScale;
  if (m_drag == Drag::WindowMove) {
    setView(panView(view, by, bounds), false);
    return;
  }
  if (m_drag == Drag::WindowStart) {
    view.startNs =
        std::clamp(view.startNs + by, bounds.beginNs, std::max(bounds.beginNs, view.endNs - kShortestViewNs));
  } else {
    view.endNs =
        std::clamp(view.endNs + by, std::min(bounds.endNs, view.startNs + kShortestViewNs), bounds.endNs);
  }
  setView(view, false);
}

double TimelineView::snapped(double ns, const QPoint& point) const {
  const double reach = kSnapPixels * m_scene.scale.nsPerPixel();
  double best = ns, distance = reach;
  const int own = m_scene.rowAt(point.y());
  const auto consider = [&](const SceneRow& row) {
    if (row.lane == nullptr) return;
    const double edge = row.lane->nearestEdge(ns);
    if (std::abs(edge - ns) <= distance) {
      best = edge;
      distance = std::abs(edge - ns);
    }
  };
  // The row under the mouse goes first; others help where it has no edge near.
  if (own >= 0) consider(m_scene.rows[std::size_t(own)]);
  if (best == ns) {
    for (const SceneRow& row : m_scene.rows) consider(row);
  }
  return std::clamp(best, 0.0, m_scene.timeline->totalNs());
}

void TimelineView::dragTimes(const QPoint& point) {
  if (!m_dragMoved && (point - m_pressed).manhattanLength() < QApplication::startDragDistance()) return;
  m_dragMoved = true;
  const double ns = snapped(m_scene.timeAt(point.x()), point);
  m_scene.measure = std::minmax(m_pressedNs, ns);
  if (m_drag == Drag::Range) m_scene.range.reset();
  m_scene.cursorX = std::clamp(point.x(), m_scene.titleWidth(), m_scene.size.width() - 1);
  viewport()->update();
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  if (!m_scene.timeline) return;
  const QPoint point = event->position().toPoint();
  m_mouse = point;
  switch (m_drag) {
    case Drag::None:
      hoverAt(point);
      break;
    case Drag::Measure:
    case Drag::Range:
      dragTimes(point);
      break;
    case Drag::Pan: {
      const double by = (m_pressed.x() - point.x()) * m_pressedScale.nsPerPixel();
      setView(panView(m_pressedScale, by, m_scene.timeline->bounds()), false);
      break;
    }
    case Drag::WindowMove:
    case Drag::WindowStart:
    case Drag::WindowEnd:
      dragStrip(event->position().x());
      break;
  }
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
  if (!m_scene.timeline || m_drag == Drag::None) return;
  const Drag drag = m_drag;
  m_drag = Drag::None;
  if (drag == Drag::Range && m_dragMoved && m_scene.measure) {
    const auto [start, end] = *m_scene.measure;
    if (end > start && !m_scene.timeline->isBeforeRepeats())
      m_selection->setRange(TimeRange{start, end, m_scene.timeline->repeat()});
  }
  takeRange();
  if ((drag == Drag::Measure || drag == Drag::Range) && !m_dragMoved) {
    const SceneHit hit = m_scene.hitAt(event->position().toPoint());
    const std::uint32_t span =
        hit.isBlock() ? m_scene.spanOf(m_scene.rows[std::size_t(hit.row)], hit.block) : report::kNone;
    if (hit.isBlock() && holdsOthers(m_scene.rows[std::size_t(hit.row)].group)) {
      chooseOther(hit.row, hit.block);
    } else if (span != report::kNone) {
      choose(span, hit.row);
    }
  }
  m_scene.measure.reset();
  hoverAt(event->position().toPoint());
  viewport()->update();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!m_scene.timeline || event->button() != Qt::LeftButton) return;
  const QPoint point = event->position().toPoint();
  if (point.x() < m_scene.titleWidth()) {
    pressTitle(point);
    return;
  }
  if (point.y() < m_scene.stripHeight()) return fitAll();
  const SceneHit hit = m_scene.hitAt(point);
  if (!hit.isBlock()) return;
  const TimelineLane& lane = *m_scene.rows[std::size_t(hit.row)].lane;
  if (hit.merged) {
    showTimes(lane.startNs(hit.firstBlock), lane.endNs(hit.endBlock - 1), 0.1);
  } else {
    showTimes(lane.startNs(hit.block), lane.endNs(hit.block), 0.25);
  }
}

void TimelineView::wheelEvent(QWheelEvent* event) {
  if (!m_scene.timeline) return;
  const QPoint angle = event->angleDelta();
  const QPointF point = event->position();
  event->accept();
  if (point.x() < m_scene.titleWidth() || event->modifiers().testFlag(Qt::ControlModifier)) {
    verticalScrollBar()->setValue(verticalScrollBar()->value() - angle.y() / 2);
    return;
  }
  const TimeBounds bounds = m_scene.timeline->bounds();
  const bool sideways = std::abs(angle.x()) > std::abs(angle.y());
  if (sideways || event->modifiers().testFlag(Qt::ShiftModifier)) {
    const int notches = sideways ? angle.x() : angle.y();
    setView(panView(target(), -notches / kNotch * 0.1 * target().spanNs(), bounds), true);
    return;
  }
  const double x = std::clamp(point.x() - m_scene.titleWidth(), 0.0, m_scene.scale.width);
  // The time that is under the cursor now must stay there, also while an animation is under way.
  TimeScale from = target();
  const double at = m_scene.scale.toTime(x);
  const double part = x / m_scene.scale.width;
  from.startNs = at - from.spanNs() * part;
  from.endNs = from.startNs + target().spanNs();
  setView(zoomView(from, std::pow(1.25, angle.y() / kNotch), x, bounds), true);
}

void TimelineView::hoverAt(const QPoint& point) {
  m_mouse = point;
  const bool inLanes = point.x() >= m_scene.titleWidth() && point.y() >= m_scene.stripHeight() &&
                       m_scene.size.height() > point.y();
  m_scene.cursorX = inLanes ? std::optional<int>(point.x()) : std::nullopt;
  const SceneHit hit = m_scene.hitAt(point);
  const bool changed = !(hit == m_scene.hover);
  m_scene.hover = hit;
  m_scene.hoverTitle = point.x() >= 0 && point.x() < m_scene.titleWidth() ? m_scene.rowAt(point.y()) : -1;
  const bool strip = point.y() < m_scene.stripHeight() && point.x() >= m_scene.titleWidth();
  viewport()->setCursor(strip ? Qt::SizeHorCursor : Qt::ArrowCursor);
  if (!hit.tells()) {
    m_tipTimer.stop();
    m_tip->hide();
  } else if (m_tip->isVisible() && !changed) {
    if (hit.curve) m_tip->setText(tipOf(m_scene, hit));
    m_tip->place(point, QRect(QPoint(), m_scene.size));
  } else {
    m_tip->hide();
    m_tipTimer.start();
  }
  viewport()->update();
}

void TimelineView::showTip() {
  if (!m_scene.timeline || !m_scene.hover.tells() || m_drag != Drag::None) return;
  m_tip->setText(tipOf(m_scene, m_scene.hover));
  m_tip->place(m_mouse, QRect(QPoint(), m_scene.size));
  m_tip->show();
  m_tip->raise();
}

void TimelineView::leaveViewport() {
  m_tipTimer.stop();
  m_tip->hide();
  m_scene.hover = {};
  m_scene.hoverTitle = -1;
  m_scene.cursorX.reset();
  m_mouse = QPoint(-1, -1);
  viewport()->update();
}

bool TimelineView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) leaveViewport();
  return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::pressTitle(const QPoint& point) {
  const int row = m_scene.rowAt(point.y());
  if (row < 0) return;
  const SceneRow& shown = m_scene.rows[std::size_t(row)];
  const auto lane = shown.id;
  if (shown.kind == SceneRow::Kind::PinnedOp) {
    const OpId op = m_scene.timeline->ops().ops[shown.pinnedOp];
    m_scene.rows.clear();
    std::erase_if(m_pins, [&](const Pin& pin) { return pin.op == op; });
    arrange();
  } else if (lane && (shown.pinned || point.x() >= m_scene.titleWidth() - m_scene.theme->px(26))) {
    togglePin(*lane);
  } else if (shown.startsGroup && (shown.group != TimelineRow::Group::Rpc || shown.foldable)) {
    m_folds[std::size_t(shown.group)] = !m_folds[std::size_t(shown.group)];
    arrange();
  }
  m_scene.hoverTitle = m_scene.rowAt(point.y());
}

}  // namespace opscope::ui
