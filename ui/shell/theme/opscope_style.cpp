// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/theme/opscope_style.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QWidget>

#include "ui/views/look/properties.h"

namespace opscope::ui {

OpscopeStyle::OpscopeStyle(const Theme* theme) : QProxyStyle(QStringLiteral("Fusion")), m_theme(theme) {}

void OpscopeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                 const QWidget* widget) const {
  switch (element) {
    case PE_PanelButtonCommand:
      drawButtonPanel(option, painter, widget);
      return;
    case PE_PanelButtonTool:
      drawToolPanel(option, painter, widget);
      return;
    case PE_PanelLineEdit:
    case PE_FrameLineEdit:
      drawField(option, painter, widget);
      return;
    case PE_IndicatorCheckBox:
      drawCheckBox(option, painter);
      return;
    case PE_IndicatorBranch:
      drawBranch(option, painter);
      return;
    case PE_FrameStatusBarItem:
    case PE_PanelStatusBar:
    case PE_PanelMenuBar:
    case PE_FrameDockWidget:
    case PE_IndicatorToolBarHandle:
      return;
    case PE_FrameFocusRect: {
      if (widget != nullptr && widget->inherits("QAbstractItemView")) {
        painter->setPen(QPen(m_theme->colours().focus, 1));
        painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
      } else {
        drawFocusRing(QRectF(option->rect), painter);
      }
      return;
    }
    default:
      QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
}

void OpscopeStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const {
  const Colours& c = m_theme->colours();
  switch (element) {
    case CE_Header:
      drawHeaderSection(option, painter);
      drawHeaderLabel(option, painter);
      return;
    case CE_HeaderEmptyArea:
      painter->fillRect(option->rect, c.window);
      painter->fillRect(QRect(option->rect.bottomLeft(), QSize(option->rect.width(), 1)), c.line);
      return;
    case CE_ProgressBar:
      drawProgress(option, painter);
      return;
    case CE_ToolBar:
    case CE_MenuBarEmptyArea:
      painter->fillRect(option->rect, c.window);
      return;
    case CE_MenuBarItem:
      drawMenuBarItem(option, painter, widget);
      return;
    case CE_Splitter:
      painter->fillRect(option->rect, c.line);
      return;
    case CE_ComboBoxLabel:
      if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
        drawComboLabel(*combo, painter, widget);
        return;
      }
      break;
    case CE_PushButtonLabel:
    case CE_ToolButtonLabel: {
      const bool primary = widget != nullptr && widget->property(kPrimary).toBool();
      if (primary && option->state.testFlag(State_Enabled)) {
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
          QStyleOptionToolButton copy(*button);
          copy.palette.setColor(QPalette::ButtonText, c.onAccent);
          copy.palette.setColor(QPalette::WindowText, c.onAccent);
          QProxyStyle::drawControl(element, &copy, painter, widget);
          return;
        }
        if (const auto* push = qstyleoption_cast<const QStyleOptionButton*>(option)) {
          QStyleOptionButton copy(*push);
          copy.palette.setColor(QPalette::ButtonText, c.onAccent);
          QProxyStyle::drawControl(element, &copy, painter, widget);
          return;
        }
      }
      break;
    }
    default:
      break;
  }
  QProxyStyle::drawControl(element, option, painter, widget);
}

void OpscopeStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                      QPainter* painter, const QWidget* widget) const {
  switch (control) {
    case CC_ComboBox:
      drawCombo(option, painter, widget);
      return;
    case CC_SpinBox:
      drawSpin(option, painter, widget);
      return;
    case CC_ScrollBar:
      drawScrollBar(option, painter, widget);
      return;
    default:
      QProxyStyle::drawComplexControl(control, option, painter, widget);
  }
}

int OpscopeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
  switch (metric) {
    case PM_SmallIconSize:
    case PM_ButtonIconSize:
    case PM_ToolBarIconSize:
      return m_theme->px(16);
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
      return m_theme->px(14);
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing:
      return m_theme->px(6);
    case PM_ScrollBarExtent:
      return m_theme->px(12);
    case PM_SplitterWidth:
    case PM_DockWidgetSeparatorExtent:
      return 1;
    case PM_DockWidgetFrameWidth:
    case PM_ToolBarFrameWidth:
    case PM_ToolBarItemMargin:
    case PM_MenuBarPanelWidth:
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
      return 0;
    case PM_ToolBarItemSpacing:
      return m_theme->px(6);
    case PM_MenuBarItemSpacing:
      return m_theme->px(2);
    case PM_MenuBarHMargin:
      return m_theme->px(6);
    case PM_MenuBarVMargin:
      return m_theme->px(1);
    case PM_HeaderMargin:
      return m_theme->px(8);
    case PM_HeaderMarkSize:
      return m_theme->px(9);
    case PM_DefaultFrameWidth:
      return 1;
    case PM_TreeViewIndentation:
      return m_theme->px(14);
    default:
      return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

int OpscopeStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                            QStyleHintReturn* returnData) const {
  switch (hint) {
    case SH_ToolTip_WakeUpDelay:
      return 300;
    case SH_Widget_Animate:
    case SH_Widget_Animation_Duration:
      return 0;
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
      return 0;
    case SH_ItemView_ShowDecorationSelected:
      return 1;
    case SH_ItemView_ActivateItemOnSingleClick:
      return 0;
    case SH_ComboBox_Popup:
      return 0;
    case SH_UnderlineShortcut:
      return 0;
    default:
      return QProxyStyle::styleHint(hint, option, widget, returnData);
  }
}

