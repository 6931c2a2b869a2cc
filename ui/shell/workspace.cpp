// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/workspace.h"

#include <QFileInfo>
#include <variant>

#include "engine/base/atomic_file.h"
#include "engine/report/exporters.h"
#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"
#include "ui/shell/opened_file.h"

namespace opscope::ui {
namespace {

/// At the end of the program, for what is being saved: a lock of another process is waited for 5 s.
constexpr int kSaveLimitMs = 20000;

constexpr int kStopTickMs = 1000;

}  // namespace

Workspace::Workspace(const SessionDriverFactory& factory, Settings* settings, RunStore* store,
                     QObject* parent)
    : QObject(parent),
      m_settings(settings),
      m_store(store),
      m_recent(settings->recentFiles()),
      m_factory(factory),
      m_bridge(factory) {
  m_choices.repeats = settings->repeats();
  m_choices.warmup = settings->warmup();
  m_choices.recordsMemory = settings->recordsMemory();
  m_choices.recordsThreads = settings->recordsThreads();
  m_form.setArrayFiles(&m_arrayFiles);
  connect(&m_form, &InputForm::changed, this, &Workspace::statusChanged);
  connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, &Workspace::onFileChanged);
  m_stopTick.setInterval(kStopTickMs);
  connect(&m_stopTick, &QTimer::timeout, this, &Workspace::statusChanged);
  connectBridge();
  connectStore();
  connectTargets();
  connectScenario();
  readComputer();
}

void Workspace::readComputer() {
  m_background.run(
      this, []() { return session::computerState(); },
      [this](const session::ComputerState& state) {
        m_computer = state;
        Q_EMIT statusChanged();
      });
}

Workspace::~Workspace() = default;

void Workspace::connectBridge() {
  connect(&m_bridge, &SessionBridge::stateChanged, this, &Workspace::onState);
  connect(&m_bridge, &SessionBridge::executableOpened, this, &Workspace::onOpened);
  connect(&m_bridge, &SessionBridge::profileFinished, this, &Workspace::onProfileFinished);
  connect(&m_bridge, &SessionBridge::runFinished, this, &Workspace::onRunFinished);
  connect(&m_bridge, &SessionBridge::requestFailed, this, &Workspace::onFailed);
  connect(&m_bridge, &SessionBridge::requestCancelled, this, &Workspace::onCancelled);
  connect(&m_bridge, &SessionBridge::leftBehind, this, &Workspace::onLeftBehind);
  connect(&m_bridge, &SessionBridge::repeatsMeasured, this, [this](const report::RepeatTimes& times) {
    m_live.add(times);
    Q_EMIT liveChanged();
  });
  connect(&m_bridge, &SessionBridge::progressed, this, [this](const session::Progress& progress) {
    m_progress = progress;
    Q_EMIT statusChanged();
  });
}

const session::FunctionInfo* Workspace::currentFunction() const {
  if (!m_executable) return nullptr;
  for (const session::FunctionInfo& function : m_executable->functions) {
    if (QString::fromStdString(function.name) == m_choices.function) return &function;
  }
  return nullptr;
}

bool Workspace::canRun() const {
  if (m_running || m_opening || (m_beside && m_beside->isBusy()) || currentFunction() == nullptr)
    return false;
  if (!m_executable->runsHere && targetBoard() == nullptr) return false;
  return m_scenario.isChosen() ? m_scenario.isValid() : m_form.isWorthARun();
}

bool Workspace::isStale() const {
  return m_run && m_executable && !m_runCommand.isEmpty() &&
         (m_runCommand != planLine() || isOfEarlierBuild());
}

bool Workspace::isOfEarlierBuild() const {
  if (!m_run || !m_executable || m_runCommand.isEmpty()) return false;
  const std::string& hash = m_run->run().executableHash;
  return !hash.empty() && hash != m_executable->hash;
}

QString Workspace::fileName() const {
  return format::shown(m_openPath.section(QLatin1Char('/'), -1));
}

session::CallPlan Workspace::callPlan() const {
  session::CallPlan plan;
  if (m_scenario.isChosen()) {
    // It names its functions and inputs itself.
    plan.scenarioFile = m_scenario.file().toStdString();
    plan.inputs.arraysFile = m_scenario.arraysFile().toStdString();
    return plan;
  }
  plan.function = m_choices.function.toStdString();
  plan.inputs = m_form.plan();
  return plan;
}

