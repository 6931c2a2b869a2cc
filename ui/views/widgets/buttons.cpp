// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/buttons.h"

#include <QButtonGroup>
#include <QPainter>
#include <QStyleOptionButton>

#include "ui/views/look/properties.h"

namespace opscope::ui {

ActionButton::ActionButton(const Theme* theme, const char* iconName, const QString& text,
                           const QString& shortcut, QWidget* parent)
    : QPushButton(text, parent), m_theme(theme), m_iconName(iconName), m_shortcut(shortcut) {
  setAutoDefault(false);
  setAttribute(Qt::WA_Hover);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  if (!shortcut.isEmpty()) setToolTip(QStringLiteral("%1 (%2)").arg(text, shortcut));
}

void ActionButton::setPrimary(bool primary) {
  if (property(kPrimary).toBool() == primary) return;
  setProperty(kPrimary, primary);
  updateGeometry();
  update();
}

void ActionButton::setSays(Says says) {
  if (m_says == says) return;
  m_says = says;
  if (accessibleName().isEmpty()) setAccessibleName(text());
  updateGeometry();
  update();
}

int ActionButton::iconRoom() const {
  if (m_iconName == nullptr) return 0;
  return m_theme->px(m_says == Says::Icon ? 16 : 22);
}

QFont ActionButton::textFont() const {
  const bool bold = property(kPrimary).toBool() || isChecked();
  return m_theme->font(13, bold ? QFont::DemiBold : QFont::Normal);
}

QSize ActionButton::sizeHint() const {
  // A segment keeps its width when it becomes the chosen, bold one.
  const bool bold = property(kPrimary).toBool() || isCheckable();
  const QFontMetrics body(m_theme->font(13, bold ? QFont::DemiBold : QFont::Normal));
  int width = body.horizontalAdvance(shownText()) + 2 * m_theme->px(10) + iconRoom();
  if (const QString shortcut = shownShortcut(); !shortcut.isEmpty())
    width += QFontMetrics(m_theme->font(11)).horizontalAdvance(shortcut) + m_theme->px(8);
  return {width, m_theme->px(28)};
}

void ActionButton::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  QStyleOptionButton option;
  initStyleOption(&option);
  style()->drawPrimitive(QStyle::PE_PanelButtonCommand, &option, &painter, this);
  const Colours& c = m_theme->colours();
  const bool filled = property(kPrimary).toBool() && isEnabled();
  const QColor ink = !isEnabled()  ? c.textDisabled
                     : filled      ? c.onAccent
                     : isChecked() ? c.onSelection
                                   : c.text;
  const int flags = Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine;
  painter.setFont(textFont());
  const QString shown = shownText(), shortcut = shownShortcut();
  const int textWidth = painter.fontMetrics().horizontalAdvance(shown);
  const int shortcutWidth =
      shortcut.isEmpty() ? 0 : QFontMetrics(m_theme->font(11)).horizontalAdvance(shortcut) + m_theme->px(8);
  int x = (width() - textWidth - shortcutWidth - iconRoom()) / 2;
  if (m_iconName != nullptr) {
    const int size = m_theme->px(16);
    const QIcon picture = lookIcon(m_theme, m_iconName, filled ? IconInk::OnAccent : m_ink);
    picture.paint(&painter, QRect(x, (height() - size) / 2, size, size), Qt::AlignCenter,
                  isEnabled() ? QIcon::Normal : QIcon::Disabled);
    x += iconRoom();
  }
  painter.setPen(ink);
  painter.drawText(QRect(x, 0, width() - x, height()), flags, shown);
  if (shortcut.isEmpty()) return;
  x += textWidth + m_theme->px(8);
  painter.setFont(m_theme->font(11));
  painter.setPen(!isEnabled() ? c.textDisabled : filled ? c.onAccent : c.textTertiary);
  painter.drawText(QRect(x, 0, width() - x, height()), flags, shortcut);
}

QToolButton* iconButton(const Theme* theme, const char* iconName, const QString& name, QWidget* parent) {
  auto* button = new QToolButton(parent);
  button->setIcon(lookIcon(theme, iconName, IconInk::Secondary));
  button->setAccessibleName(name);
  button->setToolTip(name);
  button->setProperty(kFlat, true);
  button->setAutoRaise(true);
  button->setFixedSize(theme->px(24), theme->px(24));
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

void joinSegments(const std::vector<QAbstractButton*>& buttons) {
  if (buttons.empty()) return;
  auto* group = new QButtonGroup(buttons.front());
  group->setExclusive(true);
  for (std::size_t i = 0; i < buttons.size(); ++i) {
    buttons[i]->setCheckable(true);
    const char* place = i == 0 ? "first" : i + 1 == buttons.size() ? "last" : "middle";
    buttons[i]->setProperty(kSegment, QString::fromLatin1(place));
    group->addButton(buttons[i]);
  }
}

}  // namespace opscope::ui
