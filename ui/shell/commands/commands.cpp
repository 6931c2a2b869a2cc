// SPDX-License-Identifier: GPL-3.0-or-later
// The visible list of commands, in the order of the menus: a new command is one class and one line here.
#include "engine/report/exporters.h"
#include "ui/shell/commands/board_commands.h"
#include "ui/shell/commands/edit_commands.h"
#include "ui/shell/commands/export_command.h"
#include "ui/shell/commands/file_commands.h"
#include "ui/shell/commands/help_commands.h"
#include "ui/shell/commands/page_commands.h"
#include "ui/shell/commands/record_commands.h"
#include "ui/shell/commands/run_commands.h"
#include "ui/shell/commands/view_commands.h"

namespace opscope::ui {
namespace {

template <class... Commands>
void add(std::vector<std::unique_ptr<Command>>& list, const CommandContext& context) {
  (list.push_back(std::make_unique<Commands>(context)), ...);
}

}  // namespace

std::vector<std::unique_ptr<Command>> makeCommands(const CommandContext& context) {
  std::vector<std::unique_ptr<Command>> list;
  add<OpenCommand, OpenSampleCommand, CloseFileCommand>(list, context);
  bool first = true;
  for (const report::Exporter& exporter : report::exporters()) {
    list.push_back(std::make_unique<ExportCommand>(context, exporter, first));
    first = false;
  }
  add<SessionFileCommand, SavePictureCommand, QuitCommand>(list, context);
  add<UndoCommand, RedoCommand, CopyRowsCommand, CopyMarkdownCommand, CopyCsvCommand, SortCommand,
      FindCommand, ClearCommand>(list, context);
  add<ShowSummaryCommand, ShowOpsCommand, ShowTimelineCommand, ShowChartsCommand, ShowCompareCommand,
      ShowMemoryCommand, ShowCodeCommand, ShowInCodeCommand, NextPageCommand, PreviousPageCommand,
      NextAreaCommand, PreviousAreaCommand, ExecutablePanelCommand, InspectorPanelCommand, RunsPanelCommand,
      AllPanelsCommand>(list, context);
  for (const ColourBy by : {ColourBy::Kind, ColourBy::Device, ColourBy::Op})
    list.push_back(std::make_unique<ColourCommand>(context, by));
  add<LargerTextCommand, SmallerTextCommand, UsualTextCommand, PlatformThemeCommand, LightThemeCommand,
      DarkThemeCommand, HighContrastThemeCommand>(list, context);
  add<RunCommand, RunOnceCommand, RunWithoutTimingCommand, StopCommand, ResetInputsCommand, ScenarioCommand,
      FunctionInsteadCommand, CopyCommandLineCommand, CompareBeforeCommand, RunBothAgainCommand, SweepCommand,
      RunSettingsCommand, PluginsCommand, RecordMemoryCommand, RecordThreadsCommand, SaveRunsCommand>(
      list, context);
  add<FiniteCheckCommand, DumpCommand, DivergeCommand>(list, context);
  add<BoardsCommand, CheckBoardCommand, FleetCommand, LocalTargetCommand, IsolatedTargetCommand>(list,
                                                                                                 context);
  add<GuideCommand, PaletteCommand, ShortcutsCommand, AboutCommand>(list, context);
  return list;
}

}  // namespace opscope::ui
