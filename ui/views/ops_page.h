// SPDX-License-Identifier: GPL-3.0-or-later
// The Ops page: one row an op or a call, filter, sorting, columns, copying, totals. GUI thread.
#pragma once

#include <QLineEdit>
#include <QMenu>
#include <QTimer>

#include "ui/models/ops_model.h"
#include "ui/views/run_page.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/filter_field.h"
#include "ui/views/widgets/filter_problem.h"
#include "ui/views/widgets/range_chip.h"

namespace opscope::ui {

class OpsPage : public RunPage {
  Q_OBJECT
 public:
  explicit OpsPage(const PageContext& context, QWidget* parent = nullptr);
  void setRun(std::shared_ptr<const RunView> run) override;
  void setRange(std::shared_ptr<const RunView> part) override;
  void setStatus(const PageStatus& status) override;
  bool focusSearch() override;
  std::vector<PageAct> acts() override;
  /// Ids of columns that were chosen before; empty: the usual ones.
  void setShownColumns(const QStringList& ids);
  /// How rows are made, by an id of groupings(); unknown ones change nothing.
  void setGrouping(const QString& id);
  QString grouping() const;
  DataTable* rowsTable() override { return run() ? m_table : nullptr; }
  DataTable* table() { return m_table; }
  OpsModel* model() { return m_model; }

 Q_SIGNALS:
  /// Return or double click on an op.
  void timelineRequested();
  /// From the menu of a row; its op is chosen.
  void codeRequested();
  /// In the order on screen; empty: the usual ones.
  void shownColumnsChanged(const QStringList& ids);
  void groupingChanged(const QString& id);
  /// A row that sums several ops is chosen, or no longer (null).
  void groupChosen(const std::shared_ptr<const OpGroup>& group);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void connectAll();
  QWidget* buildBar();
  void addGroupButtons(QHBoxLayout* row);
  void connectBar();
  void chooseGrouping(report::Grouping grouping);
  void showGrouping();
  void activateRow(int row);
  void orderColumns();
  void placeColumns(const OpsData& rows);
  void moveColumn(int column, int by);
  void showHeaderMenu(const QPoint& place);
  void showRowMenu(const QPoint& place);
  void fillRowMenu(QMenu* menu, int row);
  void buildCopyButton();
  QWidget* buildTotals();
  void applyColumns();
  void layoutColumns();
  void chooseColumn(int column, bool shown);
  void fillColumnsMenu();
  bool hasSteps() const;
  /// `grouping`, or the usual one where the run cannot be grouped so.
  report::Grouping possible(report::Grouping grouping) const;
  void applyGrouping();
  void showFilter();
  void showSelection();
  void takeSelection();
  void showTotals();
  void showPart(std::shared_ptr<const RunView> part);
  /// A selected member of a selected row is counted there.
  bool isWithin(int row, const std::vector<int>& rows) const;
  QString totalsText(const OpsData& rows) const;
  void showNothingFound();
  QStringList defaultColumns() const;
  bool isHidden(const QString& columnId) const;
  /// Of a header with the mark of sorting.
  int titleWidth(int column) const;
  int widthOf(int column) const;
  /// How much of `width` a column can do without.
  int spareOf(int column, int width) const;

  OpsModel* m_model;
  DataTable* m_table;
  QLineEdit* m_filter;
  ActionButton* m_regex;
  RangeChip* m_range;
  ActionButton* m_eachCall;
  ActionButton* m_grouped;
  ActionButton* m_groupChoice;
  QMenu* m_groupMenu;
  ActionButton* m_columns;
  ActionButton* m_copy;
  QMenu* m_columnsMenu;
  FilterProblem* m_filterProblem;
  QStackedWidget* m_tableStack;
  EmptyState* m_nothingFound;
  ActionButton* m_clearFilter;
  ActionButton* m_clearRange;
  ElidedText* m_selectedTotals;
  ElidedText* m_allTotals;
  std::shared_ptr<const RunView> m_part;
  QStringList m_shownIds;
  report::Grouping m_chosenGrouping = report::Grouping::ByOp;  ///< also while a run has no steps for it
  report::Grouping m_lastGrouped = report::Grouping::ByOp;
  int m_menuColumn = -1;  ///< that the columns menu was asked for on
  bool m_orderingColumns = false;
  bool m_showing = false;
  bool m_groupShown = false;
};

}  // namespace opscope::ui
