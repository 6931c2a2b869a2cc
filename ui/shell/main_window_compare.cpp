// SPDX-License-Identifier: GPL-3.0-or-later
// The window and the comparison of two runs.
#include <QFileDialog>

#include "ui/shell/again_desk.h"
#include "ui/shell/compare_desk.h"
#include "ui/shell/live_desk.h"
#include "ui/shell/main_window.h"
#include "ui/shell/sweep_desk.h"
#include "ui/views/charts_page.h"
#include "ui/views/compare/compare_inspector.h"
#include "ui/views/compare_page.h"
#include "ui/views/inspector.h"
#include "ui/views/memory_page.h"
#include "ui/views/runs_panel.h"
#include "ui/views/summary_page.h"

namespace opscope::ui {
namespace {

const QString kCompareId = QStringLiteral("compare");

QFileDialog* measuredFileDialog(QWidget* parent, const QString& title, QFileDialog::FileMode mode) {
  auto* dialog = new QFileDialog(
      parent, title, QString(),
      QStringLiteral("Reports, samples, traces and session files (*.json *.csv *.opscope);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(mode);
  return dialog;
}

CompareChoice fileChoice(const QString& file) {
  return {CompareChoice::Kind::File, 0, file};
}

}  // namespace

void MainWindow::connectCompare() {
  connect(m_comparePage, &ComparePage::choiceMade, m_compareDesk, &CompareDesk::choose);
  connect(m_comparePage, &ComparePage::minimumEffectChanged, m_compareDesk, &CompareDesk::setMinimumEffect);
  connect(m_compareInspector, &CompareInspector::codeRequested, this,
          [this]() { showPageById(QStringLiteral("code")); });
  connect(m_compareInspector, &CompareInspector::repeatsRequested, this, [this]() {
    m_charts->showSegment(ChartSegment::AgainstRepeat);
    showPageById(QStringLiteral("charts"));
  });
  connect(m_comparePage, &ComparePage::noticed, m_workspace, &Workspace::noticed);
  connect(m_comparePage, &ComparePage::beforeRequested, this, [this]() { compareWithBefore(); });
  connect(m_comparePage, &ComparePage::opsRequested, this, [this]() { showPageById(QStringLiteral("ops")); });
  connect(m_comparePage, &ComparePage::fileRequested, this, &MainWindow::askCompareFile);
  connect(m_comparePage, &ComparePage::twoFilesRequested, this, &MainWindow::askTwoFiles);
  connect(m_comparePage, &ComparePage::chosenOpChanged, this,
          [this]() { m_compareInspector->show(m_compareDesk->view(), m_comparePage->chosenOp()); });
  connect(m_compareDesk, &CompareDesk::changed, this, [this]() {
    m_comparePage->setBusy(m_compareDesk->isBusy());
    m_comparePage->setProblem(m_compareDesk->problem());
    // What was compared stays until the new is whole.
    if (m_compareDesk->view() || !m_compareDesk->isBusy())
      m_comparePage->setComparison(m_compareDesk->view());
    const auto& view = m_compareDesk->view();
    if (m_runs != nullptr)
      m_runs->setCompared(view ? QStringLiteral("%1 and %2").arg(view->a.title, view->b.title) : QString());
    refreshCommands();
  });
  auto* sweeps = findChild<SweepDesk*>();
  auto* again = new AgainDesk(
      m_workspace, m_compareDesk, [sweeps]() { return sweeps->isRunning(); }, this);
  connect(m_comparePage, &ComparePage::againRequested, again, &AgainDesk::start);
  connect(m_comparePage, &ComparePage::againStopRequested, again, &AgainDesk::stop);
  connect(again, &AgainDesk::changed, this, [this, again]() {
    m_comparePage->setAgain(again->isRunning(), again->progress(), again->problem());
    refreshCommands();
  });
  connect(m_compareDesk, &CompareDesk::choicesChanged, this, &MainWindow::refreshCompareChoices);
  if (m_runs != nullptr) {
    connect(m_runs, &RunsPanel::compareRequested, this,
            [this](const RunGroup& before, const RunGroup& after) {
              m_compareDesk->compare(groupChoice(before), groupChoice(after));
              showPageById(kCompareId);
            });
  }
  refreshCompareChoices();
}

void MainWindow::refreshCompareChoices() {
  m_comparePage->setChoices(m_compareDesk->options(), m_compareDesk->before(), m_compareDesk->after());
  m_comparePage->setBeforePossible(m_compareDesk->canCompareWithBefore());
}

void MainWindow::compareWithBefore() {
  m_compareDesk->compareWithBefore();
  showPageById(kCompareId);
}

bool MainWindow::canCompareWithBefore() const {
  return m_compareDesk->canCompareWithBefore();
}

void MainWindow::runBothAgain() {
  showPageById(kCompareId);
  findChild<AgainDesk*>()->start();
}

bool MainWindow::canRunBothAgain() const {
  const auto* again = findChild<AgainDesk*>();
  return again != nullptr && !again->isRunning() && m_compareDesk->view() != nullptr;
}

void MainWindow::compareFiles(const QString& before, const QString& after) {
  m_compareDesk->compare(fileChoice(before), fileChoice(after));
  // The other pages show the new one.
  if (!m_workspace->isOpen()) m_workspace->openFile(after);
  showPageById(kCompareId);
}

void MainWindow::askCompareFile(bool isNew) {
  auto* dialog = measuredFileDialog(
      this, QStringLiteral("Choose the %1 run").arg(isNew ? QStringLiteral("new") : QStringLiteral("old")),
      QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, m_compareDesk,
          [this, isNew](const QString& file) { m_compareDesk->choose(isNew, fileChoice(file)); });
  dialog->open();
}

void MainWindow::askTwoFiles() {
  auto* dialog =
      measuredFileDialog(this, QStringLiteral("Choose the old and the new run"), QFileDialog::ExistingFiles);
  connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) {
    if (files.size() == 2) {
      compareFiles(files[0], files[1]);
    } else {
      Q_EMIT m_workspace->noticed(QStringLiteral("Two files are compared; %1 chosen").arg(files.size()));
    }
  });
  dialog->open();
}

void MainWindow::showInspectorOfPage() {
  const bool compare = currentPage() == m_comparePage;
  if (currentPage() == m_memory) {
    m_inspector->setStorage(m_memory->memory(), m_memory->chosenStorage());
  } else {
    m_inspector->setStorage(nullptr, std::nullopt);
  }
  const bool live = currentPage() == m_summary && m_liveDesk->isShown();
  m_inspectors->setCurrentWidget(compare ? static_cast<QWidget*>(m_compareInspector)
                                 : live  ? m_liveDesk->inspector()
                                         : m_inspector);
}

}  // namespace opscope::ui
