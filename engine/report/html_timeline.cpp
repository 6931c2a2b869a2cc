// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "engine/report/html_style.h"
#include "engine/report/html_text.h"
#include "engine/report/kinds.h"
#include "engine/report/run_report.h"
#include "engine/report/statistics.h"
#include "engine/report/svg.h"
#include "engine/report/trace_lanes.h"

namespace opscope::report {

namespace {

constexpr double kWidth = 1136;
constexpr double kLeft = 120;
constexpr double kRight = 12;
constexpr double kTop = 24;
constexpr double kCallsHeight = 26;
constexpr double kPoolHeight = 17;
constexpr double kGap = 2;
constexpr double kNsPerUs = 1e3;

struct Block {
  double startNs = 0;
  double endNs = 0;
  std::uint32_t name = kNone;
};

struct Lane {
  std::string title;  ///< escaped
  double height = kCallsHeight;
  std::vector<Block> blocks;  ///< by start
};

/// Draws the blocks of one lane. Those below one pixel become one rectangle with their neighbours.
class LaneDrawer {
 public:
  LaneDrawer(Svg& svg, const Run& run, double nsPerPixel, const std::vector<OpKind>& kinds)
      : m_svg(svg), m_run(run), m_nsPerPixel(nsPerPixel), m_kinds(kinds) {}

  void draw(const Lane& lane, double y) {
    m_y = y;
    m_height = lane.height;
    m_joined = Joined();
    for (const Block& block : lane.blocks) {
      const double from = kLeft + block.startNs / m_nsPerPixel;
      const double to = kLeft + block.endNs / m_nsPerPixel;
      if (to - from >= 1) {
        flush();
        drawBlock(block, from, to);
      } else {
        join(block, from, to);
      }
    }
    flush();
  }

 private:
  struct Joined {
    double from = 0;
    double to = -1;
    std::size_t count = 0;
    Block longest;
  };

  void join(const Block& block, double from, double to) {
    constexpr double kNear = 1.6;
    if (m_joined.count > 0 && from - m_joined.to >= kNear) flush();
    if (m_joined.count == 0) m_joined = {from, to, 0, block};
    m_joined.to = std::max(m_joined.to, to);
    ++m_joined.count;
    if (block.endNs - block.startNs > m_joined.longest.endNs - m_joined.longest.startNs) {
      m_joined.longest = block;
    }
  }

  void flush() {
    if (m_joined.count == 0) return;
    constexpr double kLeast = 1;
    m_svg.rect(m_joined.from, m_y, std::max(m_joined.to - m_joined.from, kLeast), m_height,
               classOf(m_joined.longest), fmt::format("{} short calls", htmlCount(m_joined.count)));
    m_joined = Joined();
  }

  std::string_view classOf(const Block& block) const {
    return kindClass(block.name == kNone ? OpKind::Other : m_kinds[block.name]);
  }

  void drawBlock(const Block& block, double from, double to) {
    constexpr double kTitleFrom = 3;
    constexpr double kEdgeFrom = 4;
    constexpr double kTextFrom = 24;
    constexpr double kPerLetter = 6.2;
    constexpr std::size_t kLongestTitle = 120;
    const double width = to - from;
    const std::string_view name = block.name == kNone ? std::string_view("task") : m_run.names[block.name];
    const std::string kind(classOf(block));
    m_svg.rect(from, m_y, width >= kTitleFrom ? width - 0.5 : width, m_height,
               width >= kEdgeFrom ? kind + " e" : kind,
               width >= kTitleFrom ? fmt::format("{}, {}", htmlText(cutInTheMiddle(name, kLongestTitle)),
                                                 htmlDurationText((block.endNs - block.startNs) / kNsPerUs))
                                   : std::string());
    const auto letters = static_cast<std::size_t>(std::max((width - 8) / kPerLetter, 0.0));
    constexpr std::size_t kLeastLetters = 5;
    if (width < kTextFrom || letters < kLeastLetters) return;
    m_svg.text(from + 4, m_y + m_height / 2 + 4, "start", htmlText(cutInTheMiddle(name, letters)),
               "i" + kind.substr(1));
  }

