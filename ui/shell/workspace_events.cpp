// SPDX-License-Identifier: GPL-3.0-or-later
// What the workspace does with the session's answers.
#include <QFileInfo>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "ui/models/format.h"
#include "ui/shell/workspace.h"

namespace opscope::ui {
namespace {

constexpr int kLookAgainMs = 1000;

/// ": prob = float32 [1, 10]: 0.1, 0.2, …"; of more than one output, how many there are.
QString outputWords(const std::vector<session::OutputSummary>& outputs) {
  if (outputs.empty()) return {};
  const session::OutputSummary& first = outputs.front();
  QString words = QStringLiteral(": %1 = %2")
                      .arg(QString::fromStdString(first.path), QString::fromStdString(first.description));
  if (!first.preview.empty()) words += QStringLiteral(": %1").arg(format::fromUtf8(first.preview));
  if (outputs.size() > 1) words += QStringLiteral(" · %1 outputs").arg(outputs.size());
  return words;
}

QString stageWords(session::State state) {
  switch (state) {
    case session::State::Opening:
      return QStringLiteral("open");
    case session::State::Preparing:
      return QStringLiteral("inputs");
    case session::State::WarmingUp:
      return QStringLiteral("warm-up");
    case session::State::Measuring:
      return QStringLiteral("repeats");
    case session::State::Finishing:
      return QStringLiteral("report");
    case session::State::Stopping:
      return QStringLiteral("stop");
    default:
      return {};
  }
}

}  // namespace

void Workspace::endStages(bool finished) {
  if (m_stages.empty() || m_stages.back().finished) return;
  m_stages.back().seconds = double(m_stageClock.nsecsElapsed()) * 1e-9;
  m_stages.back().finished = finished;
}

void Workspace::onState(session::State state) {
  const QString words = stageWords(state);
  m_waiting.clear();
  endStages(true);
  if (!words.isEmpty()) {
    m_stages.push_back({state, 0, false});
    m_stageClock.start();
    note(words, {});
  }
  m_progress.stage = state;
  m_progress.done = 0;
  m_progress.total = 0;
  m_progress.remainingSeconds = -1;
  m_progress.kept.reset();
  Q_EMIT statusChanged();
}

void Workspace::onOpened(const std::shared_ptr<const session::ExecutableInfo>& info) {
  const bool opening = m_opening && !m_running;
  if (opening) m_opening = false;
  // A run opens the file itself when the session had dropped it; the form must not be rebuilt then.
  if (!opening && m_executable && m_executable->hash == info->hash) {
    m_executable = info;
    return;
  }
  if (!opening && m_running) {
    m_tookReplaced = true;
    if (takeReplaced(info)) return;
  }
  if (opening && std::exchange(m_reloading, false) && takeReloaded(info)) return;
  m_afterReload = nullptr;
  m_executable = info;
  m_openPath = QString::fromStdString(info->path);
  m_run.reset();
  m_origin = {};
  m_runCommand.clear();
  m_scenario.setExecutable(info);
  m_choices.function.clear();
  m_selection.reset();
  m_form.clear();
  watchFile();
  const QString function = QString::fromStdString(session::defaultFunction(*info));
  const QString version = info->tvmVersion.empty()
                              ? QString()
                              : QStringLiteral(" · TVM %1").arg(format::fromUtf8(info->tvmVersion));
  remember(m_openPath, function + version);
  m_choices.options = m_initialOptions ? *std::exchange(m_initialOptions, std::nullopt)
                                       : m_settings->runOptions(QString::fromStdString(info->hash));
  chooseFunction(function);
  readComputer();
  if (m_initialPlan) {
    if (!m_initialPlan->function.empty()) chooseFunction(QString::fromStdString(m_initialPlan->function));
    takeInitialScenario();
    m_form.apply(m_initialPlan->inputs);
    m_initialPlan.reset();
  } else {
    m_scenario.restore(m_settings->scenario(QString::fromStdString(info->hash)));
  }
  Q_EMIT executableChanged();
  Q_EMIT runChanged();
  Q_EMIT statusChanged();
  finishRestoring();
}

bool Workspace::takeReplaced(const std::shared_ptr<const session::ExecutableInfo>& info) {
  // The file was built anew since it was opened, and the run takes the new one. What was chosen stays chosen.
  const auto& functions = info->functions;
  const std::string function = m_choices.function.toStdString();
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const auto& candidate) { return candidate.name == function; });
  if (found == functions.end()) return false;
  const QJsonObject values = m_form.save();
  m_executable = info;
  if (m_choices.options != RunOptions())
    m_settings->setRunOptions(QString::fromStdString(info->hash), m_choices.options);
  m_form.setFunction(*found);
  m_form.restore(values);
  m_scenario.replaceExecutable(info);
  if (m_scenario.isKnown()) m_settings->setScenario(QString::fromStdString(info->hash), m_scenario.save());
  m_planInFlight = planLine();
  watchFile();
  Q_EMIT executableChanged();
  Q_EMIT statusChanged();
  return true;
}

void Workspace::watchFile() {
  if (!m_watcher.files().isEmpty()) m_watcher.removePaths(m_watcher.files());
  if (m_executable && !m_openPath.isEmpty()) m_watcher.addPath(m_openPath);
  if (!m_fileReplaced) return;
  m_fileReplaced = false;
  Q_EMIT statusChanged();
}

