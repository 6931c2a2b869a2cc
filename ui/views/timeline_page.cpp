// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/timeline_page.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QKeyEvent>
#include <algorithm>
#include <utility>

#include "ui/models/format.h"
#include "ui/models/ops_columns.h"
#include "ui/views/look/properties.h"
#include "ui/views/timeline/legend.h"
#include "ui/views/timeline/range_panel.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/widgets/colour_choice.h"
#include "ui/views/widgets/page_bar.h"

namespace opscope::ui {
namespace {

constexpr int kSlowMs = 300;

}  // namespace

TimelinePage::TimelinePage(const PageContext& context, QWidget* parent)
    : RunPage(context, "timeline", QStringLiteral("Timeline shows when each call of %1 ran."), parent) {
  m_view = new TimelineView(theme(), context.selection);
  m_rangePanel = new RangePanel(theme(), context.selection);
  m_rangePanel->hide();
  m_splitter = new QSplitter(Qt::Vertical);
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setHandleWidth(1);
  m_splitter->addWidget(m_view);
  m_splitter->addWidget(m_rangePanel);
  m_splitter->setStretchFactor(0, 1);
  m_splitter->setStretchFactor(1, 0);
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  m_searchProblem = new FilterProblem(theme(), m_search);
  layout->addWidget(m_searchProblem);
  m_message = new InfoBar(theme());
  layout->addWidget(m_message);
  layout->addWidget(m_splitter, 1);
  m_nothing = new EmptyState(theme(), "timeline");
  m_nothing->setTexts(QStringLiteral("No calls"), QStringLiteral("This report lists no calls."));
  m_nothing->hide();
  layout->addWidget(m_nothing, 1);
  setContent(content);
  content->setFocusProxy(m_view);
  m_slowTimer.setSingleShot(true);
  m_slowTimer.setInterval(kSlowMs);
  connect(&m_slowTimer, &QTimer::timeout, this,
          [this]() { m_view->setWaitingText(QStringLiteral("Putting the calls of this repeat in order")); });
  connect(m_view, &TimelineView::viewChanged, this, &RunPage::noteChanged);
  connect(m_view, &TimelineView::historyChanged, this, [this]() {
    followView();
    Q_EMIT undoChanged();
  });
  connect(m_view, &TimelineView::rowsChanged, this, &TimelinePage::followView);
  connect(m_view, &TimelineView::opsRequested, this, &TimelinePage::opsRequested);
  connect(m_view, &TimelineView::searchChanged, this, &TimelinePage::showSearch);
  connect(m_view, &TimelineView::hitsWanted, this, &TimelinePage::countHits);
  connect(m_view, &TimelineView::repeatRequested, this, [this](int by) { stepRepeat(by); });
  connect(m_rangePanel, &RangePanel::opsRequested, this, &TimelinePage::opsRequested);
  connect(m_rangePanel, &RangePanel::zoomRequested, this, [this]() {
    const auto& range = this->context().selection->range();
    if (range) m_view->showTimes(range->startNs, range->endNs, 0.05);
  });
  connect(context.selection, &Selection::filterChanged, this, &TimelinePage::showFilter);
  connect(context.selection, &Selection::rangeChanged, this, &TimelinePage::takeRange);
  connect(context.selection, &Selection::colourChanged, this, &TimelinePage::takeColour);
  connect(theme(), &Theme::changed, this, &TimelinePage::showLegend);
}

QWidget* TimelinePage::buildBar() {
  auto* bar = new PageBar(theme());
  buildSearch(bar->row());
  bar->row()->addSpacing(theme()->px(4));
  m_colour = new ColourChoice(context().selection);
  bar->row()->addWidget(m_colour);
  bar->row()->addSpacing(theme()->px(8));
  m_legend = new Legend(theme());
  bar->row()->addWidget(m_legend, 1);
  buildPager(bar->row());
  auto* fit = new ActionButton(theme(), "fit", QStringLiteral("Fit"), QStringLiteral("F"));
  fit->setToolTip(QStringLiteral("Show the range, the chosen op, or else the whole repeat (F)"));
  connect(fit, &QPushButton::clicked, m_view, &TimelineView::fitSelection);
  bar->row()->addSpacing(theme()->px(8));
  bar->row()->addWidget(fit);
  buildSave(bar->row());
  return bar;
}

void TimelinePage::buildSearch(QHBoxLayout* row) {
  m_search = new FilterField;
  m_search->setPlaceholderText(QStringLiteral("Find op"));
  m_search->setAccessibleName(QStringLiteral("Find op by name, shape or device"));
  m_search->setToolTip(QStringLiteral(
      "Dim what does not fit (Ctrl+F). Enter goes to the next call, Shift+Enter to the one before."));
  m_search->addAction(lookIcon(theme(), "search", IconInk::Secondary), QLineEdit::LeadingPosition);
  m_search->setMinimumWidth(theme()->px(96));
  m_search->setMaximumWidth(theme()->px(140));
  auto* previous = iconButton(theme(), "chevron-up", QStringLiteral("Previous call (,)"), this);
  auto* next = iconButton(theme(), "chevron-down", QStringLiteral("Next call (.)"), this);
  m_hits = new Text(theme(), 12, &Colours::textSecondary);
  m_hits->setAccessibleName(QStringLiteral("Calls found"));
  m_hits->hide();
  row->addWidget(m_search, 1);
  row->addWidget(m_hits);
  row->addWidget(previous);
  row->addWidget(next);
  // The filter is the one of Ops, where it can be read as a regular expression.
  connect(m_search, &QLineEdit::textEdited, this, [this](const QString& text) {
    context().selection->setFilter({text, context().selection->filter().isRegularExpression});
  });
  connect(m_search, &QLineEdit::returnPressed, this, [this]() {
    m_view->stepCall(QGuiApplication::keyboardModifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
  });
  connect(previous, &QToolButton::clicked, this, [this]() { m_view->stepCall(-1); });
  connect(next, &QToolButton::clicked, this, [this]() { m_view->stepCall(1); });
}

void TimelinePage::buildPager(QHBoxLayout* row) {
  m_previous = iconButton(theme(), "previous", QStringLiteral("Previous repeat (PageUp)"), this);
  m_next = iconButton(theme(), "next", QStringLiteral("Next repeat (PageDown)"), this);
  m_repeatText = new Text(theme(), 12, &Colours::text);
  row->addWidget(m_previous);
  row->addWidget(m_repeatText);
  row->addWidget(m_next);
  connect(m_previous, &QToolButton::clicked, this, [this]() { stepRepeat(-1); });
  connect(m_next, &QToolButton::clicked, this, [this]() { stepRepeat(1); });
}

void TimelinePage::setDocument(const report::Document& document) {
  setRun(document.run ? makeRunView(document) : nullptr);
}

void TimelinePage::setRun(std::shared_ptr<const RunView> run) {
  const bool same = run == this->run();
  RunPage::setRun(run);
  if (same) return;
  ++m_loading;
  m_mustShowCall = false;
  m_slowTimer.stop();
  m_view->setWaitingText({});
  m_repeat = 0;
  m_message->hide();
  const bool nothing = run && run->run().calls.empty() && !run->run().traffic.has_value();
  m_splitter->setVisible(!nothing);
  m_nothing->setVisible(nothing);
  m_view->setTimeline(nullptr);
  takeRange();
  showPager();
  Q_EMIT noteChanged();
  if (run && run->run().repeats > 0 && !nothing) load(0);
}

void TimelinePage::showRepeat(std::uint32_t repeat) {
  if (!run() || repeat == m_repeat) return;
  const bool isThere =
      repeat == report::kNone ? run()->run().traffic.has_value() : repeat < run()->run().repeats;
  if (!isThere) return;
  load(repeat);
}

void TimelinePage::showChosenCall() {
  if (!run()) return;
  // Before the repeats there are no calls.
  if (m_repeat == report::kNone) showRepeat(0);
  const auto& shown = m_view->timeline();
  m_mustShowCall = !shown || shown->repeat() != m_repeat;
  if (!m_mustShowCall) m_view->showChosenCall();
  m_view->setFocus(Qt::ShortcutFocusReason);
}

/// Before the first one is what went over the wire before; its number is one below 0.
void TimelinePage::stepRepeat(int by) {
  static_assert(report::kNone + 1U == 0U);
  if (by > 0 || m_repeat != report::kNone) showRepeat(m_repeat + std::uint32_t(by));
}

void TimelinePage::load(std::uint32_t repeat) {
  m_repeat = repeat;
  showPager();
  const quint64 number = ++m_loading;
  m_slowTimer.start();
  const auto shown = m_view->timeline();
  auto ops = shown && shown->view() == run() ? shown->sharedOps() : nullptr;
  std::vector<std::uint8_t> fills;
  if (!ops) {
    // The theme is the GUI thread's; its answers are few, one for each name.
    for (const std::string& name : run()->run().names) {
      const Fill& fill = theme()->nameFill(format::fromUtf8(name));
      fills.push_back(std::uint8_t(&fill - theme()->fills().data()));
    }
  }
  context().background->run(
      this,
      [view = run(), ops, fills, repeat]() {
        const auto known = ops ? ops : buildTimelineOps(view->run(), fills);
        return std::shared_ptr<const Timeline>(std::make_shared<Timeline>(view, known, repeat));
      },
      [this, number](std::shared_ptr<const Timeline> timeline) {
        if (number == m_loading) take(std::move(timeline));
      });
}

void TimelinePage::take(std::shared_ptr<const Timeline> timeline) {
  m_slowTimer.stop();
  m_view->setWaitingText({});
  m_view->setTimeline(std::move(timeline));
  if (std::exchange(m_mustShowCall, false)) m_view->showChosenCall();
  showLegend();
  Q_EMIT noteChanged();
  const auto range = context().selection->range();
  if (range && range->repeat != m_repeat && m_repeat != report::kNone) {
    // The same times of another repeat; the totals follow.
    context().selection->setRange(TimeRange{range->startNs, range->endNs, m_repeat});
  } else {
    takeRange();
  }
}

void TimelinePage::showPager() {
  const std::uint32_t repeats = run() ? run()->run().repeats : 0;
  const auto spaced = [](std::uint32_t value) { return format::integer(value); };
  const bool isBefore = m_repeat == report::kNone;
  m_repeatText->setText(repeats == 0 ? QString()
                        : isBefore
                            ? QStringLiteral("Before the repeats")
                            : QStringLiteral("Repeat %1 of %2").arg(spaced(m_repeat + 1), spaced(repeats)));
  m_previous->setEnabled(!isBefore && (m_repeat > 0 || (run() && run()->run().traffic.has_value())));
  m_next->setEnabled(m_repeat + 1 < repeats);
}

void TimelinePage::takeColour() {
  m_view->setColour(context().selection->colourBy());
  showLegend();
}

void TimelinePage::showLegend() {
  std::vector<Legend::Entry> entries;
  const auto& timeline = m_view->timeline();
  const auto mode = context().selection->colourBy();
  if (timeline && mode != TimelineColour::Op) {
    std::array<bool, kColourSlots> present{};
    for (const auto& slots : timeline->ops().slotsOfOp) present[slots[std::size_t(mode)]] = true;
    if (mode == TimelineColour::Kind) {
      for (const Fill& fill : theme()->fills()) {
        for (const report::OpKind kind : report::kOpKinds) {
          const bool own = present[std::size_t(kind)] && &theme()->kindFill(kind) == &fill;
          if (own) entries.push_back({&fill, format::fromUtf8(report::kindName(kind))});
        }
      }
    } else {
      const auto& devices = timeline->run().devices;
      for (std::size_t i = 0; i < devices.size(); ++i) {
        entries.push_back({&theme()->deviceFill(int(i)), format::fromUtf8(devices[i])});
      }
    }
  }
  m_legend->setEntries(std::move(entries));
}

void TimelinePage::keyPressEvent(QKeyEvent* event) {
  event->setAccepted(m_view->takeKey(event));
}

QWidget* TimelinePage::keyboardStart() {
  return m_view;
}

bool TimelinePage::focusSearch() {
  if (!run()) return false;
  m_search->setFocus(Qt::ShortcutFocusReason);
  m_search->selectAll();
  return true;
}

void TimelinePage::undo() {
  m_view->undoZoom();
}

void TimelinePage::redo() {
  m_view->redoZoom();
}

UndoStep TimelinePage::undoStep() const {
  return m_view->timeline() != nullptr ? m_view->undoStep() : 0;
}

UndoStep TimelinePage::redoStep() const {
  return m_view->timeline() != nullptr ? m_view->redoStep() : 0;
}

void TimelinePage::showFilter() {
  const OpFilter& filter = context().selection->filter();
  if (m_search->text() != filter.text) m_search->setText(filter.text);
  m_searchProblem->tell(filter);
  Q_EMIT noteChanged();
}

void TimelinePage::takeRange() {
  const quint64 number = ++m_counting;
  const auto timeline = m_view->timeline();
  const bool chosen = context().selection->range().has_value();
  const std::optional<TimeRange> range = chosen ? context().selection->range() : rangeInView();
  const bool hidden = !range || !timeline;
  if (m_rangePanel->isHidden() != hidden) {
    m_rangePanel->setHidden(hidden);
    // Now: later it would move the lanes under the pointer, and take away a tip that was just shown.
    QCoreApplication::sendPostedEvents(m_splitter, QEvent::LayoutRequest);
  }
  if (!range || !timeline) return;
  context().background->run(
      this, [timeline, range]() { return rangeTotals(*timeline, range->startNs, range->endNs); },
      [this, timeline, range, chosen, number](RangeTotals totals) {
        if (number == m_counting) m_rangePanel->setTotals(timeline, *range, std::move(totals), !chosen);
      });
}

/// Nothing where the lanes need the room themselves.
std::optional<TimeRange> TimelinePage::rangeInView() const {
  const auto& timeline = m_view->timeline();
  if (timeline == nullptr || timeline->isBeforeRepeats()) return std::nullopt;
  const TimelineScene& scene = m_view->scene();
  const int needed = scene.scrollTop() + scene.contentHeight();
  if (needed + m_rangePanel->sizeHint().height() > m_splitter->height()) return std::nullopt;
  const TimeRange range{std::max(scene.scale.startNs, 0.0), std::min(scene.scale.endNs, timeline->totalNs()),
                        timeline->repeat()};
  return range.endNs > range.startNs ? std::optional(range) : std::nullopt;
}

void TimelinePage::followView() {
  if (!context().selection->range() && m_view->standsStill()) takeRange();
}

void TimelinePage::resizeEvent(QResizeEvent* event) {
  RunPage::resizeEvent(event);
  followView();
}

void TimelinePage::setAnimated(bool animated) {
  m_view->setAnimated(animated);
}

QString TimelinePage::note() const {
  const auto& timeline = m_view->timeline();
  if (!timeline) return {};
  const TimeScale& view = m_view->scene().scale;
  QString text = QStringLiteral("View %1 (%2\u00A0%)")
                     .arg(rangeText(view.startNs, view.endNs),
                          format::percent(view.spanNs() / timeline->bounds().lengthNs() * 100, 1));
  if (!timeline->hasStartTimes()) text += QStringLiteral(" · no start times: calls are placed in order");
  return text;
}

}  // namespace opscope::ui
