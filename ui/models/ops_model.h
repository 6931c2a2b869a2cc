// SPDX-License-Identifier: GPL-3.0-or-later
// The Ops table as an item model. GUI thread; the page owns it. Large documents are grouped, sorted and
// filtered in the background: the old rows stay until the new are whole.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "ui/bridge/background.h"
#include "ui/models/ops_columns.h"

namespace opscope::ui {

enum OpsRole {
  PlainTextRole = Qt::UserRole + 1,  ///< what copying a cell gives
  NumberRole,                        ///< the double behind the text
  KindRole,                          ///< int of report::OpKind; invalid where a row holds several
  ShareRole,                         ///< 0 to 1: length of the share bar
  FileTitleRole,                     ///< of a header, as in files
};

class OpsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  /// `background` must outlive the model.
  explicit OpsModel(Background* background, QObject* parent = nullptr);

  void setDocument(const report::Document& document, OpsWhole whole = OpsWhole::Run);
  void setGrouping(report::Grouping grouping);
  report::Grouping grouping() const { return m_grouping; }
  void setFilter(const OpFilter& filter);
  const OpFilter& filter() const { return m_filter; }

  /// At most this many rows, for a top ten.
  void setRowLimit(std::size_t rows) { m_rowLimit = rows; }

  /// Null until a document is there.
  const OpsData* opsData() const { return m_data.get(); }
  bool isBusy() const { return m_wanted != m_shown; }
  int sortColumn() const { return m_sortColumn; }
  Qt::SortOrder sortOrder() const { return m_sortOrder; }
  /// Row of the table behind a row on screen.
  std::uint32_t tableRow(int row) const { return m_order[std::size_t(row)]; }
  const report::OpRow& opRow(int row) const { return m_data->table.rows[tableRow(row)]; }
  /// Of a coarse row: the longest of its ops.
  OpId opAt(int row) const;
  /// The filter that leaves a coarse row's ops alone; empty for other rows.
  QString filterOf(int row) const;
  /// The call that a row stands for when there is one row for each call.
  std::optional<std::uint32_t> callAt(int row) const;
  /// -1 when it is not shown.
  int rowOf(const OpId& op, std::optional<std::uint32_t> call) const;
  int columnOf(OpsColumn::Kind kind) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 Q_SIGNALS:
  /// New rows are whole (another document, grouping, filter or order).
  void rowsChanged();
  void columnsChanged();

 private:
  struct Prepared {
    std::shared_ptr<const OpsData> data;
    std::vector<std::uint32_t> order;
  };
  void rebuild(bool regroup);
  int coarseRowOf(const OpId& op, std::optional<std::uint32_t> call) const;
  void show(Prepared prepared);
  QVariant cellTooltip(std::uint32_t row, const OpsColumn& column) const;

  Background* m_background;
  report::Document m_document;
  OpsWhole m_whole = OpsWhole::Run;
  report::Grouping m_grouping = report::Grouping::ByOp;
  OpFilter m_filter;
  int m_sortColumn = 1;
  Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
  std::shared_ptr<const OpsData> m_data;
  std::vector<std::uint32_t> m_order;
  quint64 m_wanted = 0;  ///< number of the newest state asked for
  quint64 m_shown = 0;
  bool m_regroupPending = false;
  std::size_t m_rowLimit = std::size_t(-1);
};

}  // namespace opscope::ui
