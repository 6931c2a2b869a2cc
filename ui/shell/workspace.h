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
#include <QPointer>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ui/bridge/background.h"
#include "ui/bridge/fleet_bridge.h"
#include "ui/bridge/run_store.h"
#include "ui/bridge/session_bridge.h"
#include "ui/models/board_list.h"
#include "ui/models/fleet_model.h"
#include "ui/models/input_form.h"
#include "ui/models/live_run.h"
#include "ui/models/recent_files.h"
#include "ui/models/run_options.h"
#include "ui/models/run_view.h"
#include "ui/models/scenario_form.h"
#include "ui/models/selection.h"
#include "ui/shell/crash_guard.h"
#include "ui/shell/opened_file.h"
#include "ui/shell/settings.h"
#include "ui/views/widgets/picture.h"

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
  QString targetId;                        ///< where it ran
};

/// A stage of a run with the time it took.
struct StageLine {
  session::State stage = session::State::Idle;
  double seconds = 0;
  bool finished = false;
};

struct RunChoices {
  QString function;
  QString target = kLocalTarget;  ///< id: kLocalTarget, kIsolatedTarget, or of a saved board
  QString device = QStringLiteral("cpu:0");
  int repeats = 30;
  int warmup = 3;
  bool recordsMemory = false;
  bool recordsThreads = false;
  RunOptions options;  ///< of the executable
};

/// What the session does for the user.
enum class Activity { Profile, PlainRun, Dump, FiniteCheck, Diverge, Fleet };

/// The other side of a search for the first difference; what is open, where it runs now, is side A.
struct DivergeChoice {
  QString pathB;    ///< may be the open file
  QString targetB;  ///< id
  double rtol = 1e-5;
  double atol = 1e-5;
};

/// Where the run that is shown comes from.
struct RunOrigin {
  enum class Kind { Measured, Saved, File };
  Kind kind = Kind::Measured;
  std::optional<store::RunId> saved;  ///< its number in the store, once it is there
  QTime savedAt;                      ///< when it was saved by this window
  QString format;                     ///< of a file: "TVM report (JSON)"
};

class Workspace : public QObject {
  Q_OBJECT
 public:
  /// `settings` and `store` outlive the workspace. Without a store nothing is saved.
  Workspace(const SessionDriverFactory& factory, Settings* settings, RunStore* store = nullptr,
            QObject* parent = nullptr);
  ~Workspace() override;

  Selection* selection() { return &m_selection; }
  InputForm* form() { return &m_form; }
  ScenarioForm* scenario() { return &m_scenario; }
  const ScenarioForm& scenario() const { return m_scenario; }
  Background* background() { return &m_background; }
  Settings* settings() { return m_settings; }
  RunStore* store() { return m_store; }
  const RecentFiles& recentFiles() const { return m_recent; }
  const std::shared_ptr<const session::ExecutableInfo>& executable() const { return m_executable; }
  const session::FunctionInfo* currentFunction() const;
  const std::shared_ptr<const RunView>& run() const { return m_run; }
  const RunOrigin& origin() const { return m_origin; }
  /// This computer as it was when the file was opened; empty until it was read.
  const session::ComputerState& computer() const { return m_computer; }
  const std::optional<Failure>& failure() const { return m_failure; }
  const std::vector<LogLine>& log() const { return m_log; }
  const std::vector<StageLine>& stages() const { return m_stages; }
  const session::Progress& progress() const { return m_progress; }
  const RunChoices& choices() const { return m_choices; }
  bool isRunning() const { return m_running; }
  /// The repeats of the profile that goes on, as far as they are told; empty when there is none.
  const LiveRun& live() const { return m_live; }
  /// What runs, or ran last.
  Activity activity() const { return m_activity; }
  /// What a run waits for, in words, while it waits for a board; empty else.
  const QString& waiting() const { return m_waiting; }

  BoardList* boards() { return &m_boards; }
  const BoardList& boards() const { return m_boards; }
  /// The saved board that is the target; null for this computer.
  const SavedBoard* targetBoard() const { return m_boards.find(m_choices.target); }
  QString targetName(const QString& id) const;
  /// As --target; of the chosen one when `id` is empty.
  QString targetText(const QString& id = {}) const;
  void setTarget(const QString& id);
  /// That the target has, as far as it is known.
  QStringList devices() const;
  void setDevice(const QString& device);
  /// Boards of the chosen tracker's key can be profiled together.
  bool canRunFleet() const;
  void profileFleet();
  FleetModel* fleet() { return &m_fleetModel; }

