// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/chart_frame.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <algorithm>

namespace opscope::ui {
namespace {

constexpr int kLeastDetail = 90;
// A smaller drawing tells nothing.
constexpr int kLeastWidth = 160;
constexpr int kLeastHeight = 100;

void popUpBelow(QMenu* menu, QWidget* button) {
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->popup(button->mapToGlobal(QPoint(0, button->height())));
}

}  // namespace

ChartFrame::ChartFrame(const ChartEntry& entry, const ChartContext& context, QWidget* parent)
    : Panel(context.theme, {}, parent), m_theme(context.theme), m_entry(entry), m_chart(entry.make(context)) {
  body()->addWidget(buildTitle());
  body()->addWidget(new Hairline(m_theme));
  m_body = new QStackedWidget;
  m_body->setMinimumSize(1, 1);
  m_body->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
  body()->addWidget(m_body, 1);
  // The drawings have square corners; the frame has round ones.
  body()->setContentsMargins(0, 0, 0, m_theme->px(4));
  m_empty = new EmptyState(m_theme, "chart");
  m_tooSmall = new QWidget;
  auto* room = new QVBoxLayout(m_tooSmall);
  room->setContentsMargins(0, 0, 0, 0);
  auto* enlarge = new ActionButton(m_theme, nullptr, QStringLiteral("Enlarge"));
  enlarge->setToolTip(QStringLiteral("Show this chart alone"));
  connect(enlarge, &QPushButton::clicked, this, [this]() { Q_EMIT enlargeRequested(true); });
  room->addWidget(enlarge, 0, Qt::AlignCenter);
  for (QWidget* page : {static_cast<QWidget*>(m_chart), static_cast<QWidget*>(m_empty), m_tooSmall}) {
    page->setMinimumSize(1, 1);
    m_body->addWidget(page);
  }
  connect(m_chart, &Chart::textsChanged, this, &ChartFrame::takeTexts);
  takeTexts();
  m_chart->setWaits(true);
}

QWidget* ChartFrame::buildTitle() {
  auto* title = new QWidget;
  title->setFixedHeight(m_theme->px(34));
  auto* row = new QHBoxLayout(title);
  row->setContentsMargins(m_theme->px(12), 0, m_theme->px(6), 0);
  row->setSpacing(m_theme->px(4));
  m_title = new ElidedText(m_theme, 13, &Colours::text, QFont::DemiBold);
  m_detail = new ElidedText(m_theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  row->addWidget(m_title, 0);
  row->addSpacing(m_theme->px(6));
  row->addWidget(m_detail, 1);
  if (QWidget* control = m_chart->titleControl()) row->addWidget(control);
  m_save = iconButton(m_theme, "save", QStringLiteral("Save this chart as a picture"), title);
  m_more = iconButton(m_theme, "more", QStringLiteral("More for this chart"), title);
  row->addWidget(m_save);
  row->addWidget(m_more);
  connect(m_save, &QToolButton::clicked, this, &ChartFrame::chooseFormat);
  connect(m_more, &QToolButton::clicked, this, [this]() {
    auto* menu = new QMenu(this);
    fillMenu(menu);
    popUpBelow(menu, m_more);
  });
  return title;
}

void ChartFrame::chooseFormat() {
  auto* menu = new QMenu(this);
  for (const PictureFormat format : kPictureFormats) {
    menu->addAction(QStringLiteral("Save as %1…").arg(pictureFormatName(format)), this,
                    [this, format]() { Q_EMIT saveRequested(format); });
  }
  popUpBelow(menu, m_save);
}

void ChartFrame::fillMenu(QMenu* menu) {
  for (const PictureFormat format : kPictureFormats) {
    menu->addAction(QStringLiteral("Save as %1…").arg(pictureFormatName(format)), this,
                    [this, format]() { Q_EMIT saveRequested(format); })
        ->setEnabled(canSave());
  }
  menu->addAction(QStringLiteral("Copy picture"), this, &ChartFrame::copyRequested)->setEnabled(canSave());
  menu->addSeparator();
  menu->addAction(m_enlarged ? QStringLiteral("Show all charts") : QStringLiteral("Enlarge"), this,
                  [this]() { Q_EMIT enlargeRequested(!m_enlarged); });
  m_chart->fillMenu(menu);
}

void ChartFrame::setRun(const std::shared_ptr<const RunView>& run) {
  m_chart->setRun(run);
}

void ChartFrame::setSweep(const std::shared_ptr<const SweepView>& sweep) {
  m_chart->setSweep(sweep);
}

Chart* ChartFrame::chart() const {
  m_chart->bringUpToDate();
  return m_chart;
}

void ChartFrame::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  m_chart->setWaits(false);
}

void ChartFrame::hideEvent(QHideEvent* event) {
  Panel::hideEvent(event);
  // A window that is minimized keeps its drawings: it comes back at once.
  if (!event->spontaneous()) m_chart->setWaits(true);
}

void ChartFrame::setEnlarged(bool enlarged) {
  m_enlarged = enlarged;
}

bool ChartFrame::canSave() const {
  return chart()->emptyText().isEmpty();
}

void ChartFrame::takeTexts() {
  m_title->setText(m_chart->title());
  m_detail->setText(m_chart->detail());
  // A long title leaves room for its first words.
  const int whole = QFontMetrics(m_theme->font(12)).horizontalAdvance(m_chart->detail()) + 2;
  m_detail->setMinimumWidth(std::min(whole, m_theme->px(kLeastDetail)));
  setAccessibleName(m_chart->title());
  m_empty->setTexts({}, m_chart->emptyText());
  m_save->setEnabled(canSave());
  chooseShown();
}

void ChartFrame::chooseShown() {
  const bool small =
      m_body->width() < m_theme->px(kLeastWidth) || m_body->height() < m_theme->px(kLeastHeight);
  QWidget* shown = !canSave() ? static_cast<QWidget*>(m_empty) : small ? m_tooSmall : m_chart;
  m_body->setCurrentWidget(shown);
  QWidget* control = m_chart->titleControl();
  // What is shown may have changed meanwhile: showing it gives this frame another size, which comes back
  // here.
  if (control != nullptr)
    control->setVisible(m_body->currentWidget() == m_chart && width() >= m_chart->roomForControl());
}

void ChartFrame::resizeEvent(QResizeEvent* event) {
  Panel::resizeEvent(event);
  layout()->activate();
  chooseShown();
}

void ChartFrame::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = new QMenu(this);
  fillMenu(menu);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->popup(event->globalPos());
}

}  // namespace opscope::ui