  Svg& m_svg;
  const Run& m_run;
  double m_nsPerPixel;
  const std::vector<OpKind>& m_kinds;
  double m_y = 0;
  double m_height = 0;
  Joined m_joined;
};

std::pair<std::vector<Span>::const_iterator, std::vector<Span>::const_iterator> spansOf(
    const Run& run, std::uint32_t repeat) {
  const auto range = std::ranges::equal_range(run.spans, repeat, {}, &Span::repeat);
  return {range.begin(), range.end()};
}

std::vector<Lane> callLanes(const Run& run, std::uint32_t repeat) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, Lane> lanes;
  const bool byDevice = run.devices.size() > 1;
  const auto [begin, end] = spansOf(run, repeat);
  for (auto span = begin; span != end; ++span) {
    const Call& call = run.calls[span->call];
    const std::uint32_t device = byDevice && call.device != kNone ? call.device : 0;
    Lane& lane = lanes[{device, call.depth}];
    lane.blocks.push_back({span->startNs, span->startNs + span->durationNs, call.name});
  }
  std::vector<Lane> result;
  constexpr std::size_t kTitleLength = 18;
  for (auto& [key, lane] : lanes) {
    const auto& [device, depth] = key;
    const std::string place = byDevice ? cutInTheMiddle(run.devices[device], kTitleLength) : "calls";
    lane.title = htmlText(depth == 0 ? place : fmt::format("depth {}", depth));
    result.push_back(std::move(lane));
  }
  return result;
}

void addPoolLanes(const Run& run, std::uint32_t repeat, std::vector<Lane>& lanes) {
  if (!run.lanes) return;
  std::map<std::uint32_t, Lane> byThread;
  for (const Launch& launch : run.lanes->launches) {
    if (launch.repeat != repeat || launch.kind == LaunchKind::Nested) continue;
    for (std::uint32_t i = 0; i < launch.taskCount; ++i) {
      const LaneTask& task = run.lanes->tasks[launch.firstTask + i];
      byThread[task.lane].blocks.push_back({task.startNs, task.startNs + task.durationNs,
                                            launch.call == kNone ? kNone : run.calls[launch.call].name});
    }
  }
  for (auto& [number, lane] : byThread) {
    lane.title = laneTitle(number, run.lanes->threads);
    lane.height = kPoolHeight;
    std::ranges::stable_sort(lane.blocks, {}, &Block::startNs);
    lanes.push_back(std::move(lane));
  }
}

double endOf(const Run& run, std::uint32_t repeat) {
  double endNs = 0;
  for (const DeviceTotal& total : run.totals) {
    if (repeat < total.totalNs.size()) endNs = std::max(endNs, total.totalNs[repeat]);
  }
  const auto [begin, end] = spansOf(run, repeat);
  for (auto span = begin; span != end; ++span) endNs = std::max(endNs, span->startNs + span->durationNs);
  return endNs;
}

/// The time axis above, with lines through the lanes.
void drawRuler(Svg& svg, double endNs, double height) {
  constexpr std::size_t kTicks = 9;
  constexpr double kFromMs = 1e6;
  constexpr double kFromS = 1e10;
  const double unitNs = endNs < kFromMs ? 1e3 : endNs < kFromS ? 1e6 : 1e9;
  const std::string_view unit = endNs < kFromMs ? "µs" : endNs < kFromS ? "ms" : "s";
  const auto ticks = axisTicks(0, endNs / unitNs, kTicks);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 0;
  for (const double tick : ticks) {
    const double x = kLeft + tick * unitNs / endNs * (kWidth - kLeft - kRight);
    svg.line(x, kTop - 4, x, height, "g");
    svg.text(x, kTop - 9, tick == 0 ? "start" : "middle",
             axisLabel(tick, step) + (tick == 0 ? " " + std::string(unit) : ""), "t");
  }
}

}  // namespace

