// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run_page.h"

#include "ui/views/widgets/data_table.h"

namespace opscope::ui {

RunPage::RunPage(const PageContext& context, const char* emptyIcon, const QString& emptyText, QWidget* parent)
    : QWidget(parent), m_context(context), m_emptyText(emptyText) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  m_stack = new QStackedWidget(this);
  layout->addWidget(m_stack);
  m_empty = new EmptyState(context.theme, emptyIcon);
  m_runButton = m_empty->addButton("run", QStringLiteral("Run"), QStringLiteral("F5"));
  m_runButton->setPrimary(true);
  connect(m_runButton, &QPushButton::clicked, this, &RunPage::runRequested);
  auto* open = m_empty->addButton(nullptr, QStringLiteral("Open a report"), {});
  connect(open, &QPushButton::clicked, this, &RunPage::openRequested);
  m_stack->addWidget(m_empty);
  setStatus({});
}

void RunPage::setContent(QWidget* content) {
  m_content = content;
  m_stack->addWidget(content);
}

void RunPage::showContent() {
  m_stack->setCurrentWidget(m_content);
}

void RunPage::setRun(std::shared_ptr<const RunView> run) {
  m_run = std::move(run);
  const bool filled = m_run != nullptr && m_content != nullptr;
  m_stack->setCurrentWidget(filled ? m_content : m_empty);
}

QWidget* RunPage::keyboardStart() {
  return rowsTable();
}

void RunPage::setRange(std::shared_ptr<const RunView>) {}

void RunPage::setExecutable(const std::shared_ptr<const session::ExecutableInfo>&) {}

void RunPage::setStatus(const PageStatus& status) {
  const QString function = status.function.isEmpty() ? QStringLiteral("a function") : status.function;
  m_empty->setTexts(QStringLiteral("No run yet"),
                    m_emptyText.contains(QLatin1String("%1")) ? m_emptyText.arg(function) : m_emptyText);
  m_runButton->setText(status.function.isEmpty() ? QStringLiteral("Run")
                                                 : QStringLiteral("Run %1").arg(status.function));
  m_runButton->setVisible(status.hasExecutable);
  m_runButton->setEnabled(status.canRun && !status.running);
}

}  // namespace opscope::ui
