// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/storage_model.h"

#include <algorithm>
#include <numeric>

#include "ui/models/column_words.h"
#include "ui/models/format.h"
#include "ui/models/op_matcher.h"
#include "ui/models/ops_model.h"

namespace opscope::ui {
namespace {

constexpr double kKib = 1024;

constexpr ColumnWords kWords[StorageModel::kColumns] = {
    {"Storage", "Storage", "In the order in which they were taken in this repeat", true},
    {"Held for", "Held for", "The op that writes the largest tensor in it, else the one that took it", false},
    {"Size (KiB)", "Size (bytes)", "What was asked for", true},
    {"Percent of peak", "Percent of peak", "Part of the highest sum of live storages", false},
    {"In tensors (KiB)", "In tensors (bytes)",
     "At the peak: bytes of the tensors that were live in it. Else: of the largest tensor that ever lay in "
     "it",
     true},
    {"Taken by", "Taken by", "The instruction that asked for it", true},
    {"From (ms)", "From (us)", "When it was taken", true},
    {"Until (ms)", "Until (us)", "When it was freed; –: after the end of the repeat", true},
};

}  // namespace

StorageModel::StorageModel(QObject* parent) : QAbstractTableModel(parent) {}

void StorageModel::setData(std::shared_ptr<const MemoryData> data) {
  m_data = std::move(data);
  m_moment = m_data ? std::optional(m_data->peakNs()) : std::nullopt;
  rebuild();
}

void StorageModel::setMoment(std::optional<double> ns) {
  if (m_moment == ns) return;
  m_moment = ns;
  rebuild();
}

void StorageModel::setFilter(const OpFilter& filter) {
  if (m_filter == filter) return;
  m_filter = filter;
  rebuild();
}

void StorageModel::rebuild() {
  beginResetModel();
  m_rows.clear();
  m_unfiltered = 0;
  m_largest = 0;
  if (m_data) {
    if (m_moment) {
      m_rows = m_data->aliveAt(*m_moment);
    } else {
      m_rows.resize(m_data->boxes.size());
      std::iota(m_rows.begin(), m_rows.end(), 0U);
    }
    m_unfiltered = int(m_rows.size());
    const OpMatcher matcher(m_data->run->run(), m_filter);
    if (!matcher.passesAll()) {
      std::erase_if(m_rows, [&](std::uint32_t box) {
        const std::uint32_t call = m_data->boxes[box].call;
        return call == report::kNone || !matcher.passes(m_data->run->run().calls[call]);
      });
    }
    for (const std::uint32_t box : m_rows) m_largest = std::max(m_largest, double(m_data->boxes[box].bytes));
  }
  order();
  endResetModel();
}

void StorageModel::order() {
  const bool ascending = m_sortOrder == Qt::AscendingOrder;
  std::sort(m_rows.begin(), m_rows.end());
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (m_sortColumn == HeldFor) {
      const int compared = QString::compare(text(a, HeldFor), text(b, HeldFor), Qt::CaseInsensitive);
      return ascending ? compared < 0 : compared > 0;
    }
    const auto left = number(a, m_sortColumn), right = number(b, m_sortColumn);
    if (left.has_value() != right.has_value()) return left.has_value();
    if (!left) return false;
    return ascending ? *left < *right : *left > *right;
  };
  std::stable_sort(m_rows.begin(), m_rows.end(), before);
}

void StorageModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || (m_sortColumn == column && m_sortOrder == order)) return;
  beginResetModel();
  m_sortColumn = column;
  m_sortOrder = order;
  this->order();
  endResetModel();
}

int StorageModel::rowOf(std::uint32_t box) const {
  const auto found = std::find(m_rows.begin(), m_rows.end(), box);
  return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

std::int64_t StorageModel::totalBytes() const {
  std::int64_t sum = 0;
  for (const std::uint32_t box : m_rows) sum += m_data->boxes[box].bytes;
  return sum;
}

int StorageModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_rows.size());
}

int StorageModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(kColumns);
}

std::optional<double> StorageModel::number(std::uint32_t box, int column) const {
  const StorageBox& about = m_data->boxes[box];
  const report::StorageLife& life = m_data->life(box);
  switch (column) {
    case Number:
      return double(about.storage);
    case Size:
      return double(about.bytes);
    case Percent: {
      const auto peak = double(m_data->track().storage.peakBytes);
      return peak > 0 ? std::optional(std::min(double(about.bytes) / peak * 100, 100.0)) : std::nullopt;
    }
    case InTensors: {
      const bool atPeak = m_moment && *m_moment == m_data->peakNs() && about.peakTensorBytes >= 0;
      return double(atPeak ? about.peakTensorBytes : life.tensorBytes);
    }
    case TakenBy:
      if (life.call == report::kNone) return std::nullopt;
      return double(m_data->run->run().calls[life.call].instruction);
    case From:
      return life.before ? std::nullopt : std::optional(about.fromNs);
    case Until:
      return life.freedNs < 0 ? std::nullopt : std::optional(life.freedNs);
    default:
      return std::nullopt;
  }
}

QString StorageModel::text(std::uint32_t box, int column) const {
  return column == HeldFor ? m_data->nameOf(box) : QString();
}

QString StorageModel::shown(std::uint32_t box, int column) const {
  if (column == HeldFor) return text(box, column);
  const auto value = number(box, column);
  if (!value) {
    return column == From && m_data->life(box).before ? QStringLiteral("before") : format::missing();
  }
  switch (column) {
    case Number:
      return format::integer(std::int64_t(*value));
    case Size:
    case InTensors:
      return *value > 0 && *value < 0.05 * kKib ? QStringLiteral("<0.1") : format::fixed(*value / kKib, 1);
    case Percent:
      return format::percent(*value, 1);
    case TakenBy:
      return QStringLiteral("#%1").arg(std::int64_t(*value));
    default:
      return format::fixed(*value / 1e6, 3);
  }
}

QVariant StorageModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_data) return {};
  const std::uint32_t box = m_rows[std::size_t(index.row())];
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return shown(box, column);
    case PlainTextRole: {
      if (column == HeldFor) return text(box, column);
      const auto value = number(box, column);
      const bool time = column == From || column == Until;
      return value ? format::plain(time ? *value / 1e3 : *value) : QString();
    }
    case NumberRole: {
      const auto value = number(box, column);
      return value ? QVariant(*value) : QVariant();
    }
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter | (column == HeldFor ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::ToolTipRole:
      if (column == HeldFor) return format::brokenName(text(box, column)).join(QLatin1Char('\n'));
      return {};
    case KindRole:
      return m_data->boxes[box].call == report::kNone ? QVariant() : QVariant(int(m_data->boxes[box].kind));
    case ShareRole:
      return m_largest > 0 ? double(m_data->boxes[box].bytes) / m_largest : 0.0;
    default:
      return {};
  }
}

QVariant StorageModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  return headerCell(kWords[section], role);
}

}  // namespace opscope::ui
