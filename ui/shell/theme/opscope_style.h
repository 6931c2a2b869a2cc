// SPDX-License-Identifier: GPL-3.0-or-later
// Fusion with our flat controls: buttons, fields, headers, scroll bars, progress, focus rings. GUI thread;
// the application owns it and the Theme must outlive it. Dynamic properties (kPrimary, kFlat, kSegment,
// kInvalid) choose a control's form.
#pragma once

#include <QProxyStyle>
#include <QStyleOption>

#include "ui/views/look/theme.h"

namespace opscope::ui {

class OpscopeStyle : public QProxyStyle {
  Q_OBJECT
 public:
  explicit OpscopeStyle(const Theme* theme);

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
                          const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* returnData) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                         const QWidget* widget) const override;
  QRect subElementRect(SubElement element, const QStyleOption* option, const QWidget* widget) const override;
  QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option, SubControl subControl,
                       const QWidget* widget) const override;

 private:
  void drawButtonPanel(const QStyleOption* option, QPainter* painter, const QWidget* widget) const;
  void drawToolPanel(const QStyleOption* option, QPainter* painter, const QWidget* widget) const;
  void drawField(const QStyleOption* option, QPainter* painter, const QWidget* widget) const;
  void drawCheckBox(const QStyleOption* option, QPainter* painter) const;
  /// Around what cannot be used.
  QPen disabledPen() const;
  void drawFocusRing(const QRectF& rect, QPainter* painter) const;
  void drawCombo(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const;
  void drawComboLabel(const QStyleOptionComboBox& option, QPainter* painter, const QWidget* widget) const;
  void drawSpin(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const;
  void drawScrollBar(const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const;
  void drawHeaderSection(const QStyleOption* option, QPainter* painter) const;
  void drawHeaderLabel(const QStyleOption* option, QPainter* painter) const;
  void drawMenuBarItem(const QStyleOption* option, QPainter* painter, const QWidget* widget) const;
  void drawProgress(const QStyleOption* option, QPainter* painter) const;
  void drawBranch(const QStyleOption* option, QPainter* painter) const;
  void drawChevron(const QRectF& rect, QPainter* painter, const QColor& colour, int quarterTurns) const;

  const Theme* m_theme;
};

}  // namespace opscope::ui
