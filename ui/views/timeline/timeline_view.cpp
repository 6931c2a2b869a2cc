// SPDX-License-Identifier: GPL-3.0-or-later
// State and painting of the Timeline; mouse and keys are in timeline_input.cpp.
#include "ui/views/timeline/timeline_view.h"

#include <QAccessible>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr int kTipDelayMs = 60;
constexpr int kSettleMs = 400;
constexpr int kZoomMs = 120;
/// Of the view, for a call that another page leads to.
constexpr double kCallShare = 0.4;

}  // namespace

TimelineView::TimelineView(const Theme* theme, Selection* selection, QWidget* parent)
    : QAbstractScrollArea(parent), m_selection(selection), m_scene(theme) {
  installTimelineAccessibility();
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(QStringLiteral("Timeline"));
  viewport()->setMouseTracking(true);
  m_tip = new TimelineTip(theme, viewport());
  m_tipTimer.setSingleShot(true);
  m_tipTimer.setInterval(kTipDelayMs);
  m_settleTimer.setSingleShot(true);
  m_settleTimer.setInterval(kSettleMs);
  m_animation.setDuration(kZoomMs);
  m_animation.setStartValue(0.0);
  m_animation.setEndValue(1.0);
  m_animation.setEasingCurve(QEasingCurve::OutCubic);
  connect(&m_tipTimer, &QTimer::timeout, this, &TimelineView::showTip);
  connect(&m_settleTimer, &QTimer::timeout, this, [this]() {
    m_history.settle(m_scene.scale);
    Q_EMIT historyChanged();
  });
  connect(&m_animation, &QVariantAnimation::valueChanged, this,
          [this](const QVariant& part) { applyView(betweenViews(m_from, m_to, part.toDouble())); });
  connect(selection, &Selection::opChanged, this, &TimelineView::takeSelection);
  connect(selection, &Selection::filterChanged, this, &TimelineView::takeFilter);
  connect(selection, &Selection::rangeChanged, this, [this]() {
    takeRange();
    viewport()->update();
  });
  connect(theme, &Theme::changed, this, [this]() {
    m_painter.forget();
    arrange();
  });
}

TimelineView::~TimelineView() = default;

void TimelineView::setTimeline(std::shared_ptr<const Timeline> timeline) {
  const bool sameRun = timeline && m_scene.timeline && timeline->view() == m_scene.timeline->view();
  const bool wasBefore = m_scene.timeline && m_scene.timeline->isBeforeRepeats();
  m_animation.stop();
  m_tip->hide();
  m_scene.other.reset();
  m_scene.rows.clear();
  m_scene.timeline = std::move(timeline);
  m_painter.forget();
  m_hits.clear();
  if (!sameRun) m_pins.clear();
  if (!m_scene.timeline) {
    m_scene.matches.clear();
    m_pins.clear();
    viewport()->update();
    Q_EMIT searchChanged();
    return;
  }
  measureWidth();
  TimeScale view = m_scene.scale;
  // What came before the repeats has an axis of its own.
  const bool keepsView = sameRun && m_scene.timeline->isBeforeRepeats() == wasBefore;
  if (!keepsView) {
    const TimeBounds bounds = m_scene.timeline->bounds();
    // The requests around the calls, unless the calls would be too narrow beside them.
    const bool all = bounds.lengthNs() < 2 * m_scene.timeline->totalNs();
    view.startNs = all ? bounds.beginNs : 0;
    view.endNs = all ? bounds.endNs : m_scene.timeline->totalNs();
  }
  m_scene.scale = clampView(view, m_scene.timeline->bounds());
  if (!keepsView) {
    m_history.reset(m_scene.scale);
    m_settleTimer.stop();
    Q_EMIT historyChanged();
  }
  takeRange();
  for (Pin& pin : m_pins) fillPin(pin);
  arrange();
  takeFilter();
  takeSelection();
  Q_EMIT viewChanged();
}

/// Ranges are of a repeat's time.
void TimelineView::takeRange() {
  const bool isRepeat = m_scene.timeline && !m_scene.timeline->isBeforeRepeats();
  m_scene.range = isRepeat ? m_selection->range() : std::nullopt;
}

void TimelineView::setWaitingText(const QString& text) {
  m_waitingText = text;
  viewport()->update();
}

void TimelineView::setColour(TimelineColour colour) {
  m_scene.colour = colour;
  viewport()->update();
}

void TimelineView::measureWidth() {
  m_scene.size = viewport()->size();
  m_scene.pixelRatio = devicePixelRatioF();
  m_scene.scale.width = std::max(1, m_scene.size.width() - m_scene.titleWidth());
}

