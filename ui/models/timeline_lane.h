// SPDX-License-Identifier: GPL-3.0-or-later
// One lane of the Timeline: blocks that do not overlap, in order of time, with a pyramid over them for
// drawing at any zoom. Built away from the GUI thread, then immutable. At most 7 bytes a block: 4 for the
// index of its span (none where the lane holds neighbours only, as one of all calls does), 2.7 for the
// pyramid.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/report/run.h"
#include "ui/models/timeline_scale.h"

namespace opscope::ui {

/// Sixteen blocks, or four cells of the level below.
struct LaneCell {
  double startNs = 0;
  double endNs = 0;
  double sumNs = 0;           ///< of all blocks within
  std::uint32_t longest = 0;  ///< position in the lane of the longest block
  float longestNs = 0;        ///< about: its duration, rounded
};

/// What is drawn of a lane: from pixel x0 up to, not with, x1. A call of at least one pixel is a piece of its
/// own; shorter ones are merged into one piece a pixel, which shows the longest of them.
struct LanePiece {
  int x0 = 0;
  int x1 = 0;
  std::uint32_t block = 0;  ///< position in the lane: the call, or the longest of the merged ones
  bool merged = false;
};

/// Merged pieces less than 1.6 px from each other, hatched as one.
struct MergedRun {
  int x0 = 0;
  int x1 = 0;
  std::uint32_t firstBlock = 0;
  std::uint32_t endBlock = 0;
};

struct LaneLayout {
  std::vector<LanePiece> pieces;  ///< left to right, without overlap: at most one a pixel
  std::vector<MergedRun> runs;
  std::size_t visited = 0;  ///< cells and blocks looked at
};

class TimelineLane {
 public:
  /// `spans` outlive the lane. Blocks are appended in order of start.
  void append(std::uint32_t span);
  void build(std::span<const report::Span> spans);

  std::size_t size() const { return m_count; }
  std::uint32_t spanIndex(std::uint32_t block) const {
    return m_blocks.empty() ? m_first + block : m_blocks[block];
  }
  const report::Span& span(std::uint32_t block) const { return m_spans[spanIndex(block)]; }
  double startNs(std::uint32_t block) const { return span(block).startNs; }
  double endNs(std::uint32_t block) const { return startNs(block) + span(block).durationNs; }
  /// The end of the last block that was appended; 0 without one. For building.
  double lastEndNs(std::span<const report::Span> spans) const;

  /// The first block that ends after `ns`; size() when none does.
  std::uint32_t firstEndingAfter(double ns) const;
  /// The block nearest to `ns`; the lane is not empty.
  std::uint32_t nearest(double ns) const;
  /// Sum of the blocks [first, end).
  double sumNs(std::uint32_t first, std::uint32_t end) const;
  /// The edge of a block that is nearest to `ns`; `ns` itself when the lane is empty.
  double nearestEdge(double ns) const;

  /// `scale.width` is in device pixels. A pixel holds a call when its middle lies within the call, or when
  /// the call is shorter than a pixel and its middle lies within the pixel; of all it holds the longest is
  /// shown.
  LaneLayout layout(const TimeScale& scale) const;
  std::size_t bytes() const;

 private:
  /// Asks for the memory that a walk into the cell of `level` that begins with `block` will need.
  void fetchBelow(std::size_t level, std::uint32_t block) const;

  std::span<const report::Span> m_spans;
  std::uint32_t m_first = 0;
  std::uint32_t m_count = 0;
  std::vector<std::uint32_t> m_blocks;          ///< empty: m_first and the m_count - 1 after it
  std::vector<std::vector<LaneCell>> m_levels;  ///< level k: cells of 16 * 4^k blocks
};

}  // namespace opscope::ui
