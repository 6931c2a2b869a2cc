// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/scenario_steps_model.h"
#include "ui/models/format.h"

#include <QStringList>
#include <utility>

namespace opscope::ui {
namespace {

QString argumentsOf(const session::ScenarioStepInfo& step) {
  QStringList words;
  for (const std::string& argument : step.arguments) words << format::fromUtf8(argument);
  return words.join(QLatin1String(", "));
}

QString tooltipOf(const session::ScenarioStepInfo& step) {
  QStringList lines = {QStringLiteral("%1(%2)").arg(format::fromUtf8(step.function), argumentsOf(step))};
  if (step.isGlobal) lines << QStringLiteral("A function of the registry, not of the executable.");
  if (!step.out.empty())
    lines << QStringLiteral("Its result is saved as %1.").arg(format::fromUtf8(step.out));
  if (!step.problem.empty()) lines << format::fromUtf8(step.problem);
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

void ScenarioStepsModel::setSteps(std::vector<session::ScenarioStepInfo> steps) {
  beginResetModel();
  m_steps = std::move(steps);
  endResetModel();
}

int ScenarioStepsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_steps.size());
}

QVariant ScenarioStepsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= int(m_steps.size())) return {};
  const session::ScenarioStepInfo& step = m_steps[std::size_t(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      // As `ret` counts them: from 0.
      return QStringLiteral("%1 %2(%3)")
          .arg(index.row())
          .arg(format::fromUtf8(step.function), argumentsOf(step));
    case Qt::ToolTipRole:
      return tooltipOf(step);
    case FunctionRole:
      return format::fromUtf8(step.function);
    case ArgumentsRole:
      return argumentsOf(step);
    case OutRole:
      return format::fromUtf8(step.out);
    case ProblemRole:
      return format::fromUtf8(step.problem);
    default:
      return {};
  }
}

}  // namespace opscope::ui
