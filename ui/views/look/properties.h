// SPDX-License-Identifier: GPL-3.0-or-later
// Dynamic properties of widgets by which the style chooses a control's form. GUI thread.
#pragma once

#include <QVariant>
#include <QWidget>

namespace opscope::ui {

inline constexpr char kPrimary[] = "opscopePrimary";    ///< filled with the accent: one in a view
inline constexpr char kFlat[] = "opscopeFlat";          ///< no frame until hovered
inline constexpr char kSegment[] = "opscopeSegment";    ///< "first", "middle" or "last" of joined buttons
inline constexpr char kInvalid[] = "opscopeInvalid";    ///< a field whose value cannot be used: red border
inline constexpr char kLetters[] = "opscopeLetters";    ///< a menu bar underlines the letters of its menus
inline constexpr char kTrailing[] = "opscopeTrailing";  ///< a shortcut told at the end of a button

/// Null is taken too: a field that a form does not have.
inline void setInvalid(QWidget* widget, bool invalid) {
  if (widget == nullptr || widget->property(kInvalid).toBool() == invalid) return;
  widget->setProperty(kInvalid, invalid);
  widget->update();
}

}  // namespace opscope::ui
