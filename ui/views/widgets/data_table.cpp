// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/data_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>

#include "ui/views/delegates/cell_delegate.h"

namespace opscope::ui {

DataTable::DataTable(const Theme* theme, QWidget* parent) : QTableView(parent), m_theme(theme) {
  setFrameShape(QFrame::NoFrame);
  setShowGrid(false);
  setAlternatingRowColors(true);
  setSelectionBehavior(SelectRows);
  setSelectionMode(ExtendedSelection);
  setEditTriggers(NoEditTriggers);
  setVerticalScrollMode(ScrollPerPixel);
  setHorizontalScrollMode(ScrollPerPixel);
  setWordWrap(false);
  setTabKeyNavigation(false);
  setItemDelegate(new CellDelegate(theme, this));
  viewport()->setMouseTracking(true);
  verticalHeader()->hide();
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  horizontalHeader()->setHighlightSections(false);
  // The style cuts titles itself, with the font that it paints them in.
  horizontalHeader()->setTextElideMode(Qt::ElideNone);
  horizontalHeader()->setSectionsMovable(true);
  horizontalHeader()->setMinimumSectionSize(theme->px(46));
  connect(this, &QTableView::doubleClicked, this,
          [this](const QModelIndex& index) { Q_EMIT rowActivated(index.row()); });
  connect(theme, &Theme::changed, this, &DataTable::restyle);
  restyle();
}

void DataTable::restyle() {
  verticalHeader()->setMinimumSectionSize(m_theme->px(m_rowHeight));
  verticalHeader()->setDefaultSectionSize(m_theme->px(m_rowHeight));
  horizontalHeader()->setFixedHeight(m_theme->px(26));
  viewport()->update();
}

void DataTable::setRowHeight(double height) {
  m_rowHeight = height;
  restyle();
}

void DataTable::applyDelegates(const OpsModel& model) {
  if (model.opsData() == nullptr) return;
  const auto& columns = model.opsData()->columns;
  for (int i = 0; i < int(columns.size()); ++i) {
    delete itemDelegateForColumn(i);
    CellDelegate* delegate = nullptr;
    if (columns[std::size_t(i)].kind == OpsColumn::Kind::Name) {
      delegate = new NameDelegate(m_theme, this);
    } else if (columns[std::size_t(i)].kind == OpsColumn::Kind::Percent) {
      delegate = new ShareBarDelegate(m_theme, this);
    } else if (columns[std::size_t(i)].isNumber) {
      delegate = new NumberDelegate(m_theme, this);
    } else {
      delegate = new CellDelegate(m_theme, this);
    }
    setItemDelegateForColumn(i, delegate);
  }
}

std::vector<int> DataTable::selectedRows() const {
  std::vector<int> rows;
  if (selectionModel() == nullptr) return rows;
  for (const QModelIndex& index : selectionModel()->selectedRows()) rows.push_back(index.row());
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<int> DataTable::shownColumns() const {
  std::vector<int> columns;
  for (int visual = 0; visual < horizontalHeader()->count(); ++visual) {
    const int logical = horizontalHeader()->logicalIndex(visual);
    if (!isColumnHidden(logical)) columns.push_back(logical);
  }
  return columns;
}

QString DataTable::rowsText(TextFormat format) const {
  if (model() == nullptr) return {};
  std::vector<int> rows = selectedRows();
  if (rows.empty()) {
    for (int row = 0; row < model()->rowCount(); ++row) rows.push_back(row);
  }
  return tableText(*model(), rows, shownColumns(), format);
}

void DataTable::copyCell() {
  if (currentIndex().isValid())
    QGuiApplication::clipboard()->setText(currentIndex().data(PlainTextRole).toString());
}

void DataTable::copyRows(TextFormat format) {
  QGuiApplication::clipboard()->setText(rowsText(format));
}

void DataTable::setHoverRow(int row) {
  if (row == m_hoverRow) return;
  m_hoverRow = row;
  viewport()->update();
}

void DataTable::mouseMoveEvent(QMouseEvent* event) {
  setHoverRow(rowAt(event->position().toPoint().y()));
  QTableView::mouseMoveEvent(event);
}

void DataTable::leaveEvent(QEvent* event) {
  setHoverRow(-1);
  QTableView::leaveEvent(event);
}

void DataTable::sortByCurrentColumn() {
  if (!isSortingEnabled()) return;
  const int column = std::max(0, currentIndex().column());
  QHeaderView* header = horizontalHeader();
  Qt::SortOrder order = Qt::AscendingOrder;
  if (column == header->sortIndicatorSection()) {
    order = header->sortIndicatorOrder() == Qt::AscendingOrder ? Qt::DescendingOrder : Qt::AscendingOrder;
  } else {
    const QVariant first = model()->headerData(column, Qt::Horizontal, Qt::InitialSortOrderRole);
    if (first.isValid()) order = Qt::SortOrder(first.toInt());
  }
  header->setSortIndicator(column, order);
}

std::optional<int> DataTable::foldMarkAt(const QPoint& place) const {
  const QModelIndex index = indexAt(place);
  const QVariant fold = index.data(FoldRole);
  if (!fold.isValid() || Fold(fold.toInt()) == Fold::Leaf) return std::nullopt;
  const QRect mark = NameDelegate::foldMark(*m_theme, visualRect(index), index.data(LevelRole).toInt());
  return mark.contains(place) ? std::optional(index.row()) : std::nullopt;
}

void DataTable::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) {
    if (const auto row = foldMarkAt(event->position().toPoint())) {
      const QModelIndex cell = indexAt(event->position().toPoint());
      Q_EMIT foldRequested(*row, Fold(cell.data(FoldRole).toInt()) == Fold::Folded);
      return;
    }
  }
  QTableView::mousePressEvent(event);
}

