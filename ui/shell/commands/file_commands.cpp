// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/file_commands.h"

namespace opscope::ui {

OpenCommand::OpenCommand(const CommandContext& context)
    : Command(context,
              {"file.open", "Open…", "Open an executable or a report", "Ctrl+O", "open", Menu::File, false}) {
}

void OpenCommand::execute() {
  window().askOpen();
}

OpenSampleCommand::OpenSampleCommand(const CommandContext& context)
    : Command(context, {"file.sample", "Open the sample", "Open the executable that comes with Opscope",
                        "Ctrl+Shift+O", "run", Menu::File, false}) {}

void OpenSampleCommand::execute() {
  window().openSample();
}

bool OpenSampleCommand::possible() const {
  return window().hasSample();
}

CloseFileCommand::CloseFileCommand(const CommandContext& context)
    : Command(context, {"file.close", "Close file", "Close the file and go to the start page", "Ctrl+W",
                        nullptr, Menu::File, false}) {}

void CloseFileCommand::execute() {
  workspace().askToClose();
}

bool CloseFileCommand::possible() const {
  return workspace().isOpen();
}

SessionFileCommand::SessionFileCommand(const CommandContext& context)
    : Command(context, {"file.session", "Save the run as a session file…",
                        "Save everything of the run that is shown in one file, to send it to somebody",
                        "Ctrl+S", "save", Menu::File, true}) {}

void SessionFileCommand::execute() {
  window().askSaveSession();
}

bool SessionFileCommand::possible() const {
  return workspace().run() != nullptr;
}

SavePictureCommand::SavePictureCommand(const CommandContext& context)
    : Command(context,
              {"file.picture", "Save picture of the page…", "Save what the page shows as PNG, SVG or PDF",
               "Ctrl+Shift+S", "save", Menu::File, true}) {}

void SavePictureCommand::execute() {
  window().askSavePicture();
}

bool SavePictureCommand::possible() const {
  return workspace().isOpen();
}

QuitCommand::QuitCommand(const CommandContext& context)
    : Command(context,
              {"file.quit", "Quit", "Close the window and end", "Ctrl+Q", nullptr, Menu::File, true}) {}

void QuitCommand::execute() {
  window().quit();
}

}  // namespace opscope::ui
