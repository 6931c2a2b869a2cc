// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: finding actions and help. GUI thread; see command.h.
#pragma once

#include "ui/shell/commands/command.h"

namespace opscope::ui {

class PaletteCommand : public Command {
 public:
  explicit PaletteCommand(const CommandContext& context);
  void execute() override;
};

class ShortcutsCommand : public Command {
 public:
  explicit ShortcutsCommand(const CommandContext& context);
  void execute() override;
};

class AboutCommand : public Command {
 public:
  explicit AboutCommand(const CommandContext& context);
  void execute() override;
};

}  // namespace opscope::ui
