// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/run_commands.h"

#include <QClipboard>
#include <QGuiApplication>

namespace opscope::ui {

RunCommand::RunCommand(const CommandContext& context)
    : Command(context, {"run.profile", "Run", "Measure the function with the repeats of the tool bar", "F5",
                        "run", Menu::Run, false}) {}

void RunCommand::execute() {
  workspace().profile();
}

bool RunCommand::possible() const {
  return workspace().canRun();
}

RunOnceCommand::RunOnceCommand(const CommandContext& context)
    : Command(context, {"run.once", "Run one repeat", "Measure one repeat without warm-up", "Shift+F5",
                        nullptr, Menu::Run, false}) {}

void RunOnceCommand::execute() {
  workspace().profileOnce();
}

bool RunOnceCommand::possible() const {
  return workspace().canRun();
}

RunWithoutTimingCommand::RunWithoutTimingCommand(const CommandContext& context)
    : Command(context, {"run.plain", "Run once without timing", "Call the function once and tell its results",
                        "Ctrl+F5", nullptr, Menu::Run, false}) {}

void RunWithoutTimingCommand::execute() {
  workspace().runWithoutTiming();
}

bool RunWithoutTimingCommand::possible() const {
  return workspace().canRun();
}

StopCommand::StopCommand(const CommandContext& context)
    : Command(context, {"run.stop", "Stop", "Stop at the next instruction and keep the finished repeats",
                        "Shift+Esc", "stop", Menu::Run, true}) {}

void StopCommand::execute() {
  workspace().stop();
}

bool StopCommand::possible() const {
  return workspace().isRunning() && !workspace().isStopping();
}

ResetInputsCommand::ResetInputsCommand(const CommandContext& context)
    : Command(context, {"run.reset", "Reset inputs", "Put every input back to random values", "Ctrl+R",
                        nullptr, Menu::Run, true}) {}

void ResetInputsCommand::execute() {
  workspace().form()->reset();
}

bool ResetInputsCommand::possible() const {
  return workspace().currentFunction() != nullptr && !workspace().isRunning() &&
         !workspace().scenario()->isChosen();
}

ScenarioCommand::ScenarioCommand(const CommandContext& context)
    : Command(context,
              {"run.scenario", "Run a scenario…", "Run calls that share state, from a .json file with steps",
               "Ctrl+Shift+R", nullptr, Menu::Run, false}) {}

void ScenarioCommand::execute() {
  window().askScenario();
}

bool ScenarioCommand::possible() const {
  return workspace().executable() != nullptr && !workspace().isRunning();
}

FunctionInsteadCommand::FunctionInsteadCommand(const CommandContext& context)
    : Command(context, {"run.function", "Run a function instead", "Leave the scenario and run a function",
                        "Ctrl+Alt+R", nullptr, Menu::Run, false}) {}

void FunctionInsteadCommand::execute() {
  workspace().scenario()->drop();
}

bool FunctionInsteadCommand::possible() const {
  return workspace().scenario()->isChosen() && !workspace().isRunning();
}

CompareBeforeCommand::CompareBeforeCommand(const CommandContext& context)
    : Command(context,
              {"run.compare", "Compare with the run before",
               "Hold the run that is shown against the one before it", "Ctrl+D", nullptr, Menu::Run, true}) {}

void CompareBeforeCommand::execute() {
  window().compareWithBefore();
}

bool CompareBeforeCommand::possible() const {
  return window().canCompareWithBefore();
}

RunBothAgainCommand::RunBothAgainCommand(const CommandContext& context)
    : Command(context, {"run.again", "Run both again", "Measure both runs of the comparison anew, by turns",
                        "Ctrl+Shift+D", nullptr, Menu::Run, false}) {}

void RunBothAgainCommand::execute() {
  window().runBothAgain();
}

bool RunBothAgainCommand::possible() const {
  return window().canRunBothAgain();
}

SaveRunsCommand::SaveRunsCommand(const CommandContext& context)
    : Command(context, {"run.save", "Save every run", "Keep each run in Runs when it ends", "Ctrl+Shift+V",
                        nullptr, Menu::Run, true}) {
  setCheckable(true);
}

void SaveRunsCommand::execute() {
  workspace().settings()->setSavesRuns(!workspace().settings()->savesRuns());
  refresh();
}

bool SaveRunsCommand::possible() const {
  return workspace().store() != nullptr;
}

bool SaveRunsCommand::chosen() const {
  return workspace().settings()->savesRuns();
}

RecordMemoryCommand::RecordMemoryCommand(const CommandContext& context)
    : Command(context,
              {"run.memory", "Record memory", "Runs record what memory was taken when, for the Memory page",
               "Ctrl+Shift+M", nullptr, Menu::Run, true}) {
  setCheckable(true);
}

void RecordMemoryCommand::execute() {
  workspace().setRecordsMemory(!workspace().choices().recordsMemory);
  refresh();
}

bool RecordMemoryCommand::chosen() const {
  return workspace().choices().recordsMemory;
}

CopyCommandLineCommand::CopyCommandLineCommand(const CommandContext& context)
    : Command(context, {"run.command", "Copy as command", "Copy the command line that does the same",
                        "Ctrl+Alt+K", "copy", Menu::Run, false}) {}

void CopyCommandLineCommand::execute() {
  QGuiApplication::clipboard()->setText(workspace().commandLine());
}

bool CopyCommandLineCommand::possible() const {
  return workspace().currentFunction() != nullptr;
}

}  // namespace opscope::ui
