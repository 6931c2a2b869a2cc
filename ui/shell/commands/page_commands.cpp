// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/page_commands.h"

namespace opscope::ui {
namespace {

Command::Words colourWords(ColourBy by) {
  switch (by) {
    case ColourBy::Device:
      return {"view.colourDevice",
              "Colour by device",
              "Fill blocks, bars and boxes by device",
              "Ctrl+Shift+2",
              nullptr,
              Menu::View,
              false,
              nullptr,
              "Colour"};
    case ColourBy::Op:
      return {"view.colourOp", "Colour by op", "Fill blocks, bars and boxes by op",
              "Ctrl+Shift+3",  nullptr,        Menu::View,
              false,           nullptr,        "Colour"};
    default:
      return {"view.colourKind",
              "Colour by kind",
              "Fill blocks, bars and boxes by kind of op",
              "Ctrl+Shift+1",
              nullptr,
              Menu::View,
              true,
              nullptr,
              "Colour"};
  }
}

}  // namespace

PageCommand::PageCommand(const CommandContext& context, const QString& page, int position, PageAct act)
    : Command(context, {act.id, act.text.toUtf8().constData(), act.tooltip.toUtf8().constData(), act.shortcut,
                        nullptr, Menu::Page, false, nullptr, page.toUtf8().constData(), act.keys}),
      m_position(position),
      m_act(std::move(act)) {}

void PageCommand::execute() {
  window().showPage(m_position);
  if (m_act.possible()) m_act.act();
}

bool PageCommand::possible() const {
  return workspace().isOpen() && m_act.possible();
}

ColourCommand::ColourCommand(const CommandContext& context, ColourBy by)
    : Command(context, colourWords(by)), m_by(by) {
  setCheckable(true);
}

void ColourCommand::execute() {
  workspace().selection()->setColourBy(m_by);
  refresh();
}

bool ColourCommand::possible() const {
  return workspace().isOpen();
}

bool ColourCommand::chosen() const {
  return workspace().selection()->colourBy() == m_by;
}

}  // namespace opscope::ui
