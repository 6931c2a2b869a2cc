// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ops_model.h"

#include <algorithm>

#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"

namespace opscope::ui {
namespace {

/// The first shape of a list of them that the other list has not at its place; empty: they are the same.
QString differingShape(const QString& own, const QString& other) {
  const QString end = QStringLiteral("], ");
  const QStringList shapes = own.split(end), others = other.split(end);
  for (qsizetype i = 0; i < shapes.size(); ++i) {
    if (i < others.size() && shapes[i] == others[i]) continue;
    return i + 1 < shapes.size() ? shapes[i] + QLatin1Char(']') : shapes[i];
  }
  return {};
}

}  // namespace

OpsModel::OpsModel(Background* background, QObject* parent)
    : QAbstractTableModel(parent), m_background(background) {}

void OpsModel::setDocument(const report::Document& document, OpsWhole whole) {
  m_whole = whole;
  if (m_document.run != document.run) m_unfolded.clear();
  m_document = document;
  if (!document.run) {
    m_shown = ++m_wanted;
    beginResetModel();
    m_data.reset();
    m_rows = {};
    m_members.clear();
    endResetModel();
    Q_EMIT columnsChanged();
    Q_EMIT rowsChanged();
    return;
  }
  rebuild(true);
}

void OpsModel::setGrouping(report::Grouping grouping) {
  if (m_grouping == grouping) return;
  m_grouping = grouping;
  m_unfolded.clear();
  rebuild(true);
}

void OpsModel::setFilter(const OpFilter& filter) {
  if (m_filter == filter) return;
  m_filter = filter;
  rebuild(isOfFilteredCalls(m_grouping, filter) || (m_data && m_data->isFiltered));
}

void OpsModel::sort(int column, Qt::SortOrder order) {
  if (m_sortColumn == column && m_sortOrder == order) return;
  m_sortColumn = column;
  m_sortOrder = order;
  rebuild(false);
}

void OpsModel::rebuild(bool regroup) {
  if (!m_document.run) return;
  const quint64 wanted = ++m_wanted;
  m_regroupPending = m_regroupPending || regroup || !m_data;
  const auto prepare = [document = m_document, whole = m_whole, grouping = m_grouping, filter = m_filter,
                        column = m_sortColumn, order = m_sortOrder, unfolded = m_unfolded,
                        known = m_regroupPending ? nullptr : m_data,
                        members = m_regroupPending ? FoldMembers() : m_members]() {
    const SlowWork work("rows of Ops");
    Prepared prepared;
    prepared.members = members;
    prepared.data = known ? known : makeOpsData(document, grouping, whole, filter);
    prepared.rows = foldedRows(*prepared.data, orderRows(*prepared.data, filter, column, order),
                               {filter, column, order}, unfolded, prepared.members);
    for (const std::uint32_t row : prepared.rows.order) {
      const report::OpRow& op = prepared.data->table.rows[row];
      prepared.shownUs += op.durationUs;
      prepared.shownCalls += op.count;
    }
    return prepared;
  };
  if (isSmall(*m_document.run)) {
    m_shown = wanted;
    show(prepare());
    return;
  }
  m_background->run(this, prepare, [this, wanted](Prepared prepared) {
    if (wanted != m_wanted) return;
    m_shown = wanted;
    show(std::move(prepared));
  });
}

void OpsModel::show(Prepared prepared) {
  const bool newColumns = m_regroupPending;
  m_regroupPending = false;
  beginResetModel();
  m_data = std::move(prepared.data);
  m_rows = std::move(prepared.rows);
  m_members = std::move(prepared.members);
  m_shownUs = prepared.shownUs;
  m_shownCalls = prepared.shownCalls;
  if (m_rows.order.size() > m_rowLimit) m_rows.order.resize(m_rowLimit);
  endResetModel();
  if (newColumns) Q_EMIT columnsChanged();
  Q_EMIT rowsChanged();
}

const report::OpRow& OpsModel::opRow(int row) const {
  const FoldItem item = m_rows.at(row);
  return dataOf(item).table.rows[item.row];
}

OpId OpsModel::opAt(int row) const {
  const FoldItem item = m_rows.at(row);
  const OpsData& data = dataOf(item);
  if (report::isCoarse(data.table.grouping)) return data.longestOps[item.row];
  const report::OpRow& op = data.table.rows[item.row];
  return {op.name, op.shapes, op.device};
}

std::optional<std::uint32_t> OpsModel::callAt(int row) const {
  const FoldItem item = m_rows.at(row);
  const OpsData& data = dataOf(item);
  if (data.table.grouping != report::Grouping::EachCall) return std::nullopt;
  const auto calls = data.table.callsOf(data.table.rows[item.row]);
  if (calls.empty()) return std::nullopt;
  return calls.front();
}

int OpsModel::rowOf(const OpId& op, std::optional<std::uint32_t> call) const {
  if (op.isNull()) return -1;
  if (report::isCoarse(m_data->table.grouping)) return memberRowOf(coarseRowOf(op, call), op, call);
  int sameOp = -1;
  for (int row = 0; row < m_rows.count(); ++row) {
    if (m_rows.at(row).part != 0 || opAt(row) != op) continue;
    if (m_data->table.grouping == report::Grouping::ByOp) return memberRowOf(row, op, call);
    if (!call || callAt(row) == call) return row;
    if (sameOp < 0) sameOp = row;
  }
  return sameOp;
}

int OpsModel::coarseRowOf(const OpId& op, std::optional<std::uint32_t> call) const {
  const report::Run& run = *m_data->document.run;
  if (op.name >= run.names.size()) return -1;
  const report::OpKind kind = report::kindOf(run.names[op.name]);
  for (int row = 0; row < m_rows.count(); ++row) {
    if (m_rows.at(row).part != 0) continue;
    const report::OpRow& candidate = opRow(row);
    bool holds = false;
    switch (m_data->table.grouping) {
      case report::Grouping::ByName:
        holds = candidate.name == op.name;
        break;
      case report::Grouping::ByKind:
        holds = candidate.kind == kind;
        break;
      case report::Grouping::ByDevice:
        holds = candidate.device == op.device;
        break;
      case report::Grouping::ByShapes:
        holds = candidate.shapes == op.shapes;
        break;
      case report::Grouping::ByStep:
        holds = call && *call < run.calls.size() ? run.calls[*call].step == candidate.step : opAt(row) == op;
        break;
      default:
        holds =
            call && *call < run.calls.size() ? run.calls[*call].depth == candidate.depth : opAt(row) == op;
        break;
    }
    if (holds) return row;
  }
  return -1;
}

QString OpsModel::filterOf(int row) const {
  const FoldItem item = m_rows.at(row);
  if (item.part != 0) return {};
  const QString text = shownText(*m_data, item.row, m_data->columns.front());
  switch (m_data->table.grouping) {
    case report::Grouping::ByName:
      return QStringLiteral("name:") + text;
    case report::Grouping::ByKind:
      return QStringLiteral("kind:") + text;
    case report::Grouping::ByDevice:
      return QStringLiteral("device:") + text;
    case report::Grouping::ByShapes:
      return QStringLiteral("shape:") + text;
    case report::Grouping::ByDepth:
      return QStringLiteral("depth:") + text;
    case report::Grouping::ByStep:
      return QStringLiteral("step:") + text;
    default:
      return {};
  }
}

int OpsModel::columnOf(OpsColumn::Kind kind) const {
  if (!m_data) return -1;
  const auto& columns = m_data->columns;
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.kind == kind; });
  return found == columns.end() ? -1 : int(found - columns.begin());
}

int OpsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : m_rows.count();
}

int OpsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_data ? 0 : int(m_data->columns.size());
}

/// In a table that has no column for them: the shape that tells an op from another one of its name.
QString OpsModel::twinMark(int row) const {
  if (m_rowLimit == kAllRows) return {};
  const report::OpRow& op = opRow(row);
  for (int other = 0; other < m_rows.count(); ++other) {
    const report::OpRow& twin = opRow(other);
    if (other == row || twin.name != op.name || twin.shapes == op.shapes || op.shapes == report::kNone)
      continue;
    const std::vector<std::string>& shapes = m_data->document.run->shapes;
    const QString mark =
        differingShape(format::fromUtf8(shapes[op.shapes]),
                       twin.shapes == report::kNone ? QString() : format::fromUtf8(shapes[twin.shapes]));
    if (!mark.isEmpty()) return QStringLiteral("  ") + mark;
  }
  return {};
}

QString OpsModel::nameAt(int row) const {
  const FoldItem item = m_rows.at(row);
  const OpsData& data = dataOf(item);
  const QString name = shownText(data, item.row, data.columns.front());
  if (item.part == 0) return name;
  // Calls of one op share its name; where they stand tells them apart.
  const auto call = callAt(row);
  return call ? QStringLiteral("#%1 %2").arg(data.document.run->calls[*call].instruction).arg(name) : name;
}

