// SPDX-License-Identifier: GPL-3.0-or-later
// Buttons as people find them: by their words. GUI thread.
#pragma once

#include <QPushButton>

namespace opscope::ui::testing {

/// One that is on screen; null when there is none.
inline QPushButton* buttonOf(QWidget* widget, const QString& text) {
  for (QPushButton* button : widget->findChildren<QPushButton*>()) {
    if (button->isVisible() && button->text() == text) return button;
  }
  return nullptr;
}

}  // namespace opscope::ui::testing
