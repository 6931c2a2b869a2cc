// SPDX-License-Identifier: GPL-3.0-or-later
// The colours of verdicts. GUI thread; pure functions of the theme.
#pragma once

#include <QBrush>
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

/// Noisy is hatched, so that it is told without colour.
inline void fillVerdict(QPainter* painter, const Theme& theme, const QRectF& rect, report::Verdict verdict) {
  painter->fillRect(rect, verdictFill(theme, verdict));
  if (verdict == report::Verdict::TooNoisy) {
    painter->setBrushOrigin(rect.topLeft());
    painter->fillRect(rect, QBrush(theme.colours().base, Qt::BDiagPattern));
  }
}

}  // namespace opscope::ui
