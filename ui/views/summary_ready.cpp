// SPDX-License-Identifier: GPL-3.0-or-later
#include <QClipboard>
#include <QGuiApplication>

#include "ui/views/summary_page.h"

namespace opscope::ui {
namespace {

QWidget* padded(const Theme* theme, QWidget* widget) {
  auto* holder = new QWidget;
  auto* layout = new QVBoxLayout(holder);
  layout->setContentsMargins(theme->px(14), 0, theme->px(14), theme->px(14));
  layout->addWidget(widget);
  return holder;
}

}  // namespace

SummaryReady::SummaryReady(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(32), theme->px(24), theme->px(32), theme->px(24));
  layout->setSpacing(theme->px(16));
  auto* titles = new QVBoxLayout;
  titles->setSpacing(theme->px(4));
  m_title = new Text(theme, 20, &Colours::text, QFont::DemiBold);
  m_words = new Text(theme, 13, &Colours::textSecondary);
  m_words->setWordWrap(true);
  titles->addWidget(m_title);
  titles->addWidget(m_words);
  layout->addLayout(titles);
  buildPanels(layout);
  buildFoot(layout);
  layout->addStretch(1);
}

void SummaryReady::buildPanels(QVBoxLayout* layout) {
  const Theme* theme = m_theme;
  auto* panels = new QHBoxLayout;
  panels->setSpacing(theme->px(16));
  auto* what = new Panel(theme, QStringLiteral("What will run"));
  m_what = new FactList(theme);
  what->body()->addWidget(padded(theme, m_what));
  what->body()->addStretch(1);
  m_wherePanel = new Panel(theme, QStringLiteral("What the inputs must be"));
  m_where = new FactList(theme);
  m_wherePanel->body()->addWidget(padded(theme, m_where));
  m_whereNote = new Text(theme, 12, &Colours::textSecondary);
  m_whereNote->setWordWrap(true);
  m_wherePanel->body()->addWidget(padded(theme, m_whereNote));
  m_wherePanel->body()->addStretch(1);
  panels->addWidget(what, 1);
  panels->addWidget(m_wherePanel, 1);
  layout->addLayout(panels);
  auto* computer = new Panel(theme, QStringLiteral("This computer"));
  m_computer = new FactList(theme);
  // In a panel of the whole width names and values would stand too far apart to be read as one line.
  m_computer->setMaximumWidth(theme->px(520));
  computer->body()->addWidget(padded(theme, m_computer));
  m_computerLine = new Hairline(theme);
  computer->body()->addWidget(m_computerLine);
  m_computerNotes = new NoteList(theme);
  m_computerNotes->setObjectName(QStringLiteral("computerNotes"));
  computer->body()->addWidget(m_computerNotes);
  layout->addWidget(computer);
}

void SummaryReady::buildFoot(QVBoxLayout* layout) {
  const Theme* theme = m_theme;
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(theme->px(8));
  m_run = new ActionButton(theme, "run", QStringLiteral("Run"), QStringLiteral("F5"));
  m_run->setPrimary(true);
  m_plain = new ActionButton(theme, nullptr, QStringLiteral("Run once without timing"));
  m_plain->setToolTip(QStringLiteral("Call the function once and tell its results (Ctrl+F5)"));
  auto* copy = new ActionButton(theme, "copy", QStringLiteral("Copy as command"));
  copy->setToolTip(QStringLiteral("Copy the command line that does the same (Ctrl+Alt+K)"));
  buttons->addWidget(m_run);
  buttons->addWidget(m_plain);
  buttons->addWidget(copy);
  buttons->addStretch(1);
  layout->addLayout(buttons);
  auto* command = new Panel(theme, {});
  m_command = new ElidedText(theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideMiddle);
  m_command->setFixedFont(true);
  auto* line = new QHBoxLayout;
  line->setContentsMargins(theme->px(14), theme->px(11), theme->px(14), theme->px(11));
  line->addWidget(m_command);
  command->body()->addLayout(line);
  layout->addWidget(command);
  connect(m_run, &QPushButton::clicked, this, &SummaryReady::runRequested);
  connect(m_plain, &QPushButton::clicked, this, &SummaryReady::plainRunRequested);
  connect(copy, &QPushButton::clicked, this,
          [this]() { QGuiApplication::clipboard()->setText(m_command->text()); });
}

void SummaryReady::setText(const ReadyText& text) {
  const QString read = QStringLiteral("Everything below was read from the executable.");
  if (text.running) {
    m_title->setText(QStringLiteral("%1 runs").arg(text.function));
    m_words->setText(read + QStringLiteral(" The result takes its place when the run is over."));
  } else if (text.canRun) {
    m_title->setText(QStringLiteral("Ready to run %1").arg(text.function));
    m_words->setText(read + QStringLiteral(" Press Run, or change an input on the left."));
  } else {
    m_title->setText(QStringLiteral("%1 cannot run yet").arg(text.function));
    m_words->setText(read + QStringLiteral(" The bar above says what is missing."));
  }
  m_what->setRows(text.whatWillRun);
  m_where->setRows(text.whereFrom);
  m_wherePanel->setVisible(!text.whereFrom.empty());
  m_whereNote->setText(text.whereFromNote);
  m_computer->setRows(text.computer);
  m_computerNotes->setNotes(text.computerNotes);
  m_computerLine->setVisible(!text.computerNotes.empty());
  m_command->setText(text.command);
  m_run->setEnabled(text.canRun);
  m_run->setPrimary(!text.wrongInput);
  m_plain->setEnabled(text.canRun);
}

}  // namespace opscope::ui
