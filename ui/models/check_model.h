// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a check as a table: what came out, what goes on, what is to come. GUI thread; the dialog owns
// it.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "ui/bridge/board_types.h"

namespace opscope::ui {

class CheckModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Title, Words, Time, kColumns };
  enum class State { ToCome, Now, Passed, Noted, Failed };
  enum Role { StateRole = Qt::UserRole + 1 };
  using QAbstractTableModel::QAbstractTableModel;

  /// All steps of a way to a board, none done yet.
  void prepare(bool throughTracker);
  /// The first one goes on now.
  void begin();
  void addStep(const session::CheckStep& step);
  /// What is not done stays "not tried".
  void finish(const session::BoardCheck& check);
  /// The user ended it.
  void stop();
  bool isRunning() const { return m_running; }
  const std::optional<session::BoardCheck>& result() const { return m_result; }
  State stateOf(int row) const { return m_rows[std::size_t(row)].state; }
  /// -1: none failed.
  int failedRow() const;
  /// "stopped at step 5 of 14 after 1.04 s", "all 10 steps passed in 12 ms", "step 3 of 10".
  QString summary() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString id;
    QString title;
    State state = State::ToCome;
    QString words;
    double ms = -1;
  };
  void changeRow(std::size_t row);
  void markNow(std::size_t row);
  void endNow();
  double spentMs() const;

  std::vector<Row> m_rows;
  std::optional<session::BoardCheck> m_result;
  std::size_t m_next = 0;
  bool m_running = false;
  bool m_stopped = false;
};

}  // namespace opscope::ui
