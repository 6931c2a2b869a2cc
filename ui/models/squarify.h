// SPDX-License-Identifier: GPL-3.0-or-later
// Rectangles whose areas tell values. Any thread; pure functions.
#pragma once

#include <QRectF>
#include <span>
#include <vector>

namespace opscope::ui {

/// Fills `area` with one rectangle for each of `values` (descending, each finite and >= 0), as square as they
/// get (Bruls, Huizing and van Wijk: Squarified Treemaps). Areas are to each other as the values; a value of
/// 0 gets an empty rectangle within the area. No values, or none above 0: only empty rectangles.
std::vector<QRectF> squarify(const QRectF& area, std::span<const double> values);

}  // namespace opscope::ui
