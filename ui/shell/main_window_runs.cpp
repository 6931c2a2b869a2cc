// SPDX-License-Identifier: GPL-3.0-or-later
// The window and saved runs.
#include <QCloseEvent>
#include <QFileDialog>
#include <QMessageBox>
#include <QToolBar>
#include <utility>

#include "ui/models/format.h"
#include "ui/shell/main_window.h"
#include "ui/views/page_tabs.h"
#include "ui/views/runs_panel.h"
#include "ui/views/start_page.h"

namespace opscope::ui {

void MainWindow::buildRuns() {
  if (m_workspace->store() == nullptr) return;
  m_runs = new RunsPanel(m_theme, m_workspace->store());
  if (m_workspace->settings()->runsHeight() > 0) m_runs->setOpenHeight(m_workspace->settings()->runsHeight());
  // Over the status bar, and under the rails of the side panels: a dock could not be.
  addToolBarBreak(Qt::BottomToolBarArea);
  m_runsBar = addBar(QStringLiteral("Runs"), Qt::BottomToolBarArea, m_runs);
}

void MainWindow::connectRuns() {
  connect(m_start, &StartPage::restoreRequested, this, &MainWindow::restoreOffered);
  connect(m_start, &StartPage::discardRequested, this, [this]() {
    m_offered.reset();
    m_start->setLeftOpen({});
  });
  for (const auto signal : {&Workspace::statusChanged, &Workspace::runChanged, &Workspace::shownRunChanged,
                            &Workspace::executableChanged}) {
    connect(m_workspace, signal, this, &MainWindow::openStateChanged);
  }
  if (m_runs == nullptr) return;
  RunStore* store = m_workspace->store();
  connect(store, &RunStore::runsChanged, this, [this, store]() { m_start->setLastRuns(*store->runs()); });
  connect(store, &RunStore::removalChanged, this, &MainWindow::refreshCommands);
  const auto nameBoards = [this]() { m_runs->model()->setBoards(m_workspace->boards()->boards()); };
  connect(m_workspace->boards(), &BoardList::changed, m_runs, nameBoards);
  nameBoards();
  connect(m_start, &StartPage::savedRunRequested, m_workspace, &Workspace::openSaved, Qt::QueuedConnection);
  connect(m_runs, &RunsPanel::openRequested, m_workspace, &Workspace::openSaved);
  connect(m_runs, &RunsPanel::foldRequested, this, [this](bool folded) { foldPanel(kRunsId, folded); });
  connect(m_runs, &RunsPanel::openHeightChanged, this,
          [this](int height) { m_workspace->settings()->setRunsHeight(height); });
  connect(m_runs, &RunsPanel::sessionFileRequested, this, &MainWindow::askSessionFile);
  connect(m_workspace, &Workspace::shownRunChanged, this,
          [this]() { m_runs->setShownRun(m_workspace->origin().saved); });
  m_workspace->store()->watch();
}

QFileDialog* MainWindow::sessionDialog(const QString& executable) {
  auto* dialog = new QFileDialog(this, QStringLiteral("Save the run as a session file"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("opscope"));
  dialog->setNameFilter(QStringLiteral("Session files (*.opscope)"));
  const QString base = executable.section(QLatin1Char('.'), 0, 0);
  dialog->selectFile((base.isEmpty() ? QStringLiteral("run") : base) + QStringLiteral(".opscope"));
  dialog->open();
  return dialog;
}

void MainWindow::askSessionFile(store::RunId id) {
  const store::StoredRun* run = m_workspace->store()->find(id);
  const QString name = run == nullptr ? QString() : QString::fromStdString(run->executable);
  connect(sessionDialog(name), &QFileDialog::fileSelected, m_workspace,
          [this, id](const QString& path) { m_workspace->exportSaved(id, path); });
}

void MainWindow::askSaveSession() {
  if (!m_workspace->run()) return;
  connect(sessionDialog(m_workspace->run()->fileName()), &QFileDialog::fileSelected, m_workspace,
          &Workspace::exportSession);
}

OpenState MainWindow::openState() const {
  OpenState state;
  if (!m_workspace->isOpen()) return state;
  state.page = m_pages[std::size_t(m_tabs->currentIndex())].id;
  state.run = m_workspace->origin().saved;
  if (m_workspace->executable()) {
    state.path = m_workspace->openPath();
    state.function = m_workspace->choices().function;
    state.form = m_workspace->form()->save();
    if (m_workspace->scenario()->isKnown()) state.scenario = m_workspace->scenario()->save();
  } else if (m_workspace->origin().kind == RunOrigin::Kind::File) {
    state.path = m_workspace->openPath();
  }
  return state;
}

void MainWindow::offerRestore(const OpenState& state) {
  m_offered = state;
  QString name = state.path.section(QLatin1Char('/'), -1);
  if (name.isEmpty()) name = QStringLiteral("a saved run");
  QString words = QStringLiteral("%1 was open").arg(name);
  if (!state.function.isEmpty()) words += QStringLiteral(" with %1").arg(state.function);
  m_start->setLeftOpen(words + QLatin1Char('.'));
}

void MainWindow::restoreOffered() {
  const auto state = std::exchange(m_offered, std::nullopt);
  m_start->setLeftOpen({});
  if (!state) return;
  m_workspace->restore(*state);
  showPageById(state->page);
}

void MainWindow::askSaveUnsaved(QCloseEvent* event) {
  // The one question that loses data: what was measured is nowhere but here.
  QMessageBox box(QMessageBox::Warning, QStringLiteral("Runs are not saved"),
                  QStringLiteral("%1 could not be saved and will be lost.")
                      .arg(format::counted(qint64(m_workspace->store()->unsavedCount()), "run", "runs")),
                  QMessageBox::NoButton, this);
  if (const auto& problem = m_workspace->store()->saveProblem())
    box.setInformativeText(format::errorLines(*problem));
  QPushButton* again = box.addButton(QStringLiteral("Try again"), QMessageBox::AcceptRole);
  QPushButton* lose = box.addButton(QStringLiteral("Lose them and close"), QMessageBox::DestructiveRole);
  QPushButton* stay = box.addButton(QStringLiteral("Stay"), QMessageBox::RejectRole);
  box.setDefaultButton(again);
  box.setEscapeButton(stay);
  box.exec();
  event->setAccepted(box.clickedButton() == lose);
  if (box.clickedButton() != again) return;
  // Closes when they are saved, and asks once more when they are not.
  connect(m_workspace->store(), &RunStore::savingEnded, this, &QWidget::close,
          Qt::ConnectionType(Qt::QueuedConnection | Qt::SingleShotConnection));
  m_workspace->store()->saveAgain();
}

void MainWindow::askToEndRun(const QString& what, const std::function<void()>& go,
                             const std::function<void()>& keep) {
  // It ends what is being measured. Asked each time; while the question stands the run goes on.
  auto* box = new QMessageBox(QMessageBox::Question, QStringLiteral("A run is going on"), QString(),
                              QMessageBox::NoButton, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  const QString wanted =
      what.isEmpty() ? QStringLiteral("Closing the file") : QStringLiteral("Opening %1").arg(what);
  box->setText(QStringLiteral("%1 ends the run of %2.").arg(wanted, m_workspace->runName()));
  box->setInformativeText(QStringLiteral(
      "Finished repeats are kept in Runs. When the run is over before you answer, nothing is lost."));
  auto* end = box->addButton(
      what.isEmpty() ? QStringLiteral("End the run and close") : QStringLiteral("End the run and open"),
      QMessageBox::DestructiveRole);
  QPushButton* stay = box->addButton(QStringLiteral("Let it run on"), QMessageBox::RejectRole);
  box->setDefaultButton(stay);
  box->setEscapeButton(stay);
  connect(
      m_workspace, &Workspace::statusChanged, box,
      [this, box, end]() {
        // Once: it may be told several times before the box is gone.
        if (!m_workspace->isRunning() && box->isVisible()) end->click();
      },
      Qt::QueuedConnection);
  connect(box, &QDialog::finished, m_workspace, [box, end, go, keep]() {
    if (box->clickedButton() == end) {
      go();
    } else {
      keep();
    }
  });
  box->open();
}

}  // namespace opscope::ui
