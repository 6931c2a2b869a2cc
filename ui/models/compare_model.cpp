// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/compare_model.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/report/comparison_words.h"
#include "ui/models/column_words.h"
#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr std::array<ColumnWords, CompareModel::kColumns> kWords = {{
    {"Name", "Name", "Name of the op", false},
    {"Old (µs)", "Old (us)", "Time of one repeat of the old run or group: the median over its repeats", true},
    {"New (µs)", "New (us)", "Time of one repeat of the new run or group: the median over its repeats", true},
    {"Diff. (µs)", "Difference (us)", "New less old; sorted by its size", true},
    {"Ratio", "Ratio", "New / old", true},
    {"", "Ratio", "New / old from a quarter to four times, with its 95 % interval", false},
    {"95 % interval", "95 % interval",
     "Of the ratio, by bootstrap of the medians; of groups with the spread between their runs", true},
    {"Verdict", "Verdict", "What the samples can tell", false},
}};

/// Missing values come last in both directions.
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

QString sideText(const std::optional<report::ComparedSide>& side) {
  if (!side) return format::missing();
  if (side->tooShort && side->valueUs <= 0) return QStringLiteral("too short");
  return format::microseconds(side->valueUs);
}

QString plainNumber(const std::optional<double>& value) {
  return value ? format::plain(*value) : QString();
}

}  // namespace

void CompareModel::setComparison(const std::shared_ptr<const CompareView>& view) {
  m_view = view;
  rebuild();
}

void CompareModel::setFilter(const OpFilter& filter) {
  if (m_filter == filter) return;
  m_filter = filter;
  rebuild();
}

void CompareModel::setVerdicts(const std::set<report::Verdict>& verdicts) {
  if (m_verdicts == verdicts) return;
  m_verdicts = verdicts;
  rebuild();
}

void CompareModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= kColumns || (m_sortColumn == column && m_sortOrder == order)) return;
  m_sortColumn = column;
  m_sortOrder = order;
  rebuild();
}

bool CompareModel::passes(const report::ComparedOp& op) const {
  if (!m_verdicts.empty() && !m_verdicts.contains(op.verdict)) return false;
  if (m_filter.isEmpty()) return true;
  QStringList texts;
  for (const auto* side : {&op.a, &op.b}) {
    if (!*side) continue;
    for (const std::string& text : {(*side)->name, (*side)->shapes, (*side)->device})
      texts << format::fromUtf8(text);
  }
  const QRegularExpression expression(m_filter.text, QRegularExpression::CaseInsensitiveOption);
  // A wrong expression hides nothing, as in Ops.
  if (m_filter.isRegularExpression && !expression.isValid()) return true;
  return std::ranges::any_of(texts, [&](const QString& text) {
    return m_filter.isRegularExpression ? expression.match(text).hasMatch()
                                        : text.contains(m_filter.text, Qt::CaseInsensitive);
  });
}

double CompareModel::sortKey(const report::ComparedOp& op) const {
  switch (m_sortColumn) {
    case Old:
      return op.a ? op.a->valueUs : kMissing;
    case New:
      return op.b ? op.b->valueUs : kMissing;
    case Difference:
      return std::abs(op.changeUs());
    case Ratio:
    case RatioBar:
      return op.ratio.value_or(kMissing);
    case Interval:
      return op.ratioLow && op.ratioHigh ? *op.ratioHigh - *op.ratioLow : kMissing;
    case Verdict:
      return double(op.verdict);
    default:
      return 0;
  }
}

void CompareModel::rebuild() {
  beginResetModel();
  m_order.clear();
  if (m_view) {
    std::vector<double> keys;
    for (const report::ComparedOp& op : m_view->comparison->ops) {
      if (passes(op)) m_order.push_back(int(keys.size()));
      keys.push_back(sortKey(op));
    }
    const bool down = m_sortOrder == Qt::DescendingOrder;
    std::ranges::stable_sort(m_order, [&](int a, int b) {
      if (m_sortColumn == Name) {
        const int sign = m_view->op(a).shown().name.compare(m_view->op(b).shown().name);
        return down ? sign > 0 : sign < 0;
      }
      const double x = keys[std::size_t(a)], y = keys[std::size_t(b)];
      if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
      return down ? x > y : x < y;
    });
  }
  endResetModel();
  Q_EMIT rowsChanged();
}

int CompareModel::rowOf(int index) const {
  const auto found = std::ranges::find(m_order, index);
  return index < 0 || found == m_order.end() ? -1 : int(found - m_order.begin());
}

int CompareModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_order.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QString CompareModel::shownText(const report::ComparedOp& op, int column) const {
  switch (column) {
    case Name:
      return format::fromUtf8(op.shown().name);
    case Old:
      return sideText(op.a);
    case New:
      return sideText(op.b);
    case Difference:
      return signedMicroseconds(op.changeUs());
    case Ratio:
      return op.ratio ? format::fixed(*op.ratio, 2) : format::missing();
    case Interval:
      return intervalText(op);
    case Verdict:
      return verdictText(op.verdict);
    default:
      return {};
  }
}

QString CompareModel::plainText(const report::ComparedOp& op, int column) const {
  switch (column) {
    case Old:
      return op.a ? format::plain(op.a->valueUs) : QString();
    case New:
      return op.b ? format::plain(op.b->valueUs) : QString();
    case Difference:
      return format::plain(op.changeUs());
    case Ratio:
    case RatioBar:
      return plainNumber(op.ratio);
    case Interval:
      return op.ratioLow && op.ratioHigh
                 ? plainNumber(op.ratioLow) + QLatin1String(" - ") + plainNumber(op.ratioHigh)
                 : QString();
    default:
      return shownText(op, column);
  }
}

QString CompareModel::tooltip(const report::ComparedOp& op, int column) const {
  if (column == Name) {
    QStringList lines = format::brokenName(format::fromUtf8(op.shown().name));
    if (!op.note.empty()) lines << oldAndNew(op.note, m_view->comparison->isOfGroups());
    return lines.join(QLatin1Char('\n'));
  }
  QStringList lines = {format::fromUtf8(report::verdictWords(op))};
  if (!op.why.empty()) lines << format::fromUtf8(op.why);
  if (!op.note.empty()) lines << oldAndNew(op.note, m_view->comparison->isOfGroups());
  const std::string interval = report::intervalWords(op);
  if (!interval.empty()) lines << format::fromUtf8(interval);
  return lines.join(QLatin1Char('\n'));
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_view) return {};
  const report::ComparedOp& op = opAt(index.row());
  const int column = index.column();
  const auto number = [](const std::optional<double>& value) {
    return value && std::isfinite(*value) ? QVariant(*value) : QVariant();
  };
  switch (role) {
    case Qt::DisplayRole:
      return shownText(op, column);
    case PlainTextRole:
      return plainText(op, column);
    case Qt::ToolTipRole:
      return tooltip(op, column);
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter | (kWords[std::size_t(column)].isNumber ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::AccessibleTextRole:
      return column == RatioBar ? shownText(op, Ratio) : shownText(op, column);
    case KindRole:
      return int(m_view->kinds[std::size_t(indexAt(index.row()))]);
    case RatioRole:
      return number(op.ratio);
    case RatioLowRole:
      return number(op.ratioLow);
    case RatioHighRole:
      return number(op.ratioHigh);
    case VerdictRole:
      return int(op.verdict);
    default:
      return {};
  }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  return headerCell(kWords[std::size_t(section)], role);
}

}  // namespace opscope::ui