  /// Writes the tensors of every call to a file in `folder`.
  void dumpTensors(const QString& folder);
  void checkFinite();
  void diverge(const DivergeChoice& choice);
  /// The first call of the run that is shown with this op becomes the selection. False when there is none.
  bool selectOp(const QString& name);
  bool isOpening() const { return m_opening; }
  bool isOpen() const { return m_executable != nullptr || m_run != nullptr; }
  bool canRun() const;
  /// What Run calls, in words: the function, or the scenario's file.
  QString runName() const;
  /// The form or the choices changed since the run that is shown.
  bool isStale() const;
  /// The file that is open was written or replaced since; the next run takes the new one.
  bool isFileReplaced() const { return m_fileReplaced; }
  /// The run that is shown was measured on an earlier build of the file.
  bool isOfEarlierBuild() const;
  QString fileName() const;
  const QString& openPath() const { return m_openPath; }
  /// For a session beside the one that runs what is open.
  const SessionDriverFactory& sessionFactory() const { return m_factory; }
  /// What Run would ask for now; canRun() holds.
  session::ProfileRequest profileRequest() const;
  /// The run settings as the target takes them.
  RunOptions optionsInForce() const;
  /// Why they are not those that were chosen, before anything runs; empty when they are.
  QString leftOutWords() const;
  /// Another session of this program began to measure, or ended: nothing else may run beside it while it is
  /// busy, and shutDown() ends it too.
  void noteSessionBeside(SessionBridge* bridge);
  /// Keeps a run with what is noted of it, if runs are kept.
  void keepRun(const report::Document& document, const store::RunNotes& notes);
  /// Shows a run that was measured for what is open.
  void showMeasured(const report::Document& document);
  /// The command line that does the same as Run.
  QString commandLine() const;

  /// A run goes on until the file turned out to be one that can be opened.
  void openFile(const QString& path);
  /// An executable together with what it is to run: a scenario, arrays for it or for the inputs; both may be
  /// empty.
  void openTogether(const QString& executable, const QString& scenario, const QString& arrays);
  void closeFile();
  /// Shows a run of the store. The file that is open stays open when the run is one of it.
  void openSaved(store::RunId id);
  /// Opens what was open: the executable with its form, then the run.
  void restore(const OpenState& state);
  /// Writes a session file: a store with this run alone, its note and tags.
  void exportSaved(store::RunId id, const QString& path);
  /// The same of the run that is shown.
  void exportSession(const QString& path);
  /// The function that runs; a scenario that was chosen is dropped for it.
  void setFunction(const QString& function);
  /// A scenario runs in place of a function. Says why not when no executable is open, or something runs.
  void chooseScenario(const QString& path, const QString& arrays = {});
  void setRunLengths(int repeats, int warmup);
  /// Runs record what memory was taken when; kept for the next start.
  void setRecordsMemory(bool records);
  /// Runs record what each thread of the kernel pool does; kept for the next start.
  void setRecordsThreads(bool records);
  /// Inputs of the command line, put into the form of the next file that is opened.
  void setInitialPlan(const session::CallPlan& plan);
  /// Of what is open; kept by executable.
  void setRunOptions(const RunOptions& options);
  /// Of the command line, for the next file that is opened.
  void setInitialOptions(const RunOptions& options) { m_initialOptions = options; }
  void profile();
  void profileOnce();
  void runWithoutTiming();
  void stop();
  /// Stop was asked for, and what runs has not ended yet.
  bool isStopping() const { return m_running && m_stopClock.isValid(); }
  /// Since Stop was asked for.
  int stoppingSeconds() const { return isStopping() ? int(m_stopClock.elapsed() / 1000) : 0; }
  /// Opens the file that is open once more, as it is on disk now. What was chosen stays chosen as far as it
  /// fits.
  void reloadFile();
  /// Asked before what runs is ended for something else: `what` is to be opened, `go` opens it, `keep` lets
  /// the run go on. One of both is called. Without a question it is opened at once.
  using DropQuestion =
      std::function<void(const QString& what, std::function<void()> go, std::function<void()> keep)>;
  void setDropQuestion(DropQuestion question) { m_dropQuestion = std::move(question); }
  /// closeFile(), after the question.
  void askToClose();
  /// For the end of the program: false when a kernel still runs (SessionBridge::shutDown).
  bool shutDown();
  void showPartial();
  void dismissFailure();
  void exportRun(const report::Exporter& exporter, const QString& path);
  /// Writes it in the background; an error instead of a picture is told as one of writing.
  void savePicture(const base::Result<Picture>& picture, const QString& path);
  void forgetRecent(const QString& path);

 Q_SIGNALS:
  void executableChanged();
  void runChanged();
  /// Which run of the store is shown: it was opened, or the one that is shown was saved.
  void shownRunChanged();
  /// Running, progress, stages, choices or validity of the form.
  void statusChanged();
  void failureChanged();
  void recentFilesChanged();
  /// live() holds more, or nothing any more.
  void liveChanged();
  /// One line for the status bar that goes away by itself.
  void noticed(const QString& text);
  void targetChanged();
  /// `error`: why no board was asked at all.
  void fleetFinished(const std::optional<base::Error>& error);
  /// A run of the fleet is in the store.
  void fleetSaved();
  /// A run without timing came to its end; `name` is what ran.
  void ranOnce(const QString& name, const session::RunFinished& result);
  void dumped(const session::DumpSummary& dump, const QString& path);
  void finiteChecked(const session::FiniteSummary& found);
  void diverged(const session::Divergence& divergence);
  void divergeFailed(const base::Error& error);

