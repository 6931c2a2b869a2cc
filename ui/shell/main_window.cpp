// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/main_window.h"

#include <QApplication>
#include <QMenuBar>
#include <QScreen>
#include <QScrollArea>
#include <QToolBar>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/shell/commands/page_commands.h"
#include "ui/shell/compare_desk.h"
#include "ui/shell/live_desk.h"
#include "ui/shell/run_tool_bar.h"
#include "ui/shell/side_panel.h"
#include "ui/shell/status_line.h"
#include "ui/shell/store_bar.h"
#include "ui/shell/sweep_desk.h"
#include "ui/views/charts_page.h"
#include "ui/views/code_page.h"
#include "ui/views/compare/compare_inspector.h"
#include "ui/views/compare_page.h"
#include "ui/views/executable_panel.h"
#include "ui/views/inspector.h"
#include "ui/views/memory_page.h"
#include "ui/views/ops_page.h"
#include "ui/views/page_tabs.h"
#include "ui/views/start_page.h"
#include "ui/views/summary_page.h"
#include "ui/views/timeline_page.h"
#include "ui/views/widgets/error_panel.h"
#include "ui/views/widgets/running_panel.h"

namespace opscope::ui {
namespace {

constexpr int kStopQuestionMs = 4000;

void tellPage(StatusLine* status, const RunPage* page) {
  const auto* compare = qobject_cast<const ComparePage*>(page);
  status->setPage(page->note(), compare != nullptr ? compare->state() : QString(),
                  compare != nullptr ? compare->stateDetail() : QString());
}

}  // namespace

MainWindow::MainWindow(Theme* theme, Workspace* workspace, const QString& sampleFile, QWidget* parent)
    : QMainWindow(parent), m_theme(theme), m_workspace(workspace), m_sampleFile(sampleFile) {
  setWindowTitle(QStringLiteral("Opscope"));
  setMinimumSize(860, 560);
  setAcceptDrops(true);
  setContextMenuPolicy(Qt::NoContextMenu);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  m_commands = makeCommands({theme, workspace, this});
  buildPages();
  addPageCommands();
  buildMenus();
  buildCentre();
  buildPanels();
  buildRuns();
  connectPages();
  connectDepth();
  connectWorkspace();
  connectRuns();
  connectCompare();
  connectBoards();
  m_start->setSampleAvailable(hasSample());
  m_start->setRecentFiles(workspace->recentFiles());
  if (!restoreGeometry(workspace->settings()->geometry())) resize(1440, 900);
  keepOnScreen();
  m_stopQuestion.setSingleShot(true);
  m_stopQuestion.setInterval(kStopQuestionMs);
  connect(&m_stopQuestion, &QTimer::timeout, m_status, [this]() { m_status->setQuestion({}); });
  refreshExecutable();
  refreshRun();
  refreshStatus();
  refreshFailure();
  // Nothing is marked as focused until the keyboard is used.
  m_centre->setFocusPolicy(Qt::ClickFocus);
  m_centre->setFocus(Qt::OtherFocusReason);
}

MainWindow::~MainWindow() {
  m_workspace->setDropQuestion(nullptr);
}

void MainWindow::addPageCommands() {
  const CommandContext context{m_theme, m_workspace, this};
  for (std::size_t i = 0; i < m_pages.size(); ++i) {
    for (const PageAct& act : m_pages[i].widget->acts())
      m_commands.push_back(std::make_unique<PageCommand>(context, m_pages[i].title, int(i), act));
  }
}

void MainWindow::buildMenus() {
  const std::pair<Menu, const char*> menus[] = {{Menu::File, "&File"},     {Menu::Edit, "&Edit"},
                                                {Menu::View, "&View"},     {Menu::Page, "&Page"},
                                                {Menu::Run, "&Run"},       {Menu::Instrument, "&Instrument"},
                                                {Menu::Boards, "&Boards"}, {Menu::Help, "&Help"}};
  for (const auto& [menu, title] : menus) {
    QMenu* target = menuBar()->addMenu(QString::fromUtf8(title));
    target->setToolTipsVisible(true);
    for (const auto& command : m_commands) {
      if (command->menu() != menu) continue;
      if (command->beginsGroup()) target->addSeparator();
      menuOf(target, *command)->addAction(command.get());
      if (command->id() == QLatin1String("file.sample")) {
        m_recentMenu = target->addMenu(QStringLiteral("Open &recent"));
        connect(m_recentMenu, &QMenu::aboutToShow, this, &MainWindow::fillRecentMenu);
      }
    }
  }
  // Shortcuts must work also where no menu bar is shown.
  for (const auto& command : m_commands) addAction(command.get());
  menuBar()->setFixedHeight(m_theme->px(26));
}

QMenu* MainWindow::menuOf(QMenu* menu, const Command& command) const {
  if (command.submenu().isEmpty()) return menu;
  for (QMenu* known : menu->findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly)) {
    if (known->title() == command.submenu()) return known;
  }
  QMenu* submenu = menu->addMenu(command.submenu());
  submenu->setToolTipsVisible(true);
  return submenu;
}

