// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/live_ops_model.h"

#include <algorithm>
#include <numeric>

#include "ui/models/format.h"
#include "ui/models/ops_model.h"

namespace opscope::ui {

namespace {

constexpr const char* kTitles[] = {"Name", "Duration (µs)", "Percent", "Count", "Std dev. (µs)"};
constexpr const char* kTips[] = {"Calls of one name together", "Median of the repeats until now",
                                 "Of the mean total, from the op's mean", "Calls in one repeat",
                                 "Standard deviation over the repeats until now"};

}  // namespace

LiveOpsModel::Row LiveOpsModel::rowOf(const LiveRun::Op& op, double totalUs) {
  const report::Statistics statistics = report::computeStatistics(op.us);
  const double percent = totalUs > 0 ? std::clamp(statistics.mean / totalUs * 100, 0.0, 100.0) : 0;
  return {op.name, op.kind, op.calls, statistics.median, percent, statistics.standardDeviation};
}

void LiveOpsModel::setRun(const LiveRun& run) {
  const std::vector<double>& totals = run.opTotalsUs();
  const double mean =
      totals.empty() ? 0 : std::accumulate(totals.begin(), totals.end(), 0.0) / double(totals.size());
  std::vector<Row> rows;
  rows.reserve(run.ops().size());
  for (const LiveRun::Op& op : run.ops()) rows.push_back(rowOf(op, mean));
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
    return a.medianUs != b.medianUs ? a.medianUs > b.medianUs : a.percent > b.percent;
  });
  m_largestPercent = rows.empty() ? 0 : std::ranges::max(rows, {}, &Row::percent).percent;
  if (rows.size() == m_rows.size()) {
    // The current row and the place of scrolling stay.
    m_rows = std::move(rows);
    if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(int(m_rows.size()) - 1, kColumns - 1));
    return;
  }
  beginResetModel();
  m_rows = std::move(rows);
  endResetModel();
}

void LiveOpsModel::clear() {
  beginResetModel();
  m_rows.clear();
  endResetModel();
}

int LiveOpsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_rows.size());
}

int LiveOpsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QString LiveOpsModel::text(const Row& row, int column) const {
  switch (column) {
    case Name:
      return row.name;
    case Duration:
      return format::microseconds(row.medianUs);
    case Percent:
      return format::percent(row.percent);
    case Count:
      return format::integer(row.calls);
    default:
      return format::microseconds(row.deviationUs);
  }
}

QVariant LiveOpsModel::plain(const Row& row, int column) const {
  switch (column) {
    case Name:
      return row.name;
    case Duration:
      return format::plain(row.medianUs);
    case Percent:
      return format::plain(row.percent);
    case Count:
      return QString::number(row.calls);
    default:
      return row.deviationUs ? format::plain(*row.deviationUs) : QString();
  }
}

QVariant LiveOpsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= int(m_rows.size())) return {};
  const Row& row = m_rows[std::size_t(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return text(row, index.column());
    case Qt::ToolTipRole:
      if (index.column() == Name) return format::brokenName(row.name).join(QLatin1Char('\n'));
      return {};
    case Qt::TextAlignmentRole:
      return int(index.column() == Name ? Qt::AlignLeft | Qt::AlignVCenter
                                        : Qt::AlignRight | Qt::AlignVCenter);
    case PlainTextRole:
      return plain(row, index.column());
    case KindRole:
      return int(row.kind);
    case ShareRole:
      return m_largestPercent > 0 ? row.percent / m_largestPercent : 0;
    default:
      return {};
  }
}

QVariant LiveOpsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  if (role == Qt::DisplayRole || role == FileTitleRole) return QString::fromUtf8(kTitles[section]);
  if (role == Qt::ToolTipRole) return QString::fromLatin1(kTips[section]);
  if (role == Qt::TextAlignmentRole)
    return int((section == Name || section == Percent ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  return {};
}

}  // namespace opscope::ui