void DataTable::mouseDoubleClickEvent(QMouseEvent* event) {
  // Two quick clicks on a mark fold and unfold; they do not open the row.
  if (foldMarkAt(event->position().toPoint())) {
    mousePressEvent(event);
    return;
  }
  QTableView::mouseDoubleClickEvent(event);
}

bool DataTable::takeFoldKey(int key) {
  if (!currentIndex().isValid() || model() == nullptr) return false;
  const int row = currentIndex().row();
  QModelIndex name;
  for (int column = 0; column < model()->columnCount() && !name.data(FoldRole).isValid(); ++column)
    name = model()->index(row, column);
  if (!name.data(FoldRole).isValid()) return false;
  const Fold fold = Fold(name.data(FoldRole).toInt());
  const int level = name.data(LevelRole).toInt();
  const bool right = key == Qt::Key_Right;
  if (fold == (right ? Fold::Folded : Fold::Unfolded)) {
    Q_EMIT foldRequested(row, right);
  } else if (right && fold == Fold::Unfolded && row + 1 < model()->rowCount()) {
    setCurrentIndex(model()->index(row + 1, currentIndex().column()));
  } else if (!right && level > 0) {
    Q_EMIT parentRequested(row);
  }
  return true;
}

void DataTable::keyPressEvent(QKeyEvent* event) {
  const bool side = event->key() == Qt::Key_Right || event->key() == Qt::Key_Left;
  if (side && event->modifiers() == Qt::NoModifier && takeFoldKey(event->key())) return;
  // An editor leaves Return to its table when it has taken the text: then it is no wish to open the row.
  const bool enter =
      state() != EditingState && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter);
  if (enter && event->modifiers() == Qt::NoModifier && currentIndex().isValid()) {
    Q_EMIT rowActivated(currentIndex().row());
    return;
  }
  if (event->matches(QKeySequence::Copy)) {
    copyRows(TextFormat::TabSeparated);
    return;
  }
  // Letters start commands ('?', '/') elsewhere; type-ahead in a table of kernels finds little.
  if (!event->text().isEmpty() && event->text().at(0).isPrint() && event->key() != Qt::Key_Space) {
    event->ignore();
    return;
  }
  QTableView::keyPressEvent(event);
}

}  // namespace opscope::ui
