// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/op_group.h"

#include <algorithm>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

QString wordsOf(report::Grouping grouping) {
  switch (grouping) {
    case report::Grouping::ByName:
      return QStringLiteral("Ops of this name");
    case report::Grouping::ByKind:
      return QStringLiteral("Ops of this kind");
    case report::Grouping::ByDevice:
      return QStringLiteral("Ops on this device");
    case report::Grouping::ByShapes:
      return QStringLiteral("Ops with these shapes");
    case report::Grouping::ByStep:
      return QStringLiteral("Ops of this step");
    default:
      return QStringLiteral("Ops at this depth");
  }
}

bool areOfOneOp(const report::Run& run, std::span<const std::uint32_t> calls) {
  return std::ranges::all_of(
      calls, [&](std::uint32_t call) { return opOf(run.calls[call]) == opOf(run.calls[calls.front()]); });
}

}  // namespace

std::shared_ptr<const OpGroup> opGroupOf(const OpsData& groups, std::uint32_t row) {
  const report::OpTable& table = groups.table;
  const report::OpRow& sum = table.rows[row];
  const report::Run& run = *groups.document.run;
  const auto calls = table.callsOf(sum);
  if (!report::isCoarse(table.grouping) || areOfOneOp(run, calls)) return nullptr;
  auto group = std::make_shared<OpGroup>();
  const QString title = shownText(groups, row, groups.columns.front());
  group->title = table.grouping == report::Grouping::ByDepth ? QStringLiteral("Depth %1").arg(title) : title;
  group->words = wordsOf(table.grouping);
  if (hasKind(table.grouping)) group->kind = sum.kind;
  group->calls = sum.count;
  group->us = sum.durationUs;
  group->wholeUs = table.totals.totalUs;
  group->percent = sum.percent;
  const auto members = makeMembers(groups, report::Grouping::ByOp, calls);
  for (const report::OpRow& op : members->table.rows) {
    group->members.push_back({{op.name, op.shapes, op.device},
                              format::fromUtf8(report::nameOf(run, op)),
                              format::fromUtf8(report::shapesOf(run, op)),
                              op.count,
                              op.durationUs});
  }
  std::ranges::stable_sort(group->members, std::ranges::greater(), &OpGroup::Member::us);
  return group;
}

}  // namespace opscope::ui
