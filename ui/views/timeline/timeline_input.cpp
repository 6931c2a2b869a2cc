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
    toggleFold(m_scene.rowAt(point.y()));
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
  const double total = m_scene.timeline->totalNs();
  const double left = strip.left() + m_scene.scale.startNs / total * strip.width();
  const double right = strip.left() + m_scene.scale.endNs / total * strip.width();
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
      const double at = (x - strip.left()) / strip.width() * total;
      setView(panView(m_scene.scale, at - (m_scene.scale.startNs + m_scene.scale.endNs) / 2, total), false);
    }
  }
  m_pressedScale = m_scene.scale;
}

void TimelineView::dragStrip(double x) {
  const double total = m_scene.timeline->totalNs();
  const double by = (x - m_pressed.x()) / m_scene.strip().width() * total;
  TimeScale view = m_pressedScale;
  if (m_drag == Drag::WindowMove) {
    setView(panView(view, by, total), false);
    return;
  }
  if (m_drag == Drag::WindowStart) {
    view.startNs = std::clamp(view.startNs + by, 0.0, std::max(0.0, view.endNs - kShortestViewNs));
  } else {
    view.endNs = std::clamp(view.endNs + by, std::min(total, view.startNs + kShortestViewNs), total);
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
      setView(panView(m_pressedScale, by, m_scene.timeline->totalNs()), false);
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
    if (end > start) m_selection->setRange(TimeRange{start, end, m_scene.timeline->repeat()});
  }
  m_scene.range = m_selection->range();
  if ((drag == Drag::Measure || drag == Drag::Range) && !m_dragMoved) {
    const SceneHit hit = m_scene.hitAt(event->position().toPoint());
    if (hit.isBlock()) choose(m_scene.rows[std::size_t(hit.row)].lane->spanIndex(hit.block), hit.row);
  }
  m_scene.measure.reset();
  hoverAt(event->position().toPoint());
  viewport()->update();
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!m_scene.timeline || event->button() != Qt::LeftButton) return;
  const QPoint point = event->position().toPoint();
  if (point.x() < m_scene.titleWidth()) {
    toggleFold(m_scene.rowAt(point.y()));
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
  const double total = m_scene.timeline->totalNs();
  const bool sideways = std::abs(angle.x()) > std::abs(angle.y());
  if (sideways || event->modifiers().testFlag(Qt::ShiftModifier)) {
    const int notches = sideways ? angle.x() : angle.y();
    setView(panView(target(), -notches / kNotch * 0.1 * target().spanNs(), total), true);
    return;
  }
  const double x = std::clamp(point.x() - m_scene.titleWidth(), 0.0, m_scene.scale.width);
  // The time that is under the cursor now must stay there, also while an animation is under way.
  TimeScale from = target();
  const double at = m_scene.scale.toTime(x);
  const double part = x / m_scene.scale.width;
  from.startNs = at - from.spanNs() * part;
  from.endNs = from.startNs + target().spanNs();
  setView(zoomView(from, std::pow(1.25, angle.y() / kNotch), x, total), true);
}

void TimelineView::hoverAt(const QPoint& point) {
  m_mouse = point;
  const bool inLanes = point.x() >= m_scene.titleWidth() && point.y() >= m_scene.stripHeight() &&
                       m_scene.size.height() > point.y();
  m_scene.cursorX = inLanes ? std::optional<int>(point.x()) : std::nullopt;
  const SceneHit hit = m_scene.hitAt(point);
  const bool changed = !(hit == m_scene.hover);
  m_scene.hover = hit;
  const bool strip = point.y() < m_scene.stripHeight() && point.x() >= m_scene.titleWidth();
  viewport()->setCursor(strip ? Qt::SizeHorCursor : Qt::ArrowCursor);
  if (!hit.isBlock()) {
    m_tipTimer.stop();
    m_tip->hide();
  } else if (m_tip->isVisible() && !changed) {
    m_tip->place(point, QRect(QPoint(), m_scene.size));
  } else {
    m_tip->hide();
    m_tipTimer.start();
  }
  viewport()->update();
}

void TimelineView::showTip() {
  if (!m_scene.timeline || !m_scene.hover.isBlock() || m_drag != Drag::None) return;
  m_tip->setText(tipOf(m_scene, m_scene.hover));
  m_tip->place(m_mouse, QRect(QPoint(), m_scene.size));
  m_tip->show();
  m_tip->raise();
}

void TimelineView::leaveViewport() {
  m_tipTimer.stop();
  m_tip->hide();
  m_scene.hover = {};
  m_scene.cursorX.reset();
  m_mouse = QPoint(-1, -1);
  viewport()->update();
}

bool TimelineView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::Leave) leaveViewport();
  return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::toggleFold(int row) {
  if (row < 0) return;
  const SceneRow& shown = m_scene.rows[std::size_t(row)];
  if (!shown.startsGroup) return;
  if (shown.kind == SceneRow::Kind::Pinned) {
    m_scene.rows.clear();
    m_pinned.reset();
    m_pinnedOp = {};
  } else if (shown.group == TimelineRow::Group::Vm) {
    m_vmFolded = !m_vmFolded;
  } else {
    m_kernelsFolded = !m_kernelsFolded;
  }
  arrange();
}

}  // namespace opscope::ui
