// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/page_commands.h"

namespace opscope::ui {

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

ColourByKindCommand::ColourByKindCommand(const CommandContext& context)
    : Command(context, {"view.colourKind", "Colour by kind", "Fill blocks, bars and boxes by kind of op",
                        "Ctrl+Shift+1", nullptr, Menu::View, true, nullptr, "Colour"}) {
  setCheckable(true);
}

void ColourByKindCommand::execute() {
  workspace().selection()->setColourBy(ColourBy::Kind);
  refresh();
}

bool ColourByKindCommand::possible() const {
  return workspace().isOpen();
}

bool ColourByKindCommand::chosen() const {
  return workspace().selection()->colourBy() == ColourBy::Kind;
}

ColourByDeviceCommand::ColourByDeviceCommand(const CommandContext& context)
    : Command(context, {"view.colourDevice", "Colour by device", "Fill blocks, bars and boxes by device",
                        "Ctrl+Shift+2", nullptr, Menu::View, false, nullptr, "Colour"}) {
  setCheckable(true);
}

void ColourByDeviceCommand::execute() {
  workspace().selection()->setColourBy(ColourBy::Device);
  refresh();
}

bool ColourByDeviceCommand::possible() const {
  return workspace().isOpen();
}

bool ColourByDeviceCommand::chosen() const {
  return workspace().selection()->colourBy() == ColourBy::Device;
}

ColourByOpCommand::ColourByOpCommand(const CommandContext& context)
    : Command(context, {"view.colourOp", "Colour by op", "Fill blocks, bars and boxes by op", "Ctrl+Shift+3",
                        nullptr, Menu::View, false, nullptr, "Colour"}) {
  setCheckable(true);
}

void ColourByOpCommand::execute() {
  workspace().selection()->setColourBy(ColourBy::Op);
  refresh();
}

bool ColourByOpCommand::possible() const {
  return workspace().isOpen();
}

bool ColourByOpCommand::chosen() const {
  return workspace().selection()->colourBy() == ColourBy::Op;
}

}  // namespace opscope::ui
