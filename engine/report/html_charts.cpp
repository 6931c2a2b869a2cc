// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/report/html_style.h"
#include "engine/report/html_text.h"
#include "engine/report/svg.h"

namespace opscope::report {

namespace {

constexpr double kWidth = 560;
constexpr double kTextDrop = 4;  ///< from the middle of a line to its base
constexpr std::size_t kTicks = 5;

double usOf(const OpRow& row) {
  return std::isfinite(row.durationUs) ? std::max(row.durationUs, 0.0) : 0;
}

/// Axes in the unit that their largest value is told in.
struct Unit {
  double us = 1;
  std::string_view name = "µs";
};

Unit unitFor(double mostUs) {
  constexpr double kFromMs = 1e3;
  constexpr double kFromS = 1e7;
  if (mostUs < kFromMs) return {};
  return mostUs < kFromS ? Unit{1e3, "ms"} : Unit{1e6, "s"};
}

double stepOf(const std::vector<double>& ticks) {
  return ticks.size() > 1 ? ticks[1] - ticks[0] : 0;
}

/// Maps values to places.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  double at(double value) const {
    return high > low ? from + (value - low) / (high - low) * (to - from) : (from + to) / 2;
  }
};

std::string shortName(std::string_view name, std::size_t characters) {
  constexpr std::string_view kFused = "fused_";
  if (name.starts_with(kFused) && name.size() > kFused.size()) name.remove_prefix(kFused.size());
  return htmlText(cutInTheMiddle(name, characters));
}

/// Room around the values of a line or a histogram.
std::pair<double, double> padded(std::span<const double> values) {
  const auto [least, most] = std::ranges::minmax(values);
  const double room = most > least ? (most - least) * 0.08 : std::max(most * 0.05, 1e-9);
  return {std::max(least - room, 0.0), most + room};
}

/// Finite ones that are not negative.
std::vector<double> usable(std::span<const double> values) {
  std::vector<double> kept;
  for (const double value : values) {
    if (std::isfinite(value) && value >= 0) kept.push_back(value);
  }
  return kept;
}

class Pareto {
 public:
  Pareto(const Run& run, const OpTable& table, std::span<const std::uint32_t> order)
      : m_run(run), m_table(table), m_order(order), m_wholeUs(sumOfRowsUs(table)) {}

  std::string draw() {
    const std::size_t bars = std::min(m_order.size(), kMostBars);
    const bool hasRest = m_order.size() > bars;
    const double height = kTop + kRow * static_cast<double>(bars + (hasRest ? 1 : 0)) + kBottom;
    m_low = height - kBottom;
    Svg svg(kWidth, height, "Time by op, the longest first, with the running share");
    const double mostUs = std::max(usOf(m_table.rows[m_order[0]]), 1e-9);
    const Unit unit = unitFor(mostUs);
    m_bars = {0, mostUs, kLeft, kWidth - kRight};
    drawAxes(svg, mostUs / unit.us, unit);
    drawBars(svg, bars, unit);
    if (hasRest) drawRest(svg, bars, unit);
    drawRunning(svg, bars, hasRest);
    return svg.finish();
  }

 private:
  void drawAxes(Svg& svg, double most, const Unit& unit) const {
    const auto ticks = axisTicks(0, most, kTicks);
    for (const double tick : ticks) {
      const double x = m_bars.at(tick * unit.us);
      svg.line(x, kTop, x, m_low, tick == 0 ? "a" : "g");
      svg.text(x, m_low + 14, "middle", axisLabel(tick, stepOf(ticks)), "t");
    }
    svg.text((kLeft + kWidth - kRight) / 2, m_low + 30, "middle", fmt::format("Duration ({})", unit.name),
             "t");
    for (const int percent : {0, 20, 40, 60, 80, 100}) {
      svg.text(shareAt(percent / 100.0), kTop - 8, "middle", fmt::format("{}\u00A0%", percent), "t");
    }
    svg.line(shareAt(0.8), kTop, shareAt(0.8), m_low, "a d");
  }

  static double shareAt(double share) { return kLeft + share * (kWidth - kRight - kLeft); }

  void drawBars(Svg& svg, std::size_t bars, const Unit& unit) const {
    for (std::size_t place = 0; place < bars; ++place) {
      const OpRow& row = m_table.rows[m_order[place]];
      const double us = usOf(row);
      const double y = kTop + kRow * static_cast<double>(place);
      const std::string name =
          shortName(nameOf(m_run, row), kNameLength) + (row.count > 1 ? fmt::format(" ×{}", row.count) : "");
      svg.text(kLeft - 6, y + kRow / 2 + kTextDrop, "end", name);
      svg.rect(kLeft, y + kBarGap, std::max(m_bars.at(us) - kLeft, 1.0), kRow - 2 * kBarGap,
               fmt::format("{} e", kindClass(row.kind)), htmlDurationText(us));
      svg.text(std::max(m_bars.at(us), kLeft + 1) + 5, y + kRow / 2 + kTextDrop, "start",
               htmlNumber(us / unit.us, 2), "t");
    }
  }

