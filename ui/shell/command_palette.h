// SPDX-License-Identifier: GPL-3.0-or-later
// "Find action": type words, Return does the action. And the list of shortcuts. GUI thread.
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <vector>

#include "ui/shell/commands/command.h"

namespace opscope::ui {

class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(const Theme* theme, std::vector<Command*> commands, QWidget* parent);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void fill(const QString& words);
  void choose();

  const Theme* m_theme;
  std::vector<Command*> m_commands;
  QLineEdit* m_field;
  QListWidget* m_list;
};

/// Every shortcut by menu, in a dialog of its own.
class ShortcutSheet : public QDialog {
  Q_OBJECT
 public:
  ShortcutSheet(const Theme* theme, const std::vector<Command*>& commands, QWidget* parent);
};

}  // namespace opscope::ui
