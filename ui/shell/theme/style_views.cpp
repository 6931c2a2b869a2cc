// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of headers, tree branches, scroll bars and progress.
#include <QPainter>
#include <QStyleOption>
#include <QWidget>

#include "ui/shell/theme/opscope_style.h"
#include "ui/views/look/properties.h"

namespace opscope::ui {

void OpscopeStyle::drawHeaderSection(const QStyleOption* option, QPainter* painter) const {
  const Colours& c = m_theme->colours();
  const QRect r = option->rect;
  painter->fillRect(r, option->state.testFlag(State_MouseOver) ? c.hover : c.window);
  painter->fillRect(QRect(r.left(), r.bottom(), r.width(), 1), c.line);
}

void OpscopeStyle::drawHeaderLabel(const QStyleOption* option, QPainter* painter) const {
  const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option);
  if (header == nullptr) return;
  const Colours& c = m_theme->colours();
  const bool sorted = header->sortIndicator != QStyleOptionHeader::None;
  painter->save();
  painter->setFont(m_theme->font(12, QFont::DemiBold));
  painter->setPen(sorted ? c.text : c.textSecondary);
  const QRect r = header->rect.adjusted(m_theme->px(8), 0, -m_theme->px(8), -1);
  const int flags = int(header->textAlignment) | Qt::TextSingleLine;
  const int mark = sorted ? m_theme->px(14) : 0;
  const bool right = header->textAlignment.testFlag(Qt::AlignRight);
  const QFontMetrics metrics(painter->font());
  const QString text = metrics.elidedText(header->text, Qt::ElideRight, r.width() - mark);
  painter->drawText(r, flags, text);
  if (sorted) {
    const int width = metrics.horizontalAdvance(text);
    const int x = right ? r.right() - width - mark : r.left() + width + m_theme->px(3);
    drawChevron(QRectF(x, r.top(), mark, r.height()), painter, c.text,
                header->sortIndicator == QStyleOptionHeader::SortUp ? 0 : 2);
  }
  painter->restore();
}

void OpscopeStyle::drawMenuBarItem(const QStyleOption* option, QPainter* painter,
                                   const QWidget* widget) const {
  const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
  if (item == nullptr) return;
  const Colours& c = m_theme->colours();
  painter->fillRect(item->rect, c.window);
  const bool open = item->state.testFlag(State_Sunken);
  if (open || item->state.testFlag(State_Selected)) {
    painter->fillRect(item->rect.adjusted(m_theme->px(1), 1, -m_theme->px(1), -1),
                      open ? c.selection : c.hover);
  }
  painter->setPen(open ? c.onSelection : c.text);
  painter->setFont(m_theme->font(13));
  const bool letters = widget != nullptr && (widget->property(kLetters).toBool() || widget->hasFocus());
  painter->drawText(item->rect,
                    Qt::AlignCenter | Qt::TextSingleLine |
                        (letters ? int(Qt::TextShowMnemonic) : int(Qt::TextHideMnemonic)),
                    item->text);
}

void OpscopeStyle::drawBranch(const QStyleOption* option, QPainter* painter) const {
  if (!option->state.testFlag(State_Children)) return;
  // Items begin their own cell; the mark stands 8 px from the panel's edge and clear of the icon.
  drawChevron(QRectF(option->rect).translated(m_theme->px(5), 0), painter, m_theme->colours().textSecondary,
              option->state.testFlag(State_Open) ? 0 : 3);
}

void OpscopeStyle::drawScrollBar(const QStyleOptionComplex* option, QPainter* painter,
                                 const QWidget* widget) const {
  const Colours& c = m_theme->colours();
  const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
  if (slider == nullptr) return;
  const bool horizontal = slider->orientation == Qt::Horizontal;
  const QRect r = option->rect;
  painter->fillRect(r, c.window);
  const QRect edge =
      horizontal ? QRect(r.left(), r.top(), r.width(), 1) : QRect(r.left(), r.top(), 1, r.height());
  painter->fillRect(edge, c.line);
  if (slider->maximum <= slider->minimum) return;
  const QRect handle = subControlRect(CC_ScrollBar, option, SC_ScrollBarSlider, widget);
  const bool active = option->state.testFlag(State_MouseOver) || option->state.testFlag(State_Sunken);
  QColor fill = c.controlBorder;
  if (!active && !m_theme->isHighContrast()) fill.setAlphaF(0.6F);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(fill);
  const double inset = m_theme->px(3);
  const QRectF bar = QRectF(handle).adjusted(inset + (horizontal ? 0 : 1), inset, -inset, -inset);
  painter->drawRoundedRect(bar, m_theme->px(3), m_theme->px(3));
  painter->restore();
}

void OpscopeStyle::drawProgress(const QStyleOption* option, QPainter* painter) const {
  const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option);
  if (bar == nullptr) return;
  const Colours& c = m_theme->colours();
  const int height = m_theme->px(6);
  QRectF groove(option->rect);
  groove.setTop(groove.center().y() - height / 2.0);
  groove.setHeight(height);
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(Qt::NoPen);
  painter->setBrush(c.line);
  painter->drawRoundedRect(groove, height / 2.0, height / 2.0);
  const double range = double(bar->maximum) - bar->minimum;
  QRectF chunk = groove;
  if (range > 0) {
    chunk.setWidth(groove.width() * std::clamp((bar->progress - bar->minimum) / range, 0.0, 1.0));
  } else {
    // Unknown length: a still quarter, since nothing here moves by itself.
    chunk.setWidth(groove.width() / 4);
  }
  painter->setBrush(c.accent);
  if (chunk.width() >= 1) painter->drawRoundedRect(chunk, height / 2.0, height / 2.0);
  painter->restore();
}

}  // namespace opscope::ui
