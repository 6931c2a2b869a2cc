// SPDX-License-Identifier: GPL-3.0-or-later
// Where two runs of the same calls differ, as a table: every call whose outputs differ, calls without a
// partner, and results. GUI thread; the dialog owns it.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/bridge/session_types.h"

namespace opscope::ui {

class DivergenceModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Call, Op, Output, Beyond, Absolute, Relative, First, kColumns };
  /// The op's name as calls of a run have it; empty for results.
  enum Role { OpRole = Qt::UserRole + 1, FirstRole };
  using QAbstractTableModel::QAbstractTableModel;

  void setDivergence(const session::Divergence& divergence);
  const session::Divergence& divergence() const { return m_divergence; }
  /// Of the first op that differs; -1 when there is none.
  int firstRow() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString call;
    QString op;
    QString opName;
    QString output;
    QString beyond;
    QString absolute;
    QString relative;
    QString first;
    QString tooltip;
    bool isFirst = false;
  };
  void addCall(const session::ComparedCall& call, bool isFirst);
  static Row rowOf(const session::TensorDifference& difference);

  session::Divergence m_divergence;
  std::vector<Row> m_rows;
};

/// "conv2d8 is the first op that differs", "No op differs".
QString divergenceTitle(const session::Divergence& divergence);
/// "46 calls compared, paired by order; 3 differ beyond rtol 1e-5, atol 1e-5. 1 of 1 results agree."
QString divergenceSummary(const session::Divergence& divergence);

}  // namespace opscope::ui
