// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers whose digits stand under each other in any font: Qt 6.4 cannot ask a font for tabular figures, so
// digits of uneven width are painted one by one in equal cells. GUI thread; cheap to make for one paint.
#pragma once

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <QString>

namespace opscope::ui {

class DigitPainter {
 public:
  explicit DigitPainter(const QFont& font);
  double width(const QString& text) const;
  /// Right-aligned in `rect`, in the painter's pen.
  void drawRight(QPainter* painter, const QRectF& rect, const QString& text) const;

 private:
  double advance(QChar c) const;

  QFont m_font;
  QFontMetricsF m_metrics;
  bool m_tabular = true;
  double m_digit = 0;
};

}  // namespace opscope::ui
