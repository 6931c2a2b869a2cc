// SPDX-License-Identifier: GPL-3.0-or-later
// What the tool bar's Target offers: this computer, this computer isolated, the saved boards, and the way to
// the Boards dialog. GUI thread; the tool bar owns it, and the list of boards outlives it.
#pragma once

#include <QAbstractListModel>
#include <QHash>

#include "ui/models/board_list.h"

namespace opscope::ui {

class TargetList : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { IdRole = Qt::UserRole + 1, DetailRole, IconRole, GroupStartRole, ShortcutRole };
  explicit TargetList(BoardList* boards, QObject* parent = nullptr);

  /// Id of the last row, which is no target: it opens the Boards dialog.
  static const QString& manageId();
  int rowOf(const QString& id) const;
  QString idAt(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  QVariant boardData(const SavedBoard& board, int role) const;
  /// After rows came, went or changed: another board may have the name now.
  void refreshNames();

  BoardList* m_boards;
  QHash<QString, QString> m_names;  ///< by the board's id: told apart
};

/// "This computer", the name of a board; the id where there is no such board.
QString targetName(const BoardList& boards, const QString& id);

}  // namespace opscope::ui
