// SPDX-License-Identifier: GPL-3.0-or-later
// The window and what leads from one page into another: to the code of an op, to its call, to its memory.
#include "ui/shell/main_window.h"
#include "ui/views/code_page.h"
#include "ui/views/inspector.h"
#include "ui/views/memory_page.h"

namespace opscope::ui {

void MainWindow::connectDepth() {
  connect(m_inspector, &Inspector::timelineRequested, this,
          [this]() { showPageById(QStringLiteral("timeline")); });
  connect(m_inspector, &Inspector::instructionRequested, this, [this](quint64 instruction) {
    showPageById(QStringLiteral("code"));
    m_code->showInstruction(instruction);
  });
  connect(m_inspector, &Inspector::kernelRequested, this, [this](const QString& name) {
    showPageById(QStringLiteral("code"));
    m_code->showKernel(name);
  });
  connect(m_memory, &MemoryPage::timelineRequested, this,
          [this]() { showPageById(QStringLiteral("timeline")); });
  connect(m_memory, &MemoryPage::storageChosen, this, &MainWindow::showInspectorOfPage);
  connect(m_memory, &MemoryPage::recordingChosen, m_workspace, &Workspace::setRecordsMemory);
  connect(m_memory, &MemoryPage::memoryRunRequested, this, [this]() {
    m_workspace->setRecordsMemory(true);
    m_workspace->profile();
  });
}

void MainWindow::showInCode() {
  showPageById(QStringLiteral("code"));
}

bool MainWindow::canShowInCode() const {
  return m_workspace->isOpen();
}

}  // namespace opscope::ui
