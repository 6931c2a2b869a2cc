// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/look/digits.h"

#include <algorithm>
#include <cmath>

namespace opscope::ui {

DigitPainter::DigitPainter(const QFont& font) : m_font(font), m_metrics(font) {
  double narrowest = m_metrics.horizontalAdvance(QLatin1Char('0'));
  for (char c = '0'; c <= '9'; ++c) {
    const double width = m_metrics.horizontalAdvance(QLatin1Char(c));
    m_digit = std::max(m_digit, width);
    narrowest = std::min(narrowest, width);
  }
  m_tabular = m_digit - narrowest < 0.01;
}

double DigitPainter::advance(QChar c) const {
  if (c.isDigit()) return m_digit;
  // Fonts without U+202F draw a box or a wide blank for it; its width is ours.
  if (c == QChar(0x202F)) return m_digit * 0.3;
  return m_metrics.horizontalAdvance(c);
}

double DigitPainter::width(const QString& text) const {
  double sum = 0;
  for (const QChar c : text) sum += advance(c);
  return sum;
}

void DigitPainter::drawRight(QPainter* painter, const QRectF& rect, const QString& text) const {
  painter->setFont(m_font);
  const double baseline = rect.top() + (rect.height() - m_metrics.height()) / 2 + m_metrics.ascent();
  double x = std::max(rect.left(), rect.right() - width(text));
  for (const QChar c : text) {
    const double cell = advance(c);
    if (c != QChar(0x202F)) {
      const double offset = m_tabular ? 0 : (cell - m_metrics.horizontalAdvance(c)) / 2;
      painter->drawText(QPointF(x + offset, baseline), QString(c));
    }
    x += cell;
  }
}

}  // namespace opscope::ui
