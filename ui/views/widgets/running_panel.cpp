// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/running_panel.h"

#include <QPainter>

#include "ui/models/format.h"

namespace opscope::ui {

namespace {

constexpr double kLeastSeconds = 0.005;  // less is shown as less than a hundredth

QString stopText(const RunningText& state) {
  if (state.stopping) {
    return state.stoppingSeconds > 0 ? QStringLiteral("Stopping… %1 s").arg(state.stoppingSeconds)
                                     : QStringLiteral("Stopping…");
  }
  if (state.kept == 0) return QStringLiteral("Stop");
  return (state.keepsMore ? QStringLiteral("Stop and keep %1 or more") : QStringLiteral("Stop and keep %1"))
      .arg(format::integer(state.kept));
}

}  // namespace

RunningPanel::RunningPanel(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(14), theme->px(12), theme->px(14), theme->px(12));
  layout->setSpacing(theme->px(8));
  auto* head = new QHBoxLayout;
  head->setSpacing(theme->px(8));
  m_title = new Text(theme, 15, &Colours::text, QFont::DemiBold);
  m_detail = new Text(theme, 13, &Colours::textSecondary);
  m_remaining = new Text(theme, 13, &Colours::text);
  m_stop = new ActionButton(theme, nullptr, QStringLiteral("Stop"));
  m_stop->setToolTip(QStringLiteral("Stop at the next instruction (Shift+Esc, or Esc twice)"));
  head->addWidget(m_title);
  head->addWidget(m_detail);
  head->addStretch(1);
  head->addWidget(m_remaining);
  head->addWidget(m_stop);
  layout->addLayout(head);
  m_bar = new QProgressBar;
  m_bar->setTextVisible(false);
  m_bar->setFixedHeight(theme->px(8));
  m_bar->setAccessibleName(QStringLiteral("Progress of the run"));
  layout->addWidget(m_bar);
  m_stages = new QLabel;
  m_stages->setTextFormat(Qt::RichText);
  m_stages->setFont(theme->font(12));
  layout->addWidget(m_stages);
  connect(m_stop, &QPushButton::clicked, this, &RunningPanel::stopRequested);
  // The colours of stages stand in their words.
  connect(theme, &Theme::changed, this, &RunningPanel::showStages);
}

void RunningPanel::setState(const RunningText& state) {
  m_title->setText(state.title);
  m_detail->setText(state.detail);
  m_remaining->setText(format::remaining(state.remainingSeconds));
  m_stop->setText(stopText(state));
  m_stop->updateGeometry();
  m_stop->setEnabled(!state.stopping);
  m_bar->setRange(0, state.total);
  m_bar->setValue(state.done);
  m_shown = state.stages;
  showStages();
}

void RunningPanel::showStages() {
  const Colours& c = m_theme->colours();
  QStringList words;
  for (const RunningText::Stage& stage : m_shown) {
    const QString text = stage.text.toHtmlEscaped();
    if (stage.mark == RunningText::Stage::Mark::Done) {
      const QString seconds =
          stage.seconds < kLeastSeconds ? QStringLiteral("&lt;0.01") : format::fixed(stage.seconds, 2);
      words << QStringLiteral("<span style='color:%1'>✓</span> <span style='color:%2'>%3 %4&nbsp;s</span>")
                   .arg(c.success.name(), c.textSecondary.name(), text, seconds);
    } else if (stage.mark == RunningText::Stage::Mark::Now) {
      words << QStringLiteral("<b style='color:%1'>%2</b>").arg(c.text.name(), text);
    } else {
      words << QStringLiteral("<span style='color:%1'>%2</span>").arg(c.textSecondary.name(), text);
    }
  }
  m_stages->setText(words.join(QStringLiteral("&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;")));
}

void RunningPanel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().window);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme->colours().line);
}

}  // namespace opscope::ui
