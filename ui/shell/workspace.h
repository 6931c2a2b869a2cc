// SPDX-License-Identifier: GPL-3.0-or-later
// What is open and what runs: the one place that turns user actions into requests of the session and its
// answers into what the window shows. GUI thread; the program owns it. Files are read and written in the
// background.
#pragma once

#include <QDateTime>
#include <QElapsedTimer>
#include <QFileSystemWatcher>
#include <QImage>
#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "ui/bridge/background.h"
#include "ui/bridge/session_bridge.h"
#include "ui/models/input_form.h"
#include "ui/models/recent_files.h"
#include "ui/models/run_view.h"
#include "ui/models/selection.h"
#include "ui/shell/settings.h"

namespace opscope::report {
struct Exporter;
}

namespace opscope::ui {

/// A line of "What happened".
struct LogLine {
  QTime time;
  QString stage;
  QString words;
  bool isError = false;
};

/// What went wrong, for the panel in the page.
struct Failure {
  enum class During { Opening, Running, Exporting };
  During during = During::Opening;
  base::Error error;
  QString path;
  QString function;
  std::shared_ptr<const RunView> partial;  ///< what was measured before; null when nothing was
};

/// A stage of a run with the time it took.
struct StageLine {
  session::State stage = session::State::Idle;
  double seconds = 0;
  bool finished = false;
};

struct RunChoices {
  QString function;
  QString device = QStringLiteral("cpu:0");
  int repeats = 30;
  int warmup = 3;
};

class Workspace : public QObject {
  Q_OBJECT
 public:
  /// `settings` outlives the workspace.
  Workspace(const SessionDriverFactory& factory, Settings* settings, QObject* parent = nullptr);
  ~Workspace() override;

  Selection* selection() { return &m_selection; }
  InputForm* form() { return &m_form; }
  Background* background() { return &m_background; }
  Settings* settings() { return m_settings; }
  const RecentFiles& recentFiles() const { return m_recent; }
  const std::shared_ptr<const session::ExecutableInfo>& executable() const { return m_executable; }
  const session::FunctionInfo* currentFunction() const;
  const std::shared_ptr<const RunView>& run() const { return m_run; }
  const std::optional<Failure>& failure() const { return m_failure; }
  const std::vector<LogLine>& log() const { return m_log; }
  const std::vector<StageLine>& stages() const { return m_stages; }
  const session::Progress& progress() const { return m_progress; }
  const RunChoices& choices() const { return m_choices; }
  bool isRunning() const { return m_running; }
  bool isOpening() const { return m_opening; }
  bool isOpen() const { return m_executable != nullptr || m_run != nullptr; }
  bool canRun() const;
  /// The form or the choices changed since the run that is shown.
  bool isStale() const;
  /// The file that is open was written or replaced since; the next run takes the new one.
  bool isFileReplaced() const { return m_fileReplaced; }
  QString fileName() const;
  const QString& openPath() const { return m_openPath; }
  /// The command line that does the same as Run.
  QString commandLine() const;

  /// A run goes on until the file turned out to be one that can be opened.
  void openFile(const QString& path);
  void closeFile();
  void setFunction(const QString& function);
  void setRunLengths(int repeats, int warmup);
  /// Inputs of the command line, put into the form of the next file that is opened.
  void setInitialPlan(const session::CallPlan& plan);
  void profile();
  void profileOnce();
  void runWithoutTiming();
  void stop();
  /// For the end of the program: false when a kernel still runs (SessionBridge::shutDown).
  bool shutDown();
  void showPartial();
  void dismissFailure();
  void exportRun(const report::Exporter& exporter, const QString& path);
  /// Writes a PNG in the background.
  void savePicture(const QImage& picture, const QString& path);
  void forgetRecent(const QString& path);

 Q_SIGNALS:
  void executableChanged();
  void runChanged();
  /// Running, progress, stages, choices or validity of the form.
  void statusChanged();
  void failureChanged();
  void recentFilesChanged();
  /// One line for the status bar that goes away by itself.
  void noticed(const QString& text);

 private:
  void openExecutable(const QString& path);
  void tryToOpen(const QString& path);
  void endTrial();
  void startProfile(int repeats, int warmup);
  void fail(Failure::During during, const base::Error& error, const QString& path);
  void dropRun();
  void endStages(bool finished);
  void note(const QString& stage, const QString& words, bool isError = false);
  void remember(const QString& path, const QString& words);
  session::CallPlan callPlan() const;
  void connectBridge();
  void onState(session::State state);
  bool takeReplaced(const std::shared_ptr<const session::ExecutableInfo>& info);
  void watchFile();
  void onFileChanged();
  void onOpened(const std::shared_ptr<const session::ExecutableInfo>& info);
  void onProfileFinished(const report::Document& document);
  void onRunFinished(const session::RunFinished& result);
  void onFailed(const session::RequestFailed& failed);
  void onCancelled();

  Settings* m_settings;
  Background m_background;
  Selection m_selection;
  InputForm m_form;
  RecentFiles m_recent;
  SessionDriverFactory m_factory;
  SessionBridge m_bridge;
  /// Opens a file while a run goes on, to see whether it can be opened before the run is given up for it.
  std::unique_ptr<SessionBridge> m_trial;
  std::shared_ptr<const session::ExecutableInfo> m_executable;
  std::shared_ptr<const RunView> m_run;
  std::optional<Failure> m_failure;
  std::vector<LogLine> m_log;
  std::vector<StageLine> m_stages;
  QElapsedTimer m_stageClock;
  session::Progress m_progress;
  RunChoices m_choices;
  std::optional<session::CallPlan> m_initialPlan;
  QString m_scenario;
  QString m_openPath;
  QString m_runCommand;  ///< command line of the run that is shown
  QFileSystemWatcher m_watcher;
  quint64 m_openRequest = 0;  ///< of the newest file that was asked for
  quint64 m_openNumber = 0;   ///< of the file that is open: answers about another one are dropped
  bool m_fileReplaced = false;
  bool m_running = false;
  bool m_opening = false;
};

}  // namespace opscope::ui
