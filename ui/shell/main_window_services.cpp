// SPDX-License-Identifier: GPL-3.0-or-later
// What commands ask of the window.
#include <QApplication>
#include <QFileDialog>
#include <QLayout>
#include <QResizeEvent>
#include <algorithm>
#include <cmath>

#include "engine/report/exporters.h"
#include "opscope/version.h"
#include "ui/models/format.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/main_window.h"
#include "ui/shell/run_tool_bar.h"
#include "ui/shell/side_panel.h"
#include "ui/shell/status_line.h"
#include "ui/shell/text_size.h"
#include "ui/views/charts_page.h"
#include "ui/views/ops_page.h"
#include "ui/views/page_tabs.h"
#include "ui/views/runs_panel.h"

namespace opscope::ui {
namespace {

QFileDialog* saveDialog(QWidget* parent, const QString& title, const QString& name, const QString& suffix) {
  auto* dialog = new QFileDialog(parent, title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(suffix);
  dialog->selectFile(name + QLatin1Char('.') + suffix);
  return dialog;
}

}  // namespace

void MainWindow::askOpen() {
  auto* dialog =
      new QFileDialog(this, QStringLiteral("Open an executable, a report or a scenario"), QString(),
                      QStringLiteral("Executables, reports and scenarios (*.so *.tar *.o *.a *.json *.csv "
                                     "*.opscope *.sqlite);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, m_workspace, &Workspace::openFile);
  dialog->open();
}

void MainWindow::askScenario() {
  auto* dialog = new QFileDialog(this, QStringLiteral("Choose a scenario"), QString(),
                                 QStringLiteral("Scenarios (*.json);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, m_workspace,
          [this](const QString& file) { m_workspace->chooseScenario(file); });
  dialog->open();
}

void MainWindow::openSample() {
  if (hasSample()) m_workspace->openFile(m_sampleFile);
}

bool MainWindow::hasSample() const {
  return !m_sampleFile.isEmpty();
}

void MainWindow::askExport(const report::Exporter& exporter) {
  // The kind of export stands in the name where the extension does not tell it.
  const QString extension = format::fromUtf8(exporter.extension).mid(1), id = format::fromUtf8(exporter.id);
  QString base = m_workspace->fileName().section(QLatin1Char('.'), 0, 0);
  if (id != extension) base += QLatin1Char('.') + id;
  auto* dialog =
      saveDialog(this, QStringLiteral("Export %1").arg(format::fromUtf8(exporter.title)), base, extension);
  connect(dialog, &QFileDialog::fileSelected, m_workspace,
          [this, &exporter](const QString& path) { m_workspace->exportRun(exporter, path); });
  dialog->open();
}

void MainWindow::showSweep() {
  showPageById(QStringLiteral("charts"));
  m_charts->showSegment(ChartSegment::Sweep);
}

void MainWindow::showPage(int position) {
  setPage(position);
  enterPage();
}

void MainWindow::stepPage(int by) {
  setPage((m_tabs->currentIndex() + by + m_tabs->count()) % m_tabs->count());
  if (!m_tabs->hasFocus()) enterPage();
}

void MainWindow::togglePanel(const QString& id) {
  foldPanel(id, isPanelOpen(id));
}

bool MainWindow::isPanelOpen(const QString& id) const {
  if (id == kRunsId) return m_runs != nullptr && !m_runs->isFolded();
  for (const SidePanel* panel : m_panels) {
    if (panel->id() == id) return !panel->isFolded();
  }
  return false;
}

void MainWindow::toggleAllPanels() {
  bool anyOpen = false;
  for (const SidePanel* panel : m_panels) anyOpen = anyOpen || !panel->isFolded();
  anyOpen = anyOpen || isPanelOpen(kRunsId);
  for (const SidePanel* panel : m_panels) foldPanel(panel->id(), anyOpen);
  foldPanel(kRunsId, anyOpen);
}

void MainWindow::focusSearch() {
  if (m_runs != nullptr && m_runs->isAncestorOf(QApplication::focusWidget()) && m_runs->focusSearch()) return;
  if (!currentPage()->focusSearch()) m_status->notice(QStringLiteral("This page has nothing to search"));
}

bool MainWindow::undoesRemoval() const {
  if (m_runs == nullptr || m_workspace->store()->removedCount() == 0) return false;
  const bool other = currentPage()->undoStep() != 0 || m_workspace->selection()->undoStep() != 0;
  return !other || m_runs->isAncestorOf(QApplication::focusWidget());
}

void MainWindow::undo() {
  if (undoesRemoval()) {
    m_workspace->store()->undoRemoval();
    return;
  }
  // What was done last goes first.
  Selection* selection = m_workspace->selection();
  if (currentPage()->undoStep() > selection->undoStep()) {
    currentPage()->undo();
  } else {
    selection->undo();
  }
}

void MainWindow::redo() {
  const UndoStep step = redoStep();
  if (step == 0) return;
  if (currentPage()->redoStep() == step) {
    currentPage()->redo();
  } else {
    m_workspace->selection()->redo();
  }
}

bool MainWindow::canUndo() const {
  return currentPage()->undoStep() != 0 || m_workspace->selection()->undoStep() != 0 || undoesRemoval();
}

bool MainWindow::canRedo() const {
  return redoStep() != 0;
}

UndoStep MainWindow::redoStep() const {
  // Behind something new, what was taken back before it stays so.
  const UndoStep newest = std::max(currentPage()->undoStep(), m_workspace->selection()->undoStep());
  UndoStep next = 0;
  for (const UndoStep step : {currentPage()->redoStep(), m_workspace->selection()->redoStep()}) {
    if (step > newest && (next == 0 || step < next)) next = step;
  }
  return next;
}

void MainWindow::copyRows(int format) {
  if (!canCopyRows()) return;
  currentPage()->rowsTable()->copyRows(TextFormat(format));
  m_status->notice(QStringLiteral("Rows copied"));
}

void MainWindow::sortRows() {
  auto* table = qobject_cast<DataTable*>(QApplication::focusWidget());
  if (table == nullptr) table = currentPage()->rowsTable();
  if (table != nullptr) table->sortByCurrentColumn();
}

bool MainWindow::canCopyRows() const {
  return m_workspace->isOpen() && currentPage()->rowsTable() != nullptr;
}

void MainWindow::showPalette() {
  refreshCommands();
  std::vector<Command*> list;
  for (const auto& command : m_commands) {
    if (command->id() != QLatin1String("help.palette")) list.push_back(command.get());
  }
  auto* palette = new CommandPalette(m_theme, std::move(list), this);
  const QPoint corner = mapToGlobal(QPoint((width() - palette->width()) / 2, m_theme->px(72)));
  palette->move(corner);
  palette->show();
}

void MainWindow::showShortcuts() {
  (new ShortcutSheet(m_theme, commands(), this))->open();
}

void MainWindow::showAbout() {
  m_status->notice(QStringLiteral("Opscope %1 · window GPL-3.0-or-later, engine Apache-2.0 · Qt %2")
                       .arg(QStringLiteral(OPSCOPE_VERSION), QString::fromLatin1(qVersion())));
}

void MainWindow::chooseTheme(ThemeChoice choice) {
  if (m_changingTheme) return;
  m_changingTheme = true;
  m_theme->choose(choice);
  QApplication::setPalette(m_theme->palette());
  m_workspace->settings()->setTheme(choice);
  refreshStatus();
  update();
  m_changingTheme = false;
}

void MainWindow::chooseTextSize(int percent) {
  if (percent == textSize() || m_changingTheme) return;
  const double before = textScale();
  std::vector<int> widths;
  for (const SidePanel* panel : m_panels) widths.push_back(panel->keptWidth());
  m_changingTheme = true;
  setTextSize(percent);
  m_changingTheme = false;
  chooseTheme(m_theme->choice());
  m_workspace->settings()->setTextSize(percent);
  applyPanels();
  for (std::size_t i = 0; i < m_panels.size(); ++i)
    m_panels[i]->setKeptWidth(int(std::lround(widths[i] * textScale() / before)));
  keepPanelWidths();
  QMetaObject::invokeMethod(this, &MainWindow::layOutAnew, Qt::QueuedConnection);
  refreshCommands();
  m_status->notice(QStringLiteral("Text size %1 %").arg(percent));
}

void MainWindow::layOutAnew() {
  // What shares its width by itself does so when it is resized, and sizes have changed without that. The
  // layouts follow first.
  std::vector<QWidget*> widgets = {m_toolBar};
  for (const Page& page : m_pages) widgets.push_back(page.widget);
  for (QWidget* widget : widgets) {
    widget->layout()->invalidate();
    widget->layout()->activate();
    QResizeEvent again(widget->size(), widget->size());
    QCoreApplication::sendEvent(widget, &again);
  }
}

void MainWindow::escape() {
  if (m_workspace->isStopping()) return;
  if (m_workspace->isRunning()) {
    if (m_stopQuestion.isActive()) {
      m_stopQuestion.stop();
      m_status->setQuestion({});
      m_workspace->stop();
    } else {
      m_stopQuestion.start();
      m_status->setQuestion(QStringLiteral("Press Esc again to stop"));
    }
    return;
  }
  m_workspace->selection()->clearOne();
}

void MainWindow::quit() {
  close();
}

}  // namespace opscope::ui