void TimelineView::arrange() {
  measureWidth();
  m_scene.arrange(scenePins(), m_folds);
  const int hidden = std::max(0, m_scene.contentHeight() - m_scene.scrollHeight());
  verticalScrollBar()->setRange(0, hidden);
  verticalScrollBar()->setPageStep(std::max(1, m_scene.scrollHeight()));
  verticalScrollBar()->setSingleStep(m_scene.theme->px(22));
  m_scene.scrollY = verticalScrollBar()->value();
  m_scene.currentRow = m_scene.span == report::kNone ? -1 : m_scene.rowOfSpan(m_scene.span, -1);
  for (int row = 0; m_scene.other && row < int(m_scene.rows.size()); ++row) {
    if (m_scene.currentBlock(row) != report::kNone) m_scene.currentRow = row;
  }
  viewport()->update();
  Q_EMIT rowsChanged();
}

void TimelineView::setView(const TimeScale& view, bool animate) {
  if (!m_scene.timeline) return;
  m_to = clampView(view, m_scene.timeline->bounds());
  m_from = m_scene.scale;
  m_tip->hide();
  m_animation.stop();
  if (animate && m_animated && isVisible()) {
    m_animation.start();
  } else {
    applyView(m_to);
  }
  m_history.move();
  m_settleTimer.start();
  Q_EMIT historyChanged();
}

void TimelineView::applyView(const TimeScale& view) {
  const double width = m_scene.scale.width;
  m_scene.scale = view;
  m_scene.scale.width = width;
  m_scene.hover = {};
  viewport()->update();
  Q_EMIT viewChanged();
}

void TimelineView::takeSelection() {
  if (!m_scene.timeline) return;
  m_scene.other.reset();
  m_scene.op = m_scene.timeline->ops().find(m_selection->op());
  m_scene.span = m_selection->call() ? m_scene.timeline->spanOfCall(*m_selection->call()) : report::kNone;
  m_scene.currentRow =
      m_scene.span == report::kNone ? -1 : m_scene.rowOfSpan(m_scene.span, m_scene.currentRow);
  if (!m_choosing) {
    m_mustReveal = m_scene.op != report::kNone;
    if (isVisible()) reveal();
  }
  viewport()->update();
  Q_EMIT searchChanged();
  tellCurrent();
}

void TimelineView::tellCurrent() {
  QAccessibleEvent changed(this, QAccessible::Focus);
  QAccessible::updateAccessibility(&changed);
}

void TimelineView::reveal() {
  m_mustReveal = false;
  if (!m_scene.timeline || m_scene.op == report::kNone) return;
  const std::uint32_t wanted = spanToShow();
  if (wanted == report::kNone) return;
  keepVisible(wanted);
  const report::Span& span = m_scene.timeline->spans()[wanted];
  // A call that is only a line on screen cannot be recognised: come closer.
  if (span.durationNs / target().nsPerPixel() < m_scene.theme->px(8)) {
    const double around = std::max(span.durationNs, kShortestViewNs / 20) * 10;
    showTimes(span.startNs - around, span.startNs + span.durationNs + around, 0);
  }
}

std::uint32_t TimelineView::spanToShow() const {
  if (m_scene.span != report::kNone || m_scene.op == report::kNone) return m_scene.span;
  const auto spans = m_scene.timeline->spans();
  std::uint32_t best = report::kNone;
  bool bestInRange = false;
  for (const std::uint32_t call : m_scene.timeline->ops().callsOf(m_scene.op)) {
    const std::uint32_t index = m_scene.timeline->spanOfCall(call);
    if (index == report::kNone) continue;
    const report::Span& span = spans[index];
    const auto& range = m_scene.range;
    const bool inRange =
        range && span.startNs < range->endNs && span.startNs + span.durationNs > range->startNs;
    if (best == report::kNone || inRange > bestInRange ||
        (inRange == bestInRange && span.durationNs > spans[best].durationNs)) {
      best = index;
      bestInRange = inRange;
    }
  }
  return best;
}

void TimelineView::showChosenCall() {
  m_mustReveal = false;
  if (!m_scene.timeline) return;
  const std::uint32_t wanted = spanToShow();
  if (wanted == report::kNone) return;
  choose(wanted, m_scene.rowOfSpan(wanted, m_scene.currentRow));
  const report::Span& span = m_scene.timeline->spans()[wanted];
  const double length = std::max(span.durationNs / kCallShare, kShortestViewNs);
  TimeScale view = m_scene.scale;
  view.startNs = span.startNs + (span.durationNs - length) / 2;
  view.endNs = view.startNs + length;
  setView(view, true);
  showRow(m_scene.currentRow);
  tellCurrent();
}

void TimelineView::keepVisible(std::uint32_t index) {
  const report::Span& span = m_scene.timeline->spans()[index];
  const TimeScale& view = target();
  const double end = span.startNs + span.durationNs;
  const bool longer = span.durationNs > view.spanNs();
  const bool inside = longer ? span.startNs < view.endNs && end > view.startNs
                             : span.startNs >= view.startNs && end <= view.endNs;
  if (!inside)
    setView(
        panView(view, (span.startNs + end) / 2 - (view.startNs + view.endNs) / 2, m_scene.timeline->bounds()),
        true);
  showRow(m_scene.rowOfSpan(index, m_scene.currentRow));
}

