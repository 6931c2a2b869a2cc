// SPDX-License-Identifier: GPL-3.0-or-later
// The workspace and what is open: files that are opened, opened anew, and closed.
#include <QFileInfo>
#include <utility>
#include <variant>

#include "ui/models/format.h"
#include "ui/shell/workspace.h"

namespace opscope::ui {
namespace {

/// "x float32 [n, 3], n free" for comparing and for people.
QString inputWords(const session::FunctionInfo* function) {
  if (function == nullptr) return QStringLiteral("nothing");
  QStringList words;
  for (const vm::Parameter& parameter : function->signature.parameters) {
    words << format::fromUtf8(parameter.name + " " + vm::describeParameter(parameter));
  }
  return words.isEmpty() ? QStringLiteral("no inputs") : words.join(QStringLiteral(", "));
}

}  // namespace

void Workspace::openFile(const QString& path) {
  const QString full = QFileInfo(path).absoluteFilePath();
  endTrial();
  m_restoring.reset();
  m_reloading = false;
  m_afterReload = nullptr;
  m_opening = true;
  m_failure.reset();
  if (!m_running) m_log.clear();
  const quint64 number = ++m_openRequest;
  note(QStringLiteral("open"), format::shortPath(full));
  Q_EMIT failureChanged();
  Q_EMIT statusChanged();
  m_background.run(
      this, [file = full.toStdString()]() { return readOpenedFile(file); },
      [this, number, full](OpenedFile opened) {
        if (number != m_openRequest) return;
        if (std::holds_alternative<std::monostate>(opened)) {
          if (m_running) {
            tryToOpen(full);
          } else {
            openExecutable(full);
          }
          return;
        }
        showOpened(std::move(opened), full);
      });
}

void Workspace::showOpened(OpenedFile opened, const QString& path) {
  m_opening = false;
  if (const auto* error = std::get_if<base::Error>(&opened)) {
    fail(Failure::During::Opening, *error, path);
    return;
  }
  if (std::holds_alternative<OpenedScenario>(opened)) {
    chooseScenario(path);
    return;
  }
  beforeDrop(format::shown(path.section(QLatin1Char('/'), -1)),
             [this, path, read = std::get<OpenedRun>(std::move(opened))]() {
               closeFile();
               m_openPath = path;
               RunOrigin origin;
               origin.kind = RunOrigin::Kind::File;
               origin.format = read.format;
               remember(path, read.format);
               Q_EMIT executableChanged();
               showRun(read.run, origin);
             });
}

void Workspace::beforeDrop(const QString& what, std::function<void()> go) {
  if (!m_running || !m_dropQuestion) {
    go();
    return;
  }
  const quint64 number = m_openRequest;
  m_opening = false;
  Q_EMIT statusChanged();
  m_dropQuestion(
      what,
      [this, number, go = std::move(go)]() {
        if (number == m_openRequest) go();
      },
      [this, number]() {
        if (number != m_openRequest) return;
        m_restoring.reset();
        Q_EMIT statusChanged();
      });
}

void Workspace::askToClose() {
  ++m_openRequest;
  beforeDrop({}, [this]() { closeFile(); });
}

void Workspace::openExecutable(const QString& path) {
  ++m_openNumber;
  m_openPath = path;
  m_bridge.open({path.toStdString()});
}

void Workspace::tryToOpen(const QString& path) {
  m_trial = std::make_unique<SessionBridge>(m_factory);
  connect(m_trial.get(), &SessionBridge::executableOpened, this, [this, path]() {
    endTrial();
    beforeDrop(format::shown(path.section(QLatin1Char('/'), -1)), [this, path]() {
      dropRun();
      m_log.clear();
      m_opening = true;
      openExecutable(path);
      Q_EMIT statusChanged();
    });
  });
  connect(m_trial.get(), &SessionBridge::requestFailed, this,
          [this, path](const session::RequestFailed& failed) {
            const base::Error error = failed.error;
            endTrial();
            m_opening = false;
            fail(Failure::During::Opening, error, path);
          });
  m_trial->open({path.toStdString()});
}

void Workspace::endTrial() {
  // It may be the one that is telling something now.
  if (m_trial) m_trial.release()->deleteLater();
}

void Workspace::closeFile() {
  endTrial();
  dropRun();
  ++m_openRequest;
  ++m_openNumber;
  m_opening = m_reloading = false;
  m_afterReload = nullptr;
  m_executable.reset();
  m_run.reset();
  m_failure.reset();
  m_openPath.clear();
  m_origin = {};
  m_runCommand.clear();
  m_scenario.setExecutable(nullptr);
  m_choices.options = {};
  m_choices.function.clear();
  m_form.clear();
  m_selection.reset();
  watchFile();
  Q_EMIT executableChanged();
  Q_EMIT runChanged();
  Q_EMIT failureChanged();
  Q_EMIT statusChanged();
}

void Workspace::dropRun() {
  if (!m_running) return;
  // Its answer would come in between and be shown as the run of the next file.
  m_bridge.drop();
  m_fleet.stop();
  endRun(false);
}

void Workspace::reloadFile() {
  if (m_running || m_opening || !m_executable) return;
  m_reloading = m_opening = true;
  m_failure.reset();
  m_log.clear();
  note(QStringLiteral("open"), format::shortPath(m_openPath));
  openExecutable(m_openPath);
  Q_EMIT failureChanged();
  Q_EMIT statusChanged();
}

bool Workspace::reloadsFirst(std::function<void()> start) {
  if (!m_fileReplaced) return false;
  m_afterReload = std::move(start);
  reloadFile();
  return true;
}

bool Workspace::takeReloaded(const std::shared_ptr<const session::ExecutableInfo>& info) {
  const QString before = inputWords(currentFunction());
  const QString function = m_choices.function;
  if (!takeReplaced(info)) {
    Q_EMIT noticed(QStringLiteral("%1 has no function %2 any more").arg(fileName(), function));
    return false;
  }
  finishReload(before);
  return true;
}

void Workspace::finishReload(const QString& inputsBefore) {
  const auto start = std::exchange(m_afterReload, nullptr);
  const QString now = inputWords(currentFunction());
  if (now == inputsBefore && start && canRun()) {
    start();
  } else if (now != inputsBefore && start) {
    failAsReplaced(QStringLiteral("%1 took %2, now it takes %3.").arg(runName(), inputsBefore, now));
  } else {
    Q_EMIT noticed(QStringLiteral("%1 opened again").arg(fileName()));
  }
}

void Workspace::failAsReplaced(const QString& why) {
  const base::Error error{
      base::ErrorCode::InvalidArgument,
      QStringLiteral("%1 changed on disk since it was opened.").arg(fileName()).toStdString(),
      why.toStdString(), "The form shows the inputs of the file as it is now. Look at them and run again."};
  note(QStringLiteral("error"), format::fromUtf8(error.message), true);
  m_failure = Failure{Failure::During::Running, error, m_openPath, runName(), nullptr, m_choices.target};
  Q_EMIT failureChanged();
  Q_EMIT statusChanged();
}

}  // namespace opscope::ui
