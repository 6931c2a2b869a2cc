// SPDX-License-Identifier: GPL-3.0-or-later
// The boards of a fleet run, one row a board, as their results come. GUI thread; the workspace owns it.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "ui/bridge/board_types.h"
#include "ui/bridge/run_store.h"

namespace opscope::ui {

class FleetModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Tick, Board, State, Median, Noise, Repeats, Slower, kColumns };
  struct Row {
    QString board;
    bool ended = false;
    std::shared_ptr<const report::Run> run;  ///< null when nothing was measured
    std::optional<base::Error> error;
    double medianUs = 0;
    std::optional<double> noise;  ///< in percent
    std::optional<store::RunId> saved;
    bool ticked = true;  ///< is compared; means something once it is saved
  };
  using QAbstractTableModel::QAbstractTableModel;

  /// So many rows that measure.
  void start(int boards);
  void add(const session::FleetResult& result);
  /// What has not ended by now does not any more.
  void finish();
  void noteSaved(const std::shared_ptr<const report::Run>& run, store::RunId id);
  const std::vector<Row>& rows() const { return m_rows; }
  int ended() const;
  /// With all of their repeats.
  int measured() const;
  /// That measured something before they failed.
  int measuredInPart() const;
  /// Of the rows that are saved, the fastest and the slowest; nothing with less than two.
  std::optional<std::pair<store::RunId, store::RunId>> extremes() const;
  struct Sides {
    std::size_t reference = 0;  ///< row
    std::vector<store::RunId> before;
    std::vector<store::RunId> after;
  };
  /// All ticked boards against one: that of row `chosen`, or the fastest of them when that has no run.
  /// Nothing when no other is ticked.
  std::optional<Sides> sidesFor(int chosen) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;

 private:
  double fastestUs() const;
  QString text(const Row& row, int column) const;

  std::vector<Row> m_rows;
};

}  // namespace opscope::ui