QString Workspace::planLine() const {
  QString line = QString::fromStdString(session::shellCommand(planWords(m_choices.options)));
  if (m_scenario.isChosen()) line += QLatin1Char(' ') + m_scenario.hash();
  return line;
}

std::vector<std::string> Workspace::planWords(const RunOptions& options) const {
  std::vector<std::string> words = {"opscope-cli", "profile", m_openPath.toStdString()};
  session::CallPlan plan = callPlan();
  const bool isDefault = m_executable && session::defaultFunction(*m_executable) == plan.function;
  if (isDefault) plan.function.clear();
  for (const std::string& word : session::commandLineWords(plan)) words.push_back(word);
  for (const std::string& word : options.commandLineWords()) words.push_back(word);
  return words;
}

QString Workspace::commandLine() const {
  const RunOptions options = optionsInForce();
  std::vector<std::string> words = planWords(options);
  words.insert(words.end(),
               {"--warmup", std::to_string(m_choices.warmup), "--repeat", std::to_string(m_choices.repeats)});
  for (const std::string& word : options.measuringWords()) words.push_back(word);
  const session::RunSettings settings = runSettings();
  if (session::isElsewhere(settings.target)) words.insert(words.end(), {"--target", settings.target});
  if (!settings.secretFile.empty()) words.insert(words.end(), {"--secret-file", settings.secretFile});
  if (settings.timeoutSeconds > 0)
    words.insert(words.end(), {"--timeout", std::to_string(options.timeoutSeconds)});
  const session::ProfileRequest request = profileRequest();
  if (request.recordMemory) words.push_back("--memory");
  if (request.recordLanes) words.push_back("--lanes");
  return QString::fromStdString(session::shellCommand(words));
}

void Workspace::setFunction(const QString& function) {
  m_scenario.drop();
  chooseFunction(function);
}

void Workspace::chooseFunction(const QString& function) {
  if (function == m_choices.function) return;
  m_choices.function = function;
  if (const session::FunctionInfo* info = currentFunction()) {
    m_form.setFunction(*info);
    m_form.restore(m_settings->form(QString::fromStdString(m_executable->hash), function));
  }
  Q_EMIT statusChanged();
}

void Workspace::setRunLengths(int repeats, int warmup) {
  if (repeats == m_choices.repeats && warmup == m_choices.warmup) return;
  m_choices.repeats = repeats;
  m_choices.warmup = warmup;
  m_settings->setRunLengths(repeats, warmup);
  Q_EMIT statusChanged();
}

void Workspace::setRecordsMemory(bool records) {
  if (records == m_choices.recordsMemory) return;
  m_choices.recordsMemory = records;
  m_settings->setRecordsMemory(records);
  Q_EMIT statusChanged();
}

void Workspace::setRecordsThreads(bool records) {
  if (records == m_choices.recordsThreads) return;
  m_choices.recordsThreads = records;
  m_settings->setRecordsThreads(records);
  Q_EMIT statusChanged();
}

void Workspace::setInitialPlan(const session::CallPlan& plan) {
  m_initialPlan = plan;
}

void Workspace::profile() {
  startProfile(m_choices.repeats, m_choices.warmup);
}

void Workspace::profileOnce() {
  startProfile(1, 0);
}

session::ProfileRequest Workspace::profileRequest() const {
  session::ProfileRequest request;
  request.path = m_openPath.toStdString();
  request.plan = callPlan();
  request.settings = runSettings();
  request.repeats = std::uint32_t(m_choices.repeats);
  request.warmup = std::uint32_t(m_choices.warmup);
  optionsInForce().applyTo(request);
  const SavedBoard* board = targetBoard();
  const bool tells = board == nullptr || !board->isTvmServer();
  request.recordMemory = tells && m_choices.recordsMemory;
  request.recordLanes = tells && m_choices.recordsThreads;
  return request;
}

void Workspace::startProfile(int repeats, int warmup) {
  if (!canRun()) return;
  if (reloadsFirst([this, repeats, warmup]() { startProfile(repeats, warmup); })) return;
  m_runReadsScenario = m_scenario.isChosen();
  if (!m_scenario.isChosen()) {
    m_settings->setForm(QString::fromStdString(m_executable->hash), m_choices.function, m_form.save());
  }
  session::ProfileRequest request = profileRequest();
  request.repeats = std::uint32_t(repeats);
  request.warmup = std::uint32_t(warmup);
  request.tellsRepeats = true;
  m_planInFlight = planLine();
  m_fileReplaced = false;
  QString words = QStringLiteral("%1, %2").arg(runName(), format::counted(repeats, "repeat", "repeats"));
  if (m_choices.target != kLocalTarget) words += QStringLiteral(", on %1").arg(targetName(m_choices.target));
  begin(Activity::Profile, words);
  m_live.begin(std::uint64_t(repeats));
  m_bridge.profile(std::move(request));
}

