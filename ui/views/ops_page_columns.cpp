// SPDX-License-Identifier: GPL-3.0-or-later
// Which columns the Ops page shows and how wide they are.
#include <QHeaderView>
#include <algorithm>
#include <array>
#include <numeric>

#include "ui/views/ops_page.h"

namespace opscope::ui {
namespace {

struct Width {
  OpsColumn::Kind kind;
  int width;
};
constexpr std::array kWidths = {
    Width{OpsColumn::Kind::Duration, 116}, Width{OpsColumn::Kind::Percent, 118},
    Width{OpsColumn::Kind::Count, 56},     Width{OpsColumn::Kind::Metric, 78},
    Width{OpsColumn::Kind::Device, 70},    Width{OpsColumn::Kind::Extra, 100},
    Width{OpsColumn::Kind::OpKind, 116},   Width{OpsColumn::Kind::Depth, 60},
    Width{OpsColumn::Kind::Step, 120},     Width{OpsColumn::Kind::Ops, 60},
    Width{OpsColumn::Kind::Shapes, 110},
};
/// Names are what people read: they have this much before there is another column of numbers.
constexpr int kNameMinimum = 224;
/// What names, shares and shapes shrink to before a column is hidden.
constexpr int kNameLeast = 212;
/// And this where the columns that always stay leave no more: nothing is scrolled sideways for a few letters.
constexpr int kNameFloor = 96;
/// From here on, most names are whole.
constexpr int kNameAmple = 300;
constexpr int kPercentLeast = 84;
constexpr int kShapesLeast = 84;
constexpr int kRowsMeasured = 50;

/// Columns in the order in which they give way to a narrow window.
constexpr std::array kHiddenFirst = {"shapes", "std", "p95", "mean", "count"};
/// With one repeat there are no statistics: shapes tell more than dashes.
constexpr std::array kHiddenFirstOfOne = {"std", "p95", "mean", "shapes", "count"};

/// Of the statistics, what a first look needs; the others are in the columns menu and the Inspector.
const QStringList& metricsFirst() {
  static const QStringList ids = {QStringLiteral("mean"), QStringLiteral("p95"), QStringLiteral("std")};
  return ids;
}

int usualWidth(OpsColumn::Kind kind) {
  for (const Width& width : kWidths) {
    if (width.kind == kind) return width.width;
  }
  return 90;
}

}  // namespace

int OpsPage::titleWidth(int column) const {
  const QFontMetrics title(theme()->font(12, QFont::DemiBold));
  const int mark = column == m_table->horizontalHeader()->sortIndicatorSection() ? 14 : 0;
  const QString& text = m_model->opsData()->columns[std::size_t(column)].title;
  return title.horizontalAdvance(text) + theme()->px(2 * 8 + 2 + mark);
}

int OpsPage::widthOf(int column) const {
  const OpsColumn& about = m_model->opsData()->columns[std::size_t(column)];
  // Room for the title with the mark of sorting and for the first numbers, whatever the font.
  int width = std::max(theme()->px(usualWidth(about.kind)), titleWidth(column));
  if (!about.isNumber || about.kind == OpsColumn::Kind::Percent) return width;
  const QFontMetrics body(theme()->font(13));
  for (int row = 0; row < std::min(kRowsMeasured, m_model->rowCount()); ++row) {
    const QString text = m_model->index(row, column).data().toString();
    width = std::max(width, body.horizontalAdvance(text) + theme()->px(2 * 8 + 2));
  }
  return width;
}

int OpsPage::spareOf(int column, int width) const {
  const OpsColumn& about = m_model->opsData()->columns[std::size_t(column)];
  const int least = about.kind == OpsColumn::Kind::Percent  ? kPercentLeast
                    : about.kind == OpsColumn::Kind::Shapes ? kShapesLeast
                                                            : 0;
  return least == 0 ? 0 : std::max(0, width - std::max(theme()->px(least), titleWidth(column)));
}

QStringList OpsPage::defaultColumns() const {
  QStringList ids;
  if (m_model->opsData() == nullptr) return ids;
  for (const OpsColumn& column : m_model->opsData()->columns) {
    const bool metric = column.kind == OpsColumn::Kind::Metric;
    // The totals line says that it would tell nothing more.
    if (column.id == QLatin1String("mean") && m_model->opsData()->meanIsDuration) continue;
    if (metric ? metricsFirst().contains(column.id) : column.shownFirst) ids << column.id;
  }
  return ids;
}

bool OpsPage::isHidden(const QString& columnId) const {
  const auto& columns = m_model->opsData()->columns;
  const auto found = std::ranges::find(columns, columnId, &OpsColumn::id);
  return found != columns.end() && m_table->isColumnHidden(int(found - columns.begin()));
}

void OpsPage::setShownColumns(const QStringList& ids) {
  m_shownIds = ids;
  layoutColumns();
}

void OpsPage::applyColumns() {
  m_table->applyDelegates(*m_model);
  QHeaderView* header = m_table->horizontalHeader();
  header->setSortIndicator(m_model->sortColumn(), m_model->sortOrder());
  layoutColumns();
}

void OpsPage::layoutColumns() {
  const OpsData* opsRows = m_model->opsData();
  if (opsRows == nullptr) return;
  const QStringList wanted = m_shownIds.isEmpty() ? defaultColumns() : m_shownIds;
  std::vector<bool> shown(opsRows->columns.size());
  std::vector<int> widths(opsRows->columns.size());
  // Each rounded by itself, as below: a point too much would bring a bar to scroll by.
  int used = theme()->px(kNameMinimum) + theme()->px(14);
  // Names, shares and shapes are cut or drawn smaller before anything is hidden.
  int spare = theme()->px(kNameMinimum - kNameLeast);
  for (std::size_t i = 1; i < opsRows->columns.size(); ++i) {
    shown[i] = wanted.contains(opsRows->columns[i].id);
    widths[i] = widthOf(int(i));
    if (!shown[i]) continue;
    used += widths[i];
    spare += spareOf(int(i), widths[i]);
  }
  shown[0] = true;
  // Columns that the user chose stay; the usual ones give way to a narrow window.
  for (const char* id : opsRows->table.statistics.empty() ? kHiddenFirstOfOne : kHiddenFirst) {
    if (used - spare <= m_table->width() || !m_shownIds.isEmpty()) break;
    for (std::size_t i = 1; i < opsRows->columns.size(); ++i) {
      if (!shown[i] || opsRows->columns[i].id != QLatin1String(id)) continue;
      shown[i] = false;
      used -= widths[i];
      spare -= spareOf(int(i), widths[i]);
    }
  }
  // What is too much is taken from the columns that can spare something, the name last.
  int excess = std::max(0, used - m_table->viewport()->width());
  for (std::size_t i = opsRows->columns.size(); i-- > 1 && excess > 0;) {
    const int given = shown[i] ? std::min(excess, spareOf(int(i), widths[i])) : 0;
    widths[i] -= given;
    used -= given;
    excess -= given;
  }
  const int nameLeast = m_shownIds.isEmpty() ? kNameFloor : kNameLeast;
  const int name = theme()->px(kNameMinimum) - std::min(excess, theme()->px(kNameMinimum - nameLeast));
  used -= theme()->px(kNameMinimum) - name;
  QHeaderView* header = m_table->horizontalHeader();
  for (int i = 0; i < int(shown.size()); ++i) {
    m_table->setColumnHidden(i, !shown[std::size_t(i)]);
    header->resizeSection(i, widths[std::size_t(i)]);
  }
  placeColumns(*opsRows);
  const int last = m_table->shownColumns().back();
  // The name takes what is left; shapes, at the end, a third of it once names have room.
  const int room = std::max(0, m_table->viewport()->width() - used + theme()->px(14));
  const bool shapes = opsRows->columns[std::size_t(last)].kind == OpsColumn::Kind::Shapes;
  const int forName = std::min(room, std::max(room * 2 / 3, theme()->px(kNameAmple) - name));
  header->resizeSection(0, name + (shapes ? forName : room));
  header->setStretchLastSection(shapes);
  showTotals();
}

/// Puts chosen columns into the order in which they were chosen, the usual ones into their own.
void OpsPage::placeColumns(const OpsData& rows) {
  m_orderingColumns = true;
  QHeaderView* header = m_table->horizontalHeader();
  std::vector<int> order(rows.columns.size());
  std::iota(order.begin(), order.end(), 0);
  const auto rank = [&](int column) {
    const auto place = m_shownIds.indexOf(rows.columns[std::size_t(column)].id);
    return column == 0 ? -1 : place < 0 ? m_shownIds.size() : place;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
  for (int place = 0; place < int(order.size()); ++place) {
    const int now = header->visualIndex(order[std::size_t(place)]);
    if (now != place) header->moveSection(now, place);
  }
  m_orderingColumns = false;
}

void OpsPage::orderColumns() {
  const OpsData* opsRows = m_model->opsData();
  if (opsRows == nullptr) return;
  QStringList ids;
  for (const int column : m_table->shownColumns()) ids << opsRows->columns[std::size_t(column)].id;
  m_shownIds = ids;
  Q_EMIT shownColumnsChanged(ids);
}

void OpsPage::moveColumn(int column, int by) {
  const std::vector<int> shown = m_table->shownColumns();
  const auto place = std::find(shown.begin(), shown.end(), column) - shown.begin();
  const auto wanted = place + by;
  if (place <= 0 || wanted <= 0 || wanted >= std::ptrdiff_t(shown.size())) return;
  QHeaderView* header = m_table->horizontalHeader();
  header->moveSection(header->visualIndex(column), header->visualIndex(shown[std::size_t(wanted)]));
  layoutColumns();
}

void OpsPage::showHeaderMenu(const QPoint& place) {
  QHeaderView* header = m_table->horizontalHeader();
  m_menuColumn = header->logicalIndexAt(place);
  m_columnsMenu->popup(header->mapToGlobal(place));
}

void OpsPage::resizeEvent(QResizeEvent* event) {
  RunPage::resizeEvent(event);
  showGrouping();
  // The table gets its new width after this event.
  QMetaObject::invokeMethod(
      this, [this]() { layoutColumns(); }, Qt::QueuedConnection);
}

void OpsPage::fillColumnsMenu() {
  m_columnsMenu->clear();
  const OpsData* opsRows = m_model->opsData();
  if (opsRows == nullptr) return;
  for (int i = 1; i < int(opsRows->columns.size()); ++i) {
    const OpsColumn& column = opsRows->columns[std::size_t(i)];
    QAction* action = m_columnsMenu->addAction(column.title);
    action->setCheckable(true);
    action->setChecked(!m_table->isColumnHidden(i));
    action->setToolTip(column.description);
    connect(action, &QAction::toggled, this, [this, i](bool shown) { chooseColumn(i, shown); });
  }
  const int column = m_menuColumn >= 0 ? m_menuColumn : m_table->currentIndex().column();
  m_menuColumn = -1;
  const std::vector<int> shown = m_table->shownColumns();
  const auto place = std::find(shown.begin(), shown.end(), column) - shown.begin();
  m_columnsMenu->addSeparator();
  const QString title = column > 0 ? opsRows->columns[std::size_t(column)].title : QStringLiteral("column");
  QAction* left = m_columnsMenu->addAction(QStringLiteral("Move “%1” left").arg(title), this,
                                           [this, column]() { moveColumn(column, -1); });
  QAction* right = m_columnsMenu->addAction(QStringLiteral("Move “%1” right").arg(title), this,
                                            [this, column]() { moveColumn(column, 1); });
  left->setEnabled(column > 0 && place > 1 && place < std::ptrdiff_t(shown.size()));
  right->setEnabled(column > 0 && place + 1 < std::ptrdiff_t(shown.size()));
  m_columnsMenu->addSeparator();
  m_columnsMenu->addAction(QStringLiteral("The usual columns"), this, [this]() {
    m_shownIds.clear();
    layoutColumns();
    Q_EMIT shownColumnsChanged(m_shownIds);
  });
}

void OpsPage::chooseColumn(int column, bool shown) {
  const OpsData* opsRows = m_model->opsData();
  QStringList ids;
  for (const int i : m_table->shownColumns()) {
    if (i != column) ids << opsRows->columns[std::size_t(i)].id;
  }
  // A new one comes behind those that usually stand before it.
  qsizetype at = 0;
  for (int i = 0; i < column; ++i) at = std::max(at, ids.indexOf(opsRows->columns[std::size_t(i)].id) + 1);
  if (shown) ids.insert(at, opsRows->columns[std::size_t(column)].id);
  setShownColumns(ids);
  Q_EMIT shownColumnsChanged(ids);
}

}  // namespace opscope::ui
