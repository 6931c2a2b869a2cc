// SPDX-License-Identifier: GPL-3.0-or-later
// How the window follows the workspace.
#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QUrl>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/models/range_view.h"
#include "ui/models/window_words.h"
#include "ui/shell/main_window.h"
#include "ui/shell/page_texts.h"
#include "ui/shell/side_panel.h"
#include "ui/shell/status_line.h"
#include "ui/views/executable_panel.h"
#include "ui/views/inspector.h"
#include "ui/views/memory_page.h"
#include "ui/views/page_tabs.h"
#include "ui/views/runs_panel.h"
#include "ui/views/start_page.h"

namespace opscope::ui {
namespace {

QStringList localFiles(const QMimeData& data) {
  QStringList files;
  for (const QUrl& url : data.urls()) {
    if (url.isLocalFile()) files << url.toLocalFile();
  }
  return files;
}

/// By its name: two of them that are dropped together are compared.
bool isMeasuredFile(const QString& file) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{".json", ".csv", ".opscope"},
      [&](const char* end) { return file.endsWith(QLatin1String(end), Qt::CaseInsensitive); });
}

/// What is dropped together to run together: an executable, a scenario, arrays, at most one of each.
struct RunFiles {
  QString executable, scenario, arrays;
  bool areAll = true;  ///< every file is one of these
};

RunFiles runFilesOf(const QStringList& files) {
  RunFiles found;
  for (const QString& file : files) {
    const bool json = file.endsWith(QLatin1String(".json"), Qt::CaseInsensitive);
    const bool npz = file.endsWith(QLatin1String(".npz"), Qt::CaseInsensitive);
    QString& place = json ? found.scenario : npz ? found.arrays : found.executable;
    found.areAll = found.areAll && place.isEmpty() && (json || npz || !isMeasuredFile(file));
    place = file;
  }
  return found;
}

}  // namespace

void MainWindow::refreshExecutable() {
  const auto& executable = m_workspace->executable();
  m_executablePanel->setExecutable(executable);
  for (const Page& page : m_pages) page.widget->setExecutable(executable);
  const QString name = m_workspace->fileName();
  m_panels[0]->setTitle(name.isEmpty() ? QStringLiteral("Executable") : name);
  setWindowTitle(name.isEmpty() ? QStringLiteral("Opscope") : QStringLiteral("%1 – Opscope").arg(name));
  refreshCentre();
}

void MainWindow::refreshRun() {
  ++m_rangeNumber;
  for (const Page& page : m_pages) page.widget->setRun(m_workspace->run());
  m_executablePanel->setRun(m_workspace->run());
  m_inspector->setRun(m_workspace->run());
  if (!m_workspace->run()) m_summary->setReady(readyText(*m_workspace, *m_workspace->form()));
  refreshCentre();
}

void MainWindow::refreshRange() {
  const quint64 number = ++m_rangeNumber;
  const auto range = m_workspace->selection()->range();
  const auto run = m_workspace->run();
  if (!range || !run || range->repeat >= run->run().repeats || range->endNs <= range->startNs) {
    for (const Page& page : m_pages) page.widget->setRange(nullptr);
    return;
  }
  m_workspace->background()->run(
      this, [run, range]() { return makeRangeView(*run, *range); },
      [this, number](const std::shared_ptr<const RunView>& part) {
        if (number != m_rangeNumber) return;
        for (const Page& page : m_pages) page.widget->setRange(part);
      });
}

void MainWindow::refreshStatus() {
  PageStatus status;
  status.hasExecutable = m_workspace->executable() != nullptr;
  status.canRun = m_workspace->canRun();
  status.running = m_workspace->isRunning();
  status.stale = m_workspace->isStale() || (m_workspace->run() && m_workspace->isFileReplaced());
  status.function = m_workspace->runName();
  for (const Page& page : m_pages) page.widget->setStatus(status);
  m_memory->setRecording(m_workspace->choices().recordsMemory);
  m_executablePanel->setFormEnabled(!status.running);
  m_running->setVisible(status.running);
  if (!status.running && m_stopQuestion.isActive()) {
    m_stopQuestion.stop();
    m_status->setQuestion({});
  }
  if (status.running) m_running->setState(runningText(*m_workspace));
  if (!m_workspace->run()) m_summary->setReady(readyText(*m_workspace, *m_workspace->form()));
  refreshBars();
  refreshCentre();
  refreshCommands();
}

