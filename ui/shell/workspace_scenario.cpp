// SPDX-License-Identifier: GPL-3.0-or-later
// The workspace and the scenario that runs in place of a function.
#include <QFileInfo>
#include <utility>

#include "ui/models/format.h"
#include "ui/shell/workspace.h"

namespace opscope::ui {

void Workspace::connectScenario() {
  connect(&m_scenario, &ScenarioForm::choiceChanged, this, [this]() {
    if (m_executable && m_scenario.isKnown())
      m_settings->setScenario(QString::fromStdString(m_executable->hash), m_scenario.save());
    Q_EMIT statusChanged();
  });
  connect(&m_scenario, &ScenarioForm::changed, this, [this]() {
    if (std::exchange(m_runReadsScenario, false)) m_planInFlight = planLine();
    Q_EMIT statusChanged();
  });
}

QString Workspace::runName() const {
  return m_scenario.isChosen() ? m_scenario.fileName() : m_choices.function;
}

void Workspace::takeInitialScenario() {
  session::InputPlan& inputs = m_initialPlan->inputs;
  if (m_initialPlan->scenarioFile.empty()) return;
  const auto whole = [](const std::string& file) {
    return file.empty() ? QString() : QFileInfo(QString::fromStdString(file)).absoluteFilePath();
  };
  m_scenario.choose(whole(m_initialPlan->scenarioFile), whole(inputs.arraysFile));
  inputs.arraysFile.clear();
}

void Workspace::openTogether(const QString& executable, const QString& scenario, const QString& arrays) {
  // Of the command line, sizes and inputs may be there already.
  session::CallPlan plan = m_initialPlan.value_or(session::CallPlan());
  if (!scenario.isEmpty()) plan.scenarioFile = scenario.toStdString();
  if (!arrays.isEmpty()) plan.inputs.arraysFile = arrays.toStdString();
  setInitialPlan(plan);
  openFile(executable);
}

void Workspace::chooseScenario(const QString& path, const QString& arrays) {
  const QString name = path.section(QLatin1Char('/'), -1);
  if (!m_executable || m_running) {
    const QString message = m_executable
                                ? QStringLiteral("%1 cannot be chosen while something runs.").arg(name)
                                : QStringLiteral("%1 is a scenario: calls of an executable.").arg(name);
    const char* hint = m_executable ? "Stop the run, or wait for its end, and open the scenario again."
                                    : "Open the executable first, then the scenario.";
    fail(Failure::During::Opening, {base::ErrorCode::InvalidArgument, message.toStdString(), {}, hint}, path);
    return;
  }
  m_scenario.choose(path, arrays);
  Q_EMIT noticed(QStringLiteral("Run calls the steps of %1").arg(name));
}

}  // namespace opscope::ui
