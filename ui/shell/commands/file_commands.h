// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: files. GUI thread; see command.h.
#pragma once

#include "ui/shell/commands/command.h"

namespace opscope::ui {

class OpenCommand : public Command {
 public:
  explicit OpenCommand(const CommandContext& context);
  void execute() override;
};

class OpenSampleCommand : public Command {
 public:
  explicit OpenSampleCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class CloseFileCommand : public Command {
 public:
  explicit CloseFileCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class SessionFileCommand : public Command {
 public:
  explicit SessionFileCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class SavePictureCommand : public Command {
 public:
  explicit SavePictureCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class QuitCommand : public Command {
 public:
  explicit QuitCommand(const CommandContext& context);
  void execute() override;
};

}  // namespace opscope::ui
