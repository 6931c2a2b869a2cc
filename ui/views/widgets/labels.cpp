// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/labels.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOption>

namespace opscope::ui {

Text::Text(const Theme* theme, double size, QColor Colours::*colour, QFont::Weight weight, QWidget* parent)
    : QLabel(parent), m_theme(theme), m_size(size), m_colour(colour), m_weight(weight) {
  setTextFormat(Qt::PlainText);
  // In a tool bar labels would take the ink of buttons.
  setForegroundRole(QPalette::WindowText);
  restyle();
  connect(theme, &Theme::changed, this, &Text::restyle);
}

void Text::setColour(QColor Colours::*colour) {
  m_colour = colour;
  restyle();
}

void Text::setFixedFont(bool fixed) {
  m_fixed = fixed;
  restyle();
}

void Text::restyle() {
  setFont(m_fixed ? m_theme->fixedFont(m_size) : m_theme->font(m_size, m_weight));
  QPalette colours = palette();
  for (const auto group : {QPalette::Active, QPalette::Inactive}) {
    colours.setColor(group, QPalette::WindowText, m_theme->colours().*m_colour);
    colours.setColor(group, QPalette::Text, m_theme->colours().*m_colour);
  }
  colours.setColor(QPalette::Disabled, QPalette::WindowText, m_theme->colours().textDisabled);
  setPalette(colours);
}

Text* plainText(const Theme* theme, const QString& words, double size, QColor Colours::*colour,
                QFont::Weight weight) {
  auto* label = new Text(theme, size, colour, weight);
  label->setText(words);
  return label;
}

ElidedText::ElidedText(const Theme* theme, double size, QColor Colours::*colour, QFont::Weight weight,
                       Qt::TextElideMode mode, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_size(size), m_colour(colour), m_weight(weight), m_mode(mode) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(theme, &Theme::changed, this, [this]() {
    updateGeometry();
    update();
  });
}

QFont ElidedText::textFont() const {
  return m_fixed ? m_theme->fixedFont(m_size) : m_theme->font(m_size, m_weight);
}

void ElidedText::setText(const QString& text) {
  if (m_text == text) return;
  m_text = text;
  setToolTip(text);
  setAccessibleName(text);
  updateGeometry();
  update();
}

void ElidedText::setColour(QColor Colours::*colour) {
  if (m_colour == colour) return;
  m_colour = colour;
  update();
}

QSize ElidedText::sizeHint() const {
  const QFontMetrics metrics(textFont());
  return {metrics.horizontalAdvance(m_text) + 2, metrics.height()};
}

QSize ElidedText::minimumSizeHint() const {
  const QFontMetrics metrics(textFont());
  if (m_wholeOnly) return {0, metrics.height()};
  return {std::min(sizeHint().width(), metrics.horizontalAdvance(QStringLiteral("xxxx…"))), metrics.height()};
}

void ElidedText::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(textFont());
  if (m_wholeOnly && painter.fontMetrics().horizontalAdvance(m_text) > width()) return;
  painter.setPen(isEnabled() ? m_theme->colours().*m_colour : m_theme->colours().textDisabled);
  painter.drawText(rect(), int(m_alignment | Qt::AlignVCenter) | Qt::TextSingleLine, shownText());
}

QString ElidedText::shownText() const {
  const QFontMetrics metrics(textFont());
  if (m_separator.isEmpty() || metrics.horizontalAdvance(m_text) <= width())
    return metrics.elidedText(m_text, m_mode, width());
  QStringList parts = m_text.split(m_separator);
  while (parts.size() > 1) {
    parts.removeLast();
    const QString text = parts.join(m_separator) + m_separator + QChar(0x2026);
    if (metrics.horizontalAdvance(text) <= width()) return text;
  }
  return QString(QChar(0x2026));
}

LinkButton::LinkButton(const Theme* theme, const QString& text, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme) {
  setText(text);
  setCursor(Qt::PointingHandCursor);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_Hover);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(theme, &Theme::changed, this, [this]() { updateGeometry(); });
}

QSize LinkButton::sizeHint() const {
  const QFontMetrics metrics(m_theme->font(12));
  return {metrics.horizontalAdvance(text()) + 4, metrics.height() + 4};
}

void LinkButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QFont font = m_theme->font(12);
  font.setUnderline(underMouse() && isEnabled());
  painter.setFont(font);
  painter.setPen(isEnabled() ? m_theme->colours().accent : m_theme->colours().textDisabled);
  painter.drawText(rect().adjusted(2, 0, -2, 0), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                   text());
  if (hasFocus()) {
    QStyleOptionFocusRect option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
  }
}

IconLabel::IconLabel(const QIcon& icon, int size, QWidget* parent) : QWidget(parent), m_icon(icon) {
  setFixedSize(size, size);
}

void IconLabel::setIcon(const QIcon& icon) {
  m_icon = icon;
  update();
}

void IconLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  m_icon.paint(&painter, rect(), Qt::AlignCenter, isEnabled() ? QIcon::Normal : QIcon::Disabled);
}

}  // namespace opscope::ui
