// SPDX-License-Identifier: GPL-3.0-or-later
// The bars above the page: what keeps the inputs or the scenario from running, what failed, what is stale.
#include "ui/models/format.h"
#include "ui/shell/main_window.h"
#include "ui/shell/page_texts.h"
#include "ui/views/executable_panel.h"

namespace opscope::ui {

void MainWindow::refreshInputBar() {
  m_inputBar->clearButtons();
  const InputForm& form = *m_workspace->form();
  const ScenarioForm& scenario = *m_workspace->scenario();
  const auto& executable = m_workspace->executable();
  const bool valid = scenario.isChosen() ? scenario.isValid() : form.isValid();
  if (executable && !executable->runsHere && m_workspace->targetBoard() == nullptr) {
    m_inputBar->showMessage(
        InfoBar::Kind::Warning,
        QStringLiteral("%1 cannot run on this computer.").arg(m_workspace->fileName()),
        QStringLiteral(
            "It is built for %1. Choose a board as the target, or compile the model for this computer.")
            .arg(QString::fromStdString(executable->architecture)));
  } else if (valid || m_workspace->isRunning()) {
    m_inputBar->hide();
  } else {
    const QString words =
        m_workspace->canRun() ? QStringLiteral("%1 did not run.") : QStringLiteral("%1 cannot run yet.");
    m_inputBar->showMessage(InfoBar::Kind::Error, words.arg(m_workspace->runName()),
                            scenario.isChosen() ? scenario.firstProblem() : form.firstProblem());
    if (scenario.isChosen()) {
      fillScenarioButtons();
    } else {
      fillInputButtons();
    }
  }
}

void MainWindow::fillScenarioButtons() {
  ScenarioForm* scenario = m_workspace->scenario();
  const bool arrays = scenario->problem().isEmpty();
  QPushButton* choose = m_inputBar->addButton(arrays ? QStringLiteral("Take from a .npz file")
                                                     : QStringLiteral("Choose another scenario"));
  connect(choose, &QPushButton::clicked, this, [this, arrays]() {
    if (arrays) {
      m_executablePanel->scenarioView()->askArrays();
    } else {
      askScenario();
    }
  });
  connect(m_inputBar->addButton(QStringLiteral("Read it again")), &QPushButton::clicked, scenario,
          &ScenarioForm::readAgain, Qt::QueuedConnection);
  connect(m_inputBar->addButton(QStringLiteral("Show the scenario")), &QPushButton::clicked, this, [this]() {
    foldPanel(QStringLiteral("executable"), false);
    m_executablePanel->scenarioView()->focusProblem();
  });
}

void MainWindow::fillInputButtons() {
  const InputForm& form = *m_workspace->form();
  if (m_workspace->canRun()) {
    QPushButton* again = m_inputBar->addButton(QStringLiteral("Read it again and run"));
    connect(again, &QPushButton::clicked, m_workspace, &Workspace::profile, Qt::QueuedConnection);
  }
  QPushButton* show = m_inputBar->addButton(QStringLiteral("Show the input"));
  connect(show, &QPushButton::clicked, this, [this]() {
    foldPanel(QStringLiteral("executable"), false);
    m_executablePanel->formView()->focusProblem();
  });
  bool file = false;
  for (const InputField& field : form.fields())
    file = file || (!field.problem.isEmpty() && field.source == InputSource::File);
  if (!file) return;
  if (!m_workspace->canRun()) {
    connect(m_inputBar->addButton(QStringLiteral("Read it again")), &QPushButton::clicked,
            m_workspace->form(), &InputForm::readFilesAgain, Qt::QueuedConnection);
  }
  QPushButton* choose = m_inputBar->addButton(QStringLiteral("Choose another file"));
  connect(choose, &QPushButton::clicked, this,
          [this]() { m_executablePanel->formView()->chooseAnotherFile(); });
}

void MainWindow::refreshBars() {
  refreshInputBar();
  m_noteBar->clearButtons();
  const auto& failure = m_workspace->failure();
  const bool panel = failure && (failure->during == Failure::During::Running || !m_workspace->isOpen());
  if (failure && !panel) {
    m_noteBar->showMessage(InfoBar::Kind::Error, failureTitle(*failure) + QLatin1Char('.'),
                           format::errorLines(failure->error));
    connect(m_noteBar->addButton(QStringLiteral("Close")), &QPushButton::clicked, m_workspace,
            &Workspace::dismissFailure, Qt::QueuedConnection);
  } else {
    refreshStaleBar();
  }
}

void MainWindow::refreshStaleBar() {
  const bool replaced = m_workspace->isFileReplaced();
  if (m_workspace->isRunning() || (!replaced && !m_workspace->isStale())) {
    m_noteBar->hide();
    return;
  }
  QString text = QStringLiteral("Measured with other inputs or settings");
  if (replaced || m_workspace->isOfEarlierBuild()) {
    text = m_workspace->run() ? QStringLiteral("Measured before %1 changed on disk")
                              : QStringLiteral("%1 changed on disk since it was opened");
    text = text.arg(m_workspace->fileName());
  }
  m_noteBar->showMessage(InfoBar::Kind::Info, {}, text);
  if (m_workspace->run()) {
    QPushButton* again = m_noteBar->addButton(QStringLiteral("Run again"));
    again->setEnabled(m_workspace->canRun());
    connect(again, &QPushButton::clicked, m_workspace, &Workspace::profile, Qt::QueuedConnection);
  }
  if (replaced) {
    connect(m_noteBar->addButton(QStringLiteral("Reload")), &QPushButton::clicked, m_workspace,
            &Workspace::reloadFile, Qt::QueuedConnection);
  }
}

}  // namespace opscope::ui
