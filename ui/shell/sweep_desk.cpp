// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/sweep_desk.h"

#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/charts/sweep_bar.h"
#include "ui/views/charts_page.h"

namespace opscope::ui {
namespace {

const std::string kSweepTag = "sweep";

QString pointName(const QString& over, std::int64_t value) {
  return QStringLiteral("%1 = %2").arg(over, format::integer(value));
}

}  // namespace

SweepDesk::SweepDesk(Workspace* workspace, ChartsPage* page, QObject* parent)
    : QObject(parent), m_workspace(workspace), m_page(page) {
  SweepBar* bar = page->sweepBar();
  connect(bar, &SweepBar::startRequested, this, &SweepDesk::start);
  connect(bar, &SweepBar::stopRequested, this, &SweepDesk::stop);
  connect(bar, &SweepBar::savedChosen, this, &SweepDesk::showSaved);
  connect(workspace, &Workspace::statusChanged, this, &SweepDesk::refreshStatus);
  connect(workspace, &Workspace::executableChanged, this, [this]() {
    forgetOther();
    refreshStatus();
  });
  if (workspace->store() != nullptr)
    connect(workspace->store(), &RunStore::runsChanged, this, &SweepDesk::refreshSaved);
  refreshSaved();
  refreshStatus();
}

SweepDesk::~SweepDesk() {
  // A kernel that does not end in time is left to itself.
  if (isRunning()) m_bridge->shutDown(SessionBridge::kStopLimit);
}

void SweepDesk::connectBridge() {
  if (m_bridge != nullptr) return;
  m_bridge = std::make_unique<SessionBridge>(m_workspace->sessionFactory());
  connect(m_bridge.get(), &SessionBridge::progressed, this, &SweepDesk::takeProgress);
  connect(m_bridge.get(), &SessionBridge::sweepFinished, this, &SweepDesk::takeResult);
  connect(m_bridge.get(), &SessionBridge::requestFailed, this, [this](const session::RequestFailed& failed) {
    m_workspace->noteSessionBeside(m_bridge.get());
    refreshStatus();
    QString words = format::fromUtf8(failed.error.message);
    if (!failed.error.detail.empty()) words += QLatin1Char(' ') + format::fromUtf8(failed.error.detail);
    tell(words);
  });
  connect(m_bridge.get(), &SessionBridge::requestCancelled, this, [this]() {
    m_workspace->noteSessionBeside(m_bridge.get());
    refreshStatus();
    tell(QStringLiteral("Stopped before a value was measured"));
  });
}

void SweepDesk::start(const QString& over, const std::vector<std::int64_t>& values) {
  if (isRunning() || !m_workspace->canRun() || over.isEmpty() || values.empty()) return;
  connectBridge();
  session::SweepRequest request;
  request.profile = m_workspace->profileRequest();
  // Values take turns, which the stories of memory and threads do not allow.
  request.profile.recordMemory = request.profile.recordLanes = false;
  request.over = over.toStdString();
  request.values = values;
  m_path = m_workspace->openPath();
  m_progress = QStringLiteral("Starting");
  m_bridge->sweep(std::move(request));
  m_workspace->noteSessionBeside(m_bridge.get());
  refreshStatus();
}

void SweepDesk::stop() {
  if (m_bridge != nullptr) m_bridge->stop();
}

void SweepDesk::takeProgress(const session::Progress& progress) {
  QStringList words;
  if (progress.total > 0) {
    words << QStringLiteral("%1 of %2 repeats")
                 .arg(format::integer(std::int64_t(progress.done)),
                      format::integer(std::int64_t(progress.total)));
  }
  const QString left = format::remaining(progress.remainingSeconds);
  if (!left.isEmpty()) words << left;
  m_progress = words.isEmpty() ? QStringLiteral("Warming up") : words.join(QStringLiteral(", "));
  refreshStatus();
}

void SweepDesk::takeResult(const session::SweepFinished& result) {
  m_workspace->noteSessionBeside(m_bridge.get());
  const QString over = QString::fromStdString(result.over);
  std::vector<report::ScalingPoint> points;
  std::vector<QString> problems;
  report::Document last;
  for (const session::SweepPoint& point : result.points) {
    if (point.error) {
      problems.push_back(
          QStringLiteral("%1: %2").arg(pointName(over, point.value), format::fromUtf8(point.error->message)));
    }
    if (!point.document.run) continue;
    m_workspace->keepRun(point.document, {noteOfSwept(over, point.value).toStdString(), {kSweepTag}});
    points.push_back({point.value, point.document});
    if (point.document.run->repeats > 0) last = point.document;
  }
  ++m_number;
  m_shown = 0;
  m_measuredAt = points.empty() ? std::string() : points.front().document.run->startedAt;
  refreshStatus();
  tell(problems.empty() ? QString() : problems.front());
  // Another file may have been opened meanwhile: the run is not of that one.
  if (last.run && m_workspace->openPath() == m_path) m_workspace->showMeasured(last);
  build(over, std::move(points), std::move(problems));
}

void SweepDesk::build(const QString& over, std::vector<report::ScalingPoint> points,
                      std::vector<QString> problems) {
  m_workspace->background()->run(
      this,
      [over, points = std::move(points), problems = std::move(problems)]() {
        return makeSweepView(over, points, problems);
      },
      [this, number = m_number](const std::shared_ptr<const SweepView>& view) {
        if (number != m_number) return;
        m_view = view;
        m_shownBeside = m_workspace->openPath();
        m_page->setSweep(view);
      });
}

void SweepDesk::showSaved(int index) {
  if (index < 0 || index >= int(m_saved.size()) || m_workspace->store() == nullptr) return;
  const SavedSweep sweep = m_saved[std::size_t(index)];
  const quint64 number = ++m_number;
  m_shown = sweep.idOfFirst();
  m_measuredAt.clear();
  m_loading = {sweep.over, {}, {}, sweep.points.size()};
  tell({});
  for (const SavedSweep::Point& point : sweep.points) {
    m_workspace->store()->load(
        point.id, this, [this, number, value = point.value](const base::Result<report::Document>& document) {
          takeLoaded(number, value, document);
        });
  }
  refreshSaved();
}

void SweepDesk::takeLoaded(quint64 number, std::int64_t value,
                           const base::Result<report::Document>& document) {
  if (number != m_number) return;
  if (document) {
    m_loading.points.push_back({value, *document});
  } else {
    m_loading.problems.push_back(QStringLiteral("%1: %2").arg(pointName(m_loading.over, value),
                                                              format::fromUtf8(document.error().message)));
    tell(m_loading.problems.front());
  }
  if (--m_loading.wanted > 0) return;
  build(m_loading.over, std::move(m_loading.points), std::move(m_loading.problems));
}

void SweepDesk::refreshSaved() {
  m_saved.clear();
  if (m_workspace->store() != nullptr && m_workspace->store()->runs())
    m_saved = savedSweeps(*m_workspace->store()->runs());
  QStringList words;
  int current = -1;
  const auto isMeasured = [this](const SavedSweep::Point& point) {
    const store::StoredRun* run = m_workspace->store()->find(point.id);
    return run != nullptr && run->startedAt == m_measuredAt;
  };
  for (std::size_t i = 0; i < m_saved.size(); ++i) {
    words << m_saved[i].words;
    if (m_shown == 0 && !m_measuredAt.empty() && std::ranges::any_of(m_saved[i].points, isMeasured))
      m_shown = m_saved[i].idOfFirst();
    if (m_shown != 0 && m_saved[i].idOfFirst() == m_shown) current = int(i);
  }
  m_page->sweepBar()->setSaved(words, current);
}

void SweepDesk::refreshStatus() {
  QStringList variables;
  if (const session::FunctionInfo* function = m_workspace->currentFunction()) {
    // The steps of a scenario have their sizes from its arrays.
    if (!m_workspace->scenario()->isChosen()) {
      for (const std::string& name : function->signature.freeDimensions)
        variables << QString::fromStdString(name);
    }
    variables << QString::fromLatin1(session::kSweepThreads.data(), qsizetype(session::kSweepThreads.size()));
  }
  SweepBar* bar = m_page->sweepBar();
  bar->setVariables(variables);
  bar->setPossible(m_workspace->canRun(),
                   m_workspace->executable()
                       ? QStringLiteral("Not while something runs, or an input is missing")
                       : QStringLiteral("Open an executable first"));
  bar->setProgress(isRunning(), m_progress);
}

void SweepDesk::forgetOther() {
  if (m_view == nullptr || m_workspace->openPath() == m_shownBeside) return;
  ++m_number;
  m_view.reset();
  m_shown = 0;
  m_measuredAt.clear();
  m_page->setSweep(nullptr);
  tell({});
  refreshSaved();
}

void SweepDesk::tell(const QString& problem) {
  m_page->sweepBar()->setProblem(problem);
}

}  // namespace opscope::ui
