// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/edit_commands.h"

#include "ui/models/table_text.h"

namespace opscope::ui {

UndoCommand::UndoCommand(const CommandContext& context)
    : Command(context, {"edit.undo", "Undo filter or zoom", "Go back to the filter or zoom before", "Ctrl+Z",
                        nullptr, Menu::Edit, false}) {}

void UndoCommand::execute() {
  window().undo();
}

bool UndoCommand::possible() const {
  return window().canUndo();
}

RedoCommand::RedoCommand(const CommandContext& context)
    : Command(context, {"edit.redo", "Redo filter or zoom", "Take the undone filter or zoom again",
                        "Ctrl+Shift+Z", nullptr, Menu::Edit, false}) {}

void RedoCommand::execute() {
  window().redo();
}

bool RedoCommand::possible() const {
  return window().canRedo();
}

CopyRowsCommand::CopyRowsCommand(const CommandContext& context)
    : Command(context, {"edit.copy", "Copy rows", "Copy the selected rows, parted by tabs", "Ctrl+C", "copy",
                        Menu::Edit, true}) {}

void CopyRowsCommand::execute() {
  window().copyRows(int(TextFormat::TabSeparated));
}

bool CopyRowsCommand::possible() const {
  return window().canCopyRows();
}

CopyMarkdownCommand::CopyMarkdownCommand(const CommandContext& context)
    : Command(context,
              {"edit.copyMarkdown", "Copy rows as Markdown", "Copy the selected rows as a Markdown table",
               "Ctrl+Shift+C", "copy", Menu::Edit, false}) {}

void CopyMarkdownCommand::execute() {
  window().copyRows(int(TextFormat::Markdown));
}

bool CopyMarkdownCommand::possible() const {
  return window().canCopyRows();
}

CopyCsvCommand::CopyCsvCommand(const CommandContext& context)
    : Command(context, {"edit.copyCsv", "Copy rows as CSV", "Copy the selected rows as CSV", "Ctrl+Alt+C",
                        "copy", Menu::Edit, false}) {}

void CopyCsvCommand::execute() {
  window().copyRows(int(TextFormat::Csv));
}

bool CopyCsvCommand::possible() const {
  return window().canCopyRows();
}

SortCommand::SortCommand(const CommandContext& context)
    : Command(context, {"edit.sort", "Sort by this column",
                        "Sort the table by the column of the current cell; once more turns the order",
                        "Shift+Return", nullptr, Menu::Edit, false}) {}

void SortCommand::execute() {
  window().sortRows();
}

bool SortCommand::possible() const {
  return workspace().isOpen();
}

FindCommand::FindCommand(const CommandContext& context)
    : Command(context, {"edit.find", "Find in page", "Put the cursor into the search of the page", "Ctrl+F",
                        "search", Menu::Edit, true, "/"}) {}

void FindCommand::execute() {
  window().focusSearch();
}

bool FindCommand::possible() const {
  return workspace().isOpen();
}

ClearCommand::ClearCommand(const CommandContext& context)
    : Command(context, {"edit.clear", "Clear search, range, selection",
                        "Clear the search, then the range, then the selection; while running, stop", "Esc",
                        nullptr, Menu::Edit, false}) {}

void ClearCommand::execute() {
  window().escape();
}

}  // namespace opscope::ui
