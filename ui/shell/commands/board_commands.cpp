// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/board_commands.h"

namespace opscope::ui {

BoardsCommand::BoardsCommand(const CommandContext& context)
    : Command(context, {"boards.show", "Boards…", "Add boards, check them, see which are free", "Ctrl+B",
                        "board", Menu::Boards, false}) {}

void BoardsCommand::execute() {
  window().showBoards();
}

CheckBoardCommand::CheckBoardCommand(const CommandContext& context)
    : Command(context, {"boards.check", "Check the board", "Go the way to the target's board step by step",
                        "Ctrl+Shift+B", nullptr, Menu::Boards, false}) {}

void CheckBoardCommand::execute() {
  window().checkBoard();
}

bool CheckBoardCommand::possible() const {
  return workspace().targetBoard() != nullptr;
}

FleetCommand::FleetCommand(const CommandContext& context)
    : Command(context, {"boards.fleet", "Run on all free boards",
                        "Measure on every free board of the tracker's key at the same time, and compare",
                        "F8", "run", Menu::Boards, true}) {}

void FleetCommand::execute() {
  window().runFleet();
}

bool FleetCommand::possible() const {
  return workspace().canRunFleet();
}

LocalTargetCommand::LocalTargetCommand(const CommandContext& context)
    : Command(context, {"boards.local", "Run on this computer", "Run goes to this computer, in this process",
                        "Ctrl+Alt+H", nullptr, Menu::Boards, true}) {
  setCheckable(true);
}

void LocalTargetCommand::execute() {
  workspace().setTarget(kLocalTarget);
  refresh();
}

bool LocalTargetCommand::possible() const {
  return !workspace().isRunning();
}

bool LocalTargetCommand::chosen() const {
  return workspace().choices().target == kLocalTarget;
}

IsolatedTargetCommand::IsolatedTargetCommand(const CommandContext& context)
    : Command(context, {"boards.isolated", "Run on this computer, isolated",
                        "Run goes to a process of its own: a crash cannot close Opscope", "Ctrl+Alt+I",
                        nullptr, Menu::Boards, false}) {
  setCheckable(true);
}

void IsolatedTargetCommand::execute() {
  workspace().setTarget(kIsolatedTarget);
  refresh();
}

bool IsolatedTargetCommand::possible() const {
  return !workspace().isRunning();
}

bool IsolatedTargetCommand::chosen() const {
  return workspace().choices().target == kIsolatedTarget;
}

FiniteCheckCommand::FiniteCheckCommand(const CommandContext& context)
    : Command(context, {"instrument.finite", "Check for NaN and Inf",
                        "Run once and stop at the first call that gives values that are not finite",
                        "Ctrl+Alt+N", nullptr, Menu::Instrument, false}) {}

void FiniteCheckCommand::execute() {
  window().checkFinite();
}

bool FiniteCheckCommand::possible() const {
  return workspace().canRun();
}

DumpCommand::DumpCommand(const CommandContext& context)
    : Command(context, {"instrument.dump", "Dump tensors of every call…",
                        "Run once and save arguments and results of every call as .npz", "Ctrl+Alt+U", "save",
                        Menu::Instrument, false}) {}

void DumpCommand::execute() {
  window().askDump();
}

bool DumpCommand::possible() const {
  return workspace().canRun();
}

DivergeCommand::DivergeCommand(const CommandContext& context)
    : Command(context, {"instrument.diverge", "Find the first op that differs…",
                        "Hold two executables or two targets against each other, call by call", "Ctrl+Alt+V",
                        nullptr, Menu::Instrument, true}) {}

void DivergeCommand::execute() {
  window().showDiverge();
}

bool DivergeCommand::possible() const {
  return workspace().canRun();
}

GuideCommand::GuideCommand(const CommandContext& context)
    : Command(context, {"help.guide", "Guide", "Open the guide at the page of what is shown", "F1", "book",
                        Menu::Help, false}) {}

void GuideCommand::execute() {
  window().showGuide();
}

}  // namespace opscope::ui
