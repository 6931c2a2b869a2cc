// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_lane.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace opscope::ui {
namespace {

constexpr std::uint32_t kLeaf = 16;  // blocks of a cell of the lowest level
constexpr std::uint32_t kFactor = 4;
constexpr double kJoinPixels = 1.6;

/// Blocks of a cell one level above or below cells of `size` blocks; below the lowest level are blocks.
constexpr std::uint64_t sizeAbove(std::uint64_t size) {
  return size == 1 ? kLeaf : size * kFactor;
}
constexpr std::uint64_t sizeBelow(std::uint64_t size) {
  return size == kLeaf ? 1 : size / kFactor;
}

/// Fills the layout from left to right.
class LayoutBuilder {
 public:
  LayoutBuilder(const TimelineLane& lane, const TimeScale& scale, LaneLayout& layout)
      : m_lane(lane), m_scale(scale), m_layout(layout), m_width(int(std::ceil(scale.width))) {}

  double pixel(double ns) const { return m_scale.toPixel(ns); }

  /// A block by itself.
  void block(std::uint32_t block) {
    const double x0 = pixel(m_lane.startNs(block)), x1 = pixel(m_lane.endNs(block));
    if (x1 < 0 || x0 >= m_width) return;
    if (x1 - x0 < 1) {
      merge(int(std::floor((x0 + x1) / 2)), block, float(duration(block)), block, block + 1);
      return;
    }
    // Half a pixel lies on the right side of the middle, so that neighbours share no pixel.
    const int left = int(std::ceil(std::max(x0, 0.0) - 0.5));
    const int right = int(std::ceil(std::min(x1, double(m_width)) - 0.5));
    if (right <= left) return;
    // A short neighbour may have taken the first pixel, in which this call is the longer one.
    auto& pieces = m_layout.pieces;
    if (!pieces.empty() && pieces.back().merged && pieces.back().x0 >= left) {
      dropLast();
    }
    pieces.push_back({left, right, block, false});
  }

  /// Blocks [first, end) that all lie within the column `x`.
  void merge(int x, std::uint32_t longest, float longestNs, std::uint32_t first, std::uint32_t end) {
    if (x < 0 || x >= m_width) return;
    auto& pieces = m_layout.pieces;
    if (!pieces.empty() && pieces.back().x1 > x) {
      LanePiece& last = pieces.back();
      if (!last.merged) return;
      // Rounding keeps the order, so exact durations, which lie all over the memory, are only needed for
      // ties.
      if (longestNs > m_lastNs || (longestNs == m_lastNs && duration(longest) > duration(last.block))) {
        last.block = longest;
        m_lastNs = longestNs;
      }
      m_layout.runs.back().endBlock = end;
      return;
    }
    m_lastNs = longestNs;
    const bool joins = !pieces.empty() && pieces.back().merged && x - pieces.back().x1 < kJoinPixels;
    if (joins) {
      m_layout.runs.back().x1 = x + 1;
      m_layout.runs.back().endBlock = end;
      pieces.back().x1 = x;
    } else {
      m_layout.runs.push_back({x, x + 1, first, end});
    }
    pieces.push_back({x, x + 1, longest, true});
  }

  /// Runs are at least 2 px wide where there is room.
  void widen() {
    auto& pieces = m_layout.pieces;
    std::size_t run = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (!pieces[i].merged) continue;
      while (run < m_layout.runs.size() && m_layout.runs[run].x1 <= pieces[i].x0) ++run;
      if (run == m_layout.runs.size()) return;
      MergedRun& own = m_layout.runs[run];
      const bool alone = own.x1 - own.x0 == 1;
      const bool room = i + 1 == pieces.size() || pieces[i + 1].x0 > pieces[i].x1;
      if (alone && room && own.x1 < m_width) {
        ++pieces[i].x1;
        ++own.x1;
      }
    }
  }

 private:
  double duration(std::uint32_t block) const { return m_lane.span(block).durationNs; }

  void dropLast() {
    MergedRun& run = m_layout.runs.back();
    const LanePiece last = m_layout.pieces.back();
    m_layout.pieces.pop_back();
    if (run.x0 >= last.x0) {
      m_layout.runs.pop_back();
    } else {
      run.x1 = last.x0;
    }
  }

  const TimelineLane& m_lane;
  const TimeScale& m_scale;
  LaneLayout& m_layout;
  int m_width;
  float m_lastNs = 0;  ///< of the last piece, when it is merged
};

}  // namespace

void TimelineLane::append(std::uint32_t span) {
  if (m_count == 0) m_first = span;
  if (m_blocks.empty() && span != m_first + m_count) {
    m_blocks.resize(m_count);
    std::iota(m_blocks.begin(), m_blocks.end(), m_first);
  }
  if (!m_blocks.empty()) m_blocks.push_back(span);
  ++m_count;
}

