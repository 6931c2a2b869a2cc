// SPDX-License-Identifier: GPL-3.0-or-later
// One command for each format of report::exporters(). GUI thread; see command.h.
#pragma once

#include "ui/shell/commands/command.h"

namespace opscope::ui {

class ExportCommand : public Command {
 public:
  ExportCommand(const CommandContext& context, const report::Exporter& exporter, bool beginsGroup);
  void execute() override;
  bool possible() const override;

 private:
  const report::Exporter& m_exporter;
};

}  // namespace opscope::ui
