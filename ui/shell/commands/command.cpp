// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/command.h"

#include "ui/views/look/icons.h"

namespace opscope::ui {

Command::Command(const CommandContext& context, const Words& words)
    : QAction(QString::fromUtf8(words.text)),
      m_context(context),
      m_id(QString::fromLatin1(words.id)),
      m_menu(words.menu),
      m_beginsGroup(words.beginsGroup),
      m_submenu(QString::fromUtf8(words.submenu)) {
  QList<QKeySequence> shortcuts;
  for (const char* keys : {words.shortcut, words.second}) {
    if (keys != nullptr) shortcuts << QKeySequence(QString::fromLatin1(keys));
  }
  setShortcuts(shortcuts);
  m_keys = QString::fromUtf8(words.keys);
  m_tip = QString::fromUtf8(words.tooltip);
  if (words.icon != nullptr) setIcon(lookIcon(context.theme, words.icon));
  tellKeys();
  setStatusTip(QString());
  connect(this, &QAction::triggered, this, [this]() { execute(); });
}

void Command::giveShortcut(const QString& keys) {
  setShortcut(QKeySequence(keys));
  tellKeys();
}

void Command::tellKeys() {
  const QString keys = shortcutText();
  setToolTip(keys.isEmpty() ? m_tip : QStringLiteral("%1 (%2)").arg(m_tip, keys));
}

QString Command::shortcutText() const {
  if (shortcuts().isEmpty()) return m_keys;
  QStringList words;
  for (const QKeySequence& keys : shortcuts()) words << keys.toString(QKeySequence::NativeText);
  return words.join(QStringLiteral(" or "));
}

void Command::refresh() {
  setEnabled(possible());
  if (isCheckable()) setChecked(chosen());
}

}  // namespace opscope::ui