void Workspace::begin(Activity activity, const QString& words) {
  m_form.forgetFileProblems();
  m_scenario.readAgain();
  m_activity = activity;
  m_running = true;
  m_tookReplaced = false;
  m_waiting.clear();
  m_failure.reset();
  m_stages.clear();
  m_progress = {};
  m_log.clear();
  note(QStringLiteral("run"), words);
  Q_EMIT failureChanged();
  Q_EMIT statusChanged();
}

void Workspace::endRun(bool finished) {
  endStages(finished);
  m_running = false;
  m_stopClock.invalidate();
  m_stopTick.stop();
  m_waiting.clear();
  m_live.clear();
  Q_EMIT liveChanged();
}

void Workspace::startRun(Activity activity, session::RunRequest request, const QString& words) {
  if (reloadsFirst([=, this]() { startRun(activity, request, words); })) return;
  request.path = m_openPath.toStdString();
  request.plan = callPlan();
  request.settings = runSettings();
  begin(activity, words);
  m_bridge.run(std::move(request));
}

void Workspace::runWithoutTiming() {
  if (!canRun()) return;
  session::RunRequest request;
  request.returnsArchive = true;
  startRun(Activity::PlainRun, request, QStringLiteral("%1, once, without timing").arg(runName()));
}

void Workspace::stop() {
  if (m_running && !m_stopClock.isValid()) {
    m_stopClock.start();
    m_stopTick.start();
    note(QStringLiteral("stop"), QStringLiteral("asked for"));
  }
  m_bridge.stop();
  m_fleet.stop();
  Q_EMIT statusChanged();
}

bool Workspace::shutDown() {
  m_fleet.stop();
  bool ended = m_bridge.shutDown(SessionBridge::kStopLimit);
  if (m_beside) ended = m_beside->shutDown(SessionBridge::kStopLimit) && ended;
  if (m_store != nullptr) {
    m_store->finishRemoval();
    m_store->waitForDone(kSaveLimitMs);
  }
  return ended;
}

void Workspace::showPartial() {
  if (!m_failure || !m_failure->partial) return;
  const auto view = m_failure->partial;
  m_failure.reset();
  m_runCommand = m_planInFlight;
  showRun(view, {});
  Q_EMIT failureChanged();
}

void Workspace::dismissFailure() {
  m_failure.reset();
  Q_EMIT failureChanged();
  Q_EMIT statusChanged();
}

void Workspace::exportRun(const report::Exporter& exporter, const QString& path) {
  if (!m_run) return;
  const QString title = format::fromUtf8(exporter.title);
  m_background.run(
      this,
      [&exporter, document = m_run->document, path = path.toStdString()]() {
        const SlowWork work("an export");
        return report::exportToFile(exporter, document, path);
      },
      [this, path, title](const base::Result<>& result) {
        if (result) {
          Q_EMIT noticed(QStringLiteral("%1 saved as %2").arg(title, format::shortPath(path)));
        } else {
          fail(Failure::During::Exporting, result.error(), path);
        }
      });
}

void Workspace::savePicture(const base::Result<Picture>& picture, const QString& path) {
  if (!picture) return fail(Failure::During::Exporting, picture.error(), path);
  m_background.run(
      this, [picture = *picture, path]() { return writePicture(picture, path); },
      [this, path](const base::Result<>& result) {
        if (result) {
          Q_EMIT noticed(QStringLiteral("Picture saved as %1").arg(format::shortPath(path)));
        } else {
          fail(Failure::During::Exporting, result.error(), path);
        }
      });
}

void Workspace::forgetRecent(const QString& path) {
  m_recent.remove(path);
  m_settings->setRecentFiles(m_recent);
  Q_EMIT recentFilesChanged();
}

void Workspace::remember(const QString& path, const QString& words) {
  m_recent.add(path, words, QDateTime::currentDateTime());
  m_settings->setRecentFiles(m_recent);
  Q_EMIT recentFilesChanged();
}

void Workspace::note(const QString& stage, const QString& words, bool isError) {
  m_log.push_back({QTime::currentTime(), stage, words, isError});
}

}  // namespace opscope::ui
