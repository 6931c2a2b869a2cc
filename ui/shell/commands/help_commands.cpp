// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/help_commands.h"

namespace opscope::ui {

PaletteCommand::PaletteCommand(const CommandContext& context)
    : Command(context, {"help.palette", "Find action…", "Find any action by its words", "Ctrl+Shift+P",
                        "search", Menu::Help, false}) {}

void PaletteCommand::execute() {
  window().showPalette();
}

ShortcutsCommand::ShortcutsCommand(const CommandContext& context)
    : Command(context, {"help.shortcuts", "Keyboard shortcuts", "List every shortcut", "?", "keyboard",
                        Menu::Help, false}) {}

void ShortcutsCommand::execute() {
  window().showShortcuts();
}

AboutCommand::AboutCommand(const CommandContext& context)
    : Command(context,
              {"help.about", "About Opscope", "Version and licence", "Ctrl+F1", "info", Menu::Help, true}) {}

void AboutCommand::execute() {
  window().showAbout();
}

}  // namespace opscope::ui
