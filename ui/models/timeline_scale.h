// SPDX-License-Identifier: GPL-3.0-or-later
// Time to pixels and back, zoom, pan and the ruler's ticks. Any thread; plain values, no widgets.
#pragma once

#include <QString>
#include <vector>

namespace opscope::ui {

/// All that can be shown of a repeat: from 0, or before it, to its end.
struct TimeBounds {
  double beginNs = 0;
  double endNs = 1;
  // NOLINTNEXTLINE(google-explicit-constructor): most have no more than a length
  TimeBounds(double totalNs) : endNs(totalNs) {}
  TimeBounds(double begin, double end) : beginNs(begin), endNs(end) {}
  double lengthNs() const { return endNs - beginNs; }
};

/// The part of a repeat's time that is shown over `width` pixels. All times in ns since the repeat began.
struct TimeScale {
  double startNs = 0;
  double endNs = 1;
  double width = 1;

  double spanNs() const { return endNs - startNs; }
  double nsPerPixel() const { return spanNs() / width; }
  double toPixel(double ns) const { return (ns - startNs) / spanNs() * width; }
  double toTime(double pixel) const { return startNs + pixel / width * spanNs(); }
  bool sameView(const TimeScale& other) const { return startNs == other.startNs && endNs == other.endNs; }
};

/// The shortest part that can be shown.
inline constexpr double kShortestViewNs = 10;

/// Moves and shortens [start, end] into the bounds; never shorter than kShortestViewNs.
TimeScale clampView(TimeScale scale, TimeBounds bounds);
/// Zooms by `factor` (above 1: closer) so that the time at `pixel` stays where it is.
TimeScale zoomView(const TimeScale& scale, double factor, double pixel, TimeBounds bounds);
TimeScale panView(const TimeScale& scale, double byNs, TimeBounds bounds);
/// Shows [start, end] with `margin` (a part of it) on both sides.
TimeScale fitView(const TimeScale& scale, double startNs, double endNs, double margin, TimeBounds bounds);
/// Between two views, 0 <= part <= 1; lengths change by equal factors, so that a zoom looks even.
TimeScale betweenViews(const TimeScale& from, const TimeScale& to, double part);

struct Ruler {
  double stepNs = 1;
  std::vector<double> ticksNs;  ///< within the view
  double unitNs = 1;            ///< one for all labels, from the step
  QString unit;
  int decimals = 0;
  /// "28 ms".
  QString label(double ns) const;
};

/// Steps of 1, 2, 5 times a power of ten, at least `minPixels` apart.
Ruler rulerOf(const TimeScale& scale, double minPixels = 90);

/// A time on the axis, "43.924 ms", with the digits that a pixel of `nsPerPixel` can tell.
QString timeText(double ns, double nsPerPixel);
/// The same without unit, in ms, for "32.032 – 39.154 ms".
QString rangeText(double startNs, double endNs);

}  // namespace opscope::ui
