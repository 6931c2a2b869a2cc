// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/commands/view_commands.h"

#include "ui/shell/text_size.h"

namespace opscope::ui {

ShowSummaryCommand::ShowSummaryCommand(const CommandContext& context)
    : Command(context,
              {"view.summary", "Summary", "Show the Summary page", "Alt+1", nullptr, Menu::View, false}) {}

void ShowSummaryCommand::execute() {
  window().showPage(0);
}

bool ShowSummaryCommand::possible() const {
  return workspace().isOpen();
}

ShowOpsCommand::ShowOpsCommand(const CommandContext& context)
    : Command(context, {"view.ops", "Ops", "Show the Ops page", "Alt+2", nullptr, Menu::View, false}) {}

void ShowOpsCommand::execute() {
  window().showPage(1);
}

bool ShowOpsCommand::possible() const {
  return workspace().isOpen();
}

ShowTimelineCommand::ShowTimelineCommand(const CommandContext& context)
    : Command(context,
              {"view.timeline", "Timeline", "Show the Timeline page", "Alt+3", nullptr, Menu::View, false}) {}

void ShowTimelineCommand::execute() {
  window().showPage(2);
}

bool ShowTimelineCommand::possible() const {
  return workspace().isOpen();
}

ShowChartsCommand::ShowChartsCommand(const CommandContext& context)
    : Command(context,
              {"view.charts", "Charts", "Show the Charts page", "Alt+4", nullptr, Menu::View, false}) {}

void ShowChartsCommand::execute() {
  window().showPage(3);
}

bool ShowChartsCommand::possible() const {
  return workspace().isOpen();
}

ShowCompareCommand::ShowCompareCommand(const CommandContext& context)
    : Command(context,
              {"view.compare", "Compare", "Show the Compare page", "Alt+5", nullptr, Menu::View, false}) {}

void ShowCompareCommand::execute() {
  window().showPage(4);
}

bool ShowCompareCommand::possible() const {
  return workspace().isOpen();
}

ShowMemoryCommand::ShowMemoryCommand(const CommandContext& context)
    : Command(context,
              {"view.memory", "Memory", "Show the Memory page", "Alt+6", nullptr, Menu::View, false}) {}

void ShowMemoryCommand::execute() {
  window().showPage(5);
}

bool ShowMemoryCommand::possible() const {
  return workspace().isOpen();
}

ShowCodeCommand::ShowCodeCommand(const CommandContext& context)
    : Command(context, {"view.code", "Code", "Show the Code page", "Alt+7", nullptr, Menu::View, false}) {}

void ShowCodeCommand::execute() {
  window().showPage(6);
}

bool ShowCodeCommand::possible() const {
  return workspace().isOpen();
}

ShowInCodeCommand::ShowInCodeCommand(const CommandContext& context)
    : Command(context,
              {"view.inCode", "Show op in Code", "Show the instruction and the machine code of the op",
               "Alt+Return", nullptr, Menu::View, false}) {}

void ShowInCodeCommand::execute() {
  window().showInCode();
}

bool ShowInCodeCommand::possible() const {
  return window().canShowInCode();
}

NextPageCommand::NextPageCommand(const CommandContext& context)
    : Command(context,
              {"view.next", "Next page", "Go to the next page", "Ctrl+Tab", nullptr, Menu::View, true}) {}

void NextPageCommand::execute() {
  window().stepPage(1);
}

bool NextPageCommand::possible() const {
  return workspace().isOpen();
}

PreviousPageCommand::PreviousPageCommand(const CommandContext& context)
    : Command(context, {"view.previous", "Previous page", "Go to the page before", "Ctrl+Shift+Tab", nullptr,
                        Menu::View, false}) {}

void PreviousPageCommand::execute() {
  window().stepPage(-1);
}

bool PreviousPageCommand::possible() const {
  return workspace().isOpen();
}

NextAreaCommand::NextAreaCommand(const CommandContext& context)
    : Command(context, {"view.nextArea", "Next area", "Move the focus to the next area of the window", "F6",
                        nullptr, Menu::View, false}) {}

void NextAreaCommand::execute() {
  window().stepArea(1);
}

PreviousAreaCommand::PreviousAreaCommand(const CommandContext& context)
    : Command(context, {"view.previousArea", "Previous area", "Move the focus to the area before", "Shift+F6",
                        nullptr, Menu::View, false}) {}

void PreviousAreaCommand::execute() {
  window().stepArea(-1);
}

ExecutablePanelCommand::ExecutablePanelCommand(const CommandContext& context)
    : Command(context, {"view.executable", "Executable", "Fold or open the Executable panel", "Ctrl+Alt+1",
                        nullptr, Menu::View, true}) {
  setCheckable(true);
}

void ExecutablePanelCommand::execute() {
  window().togglePanel(QStringLiteral("executable"));
}

bool ExecutablePanelCommand::possible() const {
  return workspace().isOpen();
}

bool ExecutablePanelCommand::chosen() const {
  return window().isPanelOpen(QStringLiteral("executable"));
}

InspectorPanelCommand::InspectorPanelCommand(const CommandContext& context)
    : Command(context, {"view.inspector", "Inspector", "Fold or open the Inspector panel", "Ctrl+Alt+2",
                        nullptr, Menu::View, false}) {
  setCheckable(true);
}

void InspectorPanelCommand::execute() {
  window().togglePanel(QStringLiteral("inspector"));
}

bool InspectorPanelCommand::possible() const {
  return workspace().isOpen();
}

bool InspectorPanelCommand::chosen() const {
  return window().isPanelOpen(QStringLiteral("inspector"));
}

RunsPanelCommand::RunsPanelCommand(const CommandContext& context)
    : Command(context, {"view.runs", "Runs", "Fold or open the saved runs", "Ctrl+Alt+3", nullptr, Menu::View,
                        false}) {
  setCheckable(true);
}

void RunsPanelCommand::execute() {
  window().togglePanel(QStringLiteral("runs"));
}

bool RunsPanelCommand::possible() const {
  return workspace().isOpen() && workspace().store() != nullptr;
}

bool RunsPanelCommand::chosen() const {
  return window().isPanelOpen(QStringLiteral("runs"));
}

AllPanelsCommand::AllPanelsCommand(const CommandContext& context)
    : Command(context, {"view.panels", "Fold all panels", "Fold all panels, or open them again", "F11",
                        nullptr, Menu::View, false}) {}

void AllPanelsCommand::execute() {
  window().toggleAllPanels();
}

bool AllPanelsCommand::possible() const {
  return workspace().isOpen();
}

LargerTextCommand::LargerTextCommand(const CommandContext& context)
    : Command(context, {"view.textLarger", "Larger text", "Make all text and what holds it larger", "Ctrl++",
                        nullptr, Menu::View, true, "Ctrl+=", "Text size"}) {}

void LargerTextCommand::execute() {
  window().chooseTextSize(steppedTextSize(textSize(), 1));
}

bool LargerTextCommand::possible() const {
  return textSize() < kTextSizes.back();
}

SmallerTextCommand::SmallerTextCommand(const CommandContext& context)
    : Command(context, {"view.textSmaller", "Smaller text", "Make all text and what holds it smaller",
                        "Ctrl+-", nullptr, Menu::View, false, nullptr, "Text size"}) {}

void SmallerTextCommand::execute() {
  window().chooseTextSize(steppedTextSize(textSize(), -1));
}

bool SmallerTextCommand::possible() const {
  return textSize() > kTextSizes.front();
}

UsualTextCommand::UsualTextCommand(const CommandContext& context)
    : Command(context, {"view.textUsual", "Usual text size", "Take the text size of the platform again",
                        "Ctrl+0", nullptr, Menu::View, false, nullptr, "Text size"}) {}

void UsualTextCommand::execute() {
  window().chooseTextSize(kUsualTextSize);
}

bool UsualTextCommand::possible() const {
  return textSize() != kUsualTextSize;
}

PlatformThemeCommand::PlatformThemeCommand(const CommandContext& context)
    : Command(context, {"view.themePlatform", "Theme of the platform", "Change the colours of the window",
                        "F9", nullptr, Menu::View, true}) {
  setCheckable(true);
}

void PlatformThemeCommand::execute() {
  window().chooseTheme(ThemeChoice::Platform);
}

bool PlatformThemeCommand::chosen() const {
  return theme().choice() == ThemeChoice::Platform;
}

LightThemeCommand::LightThemeCommand(const CommandContext& context)
    : Command(context, {"view.themeLight", "Light theme", "Change the colours of the window", "Ctrl+F9",
                        nullptr, Menu::View, false}) {
  setCheckable(true);
}

void LightThemeCommand::execute() {
  window().chooseTheme(ThemeChoice::Light);
}

bool LightThemeCommand::chosen() const {
  return theme().choice() == ThemeChoice::Light;
}

DarkThemeCommand::DarkThemeCommand(const CommandContext& context)
    : Command(context, {"view.themeDark", "Dark theme", "Change the colours of the window", "Shift+F9",
                        nullptr, Menu::View, false}) {
  setCheckable(true);
}

void DarkThemeCommand::execute() {
  window().chooseTheme(ThemeChoice::Dark);
}

bool DarkThemeCommand::chosen() const {
  return theme().choice() == ThemeChoice::Dark;
}

HighContrastThemeCommand::HighContrastThemeCommand(const CommandContext& context)
    : Command(context, {"view.themeHighContrast", "High contrast theme", "Change the colours of the window",
                        "Ctrl+Shift+F9", nullptr, Menu::View, false}) {
  setCheckable(true);
}

void HighContrastThemeCommand::execute() {
  window().chooseTheme(ThemeChoice::HighContrast);
}

bool HighContrastThemeCommand::chosen() const {
  return theme().choice() == ThemeChoice::HighContrast;
}

}  // namespace opscope::ui
