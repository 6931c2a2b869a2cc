// SPDX-License-Identifier: GPL-3.0-or-later
// A quantity that stays as it is from each point to the next, drawn at any zoom without losing a peak: a
// pyramid of lowest and highest over the points. Any thread; immutable. The points outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/report/memory.h"
#include "ui/models/timeline_scale.h"

namespace opscope::ui {

/// What the quantity was within one pixel.
struct CurveColumn {
  double lowest = 0;
  double highest = 0;
};

class StepCurve {
 public:
  StepCurve() = default;
  /// The points of one repeat, sorted by time.
  explicit StepCurve(std::span<const report::MemoryPoint> points);

  bool isEmpty() const { return m_points.empty(); }
  std::size_t size() const { return m_points.size(); }
  /// Before the first point: that of the first.
  double valueAt(double ns) const;
  /// Over all points, and when it was first reached; 0 without points.
  double highest() const { return m_highest; }
  double highestNs() const { return m_highestNs; }
  double lowest() const { return m_lowest; }
  /// One for each of `scale.width` pixels, rounded up: all values that the quantity had in it.
  std::vector<CurveColumn> layout(const TimeScale& scale) const;
  std::size_t bytes() const;

 private:
  struct Cell {
    double lowest = 0;
    double highest = 0;
  };
  std::size_t pointAt(double ns) const;
  CurveColumn over(std::size_t first, std::size_t end) const;

  std::span<const report::MemoryPoint> m_points;
  std::vector<std::vector<Cell>> m_levels;  ///< level k: cells of 16^(k+1) points
  double m_highest = 0;
  double m_highestNs = 0;
  double m_lowest = 0;
};

/// The points of `repeat`.
std::span<const report::MemoryPoint> pointsOf(const report::MemorySeries& series, std::uint32_t repeat);

}  // namespace opscope::ui
