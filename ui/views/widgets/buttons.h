// SPDX-License-Identifier: GPL-3.0-or-later
// Buttons of the look. GUI thread.
#pragma once

#include <QPushButton>
#include <QToolButton>
#include <vector>

#include "ui/views/look/icons.h"
#include "ui/views/look/theme.h"

namespace opscope::ui {

/// A push button with icon, text and, quieter, its shortcut.
class ActionButton : public QPushButton {
  Q_OBJECT
 public:
  /// `iconName` may be null; it is kept, so it must be a literal.
  ActionButton(const Theme* theme, const char* iconName, const QString& text, const QString& shortcut = {},
               QWidget* parent = nullptr);
  void setPrimary(bool primary);
  /// Ink of the icon when the button is not primary.
  void setIconInk(IconInk ink) { m_ink = ink; }
  /// How much it says where room is short; tooltip and name stay.
  enum class Says { All, Text, Icon };
  void setSays(Says says);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QFont textFont() const;
  QString shownText() const { return m_says == Says::Icon ? QString() : text(); }
  QString shownShortcut() const { return m_says == Says::All ? m_shortcut : QString(); }
  int iconRoom() const;

  const Theme* m_theme;
  const char* m_iconName;
  QString m_shortcut;
  IconInk m_ink = IconInk::Text;
  Says m_says = Says::All;
};

/// A button with an icon only; `name` is read out and shown as tooltip.
QToolButton* iconButton(const Theme* theme, const char* iconName, const QString& name, QWidget* parent);

/// Joins exclusive checkable buttons into one control.
void joinSegments(const std::vector<QAbstractButton*>& buttons);

}  // namespace opscope::ui
