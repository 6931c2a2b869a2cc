// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/record_commands.h"

namespace opscope::ui {

RecordThreadsCommand::RecordThreadsCommand(const CommandContext& context)
    : Command(context,
              {"run.threads", "Record threads",
               "Runs record what each thread of the kernel pool does; a launch takes about 60 ns longer",
               "Ctrl+Shift+K", nullptr, Menu::Run, false}) {
  setCheckable(true);
}

void RecordThreadsCommand::execute() {
  workspace().setRecordsThreads(!workspace().choices().recordsThreads);
  refresh();
}

bool RecordThreadsCommand::possible() const {
  return !workspace().isRunning();
}

bool RecordThreadsCommand::chosen() const {
  return workspace().choices().recordsThreads;
}

RunSettingsCommand::RunSettingsCommand(const CommandContext& context)
    : Command(context, {"run.settings", "Run settings…",
                        "Threads, memory, counters and plugins of the open executable", "Ctrl+Shift+T",
                        nullptr, Menu::Run, true}) {}

void RunSettingsCommand::execute() {
  window().showRunSettings(false);
}

bool RunSettingsCommand::possible() const {
  return workspace().executable() != nullptr && !workspace().isRunning();
}

PluginsCommand::PluginsCommand(const CommandContext& context)
    : Command(context, {"run.plugins", "Plugins…",
                        "Libraries of functions which the executable calls but does not hold", "Ctrl+Shift+L",
                        nullptr, Menu::Run, false}) {}

void PluginsCommand::execute() {
  window().showRunSettings(true);
}

bool PluginsCommand::possible() const {
  return workspace().executable() != nullptr && !workspace().isRunning();
}

SweepCommand::SweepCommand(const CommandContext& context)
    : Command(context, {"run.sweep", "Sweep…",
                        "Measure once for each value of a dimension or of the number of threads",
                        "Ctrl+Shift+F5", nullptr, Menu::Run, false}) {}

void SweepCommand::execute() {
  window().showSweep();
}

}  // namespace opscope::ui
