// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/ops_folds.h"

#include <tuple>

namespace opscope::ui {

bool FoldKey::operator<(const FoldKey& other) const {
  return std::tie(group, op.name, op.shapes, op.device) <
         std::tie(other.group, other.op.name, other.op.shapes, other.op.device);
}

FoldKey groupKey(report::Grouping grouping, const report::OpRow& row) {
  switch (grouping) {
    case report::Grouping::ByName:
      return {{row.name}, {}};
    case report::Grouping::ByKind:
      return {{std::uint32_t(row.kind)}, {}};
    case report::Grouping::ByDevice:
      return {{row.device}, {}};
    case report::Grouping::ByShapes:
      return {{row.shapes}, {}};
    case report::Grouping::ByDepth:
      return {{row.depth}, {}};
    case report::Grouping::ByStep:
      return {{row.step}, {}};
    default:
      return {{row.name, row.shapes, row.device}, {}};
  }
}

bool canUnfold(const OpsData& data, std::uint32_t row, int level) {
  if (level == 0 && report::isCoarse(data.table.grouping)) return data.table.rows[row].callCount > 0;
  // An op that is called once is that call.
  return data.table.grouping == report::Grouping::ByOp && data.table.rows[row].callCount > 1;
}

void appendMembers(const OpsData& groups, const OpsData& data, std::uint32_t row, const FoldKey& key,
                   int level, const FoldSort& sort, const FoldKeys& unfolded, FoldMembers& known,
                   std::vector<FoldPart>& parts, std::vector<FoldItem>& items) {
  std::shared_ptr<const OpsData>& members = known[key];
  if (!members) {
    const auto grouping =
        report::isCoarse(data.table.grouping) ? report::Grouping::ByOp : report::Grouping::EachCall;
    members = makeMembers(groups, grouping, data.table.callsOf(data.table.rows[row]));
  }
  const std::shared_ptr<const OpsData> shown = members;
  parts.push_back({key, shown, level + 1});
  const auto part = std::uint32_t(parts.size());
  for (const std::uint32_t member : orderRows(*shown, sort.filter, sort.column, sort.order)) {
    items.push_back({part, member});
    const report::OpRow& op = shown->table.rows[member];
    const FoldKey below{key.group, {op.name, op.shapes, op.device}};
    if (canUnfold(*shown, member, level + 1) && unfolded.contains(below))
      appendMembers(groups, *shown, member, below, level + 1, sort, unfolded, known, parts, items);
  }
}

FoldedRows foldedRows(const OpsData& groups, std::vector<std::uint32_t> order, const FoldSort& sort,
                      const FoldKeys& unfolded, FoldMembers& known) {
  FoldedRows rows;
  rows.order = std::move(order);
  if (unfolded.empty()) return rows;
  rows.items.reserve(rows.order.size());
  for (const std::uint32_t row : rows.order) {
    rows.items.push_back({0, row});
    const FoldKey key = groupKey(groups.table.grouping, groups.table.rows[row]);
    if (unfolded.contains(key) && canUnfold(groups, row, 0))
      appendMembers(groups, groups, row, key, 0, sort, unfolded, known, rows.parts, rows.items);
  }
  // Those that are unfolded are not among what is shown.
  if (rows.parts.empty()) rows.items.clear();
  return rows;
}

}  // namespace opscope::ui