void TimelineLane::build(std::span<const report::Span> spans) {
  m_spans = spans;
  m_blocks.shrink_to_fit();
  m_levels.clear();
  const std::uint32_t count = m_count;
  if (count <= kLeaf) return;
  std::vector<LaneCell> level;
  level.reserve((count + kLeaf - 1) / kLeaf);
  for (std::uint32_t first = 0; first < count; first += kLeaf) {
    LaneCell cell{startNs(first), 0, 0, first, 0};
    for (std::uint32_t i = first; i < std::min(first + kLeaf, count); ++i) {
      cell.endNs = std::max(cell.endNs, endNs(i));
      cell.sumNs += span(i).durationNs;
      if (span(i).durationNs > span(cell.longest).durationNs) cell.longest = i;
    }
    cell.longestNs = float(span(cell.longest).durationNs);
    level.push_back(cell);
  }
  while (true) {
    m_levels.push_back(std::move(level));
    const std::vector<LaneCell>& below = m_levels.back();
    if (below.size() <= kFactor) return;
    level = {};
    level.reserve((below.size() + kFactor - 1) / kFactor);
    for (std::size_t first = 0; first < below.size(); first += kFactor) {
      LaneCell cell = below[first];
      for (std::size_t i = first + 1; i < std::min<std::size_t>(first + kFactor, below.size()); ++i) {
        cell.endNs = std::max(cell.endNs, below[i].endNs);
        cell.sumNs += below[i].sumNs;
        if (span(below[i].longest).durationNs > span(cell.longest).durationNs) {
          cell.longest = below[i].longest;
          cell.longestNs = below[i].longestNs;
        }
      }
      level.push_back(cell);
    }
  }
}

double TimelineLane::lastEndNs(std::span<const report::Span> spans) const {
  if (m_count == 0) return 0;
  const report::Span& last = spans[spanIndex(m_count - 1)];
  return last.startNs + last.durationNs;
}

std::uint32_t TimelineLane::firstEndingAfter(double ns) const {
  std::uint32_t low = 0, high = m_count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (endNs(middle) > ns) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::uint32_t TimelineLane::nearest(double ns) const {
  const std::uint32_t count = m_count;
  const std::uint32_t after = firstEndingAfter(ns);
  if (after == count) return count - 1;
  if (after == 0 || startNs(after) <= ns) return after;
  return ns - endNs(after - 1) < startNs(after) - ns ? after - 1 : after;
}

double TimelineLane::nearestEdge(double ns) const {
  if (m_count == 0) return ns;
  const std::uint32_t near = nearest(ns);
  double best = startNs(near);
  for (std::uint32_t i = near == 0 ? 0 : near - 1; i < std::min<std::size_t>(near + 2, size()); ++i) {
    for (const double edge : {startNs(i), endNs(i)}) {
      if (std::abs(edge - ns) < std::abs(best - ns)) best = edge;
    }
  }
  return best;
}

double TimelineLane::sumNs(std::uint32_t first, std::uint32_t end) const {
  double sum = 0;
  std::uint64_t size = 1;
  std::size_t level = 0;  // level 0 of the walk: blocks; k: m_levels[k - 1]
  while (first < end) {
    // Climb while a whole cell of the next level fits, descend when it does not.
    while (level < m_levels.size() && first % sizeAbove(size) == 0 && first + sizeAbove(size) <= end) {
      size = sizeAbove(size);
      ++level;
    }
    while (level > 0 && first + size > end) {
      size = sizeBelow(size);
      --level;
    }
    sum += level == 0 ? span(first).durationNs : m_levels[level - 1][first / size].sumNs;
    first += std::uint32_t(size);
    while (level > 0 && first % size != 0) {
      size = sizeBelow(size);
      --level;
    }
  }
  return sum;
}

void TimelineLane::fetchBelow(std::size_t level, std::uint32_t block) const {
  constexpr std::uint32_t kLine = 64;  // bytes
  if (level == 1) {
    const std::uint32_t end = std::min(block + kLeaf, m_count);
    for (std::uint32_t i = block; i < end; i += kLine / sizeof(report::Span)) __builtin_prefetch(&span(i));
    return;
  }
  if (level < 3) return;
  // Two levels down, since one level down is needed at once.
  const std::vector<LaneCell>& cells = m_levels[level - 3];
  std::uint64_t size = kLeaf;
  for (std::size_t i = 3; i < level; ++i) size *= kFactor;
  const std::size_t first = block / size,
                    end = std::min<std::size_t>(first + kFactor * kFactor, cells.size());
  for (std::size_t i = first; i < end; i += kLine / sizeof(LaneCell)) __builtin_prefetch(&cells[i]);
}

LaneLayout TimelineLane::layout(const TimeScale& scale) const {
  LaneLayout result;
  LayoutBuilder builder(*this, scale, result);
  const std::uint32_t count = m_count;
  // A walk without recursion: `at` is the next block, `level` the size of the cell that is tried.
  std::uint32_t at = firstEndingAfter(scale.startNs);
  std::size_t level = 0;
  std::uint64_t size = 1;
  while (at < count) {
    while (level < m_levels.size() && at % sizeAbove(size) == 0) {
      size = sizeAbove(size);
      ++level;
    }
    while (level > 0) {
      ++result.visited;
      const LaneCell& cell = m_levels[level - 1][at / size];
      if (cell.startNs >= scale.endNs) {
        builder.widen();
        return result;
      }
      const double x0 = builder.pixel(cell.startNs);
      if (std::floor(x0) == std::floor(builder.pixel(cell.endNs))) {
        builder.merge(int(std::floor(x0)), cell.longest, cell.longestNs, at,
                      std::uint32_t(std::min<std::uint64_t>(at + size, count)));
        break;
      }
      fetchBelow(level, at);
      size = sizeBelow(size);
      --level;
    }
    if (level == 0) {
      ++result.visited;
      if (startNs(at) >= scale.endNs) break;
      builder.block(at);
    }
    at = std::uint32_t(std::min<std::uint64_t>(at + size, count));
  }
  builder.widen();
  return result;
}

std::size_t TimelineLane::bytes() const {
  std::size_t cells = 0;
  for (const auto& level : m_levels) cells += level.capacity();
  return m_blocks.capacity() * sizeof(std::uint32_t) + cells * sizeof(LaneCell);
}

}  // namespace opscope::ui
