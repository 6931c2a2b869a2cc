// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/summary_page.h"

#include "ui/views/summary_running.h"

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
  m_going = new SummaryRunning(context.theme);
  m_goingScroll = scrolled(m_going);
  m_states->addWidget(m_goingScroll);
  setContent(m_states);
  connect(m_ready, &SummaryReady::runRequested, this, &SummaryPage::runRequested);
  connect(m_ready, &SummaryReady::plainRunRequested, this, &SummaryPage::plainRunRequested);
  connect(m_result, &SummaryResult::opsRequested, this, &SummaryPage::opsRequested);
}

void SummaryPage::setRun(std::shared_ptr<const RunView> run) {
  RunPage::setRun(run);
  m_result->setRun(run);
  showState();
}

void SummaryPage::setLive(const LiveRun* live) {
  m_live = live != nullptr;
  if (live != nullptr) {
    m_going->setRun(*live);
  } else {
    m_going->clear();
  }
  showState();
}

void SummaryPage::showState() {
  const int state = m_live ? 2 : run() ? 1 : 0;
  if (m_states->currentIndex() != state) m_states->setCurrentIndex(state);
  if (m_live) showContent();
}

void SummaryPage::setStatus(const PageStatus& status) {
  RunPage::setStatus(status);
  m_result->setStale(status.stale);
}

void SummaryPage::setReady(const ReadyText& text) {
  m_ready->setText(text);
  if (m_live || (!run() && !text.function.isEmpty())) showContent();
}

}  // namespace opscope::ui
