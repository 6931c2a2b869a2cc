// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/instrument_desk.h"

#include <QDesktopServices>
#include <QFileDialog>
#include <QFileInfo>
#include <QUrl>

#include "engine/base/atomic_file.h"
#include "ui/bridge/slow_work.h"

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
  connect(workspace, &Workspace::ranOnce, this, &InstrumentDesk::showOutputs);
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

void InstrumentDesk::showOutputs(const QString& name, const session::RunFinished& result) {
  if (!m_outputs.isNull()) m_outputs->close();
  m_outputs = new OutputsDialog(m_theme, m_window);
  m_outputs->setAttribute(Qt::WA_DeleteOnClose);
  m_outputs->setOutputs(name, result);
  // Kept as long as the dialog can save it.
  const auto archive = std::make_shared<const std::string>(result.archive);
  connect(m_outputs, &OutputsDialog::saveRequested, this,
          [this, name, archive]() { askSave(name, archive); });
  m_outputs->show();
}

void InstrumentDesk::askSave(const QString& name, const std::shared_ptr<const std::string>& archive) {
  auto* dialog = new QFileDialog(m_outputs, QStringLiteral("Save the outputs of %1").arg(name));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("npz"));
  dialog->selectFile(
      QStringLiteral("%1-%2-outputs.npz")
          .arg(QFileInfo(m_workspace->openPath()).completeBaseName(), name.section(QLatin1Char('.'), 0, 0)));
  connect(dialog, &QFileDialog::fileSelected, m_outputs, [this, archive](const QString& path) {
    OutputsDialog* outputs = m_outputs;
    outputs->setSaving();
    m_workspace->background()->run(
        outputs,
        [archive, file = path.toStdString()]() {
          const SlowWork work("saving outputs");
          return base::writeFileAtomically(file, *archive);
        },
        [outputs, path](const base::Result<>& written) {
          if (written) {
            outputs->setSaved(path);
          } else {
            outputs->setProblem(written.error());
          }
        });
  });
  dialog->open();
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
