// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/command.h"

#include "ui/views/look/icons.h"

namespace opscope::ui {

Command::Command(const CommandContext& context, const Words& words)
    : QAction(QString::fromUtf8(words.text)),
      m_context(context),
      m_id(QString::fromLatin1(words.id)),
      m_menu(words.menu),
      m_beginsGroup(words.beginsGroup) {
  if (words.shortcut != nullptr) setShortcut(QKeySequence(QString::fromLatin1(words.shortcut)));
  if (words.icon != nullptr) setIcon(lookIcon(context.theme, words.icon));
  const QString tip = QString::fromUtf8(words.tooltip);
  const QString keys = shortcutText();
  setToolTip(keys.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keys));
  setStatusTip(QString());
  connect(this, &QAction::triggered, this, [this]() { execute(); });
}

void Command::refresh() {
  setEnabled(possible());
  if (isCheckable()) setChecked(chosen());
}

}  // namespace opscope::ui
