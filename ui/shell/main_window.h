// SPDX-License-Identifier: GPL-3.0-or-later
// The window: menus, tool bar, panels, pages, status bar. It places and connects; what is open and runs is
// the workspace's. GUI thread.
#pragma once

#include <QFileDialog>
#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <QStackedWidget>
#include <QTimer>
#include <memory>
#include <vector>

#include "ui/shell/commands/command.h"
#include "ui/shell/crash_guard.h"
#include "ui/views/run_page.h"
#include "ui/views/widgets/picture.h"

namespace opscope::ui {

class BoardDesk;
class ChartsPage;
class CodePage;
class CompareDesk;
class CompareInspector;
class ComparePage;
class ErrorPanel;
class ExecutablePanel;
class GuideWindow;
class InfoBar;
class Inspector;
class InstrumentDesk;
class LiveDesk;
class MemoryPage;
class OpsPage;
class PageTabs;
class RunsPanel;
class RunToolBar;
class RunningPanel;
class SidePanel;
class StartPage;
class StatusLine;
class StoreBar;
class SummaryPage;
class TimelinePage;

/// Of the Runs panel, beside those of the side panels.
inline const QString kRunsId = QStringLiteral("runs");

class MainWindow : public QMainWindow, private WindowServices {
  Q_OBJECT
 public:
  /// Theme and workspace outlive the window. `sampleFile` may be empty.
  MainWindow(Theme* theme, Workspace* workspace, const QString& sampleFile, QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Pages by id: summary, ops, timeline, charts, compare, memory, code.
  QStringList pageIds() const;
  bool showPageById(const QString& id);
  RunPage* currentPage() const;
  QString currentPageId() const;
  BoardDesk* boardDesk() const { return m_boardDesk; }
  InstrumentDesk* instrumentDesk() const { return m_instrumentDesk; }
  GuideWindow* guide() const { return m_guide; }
  std::vector<Command*> commands() const;
  /// The chosen page as a picture, `scale` device pixels to a point.
  QImage pagePicture(double scale) const;
  /// Saves it, in the light palette and with a caption, as the ending of the name says: PNG, SVG or PDF.
  void savePicture(const QString& path);
  /// Shows the Compare page with two files, old and new.
  void compareFiles(const QString& before, const QString& after);
  /// Opens files that go together, as their names say: two of measurements to compare them, or an executable,
  /// a scenario and arrays, at most one of each. False: they do not, and nothing was opened.
  bool openTogether(const QStringList& files);
  /// Opens the files of a command line: as above, else one alone, or compares two reports of other names.
  void openNamed(const QStringList& files);
  /// What is open, for the next start after a crash.
  OpenState openState() const;
  /// The start page offers what was open when the program was killed.
  void offerRestore(const OpenState& state);

 Q_SIGNALS:
  /// openState() may say something else.
  void openStateChanged();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dragLeaveEvent(QDragLeaveEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  struct Page {
    QString id;
    QString title;
    RunPage* widget;
    QStringList foldedByDefault;
  };
  void buildPages();
  void buildCentre();
  QWidget* buildWork();
  QToolBar* addBar(const QString& title, Qt::ToolBarArea area, QWidget* content);
  void buildPanels();
  void buildRuns();
  void connectRuns();
  void connectCompare();
  void connectBoards();
  QString guidePageOfContext() const;
  void refreshCompareChoices();
  void askCompareFile(bool isNew);
  void askTwoFiles();
  void showInspectorOfPage();
  void restoreOffered();
  bool undoesRemoval() const;
  /// Of the filter and the page what is done again first; 0: nothing.
  UndoStep redoStep() const;
  QFileDialog* sessionDialog(const QString& executable);
  void askSessionFile(store::RunId id);
  void askSaveUnsaved(QCloseEvent* event);
  void askToEndRun(const QString& what, const std::function<void()>& go, const std::function<void()>& keep);
  void buildMenus();
  /// What each page can do besides, as commands.
  void addPageCommands();
  QMenu* menuOf(QMenu* menu, const Command& command) const;
  void fillRecentMenu();
  void connectPages();
  void connectDepth();
  void showOnTimeline();
  void openExecutableOfRun();
  void connectWorkspace();
  void addPage(const char* id, const char* title, RunPage* page, const QStringList& foldedByDefault);
  void refreshExecutable();
  void refreshRun();
  void refreshRange();
  void refreshStatus();
  void refreshFailure();
  void refreshBars();
  void refreshInputBar();
  void fillScenarioButtons();
  void fillInputButtons();
  void refreshStaleBar();
  void refreshCentre();
  void refreshCommands();
  void fillErrorButtons(const Failure& failure);
  void applyPanels();
  void keepPanelWidths();
  void foldPanel(const QString& id, bool folded);
  QList<QWidget*> areas() const;
  /// Where the focus goes in an area: where it was there the last time, else what the area is for.
  QWidget* stopOf(QWidget* area) const;
  Picture pageSheet(PictureFormat format);
  /// Changes the colours and keeps no choice.
  void wear(ThemeChoice choice);
  void setPage(int position);
  void keepOnScreen();
  void layOutAnew();
  void enterPage();

  // WindowServices
  void askOpen() override;
  void askScenario() override;
  void openSample() override;
  bool hasSample() const override;
  void askExport(const report::Exporter& exporter) override;
  void askSavePicture() override;
  void askSaveSession() override;
  void compareWithBefore() override;
  bool canCompareWithBefore() const override;
  void runBothAgain() override;
  bool canRunBothAgain() const override;
  void showBoards() override;
  void checkBoard(const QString& id = {}) override;
  void runFleet() override;
  void askDump() override;
  void checkFinite() override;
  void showDiverge() override;
  void showGuide() override;
  void showPage(int position) override;
  void showSweep() override;
  void showRunSettings(bool atPlugins) override;
  void stepPage(int by) override;
  void stepArea(int by) override;
  void togglePanel(const QString& id) override;
  bool isPanelOpen(const QString& id) const override;
  void toggleAllPanels() override;
  void focusSearch() override;
  void undo() override;
  void redo() override;
  bool canUndo() const override;
  bool canRedo() const override;
  void copyRows(int format) override;
  bool canCopyRows() const override;
  void sortRows() override;
  void showPalette() override;
  void showShortcuts() override;
  void showAbout() override;
  void chooseTheme(ThemeChoice choice) override;
  void chooseTextSize(int percent) override;
  void escape() override;
  void showInCode() override;
  bool canShowInCode() const override;
  void quit() override;

  Theme* m_theme;
  Workspace* m_workspace;
  QString m_sampleFile;
  std::vector<std::unique_ptr<Command>> m_commands;
  std::vector<Page> m_pages;
  std::vector<SidePanel*> m_panels;
  QMenu* m_recentMenu = nullptr;
  RunToolBar* m_toolBar = nullptr;
  QStackedWidget* m_centre = nullptr;
  StartPage* m_start = nullptr;
  ErrorPanel* m_openError = nullptr;
  QWidget* m_work = nullptr;
  PageTabs* m_tabs = nullptr;
  InfoBar* m_inputBar = nullptr;
  InfoBar* m_noteBar = nullptr;
  RunningPanel* m_running = nullptr;
  QStackedWidget* m_pageStack = nullptr;
  QStackedWidget* m_summaryStack = nullptr;
  ErrorPanel* m_runError = nullptr;
  StatusLine* m_status = nullptr;
  SummaryPage* m_summary = nullptr;
  OpsPage* m_ops = nullptr;
  TimelinePage* m_timeline = nullptr;
  ChartsPage* m_charts = nullptr;
  MemoryPage* m_memory = nullptr;
  CodePage* m_code = nullptr;
  ExecutablePanel* m_executablePanel = nullptr;
  Inspector* m_inspector = nullptr;
  ComparePage* m_comparePage = nullptr;
  CompareDesk* m_compareDesk = nullptr;
  CompareInspector* m_compareInspector = nullptr;
  QStackedWidget* m_inspectors = nullptr;
  LiveDesk* m_liveDesk = nullptr;
  BoardDesk* m_boardDesk = nullptr;
  InstrumentDesk* m_instrumentDesk = nullptr;
  GuideWindow* m_guide = nullptr;  ///< made when it is asked for
  std::optional<OpenState> m_offered;
  RunsPanel* m_runs = nullptr;  ///< null without a store
  QToolBar* m_runsBar = nullptr;
  QPointer<QWidget> m_areaStop;                    ///< where F6 went last
  QHash<QWidget*, QPointer<QWidget>> m_lastFocus;  ///< of each area, for F6
  StoreBar* m_storeBar = nullptr;
  QTimer m_stopQuestion;      ///< runs while a second Esc stops the run
  quint64 m_rangeNumber = 0;  ///< of the newest range; views of older ones are dropped
  bool m_changingTheme = false;
};

}  // namespace opscope::ui
