// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the Compare page as an item model. GUI thread; the page owns it.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <set>
#include <vector>

#include "ui/models/compare_view.h"

namespace opscope::ui {

enum CompareRole {
  RatioRole = Qt::UserRole + 40,  ///< double; invalid without one
  RatioLowRole,
  RatioHighRole,
  VerdictRole,  ///< int of report::Verdict
};

class CompareModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Old, New, Difference, Ratio, RatioBar, Interval, Verdict, kColumns };

  using QAbstractTableModel::QAbstractTableModel;

  void setComparison(const std::shared_ptr<const CompareView>& view);
  const std::shared_ptr<const CompareView>& comparison() const { return m_view; }
  void setFilter(const OpFilter& filter);
  /// Shows these alone; empty: all.
  void setVerdicts(const std::set<report::Verdict>& verdicts);
  const std::set<report::Verdict>& verdicts() const { return m_verdicts; }

  const report::ComparedOp& opAt(int row) const { return m_view->op(indexAt(row)); }
  /// Of Comparison::ops.
  int indexAt(int row) const { return m_order[std::size_t(row)]; }
  /// -1 when it is not shown.
  int rowOf(int index) const;
  int sortColumn() const { return m_sortColumn; }
  Qt::SortOrder sortOrder() const { return m_sortOrder; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 Q_SIGNALS:
  void rowsChanged();

 private:
  void rebuild();
  bool passes(const report::ComparedOp& op) const;
  double sortKey(const report::ComparedOp& op) const;
  QString shownText(const report::ComparedOp& op, int column) const;
  QString plainText(const report::ComparedOp& op, int column) const;
  QString tooltip(const report::ComparedOp& op, int column) const;

  std::shared_ptr<const CompareView> m_view;
  std::vector<int> m_order;
  OpFilter m_filter;
  std::set<report::Verdict> m_verdicts;
  int m_sortColumn = Difference;
  Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

}  // namespace opscope::ui
