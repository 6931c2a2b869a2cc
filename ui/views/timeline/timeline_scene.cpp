// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/timeline/timeline_scene.h"

#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr int kHitSlop = 3;

QString deviceTitle(const report::Run& run, std::uint32_t device) {
  if (device >= run.devices.size()) return QStringLiteral("Kernels");
  return QStringLiteral("%1 kernels").arg(format::fromUtf8(run.devices[device]));
}

}  // namespace

QColor mixed(const QColor& under, const QColor& over, double part) {
  const auto mix = [part](int a, int b) { return int(std::lround(a + (b - a) * part)); };
  return {mix(under.red(), over.red()), mix(under.green(), over.green()), mix(under.blue(), over.blue())};
}

QRect TimelineScene::strip() const {
  return {titleWidth(), 0, std::max(1, size.width() - titleWidth()), stripHeight()};
}

QRect TimelineScene::ruler() const {
  return {titleWidth(), stripHeight(), std::max(1, size.width() - titleWidth()), rulerHeight()};
}

QRect TimelineScene::lanes() const {
  return {titleWidth(), lanesTop(), std::max(1, size.width() - titleWidth()), lanesHeight()};
}

void TimelineScene::add(SceneRow row) {
  row.top = contentHeight();
  rows.push_back(std::move(row));
}

void TimelineScene::arrange(const TimelineLane* pinned, std::uint32_t pinnedOp, bool vmFolded,
                            bool kernelsFolded) {
  rows.clear();
  hover = {};
  if (!timeline) return;
  if (pinned != nullptr && pinned->size() > 0) {
    SceneRow row;
    row.kind = SceneRow::Kind::Pinned;
    row.startsGroup = true;
    row.height = theme->px(30);
    row.blockTop = theme->px(5);
    row.blockHeight = theme->px(20);
    row.lane = pinned;
    row.title = format::fromUtf8(timeline->run().names[timeline->ops().ops[pinnedOp].name]);
    row.detail = format::counted(std::int64_t(pinned->size()), "call", "calls");
    add(std::move(row));
  }
  addVmRows(vmFolded);
  addKernelRows(kernelsFolded);
  if (currentRow >= int(rows.size())) currentRow = -1;
}

void TimelineScene::addVmRows(bool folded) {
  const auto& all = timeline->rows();
  SceneRow header;
  header.kind = SceneRow::Kind::Header;
  header.startsGroup = true;
  header.folded = folded;
  header.height = theme->px(24);
  header.title = QStringLiteral("VM calls");
  if (folded && !all.empty() && all.front().group == TimelineRow::Group::Vm) {
    header.lane = &all.front().lane;
    header.plainKernels = true;
    header.blockTop = theme->px(8);
    header.blockHeight = theme->px(8);
    header.detail = format::counted(std::int64_t(timeline->spans().size()), "call", "calls");
  }
  add(header);
  if (folded) return;
  SceneRow frame;
  frame.kind = SceneRow::Kind::Frame;
  frame.height = theme->px(22);
  frame.blockTop = theme->px(1);
  frame.blockHeight = theme->px(20);
  frame.title = format::fromUtf8(timeline->run().function);
  if (frame.title.isEmpty()) frame.title = QStringLiteral("whole run");
  add(frame);
  for (const TimelineRow& vm : all) {
    if (vm.group != TimelineRow::Group::Vm) continue;
    SceneRow row;
    row.height = theme->px(22);
    row.blockTop = theme->px(1);
    row.blockHeight = theme->px(20);
    row.lane = &vm.lane;
    row.plainKernels = true;
    row.title = vm.key == 0 ? QStringLiteral("instructions") : QStringLiteral("depth %1").arg(vm.key + 1);
    if (!vm.isFirst) row.title = QStringLiteral("also there");
    row.detail = format::integer(std::int64_t(vm.lane.size()));
    add(row);
  }
  rows.back().height += theme->px(4);
}

void TimelineScene::addKernelRows(bool folded) {
  for (const TimelineRow& kernels : timeline->rows()) {
    if (kernels.group != TimelineRow::Group::Kernels) continue;
    SceneRow row;
    row.group = TimelineRow::Group::Kernels;
    row.startsGroup = kernels.isFirst;
    row.folded = folded;
    row.twoLines = !folded;
    row.height = folded ? theme->px(24) : theme->px(46);
    row.blockTop = folded ? theme->px(8) : theme->px(5);
    row.blockHeight = folded ? theme->px(8) : theme->px(36);
    row.lane = &kernels.lane;
    row.title = kernels.isFirst ? deviceTitle(timeline->run(), kernels.key) : QStringLiteral("also there");
    row.detail = format::counted(std::int64_t(kernels.lane.size()), "call", "calls") + QStringLiteral(", ") +
                 format::duration(kernels.sumNs / 1000).text();
    add(row);
  }
}