void MainWindow::keepOnScreen() {
  if (isMaximized() || isFullScreen()) return;
  const QRect room = screen()->availableGeometry();
  const QRect kept(pos(), size().boundedTo(room.size()));
  resize(kept.size());
  const int left =
      std::clamp(kept.left(), room.left(), std::max(room.left(), room.right() + 1 - kept.width()));
  const int top = std::clamp(kept.top(), room.top(), std::max(room.top(), room.bottom() + 1 - kept.height()));
  if (QPoint(left, top) != pos()) move(left, top);
}

void MainWindow::fillRecentMenu() {
  m_recentMenu->clear();
  for (const RecentFile& file : m_workspace->recentFiles().files()) {
    // An ampersand in a name is no mark of a key.
    const QString text = format::shortPath(file.path).replace(QLatin1Char('&'), QLatin1String("&&"));
    m_recentMenu->addAction(text, this, [this, path = file.path]() { m_workspace->openFile(path); });
  }
  if (m_recentMenu->isEmpty()) m_recentMenu->addAction(QStringLiteral("None yet"))->setEnabled(false);
}

void MainWindow::addPage(const char* id, const char* title, RunPage* page,
                         const QStringList& foldedByDefault) {
  m_pages.push_back({QString::fromLatin1(id), QString::fromUtf8(title), page, foldedByDefault});
}

void MainWindow::buildPages() {
  const PageContext context{m_theme, m_workspace->selection(), m_workspace->background()};
  m_summary = new SummaryPage(context);
  m_ops = new OpsPage(context);
  m_ops->setShownColumns(m_workspace->settings()->shownColumns());
  m_ops->setGrouping(m_workspace->settings()->opsGrouping());
  // The visible list of pages: a new one is one line here.
  addPage("summary", "Summary", m_summary, {QStringLiteral("inspector")});
  addPage("ops", "Ops", m_ops, {});
  m_timeline = new TimelinePage(context);
  connect(m_timeline, &TimelinePage::opsRequested, this, [this]() { showPageById(QStringLiteral("ops")); });
  addPage("timeline", "Timeline", m_timeline, {QStringLiteral("executable"), QStringLiteral("runs")});
  m_charts = new ChartsPage(context);
  new SweepDesk(m_workspace, m_charts, this);
  addPage("charts", "Charts", m_charts,
          {QStringLiteral("executable"), QStringLiteral("inspector"), QStringLiteral("runs")});
  m_comparePage = new ComparePage(context);
  m_compareDesk = new CompareDesk(m_workspace, this);
  addPage("compare", "Compare", m_comparePage, {QStringLiteral("executable"), QStringLiteral("runs")});
  m_memory = new MemoryPage(context);
  addPage("memory", "Memory", m_memory, {QStringLiteral("executable"), QStringLiteral("runs")});
  m_code = new CodePage(context);
  addPage("code", "Code", m_code,
          {QStringLiteral("executable"), QStringLiteral("inspector"), QStringLiteral("runs")});
}

QToolBar* MainWindow::addBar(const QString& title, Qt::ToolBarArea area, QWidget* content) {
  auto* bar = new QToolBar(title, this);
  bar->setObjectName(title);
  bar->setMovable(false);
  bar->toggleViewAction()->setVisible(false);
  bar->addWidget(content);
  addToolBar(area, bar);
  return bar;
}

