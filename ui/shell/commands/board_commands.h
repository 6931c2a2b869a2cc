// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: boards and runs that look at every call. GUI thread; see command.h.
#pragma once

#include "ui/shell/commands/command.h"

namespace opscope::ui {

class BoardsCommand : public Command {
 public:
  explicit BoardsCommand(const CommandContext& context);
  void execute() override;
};

class CheckBoardCommand : public Command {
 public:
  explicit CheckBoardCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class FleetCommand : public Command {
 public:
  explicit FleetCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class LocalTargetCommand : public Command {
 public:
  explicit LocalTargetCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
  bool chosen() const override;
};

class IsolatedTargetCommand : public Command {
 public:
  explicit IsolatedTargetCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
  bool chosen() const override;
};

class FiniteCheckCommand : public Command {
 public:
  explicit FiniteCheckCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class DumpCommand : public Command {
 public:
  explicit DumpCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class DivergeCommand : public Command {
 public:
  explicit DivergeCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class GuideCommand : public Command {
 public:
  explicit GuideCommand(const CommandContext& context);
  void execute() override;
};

}  // namespace opscope::ui
