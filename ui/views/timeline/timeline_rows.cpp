// SPDX-License-Identifier: GPL-3.0-or-later
// Which rows the Timeline has, with their places, titles and words.
#include <algorithm>

#include "engine/report/remote_words.h"
#include "ui/models/format.h"
#include "ui/views/timeline/timeline_scene.h"

namespace opscope::ui {
namespace {

using Group = TimelineRow::Group;

QString deviceTitle(const report::Run& run, std::uint32_t device) {
  if (device >= run.devices.size()) return QStringLiteral("Kernels, no device");
  return QStringLiteral("%1 kernels").arg(format::fromUtf8(run.devices[device]));
}

/// Why a lane has nothing to show.
QString notRecorded(const report::Run& run, const char* choice) {
  if (run.executableHash.empty()) return QStringLiteral("Not in this report");
  if (const std::string why = report::whyNotRecorded(run); !why.empty()) return QString::fromStdString(why);
  return QStringLiteral("Not recorded. Turn on “Record %1” in the Run menu, then run again")
      .arg(QLatin1String(choice));
}

QString rpcWords(const report::Run& run) {
  if (run.remote) {
    return QStringLiteral("Not told: this run was saved before requests were recorded");
  }
  if (run.executableHash.empty()) return QStringLiteral("Not in this report");
  return QStringLiteral("None: this run was on this computer");
}

/// How requests and calls stand to each other, and the sums of the whole run.
QString trafficNote(const Timeline& timeline) {
  const TimelineTraffic& traffic = timeline.traffic();
  const QString sums =
      QStringLiteral("whole run: ") + format::fromUtf8(report::trafficWords(traffic.track()));
  if (timeline.isBeforeRepeats()) return QStringLiteral("This computer's clock · ") + sums;
  if (!traffic.doubtNs()) {
    return QStringLiteral(
               "This computer's clock; when calls were made there is not told, so they stand side "
               "by side from 0 on · ") +
           sums;
  }
  const QString doubt = format::duration(*traffic.doubtNs() / 1000).text();
  QString words = *traffic.doubtNs() > 0 ? QStringLiteral("Set beside the calls to within %1").arg(doubt)
                                         : QStringLiteral("Set beside the calls");
  if (timeline.run().steps.size() > 1) {
    words += QStringLiteral(", at the first step: calls stand without the time between steps");
  }
  return words + QStringLiteral(" · ") + sums;
}

std::uint32_t partOf(const std::vector<TimelineRow>& rows, std::size_t index) {
  std::uint32_t part = 0;
  while (!rows[index - part].isFirst) ++part;
  return part;
}

}  // namespace

void TimelineScene::add(SceneRow row) {
  const bool first = rows.empty() || rows.back().pinned != row.pinned;
  row.top = first ? 0 : rows.back().top + rows.back().height;
  rows.push_back(std::move(row));
}

SceneRow TimelineScene::header(Group group, const QString& title, bool folded) const {
  SceneRow row;
  row.kind = SceneRow::Kind::Header;
  row.group = group;
  row.startsGroup = true;
  row.folded = folded;
  row.height = theme->px(24);
  row.blockTop = theme->px(8);
  row.blockHeight = theme->px(8);
  row.title = title;
  return row;
}

SceneRow TimelineScene::laneRow(const TimelineRow& lane, std::uint32_t part) const {
  SceneRow row;
  row.group = lane.group;
  row.id = LaneId{lane.group, lane.key, part};
  row.lane = &lane.lane;
  row.height = theme->px(22);
  row.blockTop = theme->px(1);
  row.blockHeight = theme->px(20);
  const auto blocks = std::int64_t(lane.lane.size());
  row.detail = format::integer(blocks);
  if (lane.group == Group::Vm) {
    constexpr std::int64_t kRoomForWords = 9999;
    if (blocks <= kRoomForWords) row.detail = format::counted(blocks, "call", "calls");
    row.plainKernels = true;
    row.title = lane.key == 0 ? QStringLiteral("instructions") : QStringLiteral("depth %1").arg(lane.key + 1);
  } else if (lane.group == Group::Kernels) {
    row.twoLines = true;
    row.height = theme->px(46);
    row.blockTop = theme->px(5);
    row.blockHeight = theme->px(36);
    row.title = deviceTitle(timeline->run(), lane.key);
    row.detail = format::counted(std::int64_t(lane.lane.size()), "call", "calls") + QStringLiteral(", ") +
                 format::duration(lane.sumNs / 1000).text();
  } else if (lane.group == Group::Rpc) {
    row.title = QStringLiteral("requests");
  } else if (lane.group == Group::Steps) {
    row.title = QStringLiteral("steps");
  } else {
    row.height = theme->px(20);
    row.blockTop = theme->px(1);
    row.blockHeight = theme->px(17);
    for (const PoolThread& thread : timeline->pool().threads()) {
      if (thread.lane != lane.key) continue;
      row.title = format::fromUtf8(thread.title);
      row.detail =
          thread.usePercent ? format::percent(*thread.usePercent, 0) + QStringLiteral("\u00A0%") : QString();
    }
  }
  if (part > 0) {
    row.title = lane.group == Group::Pool ? QStringLiteral("within a task")
                : !holdsCalls(lane.group) ? QStringLiteral("at the same time")
                                          : QStringLiteral("also there");
    if (lane.group == Group::Pool) row.detail = format::counted(blocks, "task", "tasks");
  }
  return row;
}

std::optional<SceneRow> TimelineScene::pinnedRow(const ScenePin& pin) const {
  SceneRow row;
  if (!pin.op.isNull()) {
    if (pin.lane == nullptr || pin.lane->size() == 0) return std::nullopt;
    row.kind = SceneRow::Kind::PinnedOp;
    row.group = Group::Kernels;
    row.height = theme->px(30);
    row.blockTop = theme->px(5);
    row.blockHeight = theme->px(20);
    row.lane = pin.lane;
    row.pinnedOp = timeline->ops().find(pin.op);
    row.title = format::fromUtf8(timeline->run().names[pin.op.name]);
    row.detail = format::counted(std::int64_t(pin.lane->size()), "call", "calls");
  } else {
    const auto& all = timeline->rows();
    std::size_t found = 0;
    while (found < all.size() && LaneId{all[found].group, all[found].key, partOf(all, found)} != pin.row) {
      ++found;
    }
    if (found == all.size()) return std::nullopt;
    row = laneRow(all[found], pin.row.part);
    const int least = theme->px(24);
    if (row.height < least) {
      row.blockTop = (least - row.blockHeight) / 2;
      row.height = least;
    }
  }
  row.pinned = row.startsGroup = true;
  return row;
}

void TimelineScene::arrange(const std::vector<ScenePin>& pins, const GroupFolds& folds) {
  rows.clear();
  hover = {};
  hoverTitle = -1;
  pinnedHeight = 0;
  if (!timeline) return;
  for (const ScenePin& pin : pins) {
    auto row = pinnedRow(pin);
    // Where little room is left the others could not be seen any more.
    if (!row || (pinnedHeight > 0 && pinnedHeight + row->height > lanesHeight() * 3 / 5)) continue;
    pinnedHeight += row->height;
    add(std::move(*row));
  }
  addVmRows(folds[std::size_t(Group::Vm)]);
  if (!timeline->isBeforeRepeats()) {
    addKernelRows(folds[std::size_t(Group::Kernels)]);
    addPoolRows(folds[std::size_t(Group::Pool)]);
  }
  addRpcRows(folds[std::size_t(Group::Rpc)]);
  if (!timeline->isBeforeRepeats()) addMemoryRow(folds[std::size_t(Group::Memory)]);
  if (currentRow >= int(rows.size())) currentRow = -1;
}

void TimelineScene::addVmRows(bool folded) {
  const auto& all = timeline->rows();
  SceneRow title = header(Group::Vm, QStringLiteral("VM calls"), folded);
  if (folded && !all.empty() && all.front().group == Group::Vm) {
    title.lane = &all.front().lane;
    title.plainKernels = true;
    title.detail = format::counted(std::int64_t(timeline->spans().size()), "call", "calls");
  }
  if (timeline->isBeforeRepeats()) {
    title.note = QStringLiteral("No calls yet: this is what came before the first repeat");
    title.folded = true;
    add(title);
    return;
  }
  add(title);
  if (folded) return;
  SceneRow frame;
  frame.kind = SceneRow::Kind::Frame;
  frame.height = theme->px(22);
  frame.blockTop = theme->px(1);
  frame.blockHeight = theme->px(20);
  frame.title = format::fromUtf8(timeline->run().function);
  if (frame.title.isEmpty()) frame.title = QStringLiteral("whole run");
  add(frame);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].group == Group::Steps) add(laneRow(all[i], partOf(all, i)));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].group == Group::Vm) add(laneRow(all[i], partOf(all, i)));
  }
  rows.back().height += theme->px(4);
}