void MainWindow::refreshFailure() {
  const auto& failure = m_workspace->failure();
  const bool running = failure && failure->during == Failure::During::Running;
  m_summaryStack->setCurrentIndex(running ? 1 : 0);
  if (running) {
    m_runError->setError(errorText(*failure, *m_workspace));
    fillErrorButtons(*failure);
    showPageById(QStringLiteral("summary"));
  } else if (failure && !m_workspace->isOpen()) {
    m_openError->setError(errorText(*failure, *m_workspace));
    connect(m_openError->addButton(QStringLiteral("Open another file"), true), &QPushButton::clicked, this,
            [this]() { askOpen(); });
    connect(m_openError->addButton(QStringLiteral("Go to the start page"), false), &QPushButton::clicked,
            m_workspace, &Workspace::dismissFailure, Qt::QueuedConnection);
  }
  refreshBars();
  refreshCentre();
}

void MainWindow::fillErrorButtons(const Failure& failure) {
  const bool onBoard = isOnBoard(failure);
  if (onBoard) {
    connect(
        m_runError->addButton(QStringLiteral("Check the board"), true), &QPushButton::clicked, this,
        [this, id = failure.targetId]() { checkBoard(id); }, Qt::QueuedConnection);
  }
  const bool missing = failure.error.code == base::ErrorCode::MissingFunction && !onBoard;
  if (missing) {
    connect(
        m_runError->addButton(QStringLiteral("Plugins…"), true), &QPushButton::clicked, this,
        [this]() { showRunSettings(true); }, Qt::QueuedConnection);
  }
  connect(m_runError->addButton(QStringLiteral("Run again"), !onBoard && !missing), &QPushButton::clicked,
          m_workspace, &Workspace::profile, Qt::QueuedConnection);
  if (onBoard || failure.targetId == kIsolatedTarget) {
    connect(
        m_runError->addButton(QStringLiteral("Run on this computer"), false), &QPushButton::clicked, this,
        [this]() {
          m_workspace->setTarget(kLocalTarget);
          m_workspace->profile();
        },
        Qt::QueuedConnection);
  }
  connect(m_runError->addButton(QStringLiteral("Close"), false), &QPushButton::clicked, m_workspace,
          &Workspace::dismissFailure, Qt::QueuedConnection);
  if (!failure.partial) return;
  const RunView& kept = *failure.partial;
  const QString count = format::counted(kept.run().repeats, "finished repeat", "finished repeats");
  m_runError->setKept(
      QStringLiteral("%1 kept").arg(count),
      QStringLiteral("Median %1, from %2. They are marked as not complete everywhere they are shown.")
          .arg(format::duration(kept.figures.totalUs).text(),
               format::durationRange(kept.figures.minUs, kept.figures.maxUs)));
  connect(m_runError->addKeptButton(QStringLiteral("Show them")), &QPushButton::clicked, m_workspace,
          &Workspace::showPartial, Qt::QueuedConnection);
  connect(m_runError->addKeptButton(QStringLiteral("Discard")), &QPushButton::clicked, m_workspace,
          &Workspace::dismissFailure, Qt::QueuedConnection);
}

void MainWindow::refreshCentre() {
  const bool open = m_workspace->isOpen();
  const bool failed = m_workspace->failure().has_value();
  QWidget* left = m_centre->currentWidget();
  const bool within = left->isAncestorOf(QApplication::focusWidget());
  m_centre->setCurrentWidget(open ? m_work : failed ? static_cast<QWidget*>(m_openError) : m_start);
  applyPanels();
  // Who opened a file from the start page goes on in the page that shows it.
  if (within && m_centre->currentWidget() == m_work && left != m_work) enterPage();
}

void MainWindow::refreshCommands() {
  for (const auto& command : m_commands) command->refresh();
}

