// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows of the Ops table pass a filter, and their order.
#include <QCollator>
#include <algorithm>
#include <bit>
#include <numeric>

#include "ui/models/op_matcher.h"
#include "ui/models/ops_columns.h"

namespace opscope::ui {
namespace {

std::vector<std::uint32_t> filteredRows(const OpsData& data, const OpFilter& filter) {
  std::vector<std::uint32_t> rows(data.table.rows.size());
  std::iota(rows.begin(), rows.end(), 0U);
  if (data.isFiltered) return rows;
  const OpMatcher matcher(*data.document.run, filter);
  if (matcher.passesAll()) return rows;
  std::erase_if(rows, [&](std::uint32_t row) { return !matcher.passes(data.table.rows[row]); });
  return rows;
}

/// Ranks of texts in natural order ("conv2d9" before "conv2d12"), so that rows compare integers.
std::vector<std::uint32_t> ranksOf(const std::vector<std::string>& texts) {
  QCollator collator(QLocale::c());
  collator.setNumericMode(true);
  collator.setCaseSensitivity(Qt::CaseInsensitive);
  std::vector<QString> decoded;
  decoded.reserve(texts.size());
  for (const std::string& text : texts) decoded.push_back(QString::fromStdString(text));
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    const int compared = collator.compare(decoded[a], decoded[b]);
    return compared != 0 ? compared < 0 : decoded[a] < decoded[b];
  });
  std::vector<std::uint32_t> ranks(texts.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

std::vector<std::string> kindNames() {
  std::vector<std::string> names;
  for (const report::OpKind kind : report::kOpKinds) names.emplace_back(report::kindName(kind));
  return names;
}

/// For each row the rank of its text in a column; rows without a text have none.
class TextRanks {
 public:
  TextRanks(const OpsData& data, const OpsColumn& column) : m_data(data), m_source(sourceOf(data, column)) {
    const report::Run& run = *data.document.run;
    switch (m_source) {
      case Source::Names:
        m_ranks = ranksOf(run.names);
        break;
      case Source::Shapes:
        m_ranks = ranksOf(run.shapes);
        break;
      case Source::Devices:
        m_ranks = ranksOf(run.devices);
        break;
      case Source::Kinds:
        m_ranks = ranksOf(kindNames());
        break;
      case Source::Depth:
      case Source::Steps:
        break;
      case Source::Extra:
        if (column.index < data.table.extras.size()) m_ranks = ranksOf(data.table.extras[column.index].texts);
        break;
    }
  }

  std::optional<double> of(std::uint32_t row) const {
    const report::OpRow& op = m_data.table.rows[row];
    std::uint32_t index = row;
    if (m_source == Source::Names) index = op.name;
    if (m_source == Source::Shapes) index = op.shapes;
    if (m_source == Source::Devices) index = op.device;
    if (m_source == Source::Kinds) index = std::uint32_t(op.kind);
    if (m_source == Source::Steps) return op.step == report::kNone ? std::nullopt : Rank(op.step);
    if (m_source == Source::Depth) return op.depth == report::kNone ? std::nullopt : Rank(op.depth);
    return index < m_ranks.size() ? Rank(m_ranks[index]) : std::nullopt;
  }

 private:
  using Rank = std::optional<double>;
  enum class Source { Names, Shapes, Devices, Kinds, Depth, Steps, Extra };

  static Source sourceOf(const OpsData& data, const OpsColumn& column) {
    switch (column.kind) {
      case OpsColumn::Kind::Shapes:
        return Source::Shapes;
      case OpsColumn::Kind::Device:
        return Source::Devices;
      case OpsColumn::Kind::OpKind:
        return Source::Kinds;
      case OpsColumn::Kind::Step:
        return Source::Steps;
      case OpsColumn::Kind::Extra:
        return Source::Extra;
      default:
        break;
    }
    switch (data.table.grouping) {
      case report::Grouping::ByKind:
        return Source::Kinds;
      case report::Grouping::ByDevice:
        return Source::Devices;
      case report::Grouping::ByShapes:
        return Source::Shapes;
      case report::Grouping::ByDepth:
        return Source::Depth;
      case report::Grouping::ByStep:
        return Source::Steps;
      default:
        return Source::Names;
    }
  }

  const OpsData& m_data;
  Source m_source;
  std::vector<std::uint32_t> m_ranks;
};

/// A number as one whose bits compare the same way; the other way round for descending order.
std::uint64_t comparable(double value, bool ascending) {
  auto bits = std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value);
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  bits = (bits & kSign) != 0 ? ~bits : bits | kSign;
  return ascending ? bits : ~bits;
}

}  // namespace

std::vector<std::uint32_t> orderRows(const OpsData& data, const OpFilter& filter, int column,
                                     Qt::SortOrder order) {
  std::vector<std::uint32_t> rows = filteredRows(data, filter);
  if (column < 0 || std::size_t(column) >= data.columns.size()) return rows;
  const OpsColumn& about = data.columns[std::size_t(column)];
  const std::optional<TextRanks> ranks =
      about.isNumber ? std::nullopt : std::optional<TextRanks>(std::in_place, data, about);
  // Rows are in the table's order here, so that their numbers keep equal ones in it.
  struct Key {
    std::uint64_t value;
    std::uint32_t row;
    bool operator<(const Key& other) const {
      return value != other.value ? value < other.value : row < other.row;
    }
  };
  std::vector<Key> keys;
  std::vector<std::uint32_t> missing;
  keys.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    const std::optional<double> value = ranks ? ranks->of(row) : numberOf(data, row, about);
    if (value) {
      keys.push_back({comparable(*value, order == Qt::AscendingOrder), row});
    } else {
      missing.push_back(row);
    }
  }
  std::sort(keys.begin(), keys.end());
  std::transform(keys.begin(), keys.end(), rows.begin(), [](const Key& key) { return key.row; });
  std::copy(missing.begin(), missing.end(), rows.begin() + std::ptrdiff_t(keys.size()));
  return rows;
}

}  // namespace opscope::ui