void TimelineScene::addKernelRows(bool folded) {
  const auto& all = timeline->rows();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].group != Group::Kernels) continue;
    SceneRow row = laneRow(all[i], partOf(all, i));
    row.startsGroup = all[i].isFirst;
    row.folded = folded;
    if (folded) {
      row.twoLines = false;
      row.height = theme->px(24);
      row.blockTop = row.blockHeight = theme->px(8);
    }
    add(std::move(row));
  }
}

void TimelineScene::addPoolRows(bool folded) {
  const TimelinePool& pool = timeline->pool();
  SceneRow title = header(Group::Pool, QStringLiteral("Kernel pool"), folded);
  if (!pool.isRecorded()) {
    title.note = notRecorded(timeline->run(), "threads");
    title.folded = true;
    add(title);
    return;
  }
  const QString threads = format::counted(pool.track().threads, "thread", "threads");
  if (pool.spans().empty()) {
    title.note = QStringLiteral("%1; no kernel of this repeat asked for them").arg(threads);
    title.folded = true;
    add(title);
    return;
  }
  if (folded) {
    title.detail = format::integer(pool.track().threads);
  } else {
    title.note = QStringLiteral("%1 · %2 took %3; percent is of that time")
                     .arg(threads, format::counted(std::int64_t(pool.launches()), "launch", "launches"),
                          format::duration(pool.launchesNs() / 1000).text());
    if (pool.launchesWithIdle() > 0) {
      title.note += QStringLiteral(", %1 of them without work for a thread that could have had some")
                        .arg(format::integer(std::int64_t(pool.launchesWithIdle())));
    }
  }
  const auto& all = timeline->rows();
  for (std::size_t i = 0; i < all.size() && folded && title.lane == nullptr; ++i) {
    if (all[i].group == Group::Pool) title.lane = &all[i].lane;
  }
  add(title);
  if (folded) return;
  for (const PoolThread& thread : pool.threads()) {
    std::uint32_t part = 0;
    for (const TimelineRow& lane : all) {
      if (lane.group == Group::Pool && lane.key == thread.lane) add(laneRow(lane, part++));
    }
    if (part > 0) continue;
    SceneRow idle;
    idle.group = Group::Pool;
    idle.height = theme->px(20);
    idle.blockTop = theme->px(1);
    idle.blockHeight = theme->px(17);
    idle.title = format::fromUtf8(thread.title);
    idle.detail = QStringLiteral("0\u00A0%");
    idle.note = QStringLiteral("Never started in this repeat");
    add(idle);
  }
  rows.back().height += theme->px(4);
}