  void drawRest(Svg& svg, std::size_t bars, const Unit& unit) const {
    double us = 0;
    for (const std::uint32_t row : m_order.subspan(bars)) us += usOf(m_table.rows[row]);
    const double y = kTop + kRow * static_cast<double>(bars);
    const double end = std::min(m_bars.at(us), kWidth - kRight);
    svg.text(kLeft - 6, y + kRow / 2 + kTextDrop, "end",
             fmt::format("{} more", htmlCount(m_order.size() - bars)), "t");
    svg.rect(kLeft, y + kBarGap, std::max(end - kLeft, 1.0), kRow - 2 * kBarGap, "rest");
    svg.text(end + 5, y + kRow / 2 + kTextDrop, "start", htmlNumber(us / unit.us, 2), "t");
  }

  void drawRunning(Svg& svg, std::size_t bars, bool hasRest) const {
    if (m_wholeUs <= 0) return;
    double running = 0;
    std::string path;
    std::vector<std::pair<double, double>> points;
    for (std::size_t place = 0; place < bars + (hasRest ? 1 : 0); ++place) {
      running = place < bars ? running + usOf(m_table.rows[m_order[place]]) : m_wholeUs;
      const double x = shareAt(std::clamp(running / m_wholeUs, 0.0, 1.0));
      const double y = kTop + kRow * (static_cast<double>(place) + 0.5);
      path += fmt::format("{}{:.5g} {:.5g}", path.empty() ? "M" : "L", x, y);
      points.emplace_back(x, y);
    }
    svg.path(path, "halo");
    svg.path(path, "run");
    for (const auto& [x, y] : points) svg.circle(x, y, 2.5, "dot");
  }

  static constexpr std::size_t kMostBars = 14;
  static constexpr std::size_t kNameLength = 26;
  static constexpr double kTop = 26;
  static constexpr double kRow = 26;
  static constexpr double kBarGap = 5;
  static constexpr double kBottom = 36;
  static constexpr double kLeft = 190;
  static constexpr double kRight = 52;

  const Run& m_run;
  const OpTable& m_table;
  std::span<const std::uint32_t> m_order;
  double m_wholeUs;
  double m_low = 0;
  Scale m_bars;
};

/// Frame, grid and both axes of charts over a plane.
class Plane {
 public:
  Plane(Svg& svg, const Scale& x, const Scale& y) : m_svg(svg), m_x(x), m_y(y) {}

  void vertical(double low, double high) {
    const auto ticks = axisTicks(low, high, kTicks);
    for (const double tick : ticks) {
      m_svg.line(m_x.from, m_y.at(tick), m_x.to, m_y.at(tick), "g");
      m_svg.text(m_x.from - 6, m_y.at(tick) + kTextDrop, "end", axisLabel(tick, stepOf(ticks)), "t");
    }
    m_svg.line(m_x.from, m_y.from, m_x.to, m_y.from, "a");
  }

  void horizontal(double low, double high, std::string_view title) {
    const auto ticks = axisTicks(low, high, kTicks);
    for (const double tick : ticks) {
      m_svg.text(m_x.at(tick), m_y.from + 14, "middle", axisLabel(tick, stepOf(ticks)), "t");
    }
    m_svg.text((m_x.from + m_x.to) / 2, m_y.from + 30, "middle", title, "t");
  }

 private:
  Svg& m_svg;
  const Scale& m_x;
  const Scale& m_y;
};

constexpr double kPlaneHeight = 190;
constexpr double kPlaneTop = 18;
constexpr double kPlaneBottom = 36;
constexpr double kPlaneLeft = 52;
constexpr double kPlaneRight = 14;

std::size_t binCount(std::span<const double> ascending) {
  constexpr double kLeast = 8;
  constexpr double kMost = 40;
  const double range = ascending.back() - ascending.front();
  const double middle = percentile(ascending, 0.75) - percentile(ascending, 0.25);
  const double count = static_cast<double>(ascending.size());
  const double width = 2 * middle / std::cbrt(count);
  const double bins = width > 0 ? range / width : std::log2(count) + 1;
  return static_cast<std::size_t>(std::ceil(std::clamp(bins, kLeast, kMost)));
}

/// A named line over the values of a spread. Names stand apart when their lines are close.
void drawMark(Svg& svg, const Scale& x, double value, std::string_view name, bool isDashed, bool isRight) {
  const double at = x.at(value);
  svg.line(at, kPlaneTop, at, kPlaneHeight - kPlaneBottom, isDashed ? "m d" : "m");
  svg.text(at + (isRight ? 3 : -3), kPlaneTop - 6, isRight ? "start" : "end", name, "t");
}

}  // namespace

double sumOfRowsUs(const OpTable& table) {
  double sum = 0;
  for (const OpRow& row : table.rows) sum += usOf(row);
  return sum;
}

