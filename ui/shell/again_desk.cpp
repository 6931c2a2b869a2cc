// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/again_desk.h"

#include <QFileInfo>
#include <QTimer>
#include <map>
#include <utility>

#include "engine/report/run_append.h"
#include "engine/report/run_report.h"
#include "engine/report/sample_warnings.h"
#include "ui/bridge/file_hash.h"
#include "ui/models/format.h"

namespace opscope::ui {
namespace {

const char* const kSideNames[] = {"old", "new"};
const std::string kAgainTag = "again";

QString repeatsText(int side, std::uint64_t done, std::uint32_t wanted) {
  return QStringLiteral("%1, %2 of %3 repeats")
      .arg(QLatin1String(kSideNames[side]), format::integer(std::int64_t(done)), format::integer(wanted));
}

/// Reads every file once. Runs in the background; empty: all are what was run.
QString changedFile(const std::vector<AgainPlan>& plans) {
  std::map<std::string, std::string> hashes;
  // What is wrong with a file, told with `words`; empty: it has this hash.
  const auto problemOf = [&](const std::string& path, const std::string& wanted, const QString& words) {
    auto known = hashes.find(path);
    if (known == hashes.end()) {
      const auto hash = hashOfFile(path);
      if (!hash) return format::errorLines(hash.error());
      known = hashes.emplace(path, *hash).first;
    }
    return known->second == wanted ? QString() : words.arg(format::shortPath(QString::fromStdString(path)));
  };
  for (const AgainPlan& plan : plans) {
    QString problem = problemOf(
        plan.request.path, plan.hash,
        QStringLiteral("%1 was built anew since: what is at %2 now is not what was run.").arg(plan.name));
    const std::string& scenario = plan.request.plan.scenarioFile;
    if (problem.isEmpty() && !scenario.empty()) {
      problem = problemOf(scenario, plan.scenarioHash,
                          QStringLiteral("The scenario at %1 was changed since: it is not what was run."));
    }
    if (!problem.isEmpty()) return problem;
  }
  return {};
}

/// Files that a plan needs and that are not there; empty: all are.
QString missingFile(const AgainPlan& plan) {
  const session::CallPlan& call = plan.request.plan;
  const std::pair<QString, std::string> files[] = {
      {plan.name, plan.request.path},
      {QStringLiteral("The scenario of %1").arg(plan.name), call.scenarioFile},
      {QStringLiteral("The file of arrays of %1").arg(plan.name), call.inputs.arraysFile}};
  for (const auto& [what, file] : files) {
    const QString path = QString::fromStdString(file);
    if (!path.isEmpty() && !QFileInfo::exists(path))
      return QStringLiteral("%1 is not at %2 any more.").arg(what, format::shortPath(path));
  }
  return {};
}

}  // namespace

AgainDesk::AgainDesk(Workspace* workspace, CompareDesk* compare, std::function<bool()> isBusyElsewhere,
                     QObject* parent)
    : QObject(parent),
      m_workspace(workspace),
      m_compare(compare),
      m_isBusyElsewhere(std::move(isBusyElsewhere)) {
  connect(compare, &CompareDesk::changed, this, [this]() {
    // What was wrong with those that were compared before says nothing of these.
    if (!m_running && (m_compare->before() != m_problemOf[0] || m_compare->after() != m_problemOf[1]))
      m_problem.clear();
    Q_EMIT changed();
  });
  connect(workspace, &Workspace::statusChanged, this, &AgainDesk::changed);
  if (workspace->store() == nullptr) return;
  connect(workspace->store(), &RunStore::saved, this, &AgainDesk::onSaved);
  connect(workspace->store(), &RunStore::unsavedChanged, this, [this]() {
    if (!m_saving || m_workspace->store()->unsavedCount() > 0) return;
    // Saved at last, which is told next, or given up.
    QTimer::singleShot(0, this, [this]() {
      if (std::exchange(m_saving, false)) fail(QStringLiteral("The new runs were not saved."));
    });
  });
}

AgainDesk::~AgainDesk() {
  // A kernel that does not end in time is left to itself.
  if (m_bridge != nullptr && m_bridge->isBusy()) m_bridge->shutDown(SessionBridge::kStopLimit);
}

std::vector<AgainPlan> AgainDesk::plansOf(const CompareSide& side) const {
  std::vector<AgainPlan> plans;
  for (const auto& run : side.pool->runs) {
    AgainPlan plan = againPlanOf(*run, m_workspace->boards()->boards());
    // A run does not tell where its plugins are, nor how long a board was waited for; that is as it is now.
    const RunOptions kept = m_workspace->settings()->runOptions(QString::fromStdString(plan.hash));
    for (const QString& plugin : kept.plugins) plan.request.settings.plugins.push_back(plugin.toStdString());
    if (session::isElsewhere(plan.request.settings.target))
      plan.request.settings.timeoutSeconds = kept.timeoutSeconds;
    plans.push_back(std::move(plan));
  }
  return plans;
}

QString AgainDesk::whyNot() const {
  const auto& view = m_compare->view();
  if (!view) return QStringLiteral("Nothing is compared yet.");
  if (m_workspace->store() == nullptr) return QStringLiteral("Runs are not kept.");
  for (const CompareSide* side : {&view->a, &view->b}) {
    for (const AgainPlan& plan : plansOf(*side)) {
      if (!plan.problem.isEmpty()) return plan.problem;
      if (const QString missing = missingFile(plan); !missing.isEmpty()) return missing;
    }
  }
  if (isSomethingElseRunning()) return QStringLiteral("Something else runs now.");
  return {};
}

bool AgainDesk::isSomethingElseRunning() const {
  return m_workspace->isRunning() || m_workspace->isOpening() || m_isBusyElsewhere();
}

void AgainDesk::connectBridge() {
  if (m_bridge != nullptr) return;
  m_bridge = std::make_unique<SessionBridge>(m_workspace->sessionFactory());
  connect(m_bridge.get(), &SessionBridge::profileFinished, this, &AgainDesk::take);
  connect(m_bridge.get(), &SessionBridge::progressed, this, [this](const session::Progress& progress) {
    if (!m_running || m_turn >= m_turns.size()) return;
    const std::uint64_t ofTurn = progress.stage == session::State::Measuring ? progress.done : 0;
    if (!m_stopping) tell(repeatsText(m_turns[m_turn].side, repeatsDone() + ofTurn, m_wanted));
  });
  connect(m_bridge.get(), &SessionBridge::requestFailed, this, [this](const session::RequestFailed& failed) {
    QString words = format::fromUtf8(failed.error.message);
    if (!failed.error.detail.empty()) words += QLatin1Char(' ') + format::fromUtf8(failed.error.detail);
    m_problem = words;
    m_stopping = true;
    take(failed.partial);
  });
  connect(m_bridge.get(), &SessionBridge::requestCancelled, this, [this]() {
    m_stopping = true;
    take({});
  });
}

void AgainDesk::start() {
  if (m_running) return;
  if (const QString problem = whyNot(); !problem.isEmpty()) {
    fail(problem);
    return;
  }
  const std::vector<AgainPlan> before = plansOf(m_compare->view()->a);
  const std::vector<AgainPlan> after = plansOf(m_compare->view()->b);
  std::vector<AgainPlan> all = before;
  all.insert(all.end(), after.begin(), after.end());
  m_running = true;
  m_stopping = false;
  m_problem.clear();
  tell(QStringLiteral("looking at the files"));
  m_workspace->background()->run(
      this, [all]() { return changedFile(all); },
      [this, before, after](const QString& problem) {
        if (m_stopping || !problem.isEmpty()) {
          fail(problem);
        } else if (isSomethingElseRunning()) {
          fail(QStringLiteral("Something else runs now."));
        } else {
          begin(before, after);
        }
      });
}

void AgainDesk::begin(const std::vector<AgainPlan>& before, const std::vector<AgainPlan>& after) {
  connectBridge();
  const std::vector<AgainPlan>* const plans[] = {&before, &after};
  for (int side = 0; side < 2; ++side) {
    m_parts[side].clear();
    for (const AgainPlan& plan : *plans[side]) m_parts[side].push_back({plan, {}, nullptr, {}});
  }
  m_turns = turnsOf(before, after);
  m_turn = 0;
  m_wanted = 0;
  for (const AgainTurn& turn : m_turns) m_wanted += turn.repeats;
  m_workspace->noteSessionBeside(m_bridge.get());
  nextTurn();
}

void AgainDesk::nextTurn() {
  if (m_stopping || m_turn == m_turns.size()) {
    finish();
    return;
  }
  const AgainTurn& turn = m_turns[m_turn];
  session::ProfileRequest request = m_parts[turn.side][turn.plan].plan.request;
  request.repeats = turn.repeats;
  request.warmup = turn.warmup;
  if (!turn.begins) request.overhead = profile::OverheadCheck::Off;
  m_bridge->profile(std::move(request));
  m_workspace->noteSessionBeside(m_bridge.get());
  tell(repeatsText(turn.side, repeatsDone(), m_wanted));
}

void AgainDesk::take(const report::Document& document) {
  if (!m_running || m_turn >= m_turns.size()) return;
  const AgainTurn& turn = m_turns[m_turn];
  Part& part = m_parts[turn.side][turn.plan];
  if (document.run && document.run->repeats > 0) {
    if (!part.run) {
      part.run = *document.run;
      part.run->repeatsWanted = part.plan.request.repeats;
    } else if (!report::appendRepeats(*part.run, *document.run)) {
      m_problem =
          QStringLiteral("%1 made other calls than before; the first repeats are kept.").arg(part.plan.name);
      m_stopping = true;
    }
  }
  // Stop is told by a run with fewer repeats, too.
  if (document.run && document.run->repeats < turn.repeats) m_stopping = true;
  ++m_turn;
  nextTurn();
}

std::uint32_t AgainDesk::repeatsDone() const {
  std::uint32_t done = 0;
  for (const auto& parts : m_parts) {
    for (const Part& part : parts) done += part.run ? part.run->repeats : 0;
  }
  return done;
}

void AgainDesk::stop() {
  if (!m_running || m_saving) return;
  m_stopping = true;
  if (m_bridge != nullptr && m_bridge->isBusy()) m_bridge->stop();
  tell(QStringLiteral("stopping"));
}

void AgainDesk::fail(const QString& problem) {
  m_running = false;
  m_progress.clear();
  keepProblem(problem);
  Q_EMIT changed();
}

QString AgainDesk::noteOf(int side) const {
  const std::vector<Part>& others = m_parts[1 - side];
  return QStringLiteral("Run again, by turns with %1")
      .arg(others.empty() ? QString() : others.front().plan.name);
}

void AgainDesk::finish() {
  m_workspace->noteSessionBeside(nullptr);
  m_saving = true;
  bool any = false;
  for (int side = 0; side < 2; ++side) {
    for (Part& part : m_parts[side]) {
      if (!part.run) continue;
      any = true;
      report::Run run = std::move(*part.run);
      part.run.reset();
      // What was told of the first turn alone.
      run.noise.reset();
      run.warnings = report::sampleWarnings(run);
      const report::Document document =
          report::makeDocument(std::make_shared<const report::Run>(std::move(run)));
      part.saved = document.run;
      // Kept also when runs are not saved by themselves: there is nothing to compare else.
      m_workspace->store()->save(document, {noteOf(side).toStdString(), {kAgainTag}});
    }
  }
  tell(QStringLiteral("saving"));
  if (!any) {
    m_saving = false;
    fail(m_problem.isEmpty() ? QStringLiteral("Stopped before a repeat was complete.") : m_problem);
  }
}

void AgainDesk::onSaved(store::RunId id, const std::shared_ptr<const report::Run>& run) {
  if (!m_saving) return;
  bool mine = false, all = true;
  for (auto& parts : m_parts) {
    for (Part& part : parts) {
      if (!part.saved) continue;
      if (part.saved == run) {
        part.id = id;
        mine = true;
      }
      all = all && part.id.has_value();
    }
  }
  if (mine && all) showNew();
}

void AgainDesk::showNew() {
  m_saving = false;
  m_running = false;
  m_progress.clear();
  std::vector<store::RunId> ids[2];
  for (int side = 0; side < 2; ++side) {
    for (const Part& part : m_parts[side]) {
      if (part.id) ids[side].push_back(*part.id);
    }
    m_parts[side].clear();
  }
  if (!ids[0].empty() && !ids[1].empty()) {
    const QString problem = m_problem;
    m_compare->compare(groupChoice(ids[0]), groupChoice(ids[1]));
    keepProblem(problem);
  } else if (m_problem.isEmpty()) {
    keepProblem(QStringLiteral("Stopped before both were measured. What was measured is in Runs."));
  }
  Q_EMIT changed();
}

void AgainDesk::keepProblem(const QString& problem) {
  m_problem = problem;
  m_problemOf[0] = m_compare->before();
  m_problemOf[1] = m_compare->after();
}

void AgainDesk::tell(const QString& progress) {
  m_progress = progress;
  Q_EMIT changed();
}

}  // namespace opscope::ui