void Workspace::onFileChanged() {
  if (!m_executable || m_fileReplaced) return;
  // The watch ends with a file that is replaced by renaming; for a moment there may be none of that name.
  if (!m_watcher.files().contains(m_openPath) && !m_watcher.addPath(m_openPath)) {
    QTimer::singleShot(kLookAgainMs, this, &Workspace::onFileChanged);
    return;
  }
  m_fileReplaced = true;
  note(QStringLiteral("file"), QStringLiteral("%1 changed on disk").arg(fileName()));
  Q_EMIT statusChanged();
}

void Workspace::onProfileFinished(const report::Document& document) {
  endStages(true);
  noteServer(*document.run);
  keepRun(document, {});
  // The tables of a long run take a moment; the old page stays until they are whole.
  m_background.run(
      this, [document]() { return makeRunView(document); },
      [this, number = m_openNumber](const std::shared_ptr<const RunView>& view) {
        if (number != m_openNumber) return;  // another file was opened meanwhile
        endRun(true);
        if (!view->run().failure.empty()) {
          Q_EMIT noticed(QStringLiteral("Run stopped after %1 repeats").arg(view->repeatsText()));
        }
        m_runCommand = m_planInFlight;
        showRun(view, {});
      });
}

void Workspace::onLeftBehind(const report::Document& document) {
  // Another file was opened, or this one closed, while it was measured.
  keepRun(document, {});
  if (m_store == nullptr || !m_settings->savesRuns()) return;
  const report::Run& run = *document.run;
  Q_EMIT noticed(QStringLiteral("The run of %1 was stopped after %2 of %3 repeats; it is saved in Runs")
                     .arg(QString::fromStdString(run.executablePath).section(QLatin1Char('/'), -1),
                          format::integer(run.repeats), format::integer(run.repeatsWanted)));
}

void Workspace::onRunFinished(const session::RunFinished& result) {
  endRun(true);
  if (m_activity == Activity::Dump && result.dump) {
    m_settings->setDumpFolder(QFileInfo(m_dumpFile).path());
    Q_EMIT dumped(*result.dump, m_dumpFile);
  } else if (m_activity == Activity::FiniteCheck && result.finite) {
    Q_EMIT finiteChecked(*result.finite);
  } else {
    Q_EMIT noticed(QStringLiteral("%1 ran").arg(runName()) + outputWords(result.outputs));
    Q_EMIT ranOnce(runName(), result);
  }
  Q_EMIT statusChanged();
}

void Workspace::onFailed(const session::RequestFailed& failed) {
  if (!failed.partial.run || failed.partial.run->repeats == 0) {
    showFailed(failed, nullptr);
    return;
  }
  keepRun(failed.partial, {});
  m_background.run(
      this, [document = failed.partial]() { return makeRunView(document); },
      [this, failed, number = m_openNumber](const std::shared_ptr<const RunView>& view) {
        if (number == m_openNumber) showFailed(failed, view);
      });
}

void Workspace::showFailed(const session::RequestFailed& failed, std::shared_ptr<const RunView> partial) {
  const base::Error& error = failed.error;
  const bool opening = m_opening && !m_running;
  endRun(false);
  if (opening) {
    m_opening = m_reloading = false;
    m_afterReload = nullptr;
    const QString path = m_openPath;
    if (m_executable) m_openPath = QString::fromStdString(m_executable->path);
    fail(Failure::During::Opening, error, path);
    return;
  }
  if (m_activity == Activity::Dump && error.code == base::ErrorCode::Io) {
    fail(Failure::During::Exporting, error, m_dumpFile);
    return;
  }
  const bool misfit = error.code == base::ErrorCode::InvalidArgument ||
                      error.code == base::ErrorCode::NotFound ||
                      error.code == base::ErrorCode::MissingFunction;
  if (m_tookReplaced && misfit) {
    // The request was made from the form of the build before.
    failAsReplaced(format::errorLines(error));
    return;
  }
  note(QStringLiteral("error"), format::fromUtf8(error.message), true);
  if (m_form.markProblem(QString::fromStdString(failed.input), error)) {
    Q_EMIT statusChanged();
    return;
  }
  if (m_activity == Activity::Diverge) {
    Q_EMIT divergeFailed(error);
    Q_EMIT statusChanged();
    return;
  }
  if (error.code == base::ErrorCode::ConnectionLost || error.code == base::ErrorCode::Timeout) {
    if (const SavedBoard* board = targetBoard())
      m_boards.setState(board->id, false, QStringLiteral("no answer"), board->devices);
  }
  m_failure =
      Failure{Failure::During::Running, error, m_openPath, runName(), std::move(partial), m_choices.target};
  Q_EMIT failureChanged();
  Q_EMIT statusChanged();
}

void Workspace::onCancelled() {
  if (!m_running) m_opening = m_reloading = false;
  m_afterReload = nullptr;
  endRun(false);
  Q_EMIT noticed(m_activity == Activity::Profile ? QStringLiteral("Stopped before a repeat was complete")
                                                 : QStringLiteral("Stopped"));
  Q_EMIT statusChanged();
}

void Workspace::fail(Failure::During during, const base::Error& error, const QString& path) {
  const auto restoring = std::exchange(m_restoring, std::nullopt);
  if (during == Failure::During::Opening && restoring && restoring->run) {
    // The file is gone or another one; what was measured is still there.
    openSaved(*restoring->run);
    return;
  }
  note(QStringLiteral("error"), format::fromUtf8(error.message), true);
  if (during == Failure::During::Opening) m_initialPlan.reset();  // it was for the file that did not open
  m_failure = Failure{during, error, path, {}, nullptr, {}};
  if (during == Failure::During::Opening && error.code == base::ErrorCode::NotFound) forgetRecent(path);
  Q_EMIT failureChanged();
  Q_EMIT statusChanged();
}

}  // namespace opscope::ui