QSize OpscopeStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                                     const QWidget* widget) const {
  QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
  const int control = m_theme->px(28);
  switch (type) {
    case CT_PushButton:
      result.setHeight(control);
      result.setWidth(std::max(size.width() + m_theme->px(24), control));
      break;
    case CT_ToolButton:
      result = size + QSize(m_theme->px(12), 0);
      result.setHeight(control);
      break;
    case CT_ComboBox:
      result.setHeight(control);
      result.rwidth() += m_theme->px(8);
      break;
    case CT_LineEdit:
    case CT_SpinBox:
      result.setHeight(control);
      break;
    case CT_HeaderSection:
      result.setHeight(m_theme->px(26));
      break;
    case CT_MenuBarItem:
      result = QSize(size.width() + m_theme->px(16), m_theme->px(24));
      break;
    default:
      break;
  }
  return result;
}

QRect OpscopeStyle::subElementRect(SubElement element, const QStyleOption* option,
                                   const QWidget* widget) const {
  if (element == SE_LineEditContents) {
    return QProxyStyle::subElementRect(element, option, widget)
        .adjusted(m_theme->px(5), 0, -m_theme->px(3), 0);
  }
  return QProxyStyle::subElementRect(element, option, widget);
}

QRect OpscopeStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                   SubControl subControl, const QWidget* widget) const {
  const QRect all = option->rect;
  const int arrow = m_theme->px(22);
  if (control == CC_ScrollBar) {
    const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
    if (subControl == SC_ScrollBarAddLine || subControl == SC_ScrollBarSubLine) return {};
    if (subControl == SC_ScrollBarGroove) return all;
    if (slider != nullptr) {
      const bool horizontal = slider->orientation == Qt::Horizontal;
      const int length = horizontal ? all.width() : all.height();
      const int range = slider->maximum - slider->minimum;
      int handle = length;
      if (range > 0) handle = int(qint64(length) * slider->pageStep / (qint64(range) + slider->pageStep));
      handle = std::clamp(handle, std::min(length, m_theme->px(28)), std::max(1, length));
      const int start = sliderPositionFromValue(slider->minimum, slider->maximum, slider->sliderPosition,
                                                length - handle, slider->upsideDown);
      const auto part = [&](int from, int size) {
        return horizontal ? QRect(all.x() + from, all.y(), size, all.height())
                          : QRect(all.x(), all.y() + from, all.width(), size);
      };
      if (subControl == SC_ScrollBarSlider) return part(start, handle);
      if (subControl == SC_ScrollBarSubPage) return part(0, start);
      if (subControl == SC_ScrollBarAddPage) return part(start + handle, length - start - handle);
    }
  }
  if (control == CC_ComboBox) {
    if (subControl == SC_ComboBoxArrow) return {all.right() - arrow, all.y(), arrow, all.height()};
    if (subControl == SC_ComboBoxEditField) return all.adjusted(m_theme->px(8), 1, -arrow, -1);
  }
  if (control == CC_SpinBox) {
    const int step = m_theme->px(16);
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    const bool buttons = spin != nullptr && spin->buttonSymbols != QAbstractSpinBox::NoButtons;
    const int half = all.height() / 2;
    if (subControl == SC_SpinBoxUp)
      return buttons ? QRect(all.right() - step, all.y() + 2, step, half - 2) : QRect();
    if (subControl == SC_SpinBoxDown)
      return buttons ? QRect(all.right() - step, all.y() + half, step, half - 2) : QRect();
    if (subControl == SC_SpinBoxEditField) {
      return all.adjusted(m_theme->px(6), 1, buttons ? -step - 1 : -m_theme->px(6), -1);
    }
    if (subControl == SC_SpinBoxFrame) return all;
  }
  return QProxyStyle::subControlRect(control, option, subControl, widget);
}

}  // namespace opscope::ui
