// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/board_desk.h"

namespace opscope::ui {

BoardDesk::BoardDesk(const Theme* theme, Workspace* workspace, QWidget* window)
    : QObject(window), m_theme(theme), m_workspace(workspace), m_window(window) {
  connect(workspace, &Workspace::fleetFinished, this, &BoardDesk::onFleetFinished);
  connect(workspace, &Workspace::fleetSaved, this, [this]() {
    refreshFleet();
    offerComparison();
  });
  connect(workspace, &Workspace::statusChanged, this, &BoardDesk::refreshFleet);
}

void BoardDesk::showBoards(const QString& id) {
  if (m_dialog.isNull()) {
    m_dialog = new BoardsDialog(m_theme, m_workspace->boards(), m_window);
    m_dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_dialog, &BoardsDialog::targetChosen, this, [this](const QString& target) {
      m_workspace->setTarget(target);
      m_dialog->close();
      Q_EMIT m_workspace->noticed(QStringLiteral("Run goes to %1").arg(m_workspace->targetName(target)));
    });
  }
  m_dialog->choose(id.isEmpty() ? m_workspace->choices().target : id);
  m_dialog->show();
  m_dialog->raise();
  m_dialog->activateWindow();
}

void BoardDesk::check(const QString& id) {
  showBoards(id);
  m_dialog->check();
}

void BoardDesk::runFleet() {
  if (!m_workspace->canRunFleet()) return;
  if (m_fleet.isNull()) {
    m_fleet = new FleetDialog(m_theme, m_workspace->fleet(), m_window);
    connect(m_fleet, &FleetDialog::stopRequested, m_workspace, &Workspace::stop);
    connect(m_fleet, &FleetDialog::runRequested, m_workspace, &Workspace::openSaved);
    connect(m_fleet, &FleetDialog::compareRequested, this, &BoardDesk::groupsRequested);
  }
  m_comparesWhenSaved = false;
  m_workspace->profileFleet();
  m_fleet->begin(m_workspace->runName(), m_workspace->targetName(m_workspace->choices().target));
  m_fleet->show();
  m_fleet->raise();
  m_fleet->activateWindow();
}

void BoardDesk::refreshFleet() {
  if (m_fleet.isNull() || m_workspace->activity() != Activity::Fleet) return;
  if (m_workspace->isRunning() || m_workspace->fleet()->rowCount() > 0)
    m_fleet->refresh(m_workspace->isRunning());
}

void BoardDesk::onFleetFinished(const std::optional<base::Error>& error) {
  if (m_fleet.isNull()) return;
  if (error) {
    m_fleet->setProblem(*error);
    return;
  }
  m_fleet->refresh(false);
  m_comparesWhenSaved = true;
  offerComparison();
}

void BoardDesk::offerComparison() {
  if (!m_comparesWhenSaved) return;
  int unsaved = 0;
  for (const FleetModel::Row& row : m_workspace->fleet()->rows())
    unsaved += row.run && row.run->repeats > 0 && !row.saved ? 1 : 0;
  const auto runs = m_workspace->fleet()->extremes();
  if (unsaved > 0 || !runs) return;
  m_comparesWhenSaved = false;
  Q_EMIT compareRequested(runs->first, runs->second);
}

}  // namespace opscope::ui
