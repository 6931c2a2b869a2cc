// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/instrument_desk.h"

#include <QDesktopServices>
#include <QFileDialog>
#include <QUrl>

namespace opscope::ui {
namespace {

bool knowsOp(const Workspace& workspace, const std::string& name) {
  if (!workspace.run()) return false;
  const auto& names = workspace.run()->run().names;
  return std::find(names.begin(), names.end(), name) != names.end();
}

QString progressWords(const Workspace& workspace) {
  if (!workspace.waiting().isEmpty()) return workspace.waiting();
  const session::Progress& progress = workspace.progress();
  switch (progress.stage) {
    case session::State::Opening:
      return QStringLiteral("opening both files");
    case session::State::Preparing:
      return progress.total > 2 ? QStringLiteral("uploading") : QStringLiteral("making inputs");
    case session::State::Measuring:
      return progress.done == 0 ? QStringLiteral("running A") : QStringLiteral("running B");
    case session::State::Stopping:
      return QStringLiteral("stopping");
    default:
      return QStringLiteral("comparing");
  }
}

}  // namespace

InstrumentDesk::InstrumentDesk(const Theme* theme, Workspace* workspace, QWidget* window)
    : QObject(window), m_theme(theme), m_workspace(workspace), m_window(window) {
  connect(workspace, &Workspace::dumped, this, [this](const session::DumpSummary& dump, const QString& path) {
    FindingDialog* dialog = freshFinding();
    dialog->setDump(dump, path);
    dialog->show();
  });
  connect(workspace, &Workspace::finiteChecked, this, [this](const session::FiniteSummary& found) {
    FindingDialog* dialog = freshFinding();
    dialog->setFinite(found, knowsOp(*m_workspace, found.op));
    dialog->show();
  });
  connect(workspace, &Workspace::diverged, this, [this](const session::Divergence& divergence) {
    showDiverge();
    m_diverge->setDivergence(divergence);
  });
  connect(workspace, &Workspace::divergeFailed, this, [this](const base::Error& error) {
    showDiverge();
    m_diverge->setProblem(error);
  });
  connect(workspace, &Workspace::statusChanged, this, &InstrumentDesk::refreshDiverge);
}

FindingDialog* InstrumentDesk::freshFinding() {
  if (!m_finding.isNull()) m_finding->close();
  m_finding = new FindingDialog(m_theme, m_window);
  m_finding->setAttribute(Qt::WA_DeleteOnClose);
  connect(m_finding, &FindingDialog::opRequested, this, &InstrumentDesk::showOp);
  connect(m_finding, &FindingDialog::folderRequested, this,
          [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
  return m_finding;
}

void InstrumentDesk::askDump() {
  if (!m_workspace->canRun()) return;
  auto* dialog = new QFileDialog(m_window, QStringLiteral("Choose the folder for the tensors"),
                                 m_workspace->settings()->dumpFolder());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, m_workspace, &Workspace::dumpTensors);
  dialog->open();
}

void InstrumentDesk::checkFinite() {
  m_workspace->checkFinite();
}

void InstrumentDesk::showDiverge() {
  if (m_diverge.isNull()) {
    m_diverge = new DivergeDialog(m_theme, m_workspace->boards(), m_window);
    connect(m_diverge, &DivergeDialog::findRequested, this,
            [this](const QString& pathB, const QString& targetB, double rtol, double atol) {
              m_workspace->diverge({pathB, targetB, rtol, atol});
            });
    connect(m_diverge, &DivergeDialog::stopRequested, m_workspace, &Workspace::stop);
    connect(m_diverge, &DivergeDialog::opRequested, this, &InstrumentDesk::showOp);
  }
  m_diverge->setSideB(m_workspace->openPath());
  refreshDiverge();
  m_diverge->show();
  m_diverge->raise();
  m_diverge->activateWindow();
}

void InstrumentDesk::refreshDiverge() {
  if (m_diverge.isNull()) return;
  m_diverge->setSideA(m_workspace->openPath(), m_workspace->targetName(m_workspace->choices().target));
  m_diverge->setPossible(m_workspace->canRun());
  const bool running = m_workspace->isRunning() && m_workspace->activity() == Activity::Diverge;
  m_diverge->setRunning(running, running ? progressWords(*m_workspace) : QString());
}

void InstrumentDesk::showOp(const QString& name) {
  if (m_workspace->selectOp(name)) {
    Q_EMIT opShown();
  } else {
    Q_EMIT m_workspace->noticed(QStringLiteral("Run first: then %1 can be shown on every page").arg(name));
  }
}

}  // namespace opscope::ui
