// SPDX-License-Identifier: GPL-3.0-or-later
// The window's dealings with boards: the Boards dialog, a run on a fleet and what becomes of its results. GUI
// thread; the window owns it.
#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>

#include "ui/shell/workspace.h"
#include "ui/views/boards/boards_dialog.h"
#include "ui/views/boards/fleet_dialog.h"

namespace opscope::ui {

class BoardDesk : public QObject {
  Q_OBJECT
 public:
  BoardDesk(const Theme* theme, Workspace* workspace, QWidget* window);

  /// The dialog with the board of that id, or with the target's.
  void showBoards(const QString& id = {});
  /// The same, and its check begins.
  void check(const QString& id = {});
  void runFleet();
  BoardsDialog* dialog() const { return m_dialog; }
  FleetDialog* fleetDialog() const { return m_fleet; }

 Q_SIGNALS:
  /// The fastest board's run, then the slowest's: to be ticked and compared.
  void compareRequested(store::RunId before, store::RunId after);
  /// Chosen in the fleet's dialog: one board's run, and those of others.
  void groupsRequested(const std::vector<store::RunId>& before, const std::vector<store::RunId>& after);

 private:
  void onFleetFinished(const std::optional<base::Error>& error);
  void refreshFleet();
  void offerComparison();

  const Theme* m_theme;
  Workspace* m_workspace;
  QWidget* m_window;
  QPointer<BoardsDialog> m_dialog;
  QPointer<FleetDialog> m_fleet;
  bool m_comparesWhenSaved = false;  ///< a fleet has ended, and its runs are on their way to the store
};

}  // namespace opscope::ui
