// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts_page.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <algorithm>

#include "ui/views/charts/sweep_bar.h"
#include "ui/views/widgets/colour_choice.h"
#include "ui/views/widgets/page_bar.h"

namespace opscope::ui {
namespace {

constexpr int kTwoColumnsFrom = 900;

/// What can be clicked there.
QString hintOf(ChartSegment segment) {
  switch (segment) {
    case ChartSegment::TimeByOp:
      return QStringLiteral("Click a bar, a box or a row: all pages follow");
    case ChartSegment::ByDevice:
      return QStringLiteral("Click a part of a bar: all pages follow");
    case ChartSegment::OneOp:
      return QStringLiteral("Click a call: all pages follow");
    case ChartSegment::Sweep:
      return QStringLiteral("Click a line or a row: all pages follow");
    case ChartSegment::AgainstRepeat:
      break;
  }
  return {};
}

}  // namespace

ChartsPage::ChartsPage(const PageContext& context, QWidget* parent)
    : RunPage(context, "chart", QStringLiteral("Charts draws the time of each op when %1 has run."), parent) {
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  m_message = new InfoBar(theme());
  layout->addWidget(m_message);
  m_sweepBar = new SweepBar(theme());
  m_sweepBar->hide();
  layout->addWidget(m_sweepBar);
  m_scroll = new QScrollArea;
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  layout->addWidget(m_scroll, 1);
  buildFrames();
  setContent(content);
  layCharts();
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { followFocus(now); });
}

void ChartsPage::buildFrames() {
  m_area = new QWidget;
  new QVBoxLayout(m_area);
  m_scroll->setWidget(m_area);
  for (const ChartEntry& entry : charts()) {
    auto* frame = new ChartFrame(entry, {theme(), context().selection}, m_area);
    frame->hide();
    connect(frame, &ChartFrame::saveRequested, this,
            [this, frame](PictureFormat format) { askPath(frame, format); });
    connect(frame, &ChartFrame::copyRequested, this, [this, frame]() { copyPicture(frame); });
    connect(frame, &ChartFrame::enlargeRequested, this,
            [this, frame](bool large) { enlarge(large ? frame : nullptr); });
    m_frames.push_back(frame);
  }
}

