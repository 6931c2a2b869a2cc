// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/reveal.h"

#include <QScrollArea>
#include <QScrollBar>

namespace opscope::ui {
namespace {

/// Room for a ring outside of a control.
constexpr int kRing = 4;

void reveal(QScrollBar* bar, int from, int to, int viewport) {
  const int start = from - kRing, end = to + kRing;
  if (start < 0 || end - start > viewport) {
    if (start < 0 || start > viewport - 4 * kRing || end < 4 * kRing) bar->setValue(bar->value() + start);
  } else if (end > viewport) {
    bar->setValue(bar->value() + end - viewport);
  }
}

}  // namespace

void revealInScrollAreas(QWidget* widget, const QRect& part) {
  for (QWidget* parent = widget->parentWidget(); parent != nullptr; parent = parent->parentWidget()) {
    auto* area = qobject_cast<QScrollArea*>(parent);
    if (area == nullptr || area->widget() == nullptr || !area->widget()->isAncestorOf(widget)) continue;
    const QRect place(widget->mapTo(area->viewport(), part.topLeft()), part.size());
    reveal(area->verticalScrollBar(), place.top(), place.top() + place.height(), area->viewport()->height());
    reveal(area->horizontalScrollBar(), place.left(), place.left() + place.width(),
           area->viewport()->width());
    if (parent->isWindow()) break;
  }
}

}  // namespace opscope::ui