QWidget* MainWindow::buildWork() {
  auto* work = new QWidget;
  auto* layout = new QVBoxLayout(work);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_tabs = new PageTabs(m_theme);
  m_inputBar = new InfoBar(m_theme);
  m_noteBar = new InfoBar(m_theme);
  m_storeBar = new StoreBar(m_theme, m_workspace->store());
  m_running = new RunningPanel(m_theme);
  m_pageStack = new QStackedWidget;
  m_summaryStack = new QStackedWidget;
  m_runError = new ErrorPanel(m_theme);
  auto* errorScroll = new QScrollArea;
  errorScroll->setFrameShape(QFrame::NoFrame);
  errorScroll->setWidgetResizable(true);
  // Its controls are stops of Tab; the area follows them.
  errorScroll->setFocusPolicy(Qt::NoFocus);
  errorScroll->setWidget(m_runError);
  for (const Page& page : m_pages) {
    m_tabs->addTab(page.title);
    if (page.widget == m_summary) {
      m_summaryStack->addWidget(m_summary);
      m_summaryStack->addWidget(errorScroll);
      m_pageStack->addWidget(m_summaryStack);
    } else {
      m_pageStack->addWidget(page.widget);
    }
  }
  for (QWidget* widget :
       std::initializer_list<QWidget*>{m_tabs, m_inputBar, m_noteBar, m_storeBar, m_running}) {
    layout->addWidget(widget);
  }
  layout->addWidget(m_pageStack, 1);
  return work;
}

void MainWindow::buildCentre() {
  m_toolBar = new RunToolBar(m_theme, m_workspace);
  addBar(QStringLiteral("Run"), Qt::TopToolBarArea, m_toolBar);
  m_start = new StartPage(m_theme);
  m_openError = new ErrorPanel(m_theme);
  m_work = buildWork();
  m_centre = new QStackedWidget;
  m_centre->addWidget(m_start);
  m_centre->addWidget(m_openError);
  m_centre->addWidget(m_work);
  setCentralWidget(m_centre);
  m_status = new StatusLine(m_theme, m_workspace);
  addBar(QStringLiteral("Status"), Qt::BottomToolBarArea, m_status);
  connect(m_tabs, &PageTabs::currentChanged, this, [this](int position) {
    m_pageStack->setCurrentIndex(position);
    showInspectorOfPage();
    applyPanels();
    Q_EMIT openStateChanged();
    refreshCommands();
    tellPage(m_status, currentPage());
  });
}

void MainWindow::buildPanels() {
  m_executablePanel =
      new ExecutablePanel(m_theme, m_workspace->form(), m_workspace->scenario(), m_workspace->selection());
  m_inspector = new Inspector(m_theme, m_workspace->selection(), m_workspace->background());
  m_panels.push_back(new SidePanel(m_theme, QStringLiteral("executable"), QStringLiteral("Executable"),
                                   "executable", Qt::LeftEdge, m_executablePanel, this));
  m_compareInspector = new CompareInspector(m_theme);
  m_inspectors = new QStackedWidget;
  m_inspectors->addWidget(m_inspector);
  m_inspectors->addWidget(m_compareInspector);
  m_liveDesk = new LiveDesk(m_theme, m_workspace, m_summary, this);
  m_inspectors->addWidget(m_liveDesk->inspector());
  connect(m_liveDesk, &LiveDesk::shownChanged, this, &MainWindow::showInspectorOfPage);
  m_panels.push_back(new SidePanel(m_theme, QStringLiteral("inspector"), QStringLiteral("Inspector"), "info",
                                   Qt::RightEdge, m_inspectors, this));
  for (SidePanel* panel : m_panels) {
    connect(panel, &SidePanel::foldRequested, this,
            [this, panel](bool folded) { foldPanel(panel->id(), folded); });
  }
}

