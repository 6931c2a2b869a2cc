// SPDX-License-Identifier: GPL-3.0-or-later
// The Boards dialog: saved boards at the left, how to reach one, its check and its tracker at the right. GUI
// thread; the network is the service's. List and theme outlive it.
#pragma once

#include <QDialog>
#include <QListView>
#include <QScrollArea>

#include "ui/bridge/board_service.h"
#include "ui/models/board_list.h"
#include "ui/views/boards/board_form.h"
#include "ui/views/boards/check_panel.h"
#include "ui/views/boards/tracker_panel.h"

namespace opscope::ui {

class BoardsDialog : public QDialog {
  Q_OBJECT
 public:
  BoardsDialog(const Theme* theme, BoardList* boards, QWidget* parent = nullptr);

  /// The board of that id is shown; without one the first, or a new one when there is none.
  void choose(const QString& id);
  /// Checks the board that is shown.
  void check();
  QString currentId() const;

 Q_SIGNALS:
  void targetChosen(const QString& id);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QWidget* buildList();
  QWidget* buildDetails();
  QWidget* buildFoot();
  void connectAll();
  void showBoard(int row);
  void addBoard();
  void undo();
  void onEdited(const SavedBoard& board);
  void onChecked(const session::BoardCheck& check);
  void readTracker();
  void refresh();
  void refreshCheck();
  BoardAddress addressOf(const SavedBoard& board, const QString& target) const;
  QString serverCommand() const;

  const Theme* m_theme;
  BoardList* m_boards;
  BoardService m_service;
  QListView* m_list;
  ActionButton* m_add;
  ActionButton* m_duplicate;
  ActionButton* m_remove;
  LinkButton* m_undo;
  QWidget* m_details;
  EmptyState* m_empty;
  BoardForm* m_form;
  CheckPanel* m_check;
  TrackerPanel* m_tracker;
  ActionButton* m_checkButton;
  ActionButton* m_use;
  QString m_shown;
  QString m_checking;
};

}  // namespace opscope::ui
