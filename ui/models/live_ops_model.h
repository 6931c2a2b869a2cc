// SPDX-License-Identifier: GPL-3.0-or-later
// The ops of a profile that goes on as an item model, the longest first: medians over the repeats until now.
// GUI thread; the page owns it.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "ui/models/live_run.h"

namespace opscope::ui {

class LiveOpsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Duration, Percent, Count, Deviation, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  /// Takes what the rows say; the run may change or end afterwards.
  void setRun(const LiveRun& run);
  void clear();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString name;
    report::OpKind kind = report::OpKind::Other;
    std::uint32_t calls = 0;
    double medianUs = 0;
    double percent = 0;  ///< of the total, 0 to 100
    std::optional<double> deviationUs;
    bool operator==(const Row&) const = default;
  };
  static Row rowOf(const LiveRun::Op& op, double totalUs);
  QString text(const Row& row, int column) const;
  QVariant plain(const Row& row, int column) const;

  std::vector<Row> m_rows;
  double m_largestPercent = 0;
};

}  // namespace opscope::ui
