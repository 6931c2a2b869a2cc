// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/step_curve.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {
namespace {

constexpr std::size_t kFactor = 16;

}  // namespace

StepCurve::StepCurve(std::span<const report::MemoryPoint> points) : m_points(points) {
  if (points.empty()) return;
  m_highest = m_lowest = double(points.front().bytes);
  m_highestNs = points.front().ns;
  std::vector<Cell> level;
  for (std::size_t first = 0; first < points.size(); first += kFactor) {
    Cell cell{double(points[first].bytes), double(points[first].bytes)};
    for (std::size_t i = first; i < std::min(first + kFactor, points.size()); ++i) {
      const auto value = double(points[i].bytes);
      cell = {std::min(cell.lowest, value), std::max(cell.highest, value)};
      if (value > m_highest) {
        m_highest = value;
        m_highestNs = points[i].ns;
      }
    }
    m_lowest = std::min(m_lowest, cell.lowest);
    level.push_back(cell);
  }
  while (true) {
    m_levels.push_back(std::move(level));
    const std::vector<Cell>& below = m_levels.back();
    if (below.size() <= kFactor) return;
    level = {};
    for (std::size_t first = 0; first < below.size(); first += kFactor) {
      Cell cell = below[first];
      for (std::size_t i = first; i < std::min(first + kFactor, below.size()); ++i) {
        cell = {std::min(cell.lowest, below[i].lowest), std::max(cell.highest, below[i].highest)};
      }
      level.push_back(cell);
    }
  }
}

std::size_t StepCurve::pointAt(double ns) const {
  const auto after =
      std::upper_bound(m_points.begin(), m_points.end(), ns,
                       [](double time, const report::MemoryPoint& point) { return time < point.ns; });
  return after == m_points.begin() ? 0 : std::size_t(after - m_points.begin()) - 1;
}

double StepCurve::valueAt(double ns) const {
  return m_points.empty() ? 0 : double(m_points[pointAt(ns)].bytes);
}

CurveColumn StepCurve::over(std::size_t first, std::size_t end) const {
  CurveColumn column{double(m_points[first].bytes), double(m_points[first].bytes)};
  const auto take = [&column](double lowest, double highest) {
    column = {std::min(column.lowest, lowest), std::max(column.highest, highest)};
  };
  while (first < end) {
    std::size_t level = 0, size = 1;
    while (level < m_levels.size() && first % (size * kFactor) == 0 && first + size * kFactor <= end) {
      size *= kFactor;
      ++level;
    }
    if (level == 0) {
      take(double(m_points[first].bytes), double(m_points[first].bytes));
    } else {
      const Cell& cell = m_levels[level - 1][first / size];
      take(cell.lowest, cell.highest);
    }
    first += size;
  }
  return column;
}

std::vector<CurveColumn> StepCurve::layout(const TimeScale& scale) const {
  std::vector<CurveColumn> columns;
  if (m_points.empty()) return columns;
  const int width = int(std::ceil(scale.width));
  columns.reserve(std::size_t(std::max(width, 0)));
  std::size_t first = pointAt(scale.toTime(0));
  for (int x = 0; x < width; ++x) {
    // What held when the pixel began, and every change before it ends.
    const std::size_t last = pointAt(std::nextafter(scale.toTime(x + 1), 0.0));
    columns.push_back(over(first, std::max(last, first) + 1));
    first = pointAt(scale.toTime(x + 1));
  }
  return columns;
}

std::size_t StepCurve::bytes() const {
  std::size_t cells = 0;
  for (const auto& level : m_levels) cells += level.capacity();
  return cells * sizeof(Cell);
}

std::span<const report::MemoryPoint> pointsOf(const report::MemorySeries& series, std::uint32_t repeat) {
  const auto& all = series.points;
  const auto first = std::lower_bound(
      all.begin(), all.end(), repeat,
      [](const report::MemoryPoint& point, std::uint32_t wanted) { return point.repeat < wanted; });
  const auto end = std::upper_bound(
      first, all.end(), repeat,
      [](std::uint32_t wanted, const report::MemoryPoint& point) { return wanted < point.repeat; });
  return {first, end};
}

}  // namespace opscope::ui
