// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: what runs record beside times, and sweeps. GUI thread; see command.h.
#pragma once

#include "ui/shell/commands/command.h"

namespace opscope::ui {

class RecordThreadsCommand : public Command {
 public:
  explicit RecordThreadsCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
  bool chosen() const override;
};

class SweepCommand : public Command {
 public:
  explicit SweepCommand(const CommandContext& context);
  void execute() override;
};

}  // namespace opscope::ui
