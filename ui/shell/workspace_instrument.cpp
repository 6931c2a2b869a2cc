// SPDX-License-Identifier: GPL-3.0-or-later
// The workspace and runs that look at every call: dump, check for NaN and Inf, first difference.
#include <QDir>
#include <QFileInfo>

#include "ui/shell/workspace.h"

namespace opscope::ui {
namespace {

/// A file that is not there yet: a dump is never written over another one.
QString freeFile(const QString& folder, const QString& stem) {
  const QDir place(folder);
  QString name = QStringLiteral("%1.npz").arg(stem);
  for (int number = 2; place.exists(name); ++number) name = QStringLiteral("%1-%2.npz").arg(stem).arg(number);
  return place.filePath(name);
}

}  // namespace

void Workspace::dumpTensors(const QString& folder) {
  if (!canRun()) return;
  const QString stem =
      QFileInfo(m_openPath).completeBaseName() + QLatin1Char('-') + runName().section(QLatin1Char('.'), 0, 0);
  m_dumpFile = freeFile(folder, stem);
  session::RunRequest request;
  request.dumpFile = m_dumpFile.toStdString();
  startRun(Activity::Dump, request,
           QStringLiteral("%1, once, every tensor to %2").arg(runName(), m_dumpFile));
}

void Workspace::checkFinite() {
  if (!canRun()) return;
  session::RunRequest request;
  request.checkFinite = true;
  startRun(Activity::FiniteCheck, request,
           QStringLiteral("%1, once, looking for NaN and Inf").arg(runName()));
}

void Workspace::diverge(const DivergeChoice& choice) {
  if (!canRun() || reloadsFirst([this, choice]() { diverge(choice); })) return;
  session::DivergeRequest request;
  request.pathA = m_openPath.toStdString();
  request.pathB = choice.pathB.toStdString();
  request.plan = callPlan();
  request.settings = runSettings();
  request.targetA = request.settings.target;
  request.targetB = targetText(choice.targetB).toStdString();
  if (const SavedBoard* other = m_boards.find(choice.targetB))
    request.secretFileB = other->secretFile.toStdString();
  request.rtol = choice.rtol;
  request.atol = choice.atol;
  begin(Activity::Diverge, QStringLiteral("%1, twice, to find the first op that differs").arg(runName()));
  m_bridge.diverge(std::move(request));
}

bool Workspace::selectOp(const QString& name) {
  if (!m_run || name.isEmpty()) return false;
  const report::Run& run = m_run->run();
  const std::string wanted = name.toStdString();
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    if (run.calls[i].name == report::kNone || run.names[run.calls[i].name] != wanted) continue;
    m_selection.setCall(run, std::uint32_t(i));
    return true;
  }
  return false;
}

}  // namespace opscope::ui
