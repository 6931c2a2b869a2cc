// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of verdicts. GUI thread; pure functions of the theme.
#pragma once

#include <QBrush>
#include <QFontMetrics>
#include <QPainter>

#include "engine/report/comparison.h"
#include "ui/views/look/theme.h"

namespace opscope::ui {

/// For glyphs and words.
inline QColor verdictInk(const Theme& theme, report::Verdict verdict) {
  const Colours& c = theme.colours();
  switch (verdict) {
    case report::Verdict::Faster:
      return c.faster;
    case report::Verdict::Slower:
      return c.slower;
    case report::Verdict::TooNoisy:
      return c.noisy;
    case report::Verdict::New:
    case report::Verdict::Gone:
      return c.text;
    default:
      return c.same;
  }
}

/// For bars.
inline QColor verdictFill(const Theme& theme, report::Verdict verdict) {
  const Colours& c = theme.colours();
  switch (verdict) {
    case report::Verdict::Faster:
      return c.fasterFill;
    case report::Verdict::Slower:
      return c.slowerFill;
    case report::Verdict::TooNoisy:
      return c.noisyFill;
    default:
      return c.sameFill;
  }
}

/// Every fill has an edge, from this size on.
inline constexpr double kLeastForEdge = 4;

/// An edge within a fill of whole pixels.
inline void edgeFill(QPainter* painter, const QRectF& rect, const QColor& edge) {
  if (rect.width() < kLeastForEdge || rect.height() < kLeastForEdge) return;
  painter->setPen(QPen(edge, 1));
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
}

/// Noisy is hatched, so that it is told without colour. `edge` as a rule is the fills' own.
inline void fillVerdict(QPainter* painter, const Theme& theme, const QRectF& rect, report::Verdict verdict,
                        const QColor& edge) {
  painter->fillRect(rect, verdictFill(theme, verdict));
  if (verdict == report::Verdict::TooNoisy) {
    painter->setBrushOrigin(rect.topLeft());
    painter->fillRect(rect, QBrush(theme.colours().base, Qt::BDiagPattern));
  }
  edgeFill(painter, rect, edge);
}

/// Room below a smaller text at the bottom of a row, so that it stands on the base line of a larger one.
inline int baseLineGap(const Theme& theme, double larger, double smaller) {
  return QFontMetrics(theme.font(larger)).descent() - QFontMetrics(theme.font(smaller)).descent();
}

}  // namespace opscope::ui
