// SPDX-License-Identifier: GPL-3.0-or-later
// The boards that the user keeps, as an item model. GUI thread; the workspace owns it and writes it to the
// settings when it changed. Every change of the list can be undone.
#pragma once

#include <QAbstractListModel>
#include <QJsonArray>
#include <functional>
#include <vector>

#include "ui/models/saved_board.h"

namespace opscope::ui {

class BoardList : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role { IdRole = Qt::UserRole + 1, PlaceRole, StateRole, PassedRole, KindRole };
  using QAbstractListModel::QAbstractListModel;

  const std::vector<SavedBoard>& boards() const { return m_boards; }
  /// Null when there is none of that id.
  const SavedBoard* find(const QString& id) const;
  int rowOf(const QString& id) const;

  void restore(const QJsonArray& array);
  QJsonArray save() const;

  /// Gives the new row. Ids are made here.
  int add(SavedBoard board);
  /// A copy below, with a name of its own. Gives its row.
  int duplicate(int row);
  void remove(int row);
  /// The board with the same id becomes `board`. Typing on in one board is one step of undo.
  void change(const SavedBoard& board);
  /// What a check told. Not a step of undo.
  void setState(const QString& id, bool passed, const QString& state, const QStringList& devices);
  /// What a check or a run told of its server. Not a step of undo.
  void setServer(const QString& id, SavedBoard::Server server);
  bool canUndo() const { return !m_past.empty(); }
  /// Gives the row that the change was about; -1 when it is not there any more.
  int undo();
  /// "Remove “lab tracker”".
  QString undoText() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 Q_SIGNALS:
  /// Anything that settings keep.
  void changed();

 private:
  struct Step {
    std::vector<SavedBoard> before;
    QString id;
    QString words;
    bool isEdit = false;
  };
  /// `change` of the board in the list and in all that undo would bring back.
  void tell(const QString& id, const std::function<void(SavedBoard&)>& change);
  void keepStep(const QString& id, const QString& words, bool isEdit);
  QString freeName(const QString& name) const;
  QString newId() const;

  static constexpr std::size_t kMostSteps = 50;

  std::vector<SavedBoard> m_boards;
  std::vector<Step> m_past;
};

}  // namespace opscope::ui
