// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of buttons and fields.
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QToolButton>
#include <cmath>

#include "ui/shell/theme/opscope_style.h"
#include "ui/views/look/icons.h"
#include "ui/views/look/properties.h"

namespace opscope::ui {
namespace {

QRectF hairline(const QRect& rect) {
  return QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5);
}

/// A rectangle whose left or right corners are round, for joined segments.
QPainterPath framePath(const QRectF& r, double radius, const QString& segment) {
  QPainterPath path;
  if (segment.isEmpty()) {
    path.addRoundedRect(r, radius, radius);
    return path;
  }
  path.setFillRule(Qt::WindingFill);
  path.addRoundedRect(r, radius, radius);
  if (segment != QLatin1String("first")) path.addRect(r.adjusted(0, 0, -r.width() / 2, 0));
  if (segment != QLatin1String("last")) path.addRect(r.adjusted(r.width() / 2, 0, 0, 0));
  return path.simplified();
}

}  // namespace

void OpscopeStyle::drawFocusRing(const QRectF& rect, QPainter* painter) const {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setBrush(Qt::NoBrush);
  painter->setPen(QPen(m_theme->colours().focus, 2));
  painter->drawRoundedRect(rect.adjusted(1, 1, -1, -1), m_theme->px(4), m_theme->px(4));
  painter->restore();
}

QPen OpscopeStyle::disabledPen() const {
  QPen pen(m_theme->colours().line, 1);
  // There the line is as white as that of what can be used.
  if (m_theme->isHighContrast()) pen.setDashPattern({3, 3});
  return pen;
}

void OpscopeStyle::drawCheckBox(const QStyleOption* option, QPainter* painter) const {
  const Colours& c = m_theme->colours();
  const bool enabled = option->state.testFlag(State_Enabled), ticked = option->state.testFlag(State_On);
  const double size = m_theme->px(14);
  QRectF box(0, 0, size - 1, size - 1);
  box.moveCenter(QRectF(option->rect).center());
  box.moveTopLeft(QPointF(std::floor(box.left()) + 0.5, std::floor(box.top()) + 0.5));
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(enabled ? QPen(ticked ? c.accent : c.controlBorder, 1) : disabledPen());
  painter->setBrush(!enabled ? c.window : ticked ? c.accent : c.base);
  painter->drawRoundedRect(box, m_theme->px(2), m_theme->px(2));
  painter->restore();
  if (ticked) {
    const IconInk ink = enabled ? IconInk::OnAccent : IconInk::Secondary;
    lookIcon(m_theme, "tick", ink).paint(painter, box.toAlignedRect());
  }
}

void OpscopeStyle::drawButtonPanel(const QStyleOption* option, QPainter* painter,
                                   const QWidget* widget) const {
  const Colours& c = m_theme->colours();
  const bool enabled = option->state.testFlag(State_Enabled);
  const bool primary = widget != nullptr && widget->property(kPrimary).toBool();
  const bool hovered = option->state.testFlag(State_MouseOver);
  const bool down = option->state.testFlag(State_Sunken) || option->state.testFlag(State_On);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  QColor fill = enabled ? (down ? c.selection : hovered ? c.hover : c.button) : c.window;
  QColor border = enabled ? c.controlBorder : c.line;
  if (widget != nullptr && widget->property(kFlat).toBool()) {
    border = Qt::transparent;
    if (!hovered && !down) fill = Qt::transparent;
  }
  if (primary && enabled) {
    fill = down ? c.accent.darker(115) : hovered ? c.accent.lighter(108) : c.accent;
    border = fill;
  }
  painter->setPen(enabled || border == Qt::transparent ? QPen(border, 1) : disabledPen());
  painter->setBrush(fill);
  const QString segment = widget != nullptr ? widget->property(kSegment).toString() : QString();
  painter->drawPath(framePath(hairline(option->rect), m_theme->px(4), segment));
  if (option->state.testFlag(State_HasFocus)) {
    if (primary) {
      painter->setBrush(Qt::NoBrush);
      painter->setPen(QPen(c.onAccent, 2));
      painter->drawRoundedRect(hairline(option->rect).adjusted(2.5, 2.5, -2.5, -2.5), 2, 2);
    } else {
      drawFocusRing(QRectF(option->rect), painter);
    }
  }
  painter->restore();
}

