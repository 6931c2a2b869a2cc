// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/snapped_bars.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {

void SnappedBars::draw(QCPPainter* painter) {
  if (mKeyAxis == nullptr || mValueAxis == nullptr) return;
  constexpr double kLeastForEdge = 4;
  painter->setAntialiasing(false);
  for (const QCPBarsData& data : *mDataContainer) {
    if (data.value <= 0) continue;
    const QRectF exact = getBarRect(data.key, data.value).normalized();
    const double left = std::round(exact.left()), top = std::round(exact.top());
    const QRectF box(left, top, std::max(1.0, std::round(exact.right()) - left),
                     std::max(1.0, std::round(exact.bottom()) - top));
    if (mBrush.style() != Qt::NoBrush) painter->fillRect(box, mBrush);
    if (mPen.style() == Qt::NoPen || std::min(box.width(), box.height()) < kLeastForEdge) continue;
    const double half = mPen.widthF() / 2;
    painter->setPen(mPen);
    painter->setBrush(Qt::NoBrush);
    painter->drawRect(box.adjusted(half, half, -half, -half));
  }
}

}  // namespace opscope::ui
