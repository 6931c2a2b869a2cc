// SPDX-License-Identifier: GPL-3.0-or-later
// How the Ops page makes its rows: each call, or calls grouped by what they share.
#include <algorithm>
#include <array>

#include "ui/views/ops_page.h"

namespace opscope::ui {
namespace {

struct GroupingChoice {
  report::Grouping grouping;
  const char* id;
  const char* title;
  const char* tooltip;
};

/// The visible list of groupings: a new one is one line here and one in report::Grouping.
constexpr std::array kGroupings = {
    GroupingChoice{report::Grouping::ByOp, "op", "name and shapes",
                   "One row for each name, shapes and device"},
    GroupingChoice{report::Grouping::ByName, "name", "name", "One row for each name, whatever its shapes"},
    GroupingChoice{report::Grouping::ByKind, "kind", "kind", "One row for each kind of op"},
    GroupingChoice{report::Grouping::ByDevice, "device", "device", "One row for each device"},
    GroupingChoice{report::Grouping::ByShapes, "shapes", "shapes",
                   "One row for the same shapes of arguments, whatever the op"},
    GroupingChoice{report::Grouping::ByDepth, "depth", "depth",
                   "One row for each number of functions around the call"},
    GroupingChoice{report::Grouping::ByStep, "step", "step", "One row for each step of the scenario"},
    GroupingChoice{report::Grouping::EachCall, "call", "each call",
                   "One row for each call, in order of execution"},
};

const GroupingChoice& choiceOf(report::Grouping grouping) {
  return *std::ranges::find(kGroupings, grouping, &GroupingChoice::grouping);
}

}  // namespace

void OpsPage::addGroupButtons(QHBoxLayout* row) {
  m_eachCall = new ActionButton(theme(), nullptr, QStringLiteral("Each call"));
  m_eachCall->setToolTip(QString::fromUtf8(choiceOf(report::Grouping::EachCall).tooltip));
  m_grouped = new ActionButton(theme(), nullptr, QStringLiteral("Group by name and shapes"));
  joinSegments({m_eachCall, m_grouped});
  m_groupChoice = new ActionButton(theme(), "chevron-down", QString());
  m_groupChoice->setAccessibleName(QStringLiteral("Group by"));
  m_groupChoice->setToolTip(QStringLiteral("Choose what rows are grouped by"));
  m_groupMenu = new QMenu(m_groupChoice);
  m_groupMenu->setToolTipsVisible(true);
  for (const GroupingChoice& choice : kGroupings) {
    if (choice.grouping == report::Grouping::EachCall) continue;
    QAction* action = m_groupMenu->addAction(QStringLiteral("Group by %1").arg(QLatin1String(choice.title)));
    action->setToolTip(QString::fromUtf8(choice.tooltip));
    action->setCheckable(true);
    action->setData(int(choice.grouping));
    connect(action, &QAction::triggered, this, [this, &choice]() { chooseGrouping(choice.grouping); });
  }
  connect(m_groupChoice, &QPushButton::clicked, this,
          [this]() { m_groupMenu->popup(m_groupChoice->mapToGlobal(QPoint(0, m_groupChoice->height()))); });
  auto* segments = new QHBoxLayout;
  segments->setSpacing(0);
  segments->addWidget(m_eachCall);
  segments->addSpacing(-1);
  segments->addWidget(m_grouped);
  segments->addSpacing(theme()->px(4));
  segments->addWidget(m_groupChoice);
  row->addLayout(segments);
  showGrouping();
}

void OpsPage::setGrouping(const QString& id) {
  const auto found = std::ranges::find_if(
      kGroupings, [&](const GroupingChoice& choice) { return id == QLatin1String(choice.id); });
  if (found == kGroupings.end()) return;
  m_chosenGrouping = found->grouping;
  if (found->grouping != report::Grouping::EachCall) m_lastGrouped = found->grouping;
  applyGrouping();
}

bool OpsPage::hasSteps() const {
  return run() && run()->run().steps.size() > 1;
}

report::Grouping OpsPage::possible(report::Grouping grouping) const {
  return grouping == report::Grouping::ByStep && !hasSteps() ? report::Grouping::ByOp : grouping;
}

void OpsPage::applyGrouping() {
  m_model->setGrouping(possible(m_chosenGrouping));
  showGrouping();
}

QString OpsPage::grouping() const {
  return QString::fromLatin1(choiceOf(m_model->grouping()).id);
}

void OpsPage::chooseGrouping(report::Grouping grouping) {
  setGrouping(QString::fromLatin1(choiceOf(grouping).id));
  Q_EMIT groupingChanged(this->grouping());
}

void OpsPage::showGrouping() {
  const bool narrow = width() < theme()->px(760);
  const GroupingChoice& choice = choiceOf(possible(m_lastGrouped));
  m_eachCall->setText(narrow ? QStringLiteral("Calls") : QStringLiteral("Each call"));
  m_grouped->setText(narrow ? QStringLiteral("Groups")
                            : QStringLiteral("Group by %1").arg(QLatin1String(choice.title)));
  m_grouped->setToolTip(QString::fromUtf8(choice.tooltip));
  m_eachCall->setChecked(m_model->grouping() == report::Grouping::EachCall);
  m_grouped->setChecked(m_model->grouping() != report::Grouping::EachCall);
  for (QAction* action : m_groupMenu->actions()) {
    action->setChecked(action->data().toInt() == int(m_model->grouping()));
    action->setVisible(action->data().toInt() != int(report::Grouping::ByStep) || hasSteps());
  }
  m_eachCall->updateGeometry();
  m_grouped->updateGeometry();
}

void OpsPage::activateRow(int row) {
  const QString filter = m_model->opsData() == nullptr ? QString() : m_model->filterOf(row);
  if (filter.isEmpty()) {
    // An op leads to its longest call, whichever was chosen elsewhere before.
    if (m_model->opsData() != nullptr && !m_model->callAt(row))
      context().selection->setOp(m_model->opAt(row));
    Q_EMIT timelineRequested();
    return;
  }
  // A coarse row opens: its ops alone.
  chooseGrouping(report::Grouping::ByOp);
  context().selection->setFilter({filter, false});
}

}  // namespace opscope::ui
