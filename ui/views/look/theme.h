// SPDX-License-Identifier: GPL-3.0-or-later
// The look as values: palettes, fonts and lengths from resources/look/tokens.json. GUI thread; the program
// makes one Theme before its first widget and hands it down, and it outlives all widgets.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <QPalette>
#include <vector>

#include "engine/report/kinds.h"

namespace opscope::ui {

enum class ThemeChoice { Platform, Light, Dark, HighContrast };

/// The named colours of one theme, as in tokens.json.
struct Colours {
  QColor window, base, alternateBase, button, line, controlBorder, grid;
  QColor text, textSecondary, textTertiary, textDisabled;
  QColor accent, onAccent, selection, onSelection, hover, focus;
  QColor tooltip, onTooltip, tooltipBorder;
  QColor faster, slower, same, noisy, fasterFill, slowerFill, sameFill, noisyFill;
  QColor error, warning, success, errorBackground, warningBackground;
  QColor shareBar, rangeFill, rangeLine, fillEdge;
};

/// One of the ten category fills, the ink for text on it and the colour for lines thinner than 3 px.
struct Fill {
  QColor fill, ink, lineOnLight, lineOnDark;
  QString kind;
};

/// Of the application's font to the one that the look was drawn with.
double textScale();

class Theme : public QObject {
  Q_OBJECT
 public:
  explicit Theme(QObject* parent = nullptr);

  void choose(ThemeChoice choice);
  ThemeChoice choice() const { return m_choice; }
  /// Reads the platform's palette and font again; call when the application's changed.
  void followPlatform(const QPalette& platformPalette);

  bool isDark() const { return m_active != ThemeChoice::Light; }
  bool isHighContrast() const { return m_active == ThemeChoice::HighContrast; }
  /// Never Platform.
  ThemeChoice active() const { return m_active; }
  const Colours& colours() const { return m_colours[static_cast<std::size_t>(m_active) - 1]; }
  /// The light palette, which saved pictures of charts use.
  const Colours& lightColours() const { return m_colours[0]; }
  QPalette palette() const;

  /// A length of tokens.json at the application font's size, at least 1.
  int px(double designLength) const;
  QFont font(double designSize, QFont::Weight weight = QFont::Normal) const;
  QFont fixedFont(double designSize) const;

  const std::vector<Fill>& fills() const { return m_fills; }
  const Fill& kindFill(report::OpKind kind) const;
  /// Stable over runs and over numbers at the end of the name.
  const Fill& nameFill(const QString& opName) const;
  /// By position in the list of devices of a run.
  const Fill& deviceFill(int position) const;

 Q_SIGNALS:
  void changed();

 private:
  void load();
  ThemeChoice resolve() const;

  ThemeChoice m_choice = ThemeChoice::Platform;
  ThemeChoice m_active = ThemeChoice::Light;
  QPalette m_platform;
  Colours m_colours[3];
  std::vector<Fill> m_fills;
  std::vector<int> m_deviceOrder;
};

}  // namespace opscope::ui
