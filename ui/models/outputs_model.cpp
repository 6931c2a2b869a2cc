// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/outputs_model.h"

#include <algorithm>

#include "ui/models/format.h"
#include "ui/models/ops_model.h"

namespace opscope::ui {
namespace {

QString fromStd(const std::string& text) {
  return format::fromUtf8(text);
}

bool isNumber(int column) {
  return column >= OutputsModel::Least && column <= OutputsModel::Infinities;
}

QString shapeText(const std::vector<std::int64_t>& shape) {
  QStringList sizes;
  for (const std::int64_t size : shape) sizes << QString::number(size);
  return QLatin1Char('[') + sizes.join(QStringLiteral(", ")) + QLatin1Char(']');
}

/// As a file would have it; empty where there is none.
QString plainCell(const session::OutputSummary& output, int column) {
  const auto& facts = output.facts;
  switch (column) {
    case OutputsModel::Path:
      return fromStd(output.path);
    case OutputsModel::Type:
      return facts ? fromStd(facts->type) : fromStd(output.description);
    case OutputsModel::Shape:
      return facts ? shapeText(facts->shape) : QString();
    case OutputsModel::Least:
      return facts ? fromStd(facts->least) : QString();
    case OutputsModel::Largest:
      return facts ? fromStd(facts->largest) : QString();
    case OutputsModel::Mean:
      return facts && facts->mean ? QString::number(*facts->mean, 'g', 6) : QString();
    case OutputsModel::Nans:
      return facts ? QString::number(facts->nans) : QString();
    case OutputsModel::Infinities:
      return facts ? QString::number(facts->infinities) : QString();
    default:
      return fromStd(output.preview);
  }
}

/// For the screen: minus signs, groups, dashes for what there is not.
QString shownCell(const session::OutputSummary& output, int column) {
  QString text = plainCell(output, column);
  if (column == OutputsModel::Nans || column == OutputsModel::Infinities)
    return output.facts ? format::integer(text.toLongLong()) : format::missing();
  if (column == OutputsModel::Values)
    return output.facts && output.facts->elements == 0 ? QStringLiteral("no elements") : text;
  if (isNumber(column)) text.replace(QLatin1Char('-'), format::kMinus);
  return text.isEmpty() ? format::missing() : text;
}

const char* const kTitles[] = {"Output", "Type", "Shape", "Least", "Largest", "Mean", "NaN", "Inf", "Values"};

}  // namespace

void OutputsModel::setOutputs(std::vector<session::OutputSummary> outputs) {
  beginResetModel();
  m_outputs = std::move(outputs);
  endResetModel();
}

int OutputsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_outputs.size());
}

int OutputsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant OutputsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const session::OutputSummary& output = m_outputs[std::size_t(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return shownCell(output, index.column());
    case PlainTextRole:
      return plainCell(output, index.column());
    case Qt::TextAlignmentRole:
      return int((isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
      return QStringLiteral("%1  %2\n%3")
          .arg(fromStd(output.path), fromStd(output.description), fromStd(output.preview));
    default:
      return {};
  }
}

QVariant OutputsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  if (role == Qt::TextAlignmentRole)
    return int((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::DisplayRole || role == FileTitleRole) return QString::fromLatin1(kTitles[section]);
  return {};
}

bool anyNotFinite(const std::vector<session::OutputSummary>& outputs) {
  return std::ranges::any_of(outputs, [](const session::OutputSummary& output) {
    return output.facts && output.facts->nans + output.facts->infinities > 0;
  });
}

QString outputsSummary(const std::vector<session::OutputSummary>& outputs) {
  const QString many = format::counted(std::int64_t(outputs.size()), "output", "outputs");
  QStringList bad;
  int left = 0;
  for (const session::OutputSummary& output : outputs) {
    left += output.facts ? 0 : 1;
    if (!output.facts || output.facts->nans + output.facts->infinities == 0) continue;
    QStringList parts;
    if (output.facts->nans > 0)
      parts << QStringLiteral("%1 NaN").arg(format::integer(std::int64_t(output.facts->nans)));
    if (output.facts->infinities > 0)
      parts << QStringLiteral("%1 Inf").arg(format::integer(std::int64_t(output.facts->infinities)));
    bad << QStringLiteral("%1 holds %2 in %3.")
               .arg(fromStd(output.path), parts.join(QStringLiteral(" and ")),
                    format::counted(std::int64_t(output.facts->elements), "value", "values"));
  }
  QString words = bad.isEmpty() ? QStringLiteral("%1, no NaN and no Inf.").arg(many)
                                : many + QStringLiteral(". ") + bad.mid(0, 3).join(QLatin1Char(' '));
  if (bad.size() > 3) words += QStringLiteral(" %1 more hold such values.").arg(bad.size() - 3);
  if (left > 0) words += QStringLiteral(" %1 cannot be saved as an array.").arg(left);
  return words;
}

}  // namespace opscope::ui