QVariant OpsModel::cellTooltip(int row, const OpsColumn& column) const {
  if (column.kind == OpsColumn::Kind::Name) return format::brokenName(nameAt(row)).join(QLatin1Char('\n'));
  if (column.kind == OpsColumn::Kind::Shapes) {
    const FoldItem item = m_rows.at(row);
    return shownText(dataOf(item), item.row, column).replace(QLatin1String("], "), QLatin1String("],\n"));
  }
  return {};
}

QVariant OpsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_data) return {};
  const FoldItem item = m_rows.at(index.row());
  const OpsData& data = dataOf(item);
  const OpsColumn& column = data.columns[std::size_t(index.column())];
  const report::OpRow& op = data.table.rows[item.row];
  const bool isName = column.kind == OpsColumn::Kind::Name;
  switch (role) {
    case Qt::DisplayRole:
      return isName ? nameAt(index.row()) + twinMark(index.row()) : shownText(data, item.row, column);
    case PlainTextRole:
      return isName ? nameAt(index.row()) : plainText(data, item.row, column);
    case Qt::AccessibleTextRole:
      return isName ? foldText(index.row(), nameAt(index.row()) + twinMark(index.row())) : QVariant();
    case Qt::ToolTipRole:
      return cellTooltip(index.row(), column);
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter | (column.isNumber ? Qt::AlignRight : Qt::AlignLeft));
    case NumberRole: {
      const auto number = numberOf(data, item.row, column);
      return number ? QVariant(*number) : QVariant();
    }
    case KindRole:
      // Ops of several kinds have no colour of a kind.
      return hasKind(data.table.grouping) ? QVariant(int(op.kind)) : QVariant();
    case ShareRole:
      return m_data->largestUs > 0 ? std::clamp(op.durationUs / m_data->largestUs, 0.0, 1.0) : 0.0;
    case FoldRole:
      return isName && folds() ? QVariant(int(foldOf(index.row()))) : QVariant();
    case LevelRole:
      return levelOf(index.row());
    default:
      return {};
  }
}

QVariant OpsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || !m_data || section >= columnCount()) return {};
  const OpsColumn& column = m_data->columns[std::size_t(section)];
  switch (role) {
    case Qt::DisplayRole:
      return column.title;
    case FileTitleRole:
      return column.fileTitle;
    case Qt::ToolTipRole:
      return column.description;
    case Qt::TextAlignmentRole: {
      // Percent stands left of its bar, so its title begins where the column does.
      const bool right = column.isNumber && column.kind != OpsColumn::Kind::Percent;
      return int(Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft));
    }
    default:
      return {};
  }
}

}  // namespace opscope::ui
