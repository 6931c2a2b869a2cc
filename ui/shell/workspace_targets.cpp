// SPDX-License-Identifier: GPL-3.0-or-later
// The workspace and where things run: targets, boards, fleets.
#include <utility>

#include "ui/models/format.h"
#include "ui/models/target_list.h"
#include "ui/shell/workspace.h"

namespace opscope::ui {

void Workspace::connectTargets() {
  m_boards.restore(m_settings->boards());
  const QString kept = m_settings->target();
  if (kept == kIsolatedTarget || m_boards.find(kept) != nullptr) m_choices.target = kept;
  connect(&m_boards, &BoardList::changed, this, [this]() {
    m_settings->setBoards(m_boards.save());
    // A board that was removed runs nothing any more.
    if (ownTargetName(m_choices.target).isEmpty() && targetBoard() == nullptr) setTarget(kLocalTarget);
    Q_EMIT targetChanged();
    Q_EMIT statusChanged();
  });
  connect(&m_bridge, &SessionBridge::boardAwaited, this, [this](const QString& words) {
    if (m_waiting.isEmpty()) note(QStringLiteral("wait"), words);
    // What is waited for is said beside it.
    const QString place = words.section(QStringLiteral("waiting for a board with "), 1);
    m_waiting = place.isEmpty() ? words : place;
    Q_EMIT statusChanged();
  });
  connect(&m_bridge, &SessionBridge::divergeFinished, this, [this](const session::Divergence& divergence) {
    endRun(true);
    Q_EMIT diverged(divergence);
    Q_EMIT statusChanged();
  });
  connect(&m_fleet, &FleetBridge::started, &m_fleetModel, &FleetModel::start);
  connect(&m_fleet, &FleetBridge::started, this, [this](int boards) {
    if (!isFleetRunning()) return;
    m_progress = {session::State::Measuring, 0, std::uint64_t(boards), -1};
    Q_EMIT statusChanged();
  });
  connect(&m_fleet, &FleetBridge::boardFinished, this, &Workspace::onFleetResult);
  connect(&m_fleet, &FleetBridge::finished, this, [this](const std::optional<base::Error>& error) {
    m_fleetModel.finish();
    if (!isFleetRunning()) {
      // It was given up for another file; the next one can begin now.
      Q_EMIT statusChanged();
      return;
    }
    endRun(true);
    if (error) {
      note(QStringLiteral("error"), format::fromUtf8(error->message), true);
    } else {
      Q_EMIT noticed(QStringLiteral("%1 of %2 measured")
                         .arg(m_fleetModel.measured())
                         .arg(format::counted(m_fleetModel.rowCount(), "board", "boards")));
    }
    Q_EMIT fleetFinished(error);
    Q_EMIT statusChanged();
  });
}

QString Workspace::targetName(const QString& id) const {
  return ui::targetName(m_boards, id);
}

QString Workspace::targetText(const QString& id) const {
  const QString& wanted = id.isEmpty() ? m_choices.target : id;
  const SavedBoard* board = m_boards.find(wanted);
  return board != nullptr ? board->target() : wanted;
}

void Workspace::setTarget(const QString& id) {
  if (id == m_choices.target || m_running) return;
  m_choices.target = id;
  m_settings->setTarget(id);
  if (!devices().contains(m_choices.device)) m_choices.device = devices().value(0, QStringLiteral("cpu:0"));
  Q_EMIT targetChanged();
  Q_EMIT statusChanged();
}

QStringList Workspace::devices() const {
  const SavedBoard* board = targetBoard();
  if (board != nullptr && !board->devices.isEmpty()) return board->devices;
  return {QStringLiteral("cpu:0")};
}

void Workspace::setDevice(const QString& device) {
  if (device == m_choices.device || m_running) return;
  m_choices.device = device;
  Q_EMIT statusChanged();
}

session::RunSettings Workspace::runSettings() const {
  session::RunSettings settings;
  settings.device = m_choices.device.toStdString();
  settings.target = targetText().toStdString();
  optionsInForce().applyTo(settings);
  if (const SavedBoard* board = targetBoard()) settings.secretFile = board->secretFile.toStdString();
  return settings;
}

RunOptions Workspace::optionsInForce() const {
  RunOptions options = m_choices.options;
  if (m_choices.target == kLocalTarget) options.timeoutSeconds = 0;
  const SavedBoard* board = targetBoard();
  return board != nullptr && board->isTvmServer() ? options.forTvmServer() : options;
}

QString Workspace::leftOutWords() const {
  const SavedBoard* board = targetBoard();
  if (board == nullptr || !board->isTvmServer()) return {};
  QStringList names = m_choices.options.notForTvmServer();
  if (m_choices.recordsMemory) names << QStringLiteral("recording of memory");
  if (m_choices.recordsThreads) names << QStringLiteral("recording of threads");
  return names.join(QStringLiteral(", "));
}

void Workspace::noteServer(const report::Run& run) {
  if (!run.remote || targetBoard() == nullptr) return;
  for (const report::Fact& fact : run.remote->board) {
    if (fact.name != "Server") continue;
    using Server = SavedBoard::Server;
    m_boards.setServer(m_choices.target,
                       fact.value.starts_with("opscope-server") ? Server::Opscope : Server::Tvm);
  }
}

void Workspace::setRunOptions(const RunOptions& options) {
  if (m_running || !m_executable || options == m_choices.options) return;
  m_choices.options = options;
  m_settings->setRunOptions(QString::fromStdString(m_executable->hash), options);
  Q_EMIT statusChanged();
}

bool Workspace::canRunFleet() const {
  const SavedBoard* board = targetBoard();
  return canRun() && !m_fleet.isBusy() && board != nullptr && board->kind == SavedBoard::Kind::Tracker;
}

void Workspace::profileFleet() {
  if (!canRunFleet() || reloadsFirst([this]() { profileFleet(); })) return;
  session::ProfileRequest request = profileRequest();
  request.recordMemory = request.recordLanes = false;
  m_fleetModel.start(0);
  begin(Activity::Fleet,
        QStringLiteral("%1 on all free boards of %2").arg(runName(), targetName(m_choices.target)));
  m_fleet.start(request);
}

void Workspace::onFleetResult(const session::FleetResult& result) {
  const QString board = format::fromUtf8(result.board);
  m_fleetModel.add(result);
  if (isFleetRunning()) m_progress.done = std::uint64_t(m_fleetModel.ended());
  // Without the store there is nothing to compare in, so these are kept also when runs are not saved.
  if (result.document.run && m_store != nullptr && result.document.run->repeats > 0)
    m_store->save(result.document, {result.board, {"fleet"}});
  if (result.error) {
    note(QStringLiteral("board"),
         QStringLiteral("%1: %2").arg(board, format::fromUtf8(result.error->message)), true);
  } else {
    note(QStringLiteral("board"),
         QStringLiteral("%1: %2 measured")
             .arg(board, format::counted(result.document.run->repeats, "repeat", "repeats")));
  }
  Q_EMIT statusChanged();
}

}  // namespace opscope::ui
