// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/fleet_model.h"

#include <algorithm>

#include "engine/report/run_report.h"
#include "engine/report/statistics.h"
#include "ui/models/format.h"
#include "ui/models/ops_model.h"

namespace opscope::ui {
namespace {

/// Of the device with the largest total, as everywhere.
std::vector<double> totalsUs(const report::Run& run) {
  std::vector<double> result;
  const report::DeviceTotal* largest = report::largestTotal(run);
  if (largest == nullptr) return result;
  for (const double ns : largest->totalNs) result.push_back(ns / 1000);
  return result;
}

}  // namespace

void FleetModel::start(int boards) {
  beginResetModel();
  m_rows.assign(std::size_t(std::max(0, boards)), Row{});
  for (std::size_t i = 0; i < m_rows.size(); ++i) m_rows[i].board = QStringLiteral("Board %1").arg(i + 1);
  endResetModel();
}

void FleetModel::add(const session::FleetResult& result) {
  auto row = std::ranges::find(m_rows, false, &Row::ended);
  if (row == m_rows.end()) {
    beginInsertRows({}, int(m_rows.size()), int(m_rows.size()));
    m_rows.emplace_back();
    endInsertRows();
    row = m_rows.end() - 1;
  }
  row->board = format::fromUtf8(result.board);
  row->ended = true;
  row->run = result.document.run;
  row->error = result.error;
  if (row->run) {
    const report::Statistics total = report::computeStatistics(totalsUs(*row->run));
    row->medianUs = total.median;
    if (total.noise) row->noise = *total.noise * 100;
  }
  // "times the fastest" of all rows may be another one now.
  Q_EMIT dataChanged(index(0, 0), index(int(m_rows.size()) - 1, kColumns - 1));
}

void FleetModel::finish() {
  for (Row& row : m_rows) {
    if (row.ended) continue;
    row.ended = true;
    row.error = base::Error{base::ErrorCode::Cancelled, "Stopped.", "", ""};
  }
  if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(int(m_rows.size()) - 1, kColumns - 1));
}

void FleetModel::noteSaved(const std::shared_ptr<const report::Run>& run, store::RunId id) {
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    if (m_rows[i].run == nullptr || m_rows[i].run != run) continue;
    m_rows[i].saved = id;
    Q_EMIT dataChanged(index(int(i), 0), index(int(i), kColumns - 1));
  }
}

int FleetModel::ended() const {
  return int(std::ranges::count(m_rows, true, &Row::ended));
}

int FleetModel::measured() const {
  return int(std::ranges::count_if(m_rows, [](const Row& row) { return row.run != nullptr && !row.error; }));
}

int FleetModel::measuredInPart() const {
  return int(std::ranges::count_if(m_rows, [](const Row& row) { return row.run != nullptr && row.error; }));
}

std::optional<std::pair<store::RunId, store::RunId>> FleetModel::extremes() const {
  const Row* fastest = nullptr;
  const Row* slowest = nullptr;
  for (const Row& row : m_rows) {
    if (!row.saved) continue;
    if (fastest == nullptr || row.medianUs < fastest->medianUs) fastest = &row;
    if (slowest == nullptr || row.medianUs >= slowest->medianUs) slowest = &row;
  }
  if (fastest == nullptr || fastest == slowest) return std::nullopt;
  return std::pair(*fastest->saved, *slowest->saved);
}

std::optional<FleetModel::Sides> FleetModel::sidesFor(int chosen) const {
  std::optional<std::size_t> reference;
  if (chosen >= 0 && chosen < int(m_rows.size()) && m_rows[std::size_t(chosen)].saved)
    reference = std::size_t(chosen);
  for (std::size_t i = 0; i < m_rows.size() && chosen < 0; ++i) {
    const bool counts = m_rows[i].saved && m_rows[i].ticked;
    if (counts && (!reference || m_rows[i].medianUs < m_rows[*reference].medianUs)) reference = i;
  }
  if (!reference) return std::nullopt;
  Sides sides{*reference, {*m_rows[*reference].saved}, {}};
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    if (i != *reference && m_rows[i].saved && m_rows[i].ticked) sides.after.push_back(*m_rows[i].saved);
  }
  return sides.after.empty() ? std::nullopt : std::optional(sides);
}

double FleetModel::fastestUs() const {
  double fastest = 0;
  for (const Row& row : m_rows) {
    if (row.medianUs > 0 && (fastest == 0 || row.medianUs < fastest)) fastest = row.medianUs;
  }
  return fastest;
}

QString FleetModel::text(const Row& row, int column) const {
  if (column == Tick) return {};
  if (column == Board) return row.board;
  if (column == State) {
    if (!row.ended) return QStringLiteral("measuring");
    if (row.error) return format::fromUtf8(row.error->message);
    return QStringLiteral("done");
  }
  if (!row.run) return format::missing();
  switch (column) {
    case Median:
      return format::fixed(row.medianUs / 1000, 3);
    case Noise:
      return format::noise(row.noise);
    case Repeats:
      return row.run->repeats < row.run->repeatsWanted
                 ? QStringLiteral("%1 of %2").arg(row.run->repeats).arg(row.run->repeatsWanted)
                 : QString::number(row.run->repeats);
    default: {
      const double fastest = fastestUs();
      return fastest > 0 ? format::fixed(row.medianUs / fastest, 2) : format::missing();
    }
  }
}

int FleetModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_rows.size());
}

int FleetModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant FleetModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = m_rows[std::size_t(index.row())];
  if (role == Qt::DisplayRole) return text(row, index.column());
  if (index.column() == Tick) {
    if (role == Qt::CheckStateRole && row.saved) return row.ticked ? Qt::Checked : Qt::Unchecked;
    if (role == Qt::AccessibleTextRole) return QStringLiteral("Compare %1").arg(row.board);
    if (role == Qt::ToolTipRole && row.saved) return QStringLiteral("Compare this board");
  }
  if (role == Qt::TextAlignmentRole)
    return int((index.column() >= Median ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && row.error) return format::errorLines(*row.error);
  if (role == ProblemRole && index.column() == State) return row.error.has_value();
  return {};
}

QVariant FleetModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  if (role == Qt::TextAlignmentRole)
    return int((section >= Median ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  const char* const titles[] = {"",          "Board",   "State",         "Median (ms)",
                                "Noise (%)", "Repeats", "To the fastest"};
  return role == Qt::DisplayRole ? QVariant(QString::fromLatin1(titles[section])) : QVariant();
}

Qt::ItemFlags FleetModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  const bool tick = index.isValid() && index.column() == Tick && m_rows[std::size_t(index.row())].saved;
  return tick ? flags | Qt::ItemIsUserCheckable : flags;
}

bool FleetModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || index.column() != Tick || role != Qt::CheckStateRole) return false;
  Row& row = m_rows[std::size_t(index.row())];
  if (!row.saved) return false;
  row.ticked = value.toInt() == Qt::Checked;
  Q_EMIT dataChanged(index, index, {Qt::CheckStateRole});
  return true;
}

}  // namespace opscope::ui
