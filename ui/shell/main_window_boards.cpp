// SPDX-License-Identifier: GPL-3.0-or-later
// The window with boards, runs that look at every call, and the guide.
#include "ui/shell/board_desk.h"
#include "ui/shell/instrument_desk.h"
#include "ui/shell/main_window.h"
#include "ui/shell/run_tool_bar.h"
#include "ui/views/guide/guide_window.h"
#include "ui/views/runs_panel.h"
#include "ui/views/start_page.h"

namespace opscope::ui {

void MainWindow::connectBoards() {
  m_boardDesk = new BoardDesk(m_theme, m_workspace, this);
  m_instrumentDesk = new InstrumentDesk(m_theme, m_workspace, this);
  connect(m_toolBar, &RunToolBar::boardsRequested, this, [this]() { showBoards(); });
  connect(m_start, &StartPage::boardsRequested, this,
          [this](const QString& id) { m_boardDesk->showBoards(id); });
  connect(m_workspace, &Workspace::targetChanged, this,
          [this]() { m_start->setBoards(m_workspace->boards()->boards()); });
  m_start->setBoards(m_workspace->boards()->boards());
  connect(m_boardDesk, &BoardDesk::compareRequested, this, [this](store::RunId before, store::RunId after) {
    if (m_runs == nullptr) return;
    m_runs->model()->clearTicks();
    m_runs->model()->clearGroups();
    m_runs->model()->setTicked(before, true);
    m_runs->model()->setTicked(after, true);
    Q_EMIT m_runs->compareRequested({before}, {after});
  });
  connect(m_boardDesk, &BoardDesk::groupsRequested, this,
          [this](const RunGroup& before, const RunGroup& after) {
            if (m_runs == nullptr) return;
            m_runs->model()->clearGroups();
            m_runs->model()->setGroup(before, RunsModel::Choice::Old);
            m_runs->model()->setGroup(after, RunsModel::Choice::New);
            Q_EMIT m_runs->compareRequested(before, after);
          });
  connect(m_instrumentDesk, &InstrumentDesk::opShown, this, [this]() {
    // A page that shows one op among others stays; the others know of none.
    const QString page = currentPageId();
    if (page == QLatin1String("summary") || page == QLatin1String("compare"))
      showPageById(QStringLiteral("ops"));
  });
}

QString MainWindow::currentPageId() const {
  for (const Page& page : m_pages) {
    if (page.widget == currentPage()) return page.id;
  }
  return {};
}

void MainWindow::showBoards() {
  m_boardDesk->showBoards();
}

void MainWindow::checkBoard(const QString& id) {
  m_boardDesk->check(id);
}

void MainWindow::runFleet() {
  m_boardDesk->runFleet();
}

void MainWindow::askDump() {
  m_instrumentDesk->askDump();
}

void MainWindow::checkFinite() {
  m_instrumentDesk->checkFinite();
}

void MainWindow::showDiverge() {
  m_instrumentDesk->showDiverge();
}

QString MainWindow::guidePageOfContext() const {
  const auto isUp = [](const QWidget* dialog) { return dialog != nullptr && dialog->isVisible(); };
  if (isUp(m_boardDesk->dialog()) || isUp(m_boardDesk->fleetDialog())) return QStringLiteral("boards");
  if (isUp(m_instrumentDesk->finding()) || isUp(m_instrumentDesk->divergeDialog()))
    return QStringLiteral("instrument");
  if (!m_workspace->isOpen()) return QStringLiteral("start");
  if (m_workspace->isRunning()) return QStringLiteral("running");
  const QString page = currentPageId();
  return page == QLatin1String("summary") ? QStringLiteral("running") : page;
}

void MainWindow::showGuide() {
  if (m_guide == nullptr) m_guide = new GuideWindow(m_theme, this);
  m_guide->showPage(guidePageOfContext());
  m_guide->show();
  m_guide->raise();
  m_guide->activateWindow();
}

}  // namespace opscope::ui