QWidget* ChartsPage::buildBar() {
  auto* bar = new PageBar(theme());
  auto* segments = new QHBoxLayout;
  segments->setSpacing(0);
  addSegment(ChartSegment::TimeByOp, "Time by op", "Which ops and kinds take the time", segments);
  addSegment(ChartSegment::ByDevice, "By device", "How the time is split between devices", segments);
  addSegment(ChartSegment::OneOp, "One op", "The chosen op: its spread, its calls, its repeats", segments);
  addSegment(ChartSegment::AgainstRepeat, "Against repeat", "Whether times drift from repeat to repeat",
             segments);
  addSegment(ChartSegment::Sweep, "Sweep", "Time against a dimension or the number of threads", segments);
  std::vector<QAbstractButton*> buttons;
  for (const auto& [segment, button] : m_segmentButtons) buttons.push_back(button);
  joinSegments(buttons);
  buttons.front()->setChecked(true);
  bar->row()->addLayout(segments);
  bar->row()->addSpacing(theme()->px(8));
  m_colour = new ColourChoice(context().selection);
  bar->row()->addWidget(m_colour);
  m_range = new RangeChip(theme(), context().selection);
  bar->row()->addWidget(m_range);
  m_showAll = new ActionButton(theme(), nullptr, QStringLiteral("Show all charts"));
  m_showAll->setToolTip(QStringLiteral("Back from the one chart (Esc)"));
  m_showAll->hide();
  connect(m_showAll, &QPushButton::clicked, this, [this]() { enlarge(nullptr); });
  bar->row()->addSpacing(theme()->px(8));
  bar->row()->addWidget(m_showAll);
  m_hint = new ElidedText(theme(), 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  m_hint->setText(hintOf(m_segment));
  m_hint->setAlignment(Qt::AlignRight);
  m_hint->setWholeOnly(true);
  bar->row()->addWidget(m_hint, 1);
  bar->row()->addSpacing(theme()->px(8));
  m_saveAll = new ActionButton(theme(), "save", QStringLiteral("Save all charts"));
  m_saveAll->setToolTip(QStringLiteral("Save every chart as a picture into one folder"));
  auto* menu = new QMenu(m_saveAll);
  for (const PictureFormat format : kPictureFormats) {
    menu->addAction(QStringLiteral("As %1…").arg(pictureFormatName(format)), this,
                    [this, format]() { askFolder(format); });
  }
  connect(m_saveAll, &QPushButton::clicked, this,
          [this, menu]() { menu->popup(m_saveAll->mapToGlobal(QPoint(0, m_saveAll->height()))); });
  bar->row()->addWidget(m_saveAll);
  return bar;
}

void ChartsPage::addSegment(ChartSegment segment, const char* text, const char* tooltip, QHBoxLayout* row) {
  auto* button = new ActionButton(theme(), nullptr, QString::fromUtf8(text));
  button->setToolTip(QString::fromUtf8(tooltip));
  if (!m_segmentButtons.empty()) row->addSpacing(-1);
  row->addWidget(button);
  connect(button, &QPushButton::clicked, this, [this, segment]() { showSegment(segment); });
  m_segmentButtons.emplace_back(segment, button);
}

void ChartsPage::setRun(std::shared_ptr<const RunView> run) {
  RunPage::setRun(run);
  m_message->hide();
  showPart(nullptr);
  if (run == nullptr && m_segment == ChartSegment::Sweep && m_sweep != nullptr) showContent();
}

void ChartsPage::setSweep(const std::shared_ptr<const SweepView>& sweep) {
  m_sweep = sweep;
  for (ChartFrame* frame : m_frames) frame->setSweep(sweep);
}

bool ChartsPage::showsPart(ChartSegment segment) const {
  return m_part != nullptr && segment != ChartSegment::AgainstRepeat && segment != ChartSegment::Sweep;
}

void ChartsPage::setRange(std::shared_ptr<const RunView> part) {
  if (part != m_part) showPart(std::move(part));
}

const std::shared_ptr<const RunView>& ChartsPage::shownIn(const ChartFrame& frame) const {
  return showsPart(frame.entry().segment) ? m_part : run();
}

void ChartsPage::showPart(std::shared_ptr<const RunView> part) {
  m_part = std::move(part);
  m_range->setPart(m_part);
  m_range->setVisible(showsPart(m_segment));
  if (run() == nullptr) return;
  for (ChartFrame* frame : m_frames) frame->setRun(shownIn(*frame));
}

void ChartsPage::setDocument(const report::Document& document) {
  setRun(document.run ? makeRunView(document) : nullptr);
}

void ChartsPage::showSegment(ChartSegment segment) {
  for (const auto& [own, button] : m_segmentButtons) button->setChecked(own == segment);
  m_segment = segment;
  m_range->setVisible(showsPart(m_segment));
  m_sweepBar->setVisible(segment == ChartSegment::Sweep);
  m_hint->setText(hintOf(segment));
  m_enlarged = nullptr;
  if (run() == nullptr && segment == ChartSegment::Sweep) showContent();
  layCharts();
}

ChartFrame* ChartsPage::frame(const QString& id) const {
  const auto found = std::find_if(m_frames.begin(), m_frames.end(), [&](const ChartFrame* frame) {
    return id == QLatin1String(frame->entry().id);
  });
  return found == m_frames.end() ? nullptr : *found;
}

ChartFrame* ChartsPage::currentFrame() const {
  if (m_enlarged != nullptr) return m_enlarged;
  if (m_focused != nullptr && !m_focused->isHidden()) return m_focused;
  const auto shown =
      std::ranges::find_if(m_frames, [](const ChartFrame* frame) { return !frame->isHidden(); });
  return shown == m_frames.end() ? nullptr : *shown;
}

void ChartsPage::followFocus(const QWidget* focus) {
  for (ChartFrame* frame : m_frames) {
    if (focus != nullptr && frame->isAncestorOf(focus)) m_focused = frame;
  }
}

void ChartsPage::enlarge(ChartFrame* frame) {
  m_enlarged = frame;
  layCharts();
  if (frame != nullptr) frame->chart()->setFocus();
  Q_EMIT undoChanged();  // the commands that enlarge and that end it are possible now, or no more
}

void ChartsPage::layCharts() {
  std::vector<ChartFrame*> shown;
  for (ChartFrame* frame : m_frames) {
    const bool visible = m_enlarged != nullptr ? frame == m_enlarged : frame->entry().segment == m_segment;
    frame->setEnlarged(frame == m_enlarged);
    frame->setVisible(visible);
    if (visible) shown.push_back(frame);
  }
  m_showAll->setVisible(m_enlarged != nullptr);
  const bool drift = m_segment == ChartSegment::AgainstRepeat || m_segment == ChartSegment::ByDevice;
  const bool wide = width() >= theme()->px(kTwoColumnsFrom);
  placeFrames(shown, wide && !drift && m_enlarged == nullptr ? 2 : 1);
}

void ChartsPage::placeFrames(const std::vector<ChartFrame*>& shown, int columns) {
  // A layout cannot forget its stretches, so another arrangement gets another layout.
  delete m_area->layout();
  auto* rows = new QVBoxLayout(m_area);
  const int gap = theme()->px(12);
  rows->setContentsMargins(gap, gap, gap, gap);
  rows->setSpacing(gap);
  for (std::size_t i = 0; i < shown.size(); i += std::size_t(columns)) {
    const int height = theme()->px(shown[i]->entry().height) + theme()->px(36);
    auto* row = new QHBoxLayout;
    row->setSpacing(gap);
    for (std::size_t j = i; j < std::min(shown.size(), i + std::size_t(columns)); ++j) {
      shown[j]->setMinimumHeight(m_enlarged != nullptr ? 0 : height);
      row->addWidget(shown[j], j == i ? 7 : 5);
    }
    rows->addLayout(row, shown[i]->entry().height);
  }
}

void ChartsPage::resizeEvent(QResizeEvent* event) {
  RunPage::resizeEvent(event);
  const int limit = theme()->px(kTwoColumnsFrom);
  if (!event->oldSize().isValid() || (event->oldSize().width() < limit) != (width() < limit)) layCharts();
}

void ChartsPage::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && m_enlarged != nullptr) {
    enlarge(nullptr);
  } else {
    RunPage::keyPressEvent(event);
  }
}

}  // namespace opscope::ui
