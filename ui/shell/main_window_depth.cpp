// SPDX-License-Identifier: GPL-3.0-or-later
// The window and what leads from one page into another: to the code of an op, to its call, to its memory.
#include <QFileDialog>
#include <QFileInfo>

#include "ui/models/format.h"
#include "ui/shell/dialog_folders.h"
#include "ui/shell/main_window.h"
#include "ui/shell/status_line.h"
#include "ui/views/charts_page.h"
#include "ui/views/code_page.h"
#include "ui/views/executable_panel.h"
#include "ui/views/inspector.h"
#include "ui/views/memory_page.h"
#include "ui/views/ops_page.h"
#include "ui/views/run_settings_dialog.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui {

void MainWindow::connectDepth() {
  auto* folders = new DialogFolders(m_workspace, this);
  connect(m_timeline, &TimelinePage::pictureWritten, folders,
          [folders](const QString&, const QString& error) {
            if (!error.isEmpty()) folders->forgetFailed();
          });
  connect(m_charts, &ChartsPage::picturesWritten, folders,
          [folders](const QStringList&, const QString& error) {
            if (!error.isEmpty()) folders->forgetFailed();
          });
  connect(m_executablePanel, &ExecutablePanel::executableRequested, this, &MainWindow::openExecutableOfRun);
  connect(m_timeline, &TimelinePage::noticed, m_workspace, &Workspace::noticed);
  connect(m_charts, &ChartsPage::noticed, m_workspace, &Workspace::noticed);
  connect(m_ops, &OpsPage::codeRequested, this, &MainWindow::showInCode);
  connect(m_ops, &OpsPage::groupChosen, m_inspector, &Inspector::setGroup);
  connect(m_inspector, &Inspector::timelineRequested, this, &MainWindow::showOnTimeline);
  connect(m_inspector, &Inspector::instructionRequested, this, [this](quint64 instruction) {
    showPageById(QStringLiteral("code"));
    m_code->showInstruction(instruction);
  });
  connect(m_inspector, &Inspector::kernelRequested, this, [this](const QString& name) {
    showPageById(QStringLiteral("code"));
    m_code->showKernel(name);
  });
  connect(m_memory, &MemoryPage::timelineRequested, this, &MainWindow::showOnTimeline);
  connect(m_memory, &MemoryPage::storageChosen, this, &MainWindow::showInspectorOfPage);
  connect(m_memory, &MemoryPage::recordingChosen, m_workspace, &Workspace::setRecordsMemory);
  connect(m_memory, &MemoryPage::memoryRunRequested, this, [this]() {
    m_workspace->setRecordsMemory(true);
    m_workspace->profile();
  });
}

void MainWindow::openExecutableOfRun() {
  if (!m_workspace->run()) return;
  OpenState state = openState();
  state.path = QString::fromStdString(m_workspace->run()->run().executablePath);
  if (QFileInfo::exists(state.path)) {
    m_workspace->restore(state);
  } else {
    m_status->notice(QStringLiteral("%1 is not there any more").arg(format::shortPath(state.path)));
    askOpen();
  }
}

void MainWindow::showOnTimeline() {
  showPageById(QStringLiteral("timeline"));
  m_timeline->showChosenCall();
}

void MainWindow::showRunSettings(bool atPlugins) {
  const auto& failure = m_workspace->failure();
  const bool missing = failure && failure->error.code == base::ErrorCode::MissingFunction;
  const SavedBoard* board = m_workspace->targetBoard();
  RunSettingsDialog::Place place;
  if (board != nullptr) place = {board->name, board->isTvmServer()};
  auto* dialog =
      new RunSettingsDialog(m_theme, m_workspace->fileName(), m_workspace->choices().options,
                            missing ? format::fromUtf8(failure->error.message) : QString(), place, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  m_workspace->background()->run(
      dialog, []() { return session::listCounters(); },
      [dialog](const session::CounterList& list) { dialog->setCounters(list); });
  connect(dialog, &QDialog::accepted, m_workspace,
          [this, dialog]() { m_workspace->setRunOptions(dialog->options()); });
  connect(dialog, &RunSettingsDialog::pluginsWanted, dialog, [dialog]() {
    auto* files = new QFileDialog(dialog, QStringLiteral("Choose plugins"), QString(),
                                  QStringLiteral("Libraries (*.so);;All files (*)"));
    files->setAttribute(Qt::WA_DeleteOnClose);
    files->setFileMode(QFileDialog::ExistingFiles);
    connect(files, &QFileDialog::filesSelected, dialog, &RunSettingsDialog::addPlugins);
    files->open();
  });
  dialog->open();
  if (atPlugins) dialog->focusPlugins();
}

void MainWindow::showInCode() {
  showPageById(QStringLiteral("code"));
}

bool MainWindow::canShowInCode() const {
  return m_workspace->isOpen();
}

}  // namespace opscope::ui
