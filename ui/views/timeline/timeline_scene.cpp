// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/timeline/timeline_scene.h"

#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

/// The block of `lane` that is the span `wanted`, which is `at`.
std::uint32_t findBlock(const TimelineLane& lane, const report::Span& at, std::uint32_t wanted) {
  const std::uint32_t near = lane.nearest(at.startNs + at.durationNs / 2);
  // Spans of no length stand beside each other at one time.
  for (std::uint32_t i = near < 2 ? 0 : near - 2; i < std::min<std::size_t>(lane.size(), near + 3); ++i) {
    if (lane.spanIndex(i) == wanted) return i;
  }
  return report::kNone;
}

constexpr int kHitSlop = 3;

}  // namespace

QString blockTime(double ns) {
  return ns >= 1e10 ? format::duration(ns / 1000).text()
                    : format::microseconds(ns / 1000) + QStringLiteral("\u00A0µs");
}

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

QRect TimelineScene::placeOf(const SceneRow& row) const {
  const int top = row.pinned ? lanesTop() : scrollTop();
  const int bottom = row.pinned ? std::min(scrollTop(), size.height()) : size.height();
  return {titleWidth(), top, std::max(1, size.width() - titleWidth()), std::max(0, bottom - top)};
}

double TimelineScene::stripX(double ns) const {
  const TimeBounds bounds = timeline->bounds();
  return strip().left() + (ns - bounds.beginNs) / bounds.lengthNs() * strip().width();
}

int TimelineScene::contentHeight() const {
  return rows.empty() || rows.back().pinned ? 0 : rows.back().top + rows.back().height;
}

void TimelineScene::updateLayout(SceneRow& row) const {
  const bool curve = row.showsCurve();
  if (row.lane == nullptr && !curve) return;
  TimeScale device = scale;
  device.width = std::max(1.0, scale.width * pixelRatio);
  if (row.layoutScale.sameView(device) && row.layoutScale.width == device.width) return;
  row.layoutScale = device;
  if (curve) {
    row.storage = timeline->storageCurve().layout(device);
    row.tensors = timeline->tensorCurve().layout(device);
    return;
  }
  row.layout = row.lane->layout(device);
  fillLooks(row);
}

void TimelineScene::fillLooks(SceneRow& row) const {
  const auto& pieces = row.layout.pieces;
  const auto& calls = timeline->run().calls;
  row.looks.assign(pieces.size(), {});
  if (row.group == TimelineRow::Group::Rpc) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      row.looks[i].fill = &fillOfRequest(timeline->traffic().eventOf(row.lane->span(pieces[i].block)).kind);
    }
    return;
  }
  if (row.group == TimelineRow::Group::Steps) {
    for (PieceLook& look : row.looks) look.isFunction = true;  // they frame calls as functions do
    return;
  }
  // In two goes, each of which asks for memory that the next one uses.
  for (const LanePiece& piece : pieces) __builtin_prefetch(&row.lane->span(piece.block));
  std::vector<std::uint32_t> callOf(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    callOf[i] = row.lane->span(pieces[i].block).call;
    if (callOf[i] != report::kNone) __builtin_prefetch(&calls[callOf[i]]);
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (callOf[i] == report::kNone) continue;
    row.looks[i].op = timeline->ops().opOfCall[callOf[i]];
    row.looks[i].isKernel = calls[callOf[i]].kernel;
    row.looks[i].isFunction = row.group != TimelineRow::Group::Pool && !row.looks[i].isKernel &&
                              timeline->hasCallees(row.lane->spanIndex(pieces[i].block));
  }
}

QRect TimelineScene::rowRect(const SceneRow& row) const {
  const int top = row.pinned ? lanesTop() + row.top : scrollTop() + row.top - scrollY;
  return {0, top, size.width(), row.height};
}

QRectF TimelineScene::blockRect(const SceneRow& row, std::uint32_t block) const {
  const double x0 = std::round(scale.toPixel(row.lane->startNs(block)) * pixelRatio) / pixelRatio;
  const double x1 = std::round(scale.toPixel(row.lane->endNs(block)) * pixelRatio) / pixelRatio;
  return {titleWidth() + x0, double(rowRect(row).top() + row.blockTop), std::max(2.0, x1 - x0),
          double(row.blockHeight)};
}

int TimelineScene::rowAt(int y) const {
  if (y < lanesTop()) return -1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].pinned != (y < scrollTop())) continue;
    const QRect rect = rowRect(rows[i]);
    if (y >= rect.top() && y <= rect.bottom()) return int(i);
  }
  return -1;
}

