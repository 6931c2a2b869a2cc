// SPDX-License-Identifier: GPL-3.0-or-later
// What a run returned, as a table: a row for each output with type, shape and what its values are like. GUI
// thread; the dialog owns it.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/bridge/session_types.h"

namespace opscope::ui {

class OutputsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Path, Type, Shape, Least, Largest, Mean, Nans, Infinities, Values, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void setOutputs(std::vector<session::OutputSummary> outputs);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<session::OutputSummary> m_outputs;
};

/// "2 outputs, all values finite", "out/1 holds 3 NaN and 1 Inf in 1 000 values".
QString outputsSummary(const std::vector<session::OutputSummary>& outputs);
/// Some output holds NaN or Inf.
bool anyNotFinite(const std::vector<session::OutputSummary>& outputs);

}  // namespace opscope::ui
