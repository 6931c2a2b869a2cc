// SPDX-License-Identifier: GPL-3.0-or-later
// A user action as a class: its words, shortcut, when it can be done and what it does. GUI thread; the window
// owns the commands and shows them in menus, palette and shortcut sheet.
#pragma once

#include <QAction>
#include <memory>
#include <vector>

#include "ui/shell/workspace.h"
#include "ui/views/look/theme.h"

namespace opscope::report {
struct Exporter;
}

namespace opscope::ui {

/// What commands ask of the window.
class WindowServices {
 public:
  virtual ~WindowServices() = default;
  virtual void askOpen() = 0;
  /// Which scenario runs in place of a function.
  virtual void askScenario() = 0;
  virtual void openSample() = 0;
  virtual bool hasSample() const = 0;
  virtual void askExport(const report::Exporter& exporter) = 0;
  virtual void askSavePicture() = 0;
  virtual void askSaveSession() = 0;
  virtual void compareWithBefore() = 0;
  virtual bool canCompareWithBefore() const = 0;
  /// The Boards dialog; with an id, and a check that begins.
  virtual void showBoards() = 0;
  virtual void checkBoard(const QString& id = {}) = 0;
  virtual void runFleet() = 0;
  virtual void askDump() = 0;
  virtual void checkFinite() = 0;
  virtual void showDiverge() = 0;
  virtual void showGuide() = 0;
  virtual void showPage(int position) = 0;
  virtual void showSweep() = 0;
  /// The run settings; with the focus at the plugins.
  virtual void showRunSettings(bool atPlugins) = 0;
  virtual void stepPage(int by) = 0;
  virtual void stepArea(int by) = 0;
  virtual void togglePanel(const QString& id) = 0;
  virtual bool isPanelOpen(const QString& id) const = 0;
  virtual void toggleAllPanels() = 0;
  virtual void focusSearch() = 0;
  /// The zoom of the page that is shown, else the filter.
  virtual void undo() = 0;
  virtual void redo() = 0;
  virtual bool canUndo() const = 0;
  virtual bool canRedo() const = 0;
  virtual void copyRows(int format) = 0;
  virtual bool canCopyRows() const = 0;
  /// The table that has the focus, else the page's.
  virtual void sortRows() = 0;
  virtual void showPalette() = 0;
  virtual void showShortcuts() = 0;
  virtual void showAbout() = 0;
  virtual void chooseTheme(ThemeChoice choice) = 0;
  /// In percent of the platform's.
  virtual void chooseTextSize(int percent) = 0;
  virtual void escape() = 0;
  /// The op that is chosen, on the Code page.
  virtual void showInCode() = 0;
  virtual bool canShowInCode() const = 0;
  virtual void quit() = 0;
  /// Measures both sides of the comparison anew.
  virtual void runBothAgain() = 0;
  virtual bool canRunBothAgain() const = 0;
};

struct CommandContext {
  const Theme* theme = nullptr;
  Workspace* workspace = nullptr;
  WindowServices* window = nullptr;
};

enum class Menu { File, Edit, View, Page, Run, Instrument, Boards, Help, None };

class Command : public QAction {
  Q_OBJECT
 public:
  struct Words {
    const char* id;       ///< stable: "file.open"
    const char* text;     ///< "Open…"
    const char* tooltip;  ///< one sentence
    const char* shortcut;
    const char* icon;  ///< may be null
    Menu menu;
    bool beginsGroup;
    const char* second = nullptr;   ///< another shortcut
    const char* submenu = nullptr;  ///< of the menu
    const char* keys = nullptr;     ///< of a view that has the focus, where there is no shortcut
  };

  Command(const CommandContext& context, const Words& words);
  QString id() const { return m_id; }
  Menu menu() const { return m_menu; }
  bool beginsGroup() const { return m_beginsGroup; }
  /// Title of the menu within the menu; empty: none.
  const QString& submenu() const { return m_submenu; }
  /// "Ctrl+O", all of them with "or"; or the keys of the view.
  QString shortcutText() const;

  virtual void execute() = 0;
  /// Whether it can be done now; called when the workspace changed.
  virtual bool possible() const { return true; }
  virtual bool chosen() const { return false; }
  void refresh();

 protected:
  /// For a command whose keys are known when it is made; the tooltip tells them.
  void giveShortcut(const QString& keys);
  Workspace& workspace() const { return *m_context.workspace; }
  WindowServices& window() const { return *m_context.window; }
  const Theme& theme() const { return *m_context.theme; }

 private:
  void tellKeys();

  CommandContext m_context;
  QString m_id;
  Menu m_menu;
  bool m_beginsGroup;
  QString m_submenu;
  QString m_tip;
  QString m_keys;
};

/// Every command of the program, in the order of the menus.
std::vector<std::unique_ptr<Command>> makeCommands(const CommandContext& context);

}  // namespace opscope::ui
