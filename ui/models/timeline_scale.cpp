// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline_scale.h"

#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

struct TimeUnit {
  double ns;
  const char* name;
};

/// Labels keep at most two decimals in these.
TimeUnit unitOfStep(double stepNs) {
  if (stepNs >= 1e8) return {1e9, "s"};
  if (stepNs >= 1e4) return {1e6, "ms"};
  if (stepNs >= 10) return {1e3, "µs"};
  return {1, "ns"};
}

QString withUnit(double value, int decimals, const char* unit) {
  return format::fixed(value, decimals) + QChar(0x00A0) + QString::fromUtf8(unit);
}

}  // namespace

TimeScale clampView(TimeScale scale, TimeBounds bounds) {
  const double whole = std::max(bounds.lengthNs(), kShortestViewNs);
  const double length = std::clamp(scale.spanNs(), kShortestViewNs, whole);
  scale.startNs = std::clamp(scale.startNs, bounds.beginNs, bounds.beginNs + whole - length);
  scale.endNs = scale.startNs + length;
  return scale;
}

TimeScale zoomView(const TimeScale& scale, double factor, double pixel, TimeBounds bounds) {
  const double at = scale.toTime(pixel);
  const double length =
      std::clamp(scale.spanNs() / factor, kShortestViewNs, std::max(bounds.lengthNs(), kShortestViewNs));
  TimeScale result = scale;
  result.startNs = at - length * (pixel / scale.width);
  result.endNs = result.startNs + length;
  return clampView(result, bounds);
}

TimeScale panView(const TimeScale& scale, double byNs, TimeBounds bounds) {
  TimeScale result = scale;
  result.startNs += byNs;
  result.endNs += byNs;
  return clampView(result, bounds);
}

TimeScale fitView(const TimeScale& scale, double startNs, double endNs, double margin, TimeBounds bounds) {
  const double extra = std::max(endNs - startNs, kShortestViewNs / 2) * margin;
  TimeScale result = scale;
  result.startNs = std::max(bounds.beginNs, startNs - extra);
  result.endNs = std::min(bounds.beginNs + std::max(bounds.lengthNs(), kShortestViewNs), endNs + extra);
  if (result.spanNs() < kShortestViewNs) {
    result.startNs -= (kShortestViewNs - result.spanNs()) / 2;
    result.endNs = result.startNs + kShortestViewNs;
  }
  return clampView(result, bounds);
}

TimeScale betweenViews(const TimeScale& from, const TimeScale& to, double part) {
  TimeScale result = to;
  if (part >= 1) return result;
  const double length = from.spanNs() * std::pow(to.spanNs() / from.spanNs(), part);
  // The middle moves with the length, so that a zoom at the cursor keeps the time under the cursor.
  const double change = to.spanNs() - from.spanNs();
  const double moved = std::abs(change) > from.spanNs() * 1e-6 ? (length - from.spanNs()) / change : part;
  result.startNs = from.startNs + (to.startNs - from.startNs) * moved;
  result.endNs = result.startNs + length;
  return result;
}

QString Ruler::label(double ns) const {
  return withUnit(ns / unitNs, decimals, unit.toUtf8().constData());
}

Ruler rulerOf(const TimeScale& scale, double minPixels) {
  Ruler ruler;
  const double wanted = scale.nsPerPixel() * minPixels;
  const double power = std::pow(10.0, std::floor(std::log10(wanted)));
  ruler.stepNs = power * 10;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= wanted * (1 - 1e-12)) {
      ruler.stepNs = factor * power;
      break;
    }
  }
  const TimeUnit unit = unitOfStep(ruler.stepNs);
  ruler.unitNs = unit.ns;
  ruler.unit = QString::fromUtf8(unit.name);
  const double steps = std::log10(ruler.stepNs / unit.ns);
  ruler.decimals = std::max(0, int(std::ceil(-steps - 1e-9)));
  if (ruler.decimals == 0 && ruler.stepNs < unit.ns * 0.999) ruler.decimals = 1;
  const auto first = std::int64_t(std::ceil(scale.startNs / ruler.stepNs - 1e-9));
  for (std::int64_t i = first; double(i) * ruler.stepNs <= scale.endNs; ++i) {
    ruler.ticksNs.push_back(double(i) * ruler.stepNs);
  }
  return ruler;
}

QString timeText(double ns, double nsPerPixel) {
  if (!std::isfinite(ns)) return format::missing();
  const double value = std::abs(ns);
  const TimeUnit unit = value >= 1e10  ? TimeUnit{1e9, "s"}
                        : value >= 1e6 ? TimeUnit{1e6, "ms"}
                        : value >= 1e3 ? TimeUnit{1e3, "µs"}
                                       : TimeUnit{1, "ns"};
  const double digits = std::ceil(-std::log10(std::max(nsPerPixel, 0.1) / unit.ns));
  const int most = unit.ns == 1 ? 1 : unit.ns == 1e3 ? 3 : unit.ns == 1e6 ? 5 : 8;
  return withUnit(ns / unit.ns, std::clamp(int(digits), unit.ns >= 1e6 ? 2 : 1, most), unit.name);
}

QString rangeText(double startNs, double endNs) {
  const double largest = std::max({std::abs(startNs), std::abs(endNs)});
  const TimeUnit unit = largest >= 1e10  ? TimeUnit{1e9, "s"}
                        : largest >= 1e6 ? TimeUnit{1e6, "ms"}
                                         : TimeUnit{1e3, "µs"};
  const double length = std::max(endNs - startNs, 0.1);
  const int decimals = std::clamp(int(std::ceil(-std::log10(length / 1000 / unit.ns))), 3, 6);
  return QStringLiteral("%1 %2 %3")
      .arg(format::fixed(startNs / unit.ns, decimals), QString(format::kEnDash),
           withUnit(endNs / unit.ns, decimals, unit.name));
}

}  // namespace opscope::ui