std::string paretoChart(const Run& run, const OpTable& table, std::span<const std::uint32_t> order) {
  return order.empty() || sumOfRowsUs(table) <= 0 ? std::string() : Pareto(run, table, order).draw();
}

std::string repeatsChart(std::span<const double> totalsUs) {
  const std::vector<double> values = usable(totalsUs);
  if (values.size() < 2) return {};
  const auto [low, high] = padded(values);
  const Unit unit = unitFor(high);
  Svg svg(kWidth, kPlaneHeight, "Total of each repeat");
  const auto count = static_cast<double>(values.size());
  const Scale x{1, count, kPlaneLeft, kWidth - kPlaneRight};
  const Scale y{low / unit.us, high / unit.us, kPlaneHeight - kPlaneBottom, kPlaneTop};
  Plane plane(svg, x, y);
  plane.vertical(y.low, y.high);
  plane.horizontal(1, count, fmt::format("Repeat · total in {}", unit.name));
  std::vector<double> ascending = values;
  std::ranges::sort(ascending);
  const double median = percentile(ascending, 0.5);
  svg.line(x.from, y.at(median / unit.us), x.to, y.at(median / unit.us), "m d");
  // Of more repeats than there is room for, the extremes of each stretch are drawn.
  constexpr std::size_t kMostPoints = 600;
  const std::size_t stretch = (values.size() + kMostPoints - 1) / kMostPoints;
  std::string path;
  constexpr std::size_t kDotsUntil = 80;
  const auto add = [&](std::size_t repeat) {
    const double atX = x.at(static_cast<double>(repeat + 1));
    const double atY = y.at(values[repeat] / unit.us);
    path += fmt::format("{}{:.5g} {:.5g}", path.empty() ? "M" : "L", atX, atY);
  };
  for (std::size_t first = 0; first < values.size(); first += stretch) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(first + stretch, values.size()));
    const auto [least, most] = std::minmax_element(begin, end);
    add(static_cast<std::size_t>(std::min(least, most) - values.begin()));
    if (least != most) add(static_cast<std::size_t>(std::max(least, most) - values.begin()));
  }
  svg.path(path, "acc");
  if (values.size() <= kDotsUntil) {
    for (std::size_t repeat = 0; repeat < values.size(); ++repeat) {
      svg.circle(x.at(static_cast<double>(repeat + 1)), y.at(values[repeat] / unit.us), 2.5, "accdot",
                 fmt::format("repeat {}: {}", repeat + 1, htmlDurationText(values[repeat])));
    }
  }
  svg.text(x.to, kPlaneTop - 6, "end", "median " + htmlDurationText(median), "t");
  return svg.finish();
}

std::string spreadChart(std::span<const double> totalsUs) {
  std::vector<double> values = usable(totalsUs);
  if (values.size() < 2) return {};
  std::ranges::sort(values);
  const auto [low, high] = padded(values);
  const Unit unit = unitFor(high);
  Svg svg(kWidth, kPlaneHeight, "How often which total was measured");
  const Scale x{low, high, kPlaneLeft, kWidth - kPlaneRight};
  const Scale inUnit{low / unit.us, high / unit.us, x.from, x.to};
  constexpr std::size_t kDotsBelow = 8;
  std::vector<double> bins(binCount(values));
  const double range = values.back() - values.front();
  for (const double value : values) {
    const double part = range > 0 ? (value - values.front()) / range : 0;
    const auto bin = static_cast<std::size_t>(part * static_cast<double>(bins.size()));
    ++bins[std::min(bin, bins.size() - 1)];
  }
  const double most = *std::ranges::max_element(bins);
  const Scale y{0, most * 1.05, kPlaneHeight - kPlaneBottom, kPlaneTop};
  Plane plane(svg, inUnit, y);
  const bool asDots = values.size() < kDotsBelow || range <= 0;
  if (asDots) {
    svg.line(x.from, y.from, x.to, y.from, "a");
    const double middle = (y.from + y.to) / 2;
    for (const double value : values) {
      svg.circle(x.at(value), middle, 4, "accdot", htmlDurationText(value));
    }
  } else {
    plane.vertical(0, y.high);
    const double width = range / static_cast<double>(bins.size());
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      if (bins[bin] == 0) continue;
      const double from = x.at(values.front() + width * static_cast<double>(bin));
      const double to = x.at(values.front() + width * static_cast<double>(bin + 1));
      svg.rect(from, y.at(bins[bin]), to - from - 1, y.from - y.at(bins[bin]), "k2 e",
               htmlCount(static_cast<std::uint64_t>(bins[bin])));
    }
  }
  plane.horizontal(inUnit.low, inUnit.high, fmt::format("Total in {}", unit.name));
  drawMark(svg, x, percentile(values, 0.5), "median", false, false);
  if (!asDots) drawMark(svg, x, percentile(values, 0.95), "p95", true, true);
  return svg.finish();
}

}  // namespace opscope::report
