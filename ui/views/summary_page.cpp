// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/summary_page.h"

namespace opscope::ui {
namespace {

QScrollArea* scrolled(QWidget* content) {
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setAccessibleName(QStringLiteral("Summary"));
  content->setAutoFillBackground(true);
  scroll->setWidget(content);
  return scroll;
}

}  // namespace

SummaryPage::SummaryPage(const PageContext& context, QWidget* parent)
    : RunPage(context, "list", QStringLiteral("Summary tells the total and the top ops when %1 has run."),
              parent) {
  m_ready = new SummaryReady(context.theme);
  m_result = new SummaryResult(context);
  m_states = new QStackedWidget;
  m_readyScroll = scrolled(m_ready);
  m_states->addWidget(m_readyScroll);
  m_states->addWidget(scrolled(m_result));
  setContent(m_states);
  connect(m_ready, &SummaryReady::runRequested, this, &SummaryPage::runRequested);
  connect(m_ready, &SummaryReady::plainRunRequested, this, &SummaryPage::plainRunRequested);
  connect(m_result, &SummaryResult::opsRequested, this, &SummaryPage::opsRequested);
}

void SummaryPage::setRun(std::shared_ptr<const RunView> run) {
  RunPage::setRun(run);
  m_result->setRun(run);
  m_states->setCurrentIndex(run ? 1 : 0);
}

void SummaryPage::setStatus(const PageStatus& status) {
  RunPage::setStatus(status);
  m_result->setStale(status.stale);
}

void SummaryPage::setReady(const ReadyText& text) {
  m_ready->setText(text);
  if (!run() && !text.function.isEmpty()) showContent();
}

}  // namespace opscope::ui