void MainWindow::connectPages() {
  for (const Page& page : m_pages) {
    connect(page.widget, &RunPage::runRequested, m_workspace, &Workspace::profile);
    connect(page.widget, &RunPage::openRequested, this, [this]() { askOpen(); });
    connect(page.widget, &RunPage::undoChanged, this, &MainWindow::refreshCommands);
    connect(page.widget, &RunPage::noteChanged, this, [this]() { tellPage(m_status, currentPage()); });
  }
  connect(m_summary, &SummaryPage::opsRequested, this, [this]() { showPageById(QStringLiteral("ops")); });
  connect(m_summary, &SummaryPage::plainRunRequested, m_workspace, &Workspace::runWithoutTiming);
  connect(m_ops, &OpsPage::timelineRequested, this, &MainWindow::showOnTimeline);
  connect(m_ops, &OpsPage::shownColumnsChanged, this,
          [this](const QStringList& ids) { m_workspace->settings()->setShownColumns(ids); });
  connect(m_ops, &OpsPage::groupingChanged, this,
          [this](const QString& id) { m_workspace->settings()->setOpsGrouping(id); });
  connect(m_executablePanel, &ExecutablePanel::functionChosen, this, [this](const QString& function) {
    if (!m_workspace->isRunning()) m_workspace->setFunction(function);
  });
  connect(m_executablePanel, &ExecutablePanel::scenarioWanted, this, [this]() { askScenario(); });
  connect(m_running, &RunningPanel::stopRequested, m_workspace, &Workspace::stop);
  connect(m_toolBar, &RunToolBar::openRequested, this, [this]() { askOpen(); });
  connect(m_toolBar, &RunToolBar::scenarioRequested, this, [this]() { askScenario(); });
  connect(m_toolBar, &RunToolBar::paletteRequested, this, [this]() { showPalette(); });
  connect(m_start, &StartPage::openRequested, this, [this]() { askOpen(); });
  connect(m_start, &StartPage::guideRequested, this, [this]() { showGuide(); });
  connect(m_start, &StartPage::sampleRequested, this, [this]() { openSample(); });
  connect(m_start, &StartPage::fileRequested, m_workspace, &Workspace::openFile);
  connect(m_start, &StartPage::forgetRequested, m_workspace, &Workspace::forgetRecent, Qt::QueuedConnection);
}

void MainWindow::connectWorkspace() {
  m_workspace->setDropQuestion([this](const QString& what, const std::function<void()>& go,
                                      const std::function<void()>& keep) { askToEndRun(what, go, keep); });
  connect(m_workspace, &Workspace::executableChanged, this, &MainWindow::refreshExecutable);
  connect(m_workspace, &Workspace::runChanged, this, &MainWindow::refreshRun);
  connect(m_workspace, &Workspace::statusChanged, this, &MainWindow::refreshStatus);
  connect(m_workspace, &Workspace::failureChanged, this, &MainWindow::refreshFailure);
  connect(m_workspace, &Workspace::recentFilesChanged, this,
          [this]() { m_start->setRecentFiles(m_workspace->recentFiles()); });
  connect(m_workspace->selection(), &Selection::rangeChanged, this, &MainWindow::refreshRange);
  connect(m_workspace->selection(), &Selection::filterChanged, this, &MainWindow::refreshCommands);
}

QStringList MainWindow::pageIds() const {
  QStringList ids;
  for (const Page& page : m_pages) ids << page.id;
  return ids;
}

bool MainWindow::showPageById(const QString& id) {
  const auto position = pageIds().indexOf(id);
  if (position < 0) return false;
  setPage(int(position));
  return true;
}

void MainWindow::setPage(int position) {
  if (position < 0 || position >= m_tabs->count()) return;
  QWidget* focus = QApplication::focusWidget();
  QWidget* left = m_pageStack->currentWidget();
  const bool within = focus != nullptr && left->isAncestorOf(focus);
  if (within) m_lastFocus[left] = focus;
  m_tabs->setCurrentIndex(position);
  // What is hidden cannot keep the focus.
  if (within && m_pageStack->currentWidget() != left) enterPage();
}

RunPage* MainWindow::currentPage() const {
  return m_pages[std::size_t(m_tabs->currentIndex())].widget;
}

std::vector<Command*> MainWindow::commands() const {
  std::vector<Command*> list;
  for (const auto& command : m_commands) list.push_back(command.get());
  return list;
}

}  // namespace opscope::ui
