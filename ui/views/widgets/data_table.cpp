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

void DataTable::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTableView::currentChanged(current, previous);
  if (current.isValid()) m_column = current.column();
}

void DataTable::setCurrentRow(int row) {
  const bool shown = m_column < model()->columnCount() && !isColumnHidden(m_column);
  setCurrentIndex(model()->index(row, shown ? m_column : 0));
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

std::optional<int> DataTable::foldColumn(int row) const {
  for (const int column : shownColumns()) {
    if (model()->index(row, column).data(FoldRole).isValid()) return column;
  }
  return std::nullopt;
}

bool DataTable::takeFoldKey(int key) {
  if (!currentIndex().isValid() || model() == nullptr) return false;
  const int row = currentIndex().row();
  const auto column = foldColumn(row);
  if (!column) return false;
  const QModelIndex name = model()->index(row, *column);
  const Fold fold = Fold(name.data(FoldRole).toInt());
  const bool unfolds = key == Qt::Key_Right || key == Qt::Key_Plus;
  const bool anywhere = key == Qt::Key_Plus || key == Qt::Key_Minus;
  // Right and Left are also the way from cell to cell.
  if (!anywhere && currentIndex().column() != *column) return false;
  if (fold == (unfolds ? Fold::Folded : Fold::Unfolded)) {
    Q_EMIT foldRequested(row, unfolds);
    return true;
  }
  if (!unfolds && name.data(LevelRole).toInt() > 0) {
    Q_EMIT parentRequested(row);
    return true;
  }
  return anywhere;
}

void DataTable::keyPressEvent(QKeyEvent* event) {
  const bool side = event->key() == Qt::Key_Right || event->key() == Qt::Key_Left;
  const bool sign = event->key() == Qt::Key_Plus || event->key() == Qt::Key_Minus;
  const bool plain = (event->modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) == Qt::NoModifier;
  if (((side && event->modifiers() == Qt::NoModifier) || (sign && plain)) && takeFoldKey(event->key()))
    return;
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