void TimelineView::showRow(int row) {
  if (row < 0) return;
  const SceneRow& shown = m_scene.rows[std::size_t(row)];
  const int top = shown.top, bottom = shown.top + shown.height;
  if (shown.pinned) return;
  if (top < m_scene.scrollY) verticalScrollBar()->setValue(top);
  if (bottom > m_scene.scrollY + m_scene.scrollHeight())
    verticalScrollBar()->setValue(bottom - m_scene.scrollHeight());
}

void TimelineView::choose(std::uint32_t span, int row) {
  m_choosing = true;
  m_scene.other.reset();
  m_scene.currentRow = row;
  m_selection->setCall(m_scene.timeline->run(), m_scene.timeline->spans()[span].call);
  m_choosing = false;
  m_scene.span = span;
  m_scene.currentRow = m_scene.rowOfSpan(span, row);
  viewport()->update();
  Q_EMIT searchChanged();
}

void TimelineView::showTimes(double startNs, double endNs, double margin) {
  if (!m_scene.timeline) return;
  setView(fitView(m_scene.scale, startNs, endNs, margin, m_scene.timeline->bounds()), true);
}

void TimelineView::fitAll() {
  if (!m_scene.timeline) return;
  const TimeBounds bounds = m_scene.timeline->bounds();
  showTimes(bounds.beginNs, bounds.endNs, 0);
}

void TimelineView::fitSelection() {
  if (!m_scene.timeline) return;
  if (m_scene.range) return showTimes(m_scene.range->startNs, m_scene.range->endNs, 0.05);
  if (m_scene.other) {
    const report::Span& span = *chosenSpan();
    return showTimes(span.startNs, span.startNs + span.durationNs, 0.25);
  }
  if (m_scene.op == report::kNone) return fitAll();
  if (m_scene.span != report::kNone) {
    const report::Span& span = m_scene.timeline->spans()[m_scene.span];
    return showTimes(span.startNs, span.startNs + span.durationNs, 0.25);
  }
  double start = m_scene.timeline->totalNs(), end = 0;
  for (const std::uint32_t call : m_scene.timeline->ops().callsOf(m_scene.op)) {
    const std::uint32_t index = m_scene.timeline->spanOfCall(call);
    if (index == report::kNone) continue;
    const report::Span& span = m_scene.timeline->spans()[index];
    start = std::min(start, span.startNs);
    end = std::max(end, span.startNs + span.durationNs);
  }
  if (end > start) showTimes(start, end, 0.05);
}

void TimelineView::markRange() {
  if (!canMark()) return;
  const report::Span& span = *chosenSpan();
  m_selection->setRange(TimeRange{span.startNs, span.startNs + span.durationNs, m_scene.timeline->repeat()});
}

void TimelineView::undoZoom() {
  m_history.settle(target());
  goTo(m_history.undo());
}

void TimelineView::redoZoom() {
  goTo(m_history.redo());
}

void TimelineView::goTo(const std::optional<TimeScale>& view) {
  if (!view) return;
  setView(*view, true);
  m_settleTimer.stop();
  m_history.settle(m_to);
  Q_EMIT historyChanged();
}

QString TimelineView::currentText() const {
  const report::Span* span = chosenSpan();
  if (span == nullptr) return {};
  return QStringLiteral("%1, %2\u00A0µs, starts at %3\u00A0ms")
      .arg(!m_scene.other   ? m_scene.nameOf(*span)
           : isStepChosen() ? m_scene.stepText(*span)
                            : m_scene.requestText(*span),
           format::microseconds(span->durationNs / 1000), format::fixed(span->startNs / 1e6, 3));
}

QRect TimelineView::currentRect() const {
  const int row = m_scene.currentRow;
  const std::uint32_t block = m_scene.currentBlock(row);
  if (block == report::kNone) return {};
  return m_scene.blockRect(m_scene.rows[std::size_t(row)], block).toRect() & m_scene.lanes();
}

void TimelineView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  // Also where the window is drawn into a picture with more pixels than the screen has.
  m_scene.pixelRatio = std::max(devicePixelRatioF(), painter.deviceTransform().m11());
  m_scene.hasFocus = hasFocus();
  m_painter.paint(&painter, m_scene);
  if (!m_scene.timeline && !m_waitingText.isEmpty()) {
    painter.setFont(m_scene.theme->font(13));
    painter.setPen(m_scene.theme->colours().textSecondary);
    painter.drawText(m_scene.lanes(), Qt::AlignCenter, m_waitingText);
  }
  if (hasFocus() && m_scene.timeline && m_scene.currentRow < 0) {
    painter.setPen(m_scene.theme->colours().focus);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(m_scene.lanes().adjusted(0, 0, -1, -1));
  }
}

void TimelineView::resizeEvent(QResizeEvent*) {
  arrange();
  Q_EMIT viewChanged();
}

void TimelineView::scrollContentsBy(int, int) {
  m_scene.scrollY = verticalScrollBar()->value();
  m_tip->hide();
  viewport()->update();
}

void TimelineView::showEvent(QShowEvent* event) {
  QAbstractScrollArea::showEvent(event);
  if (m_mustReveal) reveal();
}

}  // namespace opscope::ui
