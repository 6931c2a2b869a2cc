// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/squarify.h"

#include <algorithm>

namespace opscope::ui {
namespace {

/// The largest ratio of sides in a row of boxes along a side of length `side`.
double worstRatio(double largest, double smallest, double sum, double side) {
  const double square = side * side, squaredSum = sum * sum;
  return std::max(square * largest / squaredSum, squaredSum / (square * smallest));
}

/// Lays `areas` along the shorter side of `free` and takes their strip away from it.
void layRow(std::span<const double> areas, double sum, QRectF* free, std::vector<QRectF>* boxes) {
  const bool upright = free->width() >= free->height();
  const double side = upright ? free->height() : free->width();
  const double thickness = side > 0 ? std::min(sum / side, upright ? free->width() : free->height()) : 0;
  double along = 0;
  for (const double area : areas) {
    const double length = thickness > 0 ? std::min(area / thickness, side - along) : 0;
    if (upright) {
      boxes->emplace_back(free->left(), free->top() + along, thickness, length);
    } else {
      boxes->emplace_back(free->left() + along, free->top(), length, thickness);
    }
    along += length;
  }
  if (upright) {
    free->setLeft(free->left() + thickness);
  } else {
    free->setTop(free->top() + thickness);
  }
}

}  // namespace

std::vector<QRectF> squarify(const QRectF& area, std::span<const double> values) {
  std::vector<QRectF> boxes;
  boxes.reserve(values.size());
  double sum = 0;
  std::size_t filled = 0;
  for (const double value : values) {
    sum += value;
    if (value > 0) ++filled;
  }
  if (sum > 0 && !area.isEmpty()) {
    std::vector<double> areas(filled);
    for (std::size_t i = 0; i < filled; ++i) areas[i] = values[i] / sum * area.width() * area.height();
    QRectF free = area;
    for (std::size_t first = 0; first < filled;) {
      const double side = std::min(free.width(), free.height());
      double row = areas[first];
      std::size_t last = first + 1;
      double worst = worstRatio(areas[first], areas[first], row, side);
      for (; last < filled; ++last) {
        const double next = worstRatio(areas[first], areas[last], row + areas[last], side);
        if (next > worst) break;
        worst = next;
        row += areas[last];
      }
      layRow(std::span(areas).subspan(first, last - first), row, &free, &boxes);
      first = last;
    }
  }
  boxes.resize(values.size(), QRectF(area.bottomRight(), QSizeF(0, 0)));
  return boxes;
}

}  // namespace opscope::ui
