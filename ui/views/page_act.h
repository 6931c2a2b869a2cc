// SPDX-License-Identifier: GPL-3.0-or-later
// What a page can do, for the menu, the palette and the sheet of keys. GUI thread; an act lives as long as
// its page.
#pragma once

#include <QAbstractButton>
#include <QString>
#include <functional>

namespace opscope::ui {

struct PageAct {
  const char* id;  ///< stable: "ops.columns"
  QString text;
  QString tooltip;
  const char* shortcut;  ///< of the window; null where `keys` are
  const char* keys;  ///< that the page's view takes when it has the focus, in words; null where `shortcut` is
  std::function<void()> act;
  std::function<bool()> possible;
};

/// Presses a button of the page, when the button can be pressed.
inline PageAct pressing(const char* id, const QString& text, const char* shortcut, QAbstractButton* button) {
  return {id,
          text,
          button->toolTip().isEmpty() ? text : button->toolTip(),
          shortcut,
          nullptr,
          [button]() { button->click(); },
          [button]() { return button->isEnabled(); }};
}

}  // namespace opscope::ui
