// SPDX-License-Identifier: GPL-3.0-or-later
// Which columns the Compare page shows and how wide they are.
#include <QHeaderView>
#include <algorithm>
#include <array>
#include <set>

#include "ui/views/compare_page.h"

namespace opscope::ui {
namespace {

/// Names keep this much before columns are hidden, as in Ops.
constexpr int kNameLeast = 212;
constexpr int kBarLeast = 90;

constexpr std::pair<CompareModel::Column, int> kWidths[] = {
    {CompareModel::Old, 96},     {CompareModel::New, 96},       {CompareModel::Difference, 104},
    {CompareModel::Ratio, 66},   {CompareModel::RatioBar, 260}, {CompareModel::Interval, 112},
    {CompareModel::Verdict, 110}};

/// In the order in which they give way to names in a narrow window; the Inspector has what they tell.
constexpr CompareModel::Column kHiddenFirst[] = {CompareModel::Interval, CompareModel::RatioBar,
                                                 CompareModel::Ratio, CompareModel::Old};

}  // namespace

int ComparePage::widthOf(int column, int usual) const {
  const QFontMetrics title(theme()->font(12, QFont::DemiBold)), body(theme()->font(13));
  const int mark = m_table->horizontalHeader()->sortIndicatorSection() == column ? 14 : 0;
  const QString words = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  int width = std::max(theme()->px(usual), title.horizontalAdvance(words) + theme()->px(18 + mark));
  for (int row = 0; row < std::min(40, m_model->rowCount()); ++row) {
    const QString text = m_model->index(row, column).data().toString();
    width = std::max(width, body.horizontalAdvance(text) + theme()->px(18));
  }
  return width;
}

void ComparePage::layoutColumns() {
  std::array<int, CompareModel::kColumns> widths{};
  int used = 0;
  for (const auto& [column, usual] : kWidths) used += widths[column] = widthOf(column, usual);
  const int room = m_table->viewport()->width(), least = theme()->px(kNameLeast);
  // Bars shrink before anything is hidden.
  int& bar = widths[CompareModel::RatioBar];
  const int shrunk = std::max(theme()->px(kBarLeast), bar - std::max(0, least - (room - used)));
  if (shrunk < bar) {
    used -= bar - shrunk;
    bar = shrunk;
  }
  std::set<int> hidden;
  for (const int column : kHiddenFirst) {
    if (room - used >= least) break;
    hidden.insert(column);
    used -= widths[std::size_t(column)];
  }
  for (const auto& [column, usual] : kWidths) {
    m_table->setColumnHidden(column, hidden.contains(column));
    m_table->setColumnWidth(column, widths[column]);
  }
  m_table->setColumnWidth(CompareModel::Name, std::max(theme()->px(140), room - used));
}

}  // namespace opscope::ui