std::uint32_t typicalRepeat(const Run& run) {
  const DeviceTotal* total = largestTotal(run);
  if (total == nullptr || total->totalNs.empty()) return 0;
  const double median = computeStatistics(total->totalNs).median;
  const auto nearest =
      std::ranges::min_element(total->totalNs, {}, [median](double ns) { return std::abs(ns - median); });
  return static_cast<std::uint32_t>(nearest - total->totalNs.begin());
}

HtmlTimeline timelineChart(const Run& run, std::uint32_t repeat) {
  HtmlTimeline timeline;
  const double endNs = endOf(run, repeat);
  if (!run.hasStartTimes || endNs <= 0) return timeline;
  std::vector<Lane> lanes = callLanes(run, repeat);
  addPoolLanes(run, repeat, lanes);
  if (lanes.empty()) return timeline;
  constexpr std::size_t kMostLanes = 14;
  timeline.hiddenLanes = lanes.size() > kMostLanes ? lanes.size() - kMostLanes : 0;
  lanes.resize(lanes.size() - timeline.hiddenLanes);
  double height = kTop;
  for (const Lane& lane : lanes) height += lane.height + kGap;
  std::vector<OpKind> kinds;
  kinds.reserve(run.names.size());
  for (const std::string& name : run.names) kinds.push_back(kindOf(name));
  Svg svg(kWidth, height, "Calls of one repeat over time");
  drawRuler(svg, endNs, height);
  LaneDrawer drawer(svg, run, endNs / (kWidth - kLeft - kRight), kinds);
  double y = kTop;
  for (const Lane& lane : lanes) {
    svg.text(kLeft - 8, y + lane.height / 2 + 4, "end", lane.title, "t");
    drawer.draw(lane, y);
    y += lane.height + kGap;
  }
  timeline.svg = svg.finish();
  return timeline;
}

std::string memoryChart(const Run& run, std::uint32_t repeat) {
  const MemorySeries& series = run.memory->storage;
  const double endNs = endOf(run, repeat);
  const auto points = std::ranges::equal_range(series.points, repeat, {}, &MemoryPoint::repeat);
  if (points.empty() || endNs <= 0 || series.peakBytes <= 0) return {};
  constexpr double kHeight = 110;
  const double perPixel = endNs / (kWidth - kLeft - kRight);
  Svg svg(kWidth, kHeight, "Live bytes of storages over the time of one repeat");
  drawRuler(svg, endNs, kHeight);
  const auto yOf = [&](std::int64_t bytes) {
    const double part =
        static_cast<double>(std::max<std::int64_t>(bytes, 0)) / static_cast<double>(series.peakBytes);
    return kHeight - 1 - std::min(part, 1.0) * (kHeight - kTop - 8);
  };
  // At most two corners a pixel: its first and its highest.
  std::string path;
  double x = kLeft;
  double y = kHeight - 1;
  const auto flat = [&](double toX, double toY) {
    path += fmt::format("L{:.5g} {:.5g}L{:.5g} {:.5g}", toX, y, toX, toY);
    x = toX;
    y = toY;
  };
  std::int64_t highest = -1;
  for (const MemoryPoint& point : points) {
    const double at = kLeft + std::min(point.ns, endNs) / perPixel;
    highest = std::max(highest, point.bytes);
    if (at - x < 0.5 && &point != &points.front() && &point != &points.back()) continue;
    flat(at, yOf(highest));
    highest = point.bytes;
    if (yOf(highest) != y) flat(at, yOf(highest));
    highest = -1;
  }
  flat(kWidth - kRight, y);
  svg.path(
      fmt::format("M{:.5g} {:.5g}{}L{:.5g} {:.5g}Z", kLeft, kHeight - 1, path, kWidth - kRight, kHeight - 1),
      "area");
  svg.path(fmt::format("M{:.5g} {:.5g}{}", kLeft, kHeight - 1, path), "acc");
  svg.text(kLeft - 8, kTop + 12, "end", htmlBytes(static_cast<double>(series.peakBytes)), "t");
  svg.text(kLeft - 8, kHeight - 2, "end", "0", "t");
  return svg.finish();
}

}  // namespace opscope::report
