// SPDX-License-Identifier: GPL-3.0-or-later
// Commands: what pages can do by themselves, and what colours mean on all of them. GUI thread; see command.h.
#pragma once

#include "ui/shell/commands/command.h"
#include "ui/views/page_act.h"

namespace opscope::ui {

/// Shows the page and does there what the page offers.
class PageCommand : public Command {
 public:
  PageCommand(const CommandContext& context, const QString& page, int position, PageAct act);
  void execute() override;
  bool possible() const override;

 private:
  int m_position;
  PageAct m_act;
};

class ColourCommand : public Command {
 public:
  ColourCommand(const CommandContext& context, ColourBy by);
  void execute() override;
  bool possible() const override;
  bool chosen() const override;

 private:
  ColourBy m_by;
};

}  // namespace opscope::ui
