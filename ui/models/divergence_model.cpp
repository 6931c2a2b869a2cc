// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/divergence_model.h"

#include <algorithm>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

QString fromStd(const std::string& text) {
  return format::fromUtf8(text);
}

/// Three digits: an error of a computation.
QString errorNumber(double value) {
  if (!(value > 0)) return format::missing();
  return QString::number(value, 'g', 3).replace(QLatin1Char('-'), format::kMinus);
}

/// "1e-5", as people write it.
QString toleranceText(double value) {
  QString text = QString::number(value, 'g', 3);
  return text.replace(QLatin1String("e-0"), QLatin1String("e-"));
}

QString placeWords(const session::CallPlace& place) {
  if (!place.isPlaced) return QStringLiteral("call %1").arg(place.sequence);
  return QStringLiteral("call %1, %2 instruction %3")
      .arg(place.sequence)
      .arg(fromStd(place.function))
      .arg(place.instruction);
}

QString types(const session::TensorDifference& difference) {
  if (difference.descriptionA == difference.descriptionB) return fromStd(difference.descriptionA);
  const auto side = [](const std::string& text) {
    return text.empty() ? QStringLiteral("missing") : format::fromUtf8(text);
  };
  return QStringLiteral("%1 in A, %2 in B").arg(side(difference.descriptionA), side(difference.descriptionB));
}

}  // namespace

DivergenceModel::Row DivergenceModel::rowOf(const session::TensorDifference& difference) {
  Row row;
  row.output = QStringLiteral("%1  %2").arg(fromStd(difference.place), types(difference));
  if (!difference.comparable) {
    row.beyond = QStringLiteral("cannot be compared");
    row.absolute = row.relative = row.first = format::missing();
    return row;
  }
  row.beyond = QStringLiteral("%1 of %2")
                   .arg(format::integer(std::int64_t(difference.beyond)),
                        format::integer(std::int64_t(difference.elements)));
  row.absolute = errorNumber(difference.maxAbsolute);
  row.relative = errorNumber(difference.maxRelative);
  row.first = QStringLiteral("%1: %2 in A, %3 in B")
                  .arg(fromStd(difference.position), fromStd(difference.valueA), fromStd(difference.valueB));
  return row;
}

void DivergenceModel::addCall(const session::ComparedCall& call, bool isFirst) {
  for (const session::TensorDifference& output : call.outputs) {
    if (!output.differs()) continue;
    Row row = rowOf(output);
    row.call = QString::number(call.a.sequence);
    row.opName = fromStd(call.a.name);
    row.op = row.opName;
    row.tooltip = QStringLiteral("A: %1\nB: %2").arg(placeWords(call.a), placeWords(call.b));
    if (call.a.name != call.b.name) row.tooltip += QStringLiteral(", there %1").arg(fromStd(call.b.name));
    row.isFirst = isFirst;
    m_rows.push_back(row);
  }
}

void DivergenceModel::setDivergence(const session::Divergence& divergence) {
  beginResetModel();
  m_divergence = divergence;
  m_rows.clear();
  const auto first = m_divergence.first();
  for (std::size_t i = 0; i < m_divergence.calls.size(); ++i) {
    if (m_divergence.calls[i].differs()) addCall(m_divergence.calls[i], first == i);
  }
  for (const session::TensorDifference& result : m_divergence.results) {
    if (!result.differs()) continue;
    Row row = rowOf(result);
    row.op = QStringLiteral("result");
    m_rows.push_back(row);
  }
  const auto addUnmatched = [this](const std::vector<session::UnmatchedCall>& calls, const char* side) {
    for (const session::UnmatchedCall& call : calls) {
      Row row;
      row.call = QString::number(call.call.sequence);
      row.op = row.opName = fromStd(call.call.name);
      row.output = fromStd(call.outputs);
      row.beyond = QStringLiteral("only in %1").arg(QString::fromLatin1(side));
      row.absolute = row.relative = row.first = format::missing();
      row.tooltip = placeWords(call.call);
      m_rows.push_back(row);
    }
  };
  addUnmatched(m_divergence.onlyA, "A");
  addUnmatched(m_divergence.onlyB, "B");
  endResetModel();
}

int DivergenceModel::firstRow() const {
  const auto found = std::ranges::find(m_rows, true, &Row::isFirst);
  return found == m_rows.end() ? -1 : int(found - m_rows.begin());
}

int DivergenceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_rows.size());
}

int DivergenceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant DivergenceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = m_rows[std::size_t(index.row())];
  const bool isNumber = index.column() == Call || index.column() == Absolute || index.column() == Relative;
  switch (role) {
    case OpRole:
      return row.opName;
    case FirstRole:
      return row.isFirst;
    case Qt::ToolTipRole:
      return row.tooltip.isEmpty() ? row.output : row.op + QLatin1Char('\n') + row.tooltip;
    case Qt::TextAlignmentRole:
      return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::DisplayRole:
      break;
    default:
      return {};
  }
  switch (index.column()) {
    case Call:
      return row.call.isEmpty() ? format::missing() : row.call;
    case Op:
      return row.op;
    case Output:
      return row.output;
    case Beyond:
      return row.beyond;
    case Absolute:
      return row.absolute;
    case Relative:
      return row.relative;
    default:
      return row.first;
  }
}

QVariant DivergenceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  const bool isNumber = section == Call || section == Absolute || section == Relative;
  if (role == Qt::TextAlignmentRole)
    return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  const char* const titles[] = {
      "Call", "Op", "Output", "Values that differ", "Largest error", "Relative error", "First place"};
  return role == Qt::DisplayRole ? QVariant(QString::fromLatin1(titles[section])) : QVariant();
}

QString divergenceTitle(const session::Divergence& divergence) {
  const auto first = divergence.first();
  if (first)
    return QStringLiteral("%1 is the first op that differs").arg(fromStd(divergence.calls[*first].a.name));
  if (divergence.differs()) return QStringLiteral("Only results differ");
  return divergence.calls.empty() ? QStringLiteral("No result differs") : QStringLiteral("No op differs");
}

QString divergenceSummary(const session::Divergence& divergence) {
  const auto agreeing = std::ranges::count_if(
      divergence.results, [](const session::TensorDifference& result) { return !result.differs(); });
  const QString calls = format::counted(std::int64_t(divergence.calls.size()), "call", "calls");
  return QStringLiteral(
             "%1 compared, paired by %2; %3 differ beyond rtol %4, atol %5. %6 of %7 results agree.")
      .arg(calls, divergence.matching == session::CallMatching::ByOrder
                      ? QStringLiteral("order")
                      : QStringLiteral("name and output shapes"))
      .arg(divergence.differingCalls())
      .arg(toleranceText(divergence.rtol), toleranceText(divergence.atol))
      .arg(agreeing)
      .arg(divergence.results.size());
}

}  // namespace opscope::ui
