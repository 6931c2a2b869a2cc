// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: running. GUI thread; see command.h.
#pragma once

#include "ui/shell/commands/command.h"

namespace opscope::ui {

class RunCommand : public Command {
 public:
  explicit RunCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class RunOnceCommand : public Command {
 public:
  explicit RunOnceCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class RunWithoutTimingCommand : public Command {
 public:
  explicit RunWithoutTimingCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class StopCommand : public Command {
 public:
  explicit StopCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ResetInputsCommand : public Command {
 public:
  explicit ResetInputsCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ScenarioCommand : public Command {
 public:
  explicit ScenarioCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

/// The scenario that was chosen is left.
class FunctionInsteadCommand : public Command {
 public:
  explicit FunctionInsteadCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

/// Whether runs record memory.
class RecordMemoryCommand : public Command {
 public:
  explicit RecordMemoryCommand(const CommandContext& context);
  void execute() override;
  bool chosen() const override;
};

class CompareBeforeCommand : public Command {
 public:
  explicit CompareBeforeCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class RunBothAgainCommand : public Command {
 public:
  explicit RunBothAgainCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

/// Whether every run is saved when it ends.
class SaveRunsCommand : public Command {
 public:
  explicit SaveRunsCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
  bool chosen() const override;
};

class CopyCommandLineCommand : public Command {
 public:
  explicit CopyCommandLineCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

}  // namespace opscope::ui
