// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/sweep_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QSignalBlocker>

#include "ui/models/sweep_view.h"
#include "ui/views/look/properties.h"

namespace opscope::ui {

SweepBar::SweepBar(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setFixedHeight(theme->px(40));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(theme->px(10), 0, theme->px(10), 1);
  row->setSpacing(theme->px(6));
  const auto label = [&](const QString& text, QWidget* buddy) {
    auto* words = new Text(theme, 12, &Colours::textSecondary);
    words->setText(text);
    words->setBuddy(buddy);
    buddy->setAccessibleName(text);
    row->addWidget(words);
    row->addWidget(buddy);
  };
  m_saved = new QComboBox;
  m_saved->setToolTip(
      QStringLiteral("Sweeps among the saved runs: runs whose note ends in a value, as in n=4"));
  m_saved->setPlaceholderText(QStringLiteral("Choose one"));
  m_saved->setMinimumWidth(theme->px(120));
  m_saved->setMaximumWidth(theme->px(320));
  label(QStringLiteral("Saved sweep"), m_saved);
  row->addSpacing(theme->px(12));
  m_variable = new QComboBox;
  m_variable->setToolTip(QStringLiteral("A free dimension of the function, or the number of threads"));
  m_variable->setMinimumWidth(theme->px(80));
  label(QStringLiteral("Vary"), m_variable);
  m_values = new QLineEdit(QStringLiteral("1, 2, 4"));
  m_values->setToolTip(QStringLiteral("Values, as in 1, 2, 4..8"));
  m_values->setFixedWidth(theme->px(130));
  label(QStringLiteral("over"), m_values);
  m_start = new ActionButton(theme, nullptr, QStringLiteral("Sweep"));
  row->addWidget(m_start);
  row->addSpacing(theme->px(8));
  m_words = new ElidedText(theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  row->addWidget(m_words, 1);
  connect(m_saved, &QComboBox::activated, this, &SweepBar::savedChosen);
  connect(m_start, &QPushButton::clicked, this, [this]() {
    if (m_running) {
      Q_EMIT stopRequested();
    } else {
      start();
    }
  });
  connect(m_values, &QLineEdit::returnPressed, this, [this]() {
    if (!m_running && m_possible) start();
  });
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  setSaved({}, -1);
  setVariables({});
}

void SweepBar::setSaved(const QStringList& words, int current) {
  const QSignalBlocker block(m_saved);
  m_saved->clear();
  m_saved->addItems(words);
  if (words.isEmpty()) m_saved->addItem(QStringLiteral("None yet"));
  m_saved->setEnabled(!words.isEmpty() && !m_running);
  m_saved->setCurrentIndex(words.isEmpty() ? 0 : current);
}

void SweepBar::setVariables(const QStringList& names) {
  QStringList shown;
  for (int i = 0; i < m_variable->count(); ++i) shown << m_variable->itemText(i);
  if (shown == names) return;
  const QString before = m_variable->currentText();
  m_variable->clear();
  m_variable->addItems(names);
  const int place = m_variable->findText(before);
  if (place >= 0) m_variable->setCurrentIndex(place);
}

void SweepBar::setProgress(bool running, const QString& words) {
  m_running = running;
  m_start->setText(running ? QStringLiteral("Stop") : QStringLiteral("Sweep"));
  m_start->setEnabled(running || m_possible);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_variable, m_values})
    widget->setEnabled(!running && m_possible);
  if (running) {
    m_words->setColour(&Colours::textSecondary);
    m_words->setText(words);
  }
}

void SweepBar::setPossible(bool possible, const QString& why) {
  m_possible = possible;
  m_start->setToolTip(possible ? QStringLiteral("Measure the function once for each value, and save the runs")
                               : why);
  setProgress(m_running, m_words->text());
}

void SweepBar::setProblem(const QString& problem) {
  m_words->setColour(&Colours::error);
  m_words->setText(problem);
}

void SweepBar::start() {
  QString problem;
  const auto values = sweepValues(m_values->text(), &problem);
  m_values->setProperty(kInvalid, !problem.isEmpty());
  m_values->update();
  setProblem(problem);
  if (problem.isEmpty()) Q_EMIT startRequested(m_variable->currentText(), values);
}

void SweepBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().window);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme->colours().line);
}

}  // namespace opscope::ui