void OpscopeStyle::drawToolPanel(const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
  const bool flat = widget != nullptr && widget->property(kFlat).toBool();
  if (!flat) {
    drawButtonPanel(option, painter, widget);
    return;
  }
  const Colours& c = m_theme->colours();
  const bool on = option->state.testFlag(State_On) || option->state.testFlag(State_Sunken);
  const bool hovered = option->state.testFlag(State_MouseOver) && option->state.testFlag(State_Enabled);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  if (on || hovered) {
    painter->setPen(Qt::NoPen);
    painter->setBrush(on ? c.selection : c.hover);
    painter->drawRoundedRect(QRectF(option->rect), m_theme->px(4), m_theme->px(4));
  }
  if (option->state.testFlag(State_HasFocus)) drawFocusRing(QRectF(option->rect), painter);
  painter->restore();
}

void OpscopeStyle::drawField(const QStyleOption* option, QPainter* painter, const QWidget* widget) const {
  const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
  if (frame != nullptr && frame->lineWidth == 0) return;  // inside a combo or spin box, which draws its own
  const Colours& c = m_theme->colours();
  const bool enabled = option->state.testFlag(State_Enabled);
  const bool invalid = widget != nullptr && widget->property(kInvalid).toBool();
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setBrush(enabled ? c.base : c.window);
  painter->setPen(invalid ? QPen(c.error, 1) : enabled ? QPen(c.controlBorder, 1) : disabledPen());
  painter->drawRoundedRect(hairline(option->rect), m_theme->px(4), m_theme->px(4));
  if (invalid || option->state.testFlag(State_HasFocus)) {
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(invalid ? c.error : c.focus, 2));
    painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), m_theme->px(4), m_theme->px(4));
  }
  painter->restore();
}

void OpscopeStyle::drawChevron(const QRectF& rect, QPainter* painter, const QColor& colour,
                               int quarterTurns) const {
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->translate(rect.center());
  painter->rotate(90.0 * quarterTurns);
  const double half = m_theme->px(8) / 2.0;
  painter->setPen(QPen(colour, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const QPointF points[] = {{-half, -half / 2}, {0, half / 2}, {half, -half / 2}};
  painter->drawPolyline(points, 3);
  painter->restore();
}

void OpscopeStyle::drawCombo(const QStyleOptionComplex* option, QPainter* painter,
                             const QWidget* widget) const {
  drawButtonPanel(option, painter, widget);
  const Colours& c = m_theme->colours();
  const bool enabled = option->state.testFlag(State_Enabled);
  if (widget != nullptr && widget->property(kInvalid).toBool()) drawField(option, painter, widget);
  const QRect arrow = subControlRect(CC_ComboBox, option, SC_ComboBoxArrow, widget);
  drawChevron(QRectF(arrow), painter, enabled ? c.text : c.textDisabled, 0);
}

/// Cut in the middle where there is no room, so that the end of a name stays to be read too.
void OpscopeStyle::drawComboLabel(const QStyleOptionComboBox& option, QPainter* painter,
                                  const QWidget* widget) const {
  QStyleOptionComboBox copy(option);
  const QRect field = subControlRect(CC_ComboBox, &option, SC_ComboBoxEditField, widget);
  const int icon = option.currentIcon.isNull() ? 0 : option.iconSize.width() + 4;
  copy.currentText = option.fontMetrics.elidedText(
      option.currentText, Qt::ElideMiddle, field.width() - icon - option.fontMetrics.averageCharWidth() / 2);
  QProxyStyle::drawControl(CE_ComboBoxLabel, &copy, painter, widget);
}

void OpscopeStyle::drawSpin(const QStyleOptionComplex* option, QPainter* painter,
                            const QWidget* widget) const {
  const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
  QStyleOptionFrame frame;
  static_cast<QStyleOption&>(frame) = *option;
  frame.lineWidth = 1;
  drawField(&frame, painter, widget);
  if (spin == nullptr || spin->buttonSymbols == QAbstractSpinBox::NoButtons) return;
  const Colours& c = m_theme->colours();
  const auto ink = [&](QAbstractSpinBox::StepEnabledFlag flag) {
    return spin->stepEnabled.testFlag(flag) && option->state.testFlag(State_Enabled) ? c.text
                                                                                     : c.textDisabled;
  };
  painter->save();
  const QRect up = subControlRect(CC_SpinBox, option, SC_SpinBoxUp, widget);
  const QRect down = subControlRect(CC_SpinBox, option, SC_SpinBoxDown, widget);
  drawChevron(QRectF(up), painter, ink(QAbstractSpinBox::StepUpEnabled), 2);
  drawChevron(QRectF(down), painter, ink(QAbstractSpinBox::StepDownEnabled), 0);
  painter->restore();
}

}  // namespace opscope::ui