 private:
  void chooseFunction(const QString& function);
  void connectScenario();
  void takeInitialScenario();
  void openExecutable(const QString& path);
  void tryToOpen(const QString& path);
  void endTrial();
  void startProfile(int repeats, int warmup);
  void fail(Failure::During during, const base::Error& error, const QString& path);
  void dropRun();
  /// `go` now, or when the user lets the run that goes on end for `what`.
  void beforeDrop(const QString& what, std::function<void()> go);
  void showOpened(OpenedFile opened, const QString& path);
  /// True when the file has to be opened anew first; `start` is called then.
  bool reloadsFirst(std::function<void()> start);
  bool takeReloaded(const std::shared_ptr<const session::ExecutableInfo>& info);
  void finishReload(const QString& inputsBefore);
  void failAsReplaced(const QString& why);
  void connectStore();
  void finishRestoring();
  void noteSaved(store::RunId id);
  void writeSession(const report::Document& document, const store::RunNotes& notes, const QString& path);
  void showRun(const std::shared_ptr<const RunView>& view, const RunOrigin& origin);
  void showSaved(const std::shared_ptr<const RunView>& view, store::RunId id);
  void endStages(bool finished);
  void note(const QString& stage, const QString& words, bool isError = false);
  void remember(const QString& path, const QString& words);
  session::CallPlan callPlan() const;
  std::vector<std::string> planWords(const RunOptions& options) const;
  /// What was measured, without where and how: what makes a run stale when it changes.
  QString planLine() const;
  session::RunSettings runSettings() const;
  /// Common to all that runs.
  void begin(Activity activity, const QString& words);
  void endRun(bool finished);
  void startRun(Activity activity, session::RunRequest request, const QString& words);
  void connectTargets();
  void noteServer(const report::Run& run);
  /// False for one that was given up and whose boards come to an end still.
  bool isFleetRunning() const { return m_running && m_activity == Activity::Fleet; }
  void onFleetResult(const session::FleetResult& result);
  void connectBridge();
  void onState(session::State state);
  bool takeReplaced(const std::shared_ptr<const session::ExecutableInfo>& info);
  void readComputer();
  void watchFile();
  void onFileChanged();
  void onOpened(const std::shared_ptr<const session::ExecutableInfo>& info);
  void onProfileFinished(const report::Document& document);
  void onLeftBehind(const report::Document& document);
  void onRunFinished(const session::RunFinished& result);
  void onFailed(const session::RequestFailed& failed);
  void showFailed(const session::RequestFailed& failed, std::shared_ptr<const RunView> partial);
  void onCancelled();

  struct SavedRun {
    store::RunId id = 0;
    std::shared_ptr<const report::Run> run;
  };

  Settings* m_settings;
  RunStore* m_store;
  RunOrigin m_origin;
  SavedRun m_lastSaved;
  std::optional<OpenState> m_restoring;
  Background m_background;
  session::ComputerState m_computer;
  Selection m_selection;
  ArrayFiles m_arrayFiles{&m_background};
  InputForm m_form;
  ScenarioForm m_scenario{&m_background};
  BoardList m_boards;
  FleetModel m_fleetModel;
  RecentFiles m_recent;
  SessionDriverFactory m_factory;
  SessionBridge m_bridge;
  FleetBridge m_fleet;
  /// Opens a file while a run goes on, to see whether it can be opened before the run is given up for it.
  std::unique_ptr<SessionBridge> m_trial;
  std::shared_ptr<const session::ExecutableInfo> m_executable;
  std::shared_ptr<const RunView> m_run;
  std::optional<Failure> m_failure;
  std::vector<LogLine> m_log;
  std::vector<StageLine> m_stages;
  QElapsedTimer m_stageClock;
  session::Progress m_progress;
  LiveRun m_live;
  RunChoices m_choices;
  std::optional<session::CallPlan> m_initialPlan;
  std::optional<RunOptions> m_initialOptions;
  QString m_openPath;
  QString m_waiting;
  QString m_dumpFile;
  QString m_runCommand;    ///< plan line of the run that is shown
  QString m_planInFlight;  ///< of the one that was started last: it may fail, and the old one stays
  QFileSystemWatcher m_watcher;
  quint64 m_openRequest = 0;  ///< of the newest file that was asked for
  quint64 m_openNumber = 0;   ///< of the file that is open: answers about another one are dropped
  bool m_fileReplaced = false;
  bool m_reloading = false;             ///< what opens now is the open file, as it is on disk now
  bool m_tookReplaced = false;          ///< the run in flight opened another build than the form shows
  std::function<void()> m_afterReload;  ///< the run that waits for that
  DropQuestion m_dropQuestion;
  QElapsedTimer m_stopClock;        ///< valid from Stop to the end of what runs
  QTimer m_stopTick;                ///< tells its time
  bool m_runReadsScenario = false;  ///< what is read of it next is what the run took
  Activity m_activity = Activity::Profile;
  bool m_running = false;
  bool m_opening = false;
  QPointer<SessionBridge> m_beside;
};

}  // namespace opscope::ui