SceneHit TimelineScene::hitAt(const QPoint& point) {
  SceneHit hit;
  const int index = rowAt(point.y());
  if (index < 0 || point.x() < titleWidth()) return hit;
  SceneRow& row = rows[std::size_t(index)];
  hit.row = index;
  hit.curve = row.showsCurve();
  if (row.lane == nullptr) return hit;
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

std::uint32_t TimelineScene::currentBlock(int row) const {
  if (row < 0 || row >= int(rows.size())) return report::kNone;
  const SceneRow& shown = rows[std::size_t(row)];
  if (!holdsOthers(shown.group)) return other ? report::kNone : blockOf(row, span);
  if (!other || other->group != shown.group || shown.lane == nullptr || shown.lane->size() == 0)
    return report::kNone;
  return findBlock(*shown.lane, otherSpans(other->group)[other->span], other->span);
}

std::uint32_t TimelineScene::blockOf(int row, std::uint32_t wanted) const {
  if (row < 0 || row >= int(rows.size()) || wanted == report::kNone) return report::kNone;
  const TimelineLane* lane = rows[std::size_t(row)].lane;
  if (lane == nullptr || lane->size() == 0) return report::kNone;
  if (holdsOthers(rows[std::size_t(row)].group)) return report::kNone;
  if (rows[std::size_t(row)].group == TimelineRow::Group::Pool) return taskOf(rows[std::size_t(row)], wanted);
  return findBlock(*lane, timeline->spans()[wanted], wanted);
}

std::uint32_t TimelineScene::taskOf(const SceneRow& row, std::uint32_t wanted) const {
  const report::Span& call = timeline->spans()[wanted];
  const TimelineLane& lane = *row.lane;
  const double end = call.startNs + call.durationNs;
  for (std::uint32_t i = lane.firstEndingAfter(call.startNs); i < lane.size() && lane.startNs(i) <= end;
       ++i) {
    if (lane.span(i).call == call.call) return i;
  }
  return report::kNone;
}

std::uint32_t TimelineScene::spanOf(const SceneRow& row, std::uint32_t block) const {
  if (holdsCalls(row.group)) return row.lane->spanIndex(block);
  const std::uint32_t call = row.lane->span(block).call;
  return call == report::kNone ? report::kNone : timeline->spanOfCall(call);
}

int TimelineScene::rowOfSpan(std::uint32_t wanted, int preferred) const {
  if (blockOf(preferred, wanted) != report::kNone) return preferred;
  int found = -1;
  for (int i = 0; i < int(rows.size()); ++i) {
    const SceneRow& row = rows[std::size_t(i)];
    if (row.pinned || !holdsCalls(row.group) || blockOf(i, wanted) == report::kNone) continue;
    found = i;  // rows of kernels come after those of the VM and are the op's home
  }
  return found;
}

QString TimelineScene::nameOf(const report::Span& ofSpan) const {
  if (ofSpan.call == report::kNone) return QStringLiteral("outside of calls");
  return format::fromUtf8(timeline->run().names[timeline->callOf(ofSpan).name]);
}

QString TimelineScene::requestText(const report::Span& ofSpan) const {
  const TimelineTraffic& traffic = timeline->traffic();
  return format::fromUtf8(report::trafficLabel(traffic.track(), traffic.eventOf(ofSpan)));
}

QString TimelineScene::stepText(const report::Span& ofSpan) const {
  return format::fromUtf8(timeline->run().steps[timeline->steps().stepOf(ofSpan)]);
}

std::span<const report::Span> TimelineScene::otherSpans(TimelineRow::Group group) const {
  return group == TimelineRow::Group::Steps ? timeline->steps().spans() : timeline->traffic().spans();
}

const Fill& TimelineScene::fillOfRequest(report::TrafficKind kind) const {
  switch (kind) {
    case report::TrafficKind::Upload:
    case report::TrafficKind::CopyTo:
    case report::TrafficKind::CopyFrom:
      return theme->kindFill(report::OpKind::DataMovement);
    case report::TrafficKind::Call:
      return theme->kindFill(report::OpKind::Vm);
    default:
      return theme->kindFill(report::OpKind::Other);
  }
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
  if (ofOp == report::kNone) return theme->kindFill(report::OpKind::Other);
  return fillOfSlot(timeline->ops().slotsOfOp[ofOp][std::size_t(colour)]);
}

}  // namespace opscope::ui