void MainWindow::applyPanels() {
  const bool open = m_workspace->isOpen();
  const Page& page = m_pages[std::size_t(m_tabs->currentIndex())];
  const QStringList folded = m_workspace->settings()->foldedPanels(page.id, page.foldedByDefault);
  const bool noInspector = width() < m_theme->px(1200), noExecutable = width() < m_theme->px(1000);
  for (SidePanel* panel : m_panels) {
    const bool narrow = panel->id() == QLatin1String("inspector") ? noInspector : noExecutable;
    panel->setAway(!open);
    panel->setFolded(folded.contains(panel->id()) || narrow);
  }
  keepPanelWidths();
  // A panel that just opened is laid out once more, by what it holds.
  QMetaObject::invokeMethod(this, &MainWindow::keepPanelWidths, Qt::QueuedConnection);
  if (m_runs == nullptr) return;
  m_runsBar->setVisible(open);
  m_runs->setFolded(folded.contains(kRunsId) || height() < m_theme->px(720));
}

void MainWindow::keepPanelWidths() {
  // Qt takes the room of a panel that opens from all others by their share; it belongs to the page alone.
  QList<QDockWidget*> docks;
  QList<int> widths;
  for (SidePanel* panel : m_panels) {
    if (panel->isHidden()) continue;
    docks << panel;
    widths << panel->keptWidth();
  }
  if (!docks.isEmpty()) resizeDocks(docks, widths, Qt::Horizontal);
}

void MainWindow::foldPanel(const QString& id, bool folded) {
  const Page& page = m_pages[std::size_t(m_tabs->currentIndex())];
  QStringList list = m_workspace->settings()->foldedPanels(page.id, page.foldedByDefault);
  list.removeAll(id);
  if (folded) list << id;
  m_workspace->settings()->setFoldedPanels(page.id, list);
  applyPanels();
  // In a narrow window panels are folded by themselves; one that is asked for opens all the same.
  for (SidePanel* panel : m_panels) {
    if (panel->id() == id) panel->setFolded(folded);
  }
  keepPanelWidths();
  if (id == kRunsId && m_runs != nullptr) m_runs->setFolded(folded);
  refreshCommands();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (m_workspace->store() != nullptr && m_workspace->store()->unsavedCount() > 0) {
    askSaveUnsaved(event);
    if (!event->isAccepted()) return;
  }
  m_workspace->settings()->setGeometry(saveGeometry());
  m_workspace->stop();
  event->accept();
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::ApplicationFontChange) chooseTheme(m_theme->choice());
  if (event->type() == QEvent::ThemeChange && !m_changingTheme) {
    // An empty palette brings the platform's own back for a moment, so that it can be read.
    m_changingTheme = true;
    QApplication::setPalette(QPalette());
    m_theme->followPlatform(QApplication::palette());
    QApplication::setPalette(m_theme->palette());
    m_changingTheme = false;
  }
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  const auto band = [this](const QSize& size) {
    return int(size.width() >= m_theme->px(1200)) + int(size.width() >= m_theme->px(1000)) +
           4 * int(size.height() >= m_theme->px(720));
  };
  if (band(event->oldSize()) != band(event->size())) applyPanels();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (localFiles(*event->mimeData()).isEmpty()) return;
  event->acceptProposedAction();
  m_start->setDropActive(true);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) {
  m_start->setDropActive(false);
}

bool MainWindow::openTogether(const QStringList& files) {
  if (files.size() < 2) return false;
  if (files.size() == 2 && std::ranges::all_of(files, isMeasuredFile)) {
    compareFiles(files[0], files[1]);
    return true;
  }
  const RunFiles together = runFilesOf(files);
  if (!together.areAll || (together.executable.isEmpty() && together.scenario.isEmpty())) return false;
  if (together.executable.isEmpty()) {
    m_workspace->chooseScenario(together.scenario, together.arrays);
  } else {
    m_workspace->openTogether(together.executable, together.scenario, together.arrays);
  }
  return true;
}

void MainWindow::openNamed(const QStringList& files) {
  if (openTogether(files)) return;
  if (files.size() == 1) {
    m_workspace->openFile(files.front());
  } else {
    compareFiles(files[0], files[1]);
  }
}

void MainWindow::dropEvent(QDropEvent* event) {
  m_start->setDropActive(false);
  const QStringList files = localFiles(*event->mimeData());
  if (files.isEmpty()) return;
  event->acceptProposedAction();
  if (openTogether(files)) return;
  m_workspace->openFile(files.front());
  if (files.size() > 1) m_status->notice(QStringLiteral("Opened the first of %1 files").arg(files.size()));
}

}  // namespace opscope::ui
