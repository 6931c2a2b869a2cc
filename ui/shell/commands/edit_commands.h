// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: copying, searching and undoing. GUI thread; see command.h.
#pragma once

#include "ui/shell/commands/command.h"

namespace opscope::ui {

class UndoCommand : public Command {
 public:
  explicit UndoCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class RedoCommand : public Command {
 public:
  explicit RedoCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class CopyRowsCommand : public Command {
 public:
  explicit CopyRowsCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class CopyMarkdownCommand : public Command {
 public:
  explicit CopyMarkdownCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class CopyCsvCommand : public Command {
 public:
  explicit CopyCsvCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class SortCommand : public Command {
 public:
  explicit SortCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class FindCommand : public Command {
 public:
  explicit FindCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ClearCommand : public Command {
 public:
  explicit ClearCommand(const CommandContext& context);
  void execute() override;
};

}  // namespace opscope::ui