void TimelineScene::addRpcRows(bool folded) {
  const TimelineTraffic& traffic = timeline->traffic();
  SceneRow title = header(Group::Rpc, QStringLiteral("RPC traffic"), true);
  if (!traffic.isRecorded()) {
    title.note = rpcWords(timeline->run());
    add(title);
    return;
  }
  if (traffic.spans().empty()) {
    title.note = QStringLiteral("None is told of this repeat");
    add(title);
    return;
  }
  const auto& all = timeline->rows();
  const auto first = std::ranges::find(all, Group::Rpc, &TimelineRow::group);
  title.foldable = true;
  title.folded = folded;
  title.detail = format::integer(std::int64_t(traffic.spans().size()));
  if (folded) {
    title.lane = &first->lane;
  } else {
    title.note = trafficNote(*timeline);
  }
  add(title);
  if (folded) return;
  for (std::size_t i = std::size_t(first - all.begin()); i < all.size(); ++i) {
    if (all[i].group == Group::Rpc) add(laneRow(all[i], partOf(all, i)));
  }
  rows.back().height += theme->px(4);
}

void TimelineScene::addMemoryRow(bool folded) {
  const StepCurve& curve = timeline->storageCurve();
  SceneRow row = header(Group::Memory, QStringLiteral("Memory"), folded);
  if (curve.isEmpty()) {
    row.note = timeline->run().memory ? QStringLiteral("The machine took no memory in this repeat")
                                      : notRecorded(timeline->run(), "memory");
    row.folded = true;
    add(row);
    return;
  }
  row.kind = SceneRow::Kind::Curve;
  row.detail = format::bytes(curve.highest());
  if (!folded) {
    row.height = theme->px(76);
    row.blockTop = theme->px(8);
    row.blockHeight = theme->px(60);
  }
  add(row);
}

}  // namespace opscope::ui