void TimelineScene::updateLayout(SceneRow& row) const {
  if (row.lane == nullptr) return;
  TimeScale device = scale;
  device.width = std::max(1.0, scale.width * pixelRatio);
  if (row.layoutScale.sameView(device) && row.layoutScale.width == device.width) return;
  row.layout = row.lane->layout(device);
  row.layoutScale = device;
}

QRect TimelineScene::rowRect(const SceneRow& row) const {
  return {0, lanesTop() + row.top - scrollY, size.width(), row.height};
}

QRectF TimelineScene::blockRect(const SceneRow& row, std::uint32_t block) const {
  const double x0 = std::round(scale.toPixel(row.lane->startNs(block)) * pixelRatio) / pixelRatio;
  const double x1 = std::round(scale.toPixel(row.lane->endNs(block)) * pixelRatio) / pixelRatio;
  return {titleWidth() + x0, double(rowRect(row).top() + row.blockTop), std::max(2.0, x1 - x0),
          double(row.blockHeight)};
}

int TimelineScene::rowAt(int y) const {
  if (y < lanesTop()) return -1;
  const int inside = y - lanesTop() + scrollY;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (inside >= rows[i].top && inside < rows[i].top + rows[i].height) return int(i);
  }
  return -1;
}

SceneHit TimelineScene::hitAt(const QPoint& point) {
  SceneHit hit;
  const int index = rowAt(point.y());
  if (index < 0 || point.x() < titleWidth() || rows[std::size_t(index)].lane == nullptr) return hit;
  SceneRow& row = rows[std::size_t(index)];
  hit.row = index;
  const int inside = point.y() - rowRect(row).top();
  if (inside < row.blockTop || inside >= row.blockTop + row.blockHeight) return hit;
  updateLayout(row);
  const double x = (point.x() + 0.5 - titleWidth()) * pixelRatio;
  const LanePiece* best = nullptr;
  double bestDistance = kHitSlop * pixelRatio;
  for (const LanePiece& piece : row.layout.pieces) {
    const double distance = x < piece.x0 ? piece.x0 - x : x >= piece.x1 ? x - piece.x1 : 0;
    if (distance < bestDistance) {
      best = &piece;
      bestDistance = distance;
    }
  }
  if (best == nullptr) return hit;
  hit.block = best->block;
  if (!best->merged) return hit;
  for (const MergedRun& run : row.layout.runs) {
    if (run.x0 > best->x0 || run.x1 <= best->x0) continue;
    hit.merged = run.endBlock - run.firstBlock > 1;
    hit.firstBlock = run.firstBlock;
    hit.endBlock = run.endBlock;
  }
  return hit;
}

std::uint32_t TimelineScene::blockOf(int row, std::uint32_t wanted) const {
  if (row < 0 || row >= int(rows.size()) || wanted == report::kNone) return report::kNone;
  const TimelineLane* lane = rows[std::size_t(row)].lane;
  if (lane == nullptr || lane->size() == 0) return report::kNone;
  const double middle = timeline->spans()[wanted].startNs + timeline->spans()[wanted].durationNs / 2;
  const std::uint32_t near = lane->nearest(middle);
  // Calls of no length stand beside each other at one time.
  for (std::uint32_t i = near < 2 ? 0 : near - 2; i < std::min<std::size_t>(lane->size(), near + 3); ++i) {
    if (lane->spanIndex(i) == wanted) return i;
  }
  return report::kNone;
}

int TimelineScene::rowOfSpan(std::uint32_t wanted, int preferred) const {
  if (blockOf(preferred, wanted) != report::kNone) return preferred;
  int found = -1;
  for (int i = 0; i < int(rows.size()); ++i) {
    if (rows[std::size_t(i)].kind == SceneRow::Kind::Pinned || blockOf(i, wanted) == report::kNone) continue;
    found = i;  // rows of kernels come after those of the VM and are the op's home
  }
  return found;
}

QString TimelineScene::nameOf(const report::Span& ofSpan) const {
  return format::fromUtf8(timeline->run().names[timeline->callOf(ofSpan).name]);
}

const Fill* TimelineScene::findFill(std::size_t slot) const {
  switch (colour) {
    case TimelineColour::Kind:
      return &theme->kindFill(report::OpKind(slot));
    case TimelineColour::Device:
      return &theme->deviceFill(int(slot));
    case TimelineColour::Op:
      break;
  }
  return &theme->fills()[std::min(slot, theme->fills().size() - 1)];
}

const Fill& TimelineScene::fillOfSlot(std::size_t slot) const {
  const Fill*& known = m_fills[std::size_t(colour)][std::min(slot, kColourSlots - 1)];
  if (known == nullptr) known = findFill(slot);
  return *known;
}

const Fill& TimelineScene::fillOf(std::uint32_t ofOp) const {
  return fillOfSlot(timeline->ops().slotsOfOp[ofOp][std::size_t(colour)]);
}

}  // namespace opscope::ui
