// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: pages, panels and themes. GUI thread; see command.h.
#pragma once

#include "ui/shell/commands/command.h"

namespace opscope::ui {

class ShowSummaryCommand : public Command {
 public:
  explicit ShowSummaryCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ShowOpsCommand : public Command {
 public:
  explicit ShowOpsCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ShowTimelineCommand : public Command {
 public:
  explicit ShowTimelineCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ShowChartsCommand : public Command {
 public:
  explicit ShowChartsCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ShowCompareCommand : public Command {
 public:
  explicit ShowCompareCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ShowMemoryCommand : public Command {
 public:
  explicit ShowMemoryCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ShowCodeCommand : public Command {
 public:
  explicit ShowCodeCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class ShowInCodeCommand : public Command {
 public:
  explicit ShowInCodeCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class NextPageCommand : public Command {
 public:
  explicit NextPageCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class PreviousPageCommand : public Command {
 public:
  explicit PreviousPageCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class NextAreaCommand : public Command {
 public:
  explicit NextAreaCommand(const CommandContext& context);
  void execute() override;
};

class PreviousAreaCommand : public Command {
 public:
  explicit PreviousAreaCommand(const CommandContext& context);
  void execute() override;
};

class ExecutablePanelCommand : public Command {
 public:
  explicit ExecutablePanelCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
  bool chosen() const override;
};

class InspectorPanelCommand : public Command {
 public:
  explicit InspectorPanelCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
  bool chosen() const override;
};

class RunsPanelCommand : public Command {
 public:
  explicit RunsPanelCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
  bool chosen() const override;
};

class AllPanelsCommand : public Command {
 public:
  explicit AllPanelsCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class LargerTextCommand : public Command {
 public:
  explicit LargerTextCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class SmallerTextCommand : public Command {
 public:
  explicit SmallerTextCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class UsualTextCommand : public Command {
 public:
  explicit UsualTextCommand(const CommandContext& context);
  void execute() override;
  bool possible() const override;
};

class PlatformThemeCommand : public Command {
 public:
  explicit PlatformThemeCommand(const CommandContext& context);
  void execute() override;
  bool chosen() const override;
};

class LightThemeCommand : public Command {
 public:
  explicit LightThemeCommand(const CommandContext& context);
  void execute() override;
  bool chosen() const override;
};

class DarkThemeCommand : public Command {
 public:
  explicit DarkThemeCommand(const CommandContext& context);
  void execute() override;
  bool chosen() const override;
};

class HighContrastThemeCommand : public Command {
 public:
  explicit HighContrastThemeCommand(const CommandContext& context);
  void execute() override;
  bool chosen() const override;
};

}  // namespace opscope::ui
