// SPDX-License-Identifier: GPL-3.0-or-later
// Which columns the Ops page shows and how wide they are.
#include <QHeaderView>
#include <algorithm>
#include <array>

#include "ui/views/ops_page.h"

namespace opscope::ui {
namespace {

struct Width {
  OpsColumn::Kind kind;
  int width;
};
constexpr std::array kWidths = {
    Width{OpsColumn::Kind::Duration, 116}, Width{OpsColumn::Kind::Percent, 118},
    Width{OpsColumn::Kind::Count, 60},     Width{OpsColumn::Kind::Metric, 88},
    Width{OpsColumn::Kind::Device, 70},    Width{OpsColumn::Kind::Extra, 100},
    Width{OpsColumn::Kind::Shapes, 110},
};
constexpr int kNameMinimum = 172;
/// What names, shares and shapes shrink to before a column is hidden.
constexpr int kNameLeast = 160;
/// From here on, most names are whole.
constexpr int kNameAmple = 260;
constexpr int kPercentLeast = 84;
constexpr int kShapesLeast = 84;
constexpr int kRowsMeasured = 50;

/// Columns in the order in which they give way to a narrow window.
constexpr std::array kHiddenFirst = {"shapes", "std", "p95", "mean", "count"};

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
    if (metric ? metricsFirst().contains(column.id) : column.shownFirst) ids << column.id;
  }
  return ids;
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
  int used = theme()->px(kNameMinimum + 14);
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
  for (const char* id : kHiddenFirst) {
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
  const int name = theme()->px(kNameMinimum) - std::min(excess, theme()->px(kNameMinimum - kNameLeast));
  used -= theme()->px(kNameMinimum) - name;
  QHeaderView* header = m_table->horizontalHeader();
  int last = 0;
  for (int i = 0; i < int(shown.size()); ++i) {
    m_table->setColumnHidden(i, !shown[std::size_t(i)]);
    if (shown[std::size_t(i)]) last = i;
    header->resizeSection(i, widths[std::size_t(i)]);
  }
  // The name takes what is left; shapes, at the end, a third of it once names have room.
  const int room = std::max(0, m_table->viewport()->width() - used + theme()->px(14));
  const bool shapes = opsRows->columns[std::size_t(last)].kind == OpsColumn::Kind::Shapes;
  const int forName = std::min(room, std::max(room * 2 / 3, theme()->px(kNameAmple) - name));
  header->resizeSection(0, name + (shapes ? forName : room));
  header->setStretchLastSection(shapes);
}

void OpsPage::resizeEvent(QResizeEvent* event) {
  RunPage::resizeEvent(event);
  const bool narrow = width() < theme()->px(760);
  m_eachCall->setText(narrow ? QStringLiteral("Calls") : QStringLiteral("Each call"));
  m_grouped->setText(narrow ? QStringLiteral("Groups") : QStringLiteral("Group by name and shapes"));
  m_eachCall->updateGeometry();
  m_grouped->updateGeometry();
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
  for (int i = 0; i < int(opsRows->columns.size()); ++i) {
    const bool show = i == column ? shown : !m_table->isColumnHidden(i);
    if (show) ids << opsRows->columns[std::size_t(i)].id;
  }
  setShownColumns(ids);
  Q_EMIT shownColumnsChanged(ids);
}

}  // namespace opscope::ui
