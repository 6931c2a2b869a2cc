// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: how runs run, what they record beside times, and sweeps. GUI thread; see command.h.
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

/// How the executable runs.
class RunSettingsCommand : public Command {
 public:
  explicit RunSettingsCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

/// The same dialog, at its plugins: people look for it under this name.
class PluginsCommand : public Command {
 public:
  explicit PluginsCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class SweepCommand : public Command {
 public:
  explicit SweepCommand(const CommandContext& context);
  void execute() override;
};

}  // namespace opscope::ui
