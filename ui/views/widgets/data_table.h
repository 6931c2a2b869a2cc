// SPDX-License-Identifier: GPL-3.0-or-later
// A table of ops: uniform rows, hovered row, keyboard, copy. GUI thread.
#pragma once

#include <QTableView>
#include <optional>

#include "ui/models/ops_model.h"
#include "ui/models/table_text.h"
#include "ui/views/look/theme.h"

namespace opscope::ui {

class DataTable : public QTableView {
  Q_OBJECT
 public:
  explicit DataTable(const Theme* theme, QWidget* parent = nullptr);
  int hoverRow() const { return m_hoverRow; }
  /// In design pixels; 24 unless set.
  void setRowHeight(double height);

  /// Puts the delegate of its kind on each column of an OpsModel. Call again when columns changed.
  void applyDelegates(const OpsModel& model);
  std::vector<int> selectedRows() const;
  /// In the column that the current cell was in last, also when the rows were made anew in between.
  void setCurrentRow(int row);
  /// In the order on screen.
  std::vector<int> shownColumns() const;
  /// Selected rows (all, when none is) as text.
  QString rowsText(TextFormat format) const;
  void copyCell();
  /// As a click on the title of the current cell's column; without one, of the first.
  void sortByCurrentColumn();
  void copyRows(TextFormat format);

 Q_SIGNALS:
  /// Return or double click.
  void rowActivated(int row);
  /// In a table whose rows unfold (FoldRole): Right and Left in the column of the marks, "+" and "-" in any,
  /// or a click on the mark.
  void foldRequested(int row, bool unfolded);
  /// Left on a member: to the row that it stands under.
  void parentRequested(int row);

 protected:
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  bool takeFoldKey(int key);
  /// Where the marks of folding are; nothing: the rows do not unfold.
  std::optional<int> foldColumn(int row) const;
  /// The row whose mark of folding is there.
  std::optional<int> foldMarkAt(const QPoint& place) const;

  void setHoverRow(int row);
  void restyle();

  const Theme* m_theme;
  int m_hoverRow = -1;
  int m_column = 0;  ///< of the last current cell
  double m_rowHeight = 24;
};

}  // namespace opscope::ui
