// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/live_desk.h"

#include "ui/models/format.h"
#include "ui/views/inspector_running.h"
#include "ui/views/summary_page.h"

namespace opscope::ui {

namespace {

std::vector<FactList::Row> factsOf(const Workspace& workspace) {
  const RunChoices& choices = workspace.choices();
  std::vector<FactList::Row> rows = {
      {QStringLiteral("File"), workspace.fileName(), false},
      {QStringLiteral("Target"), workspace.targetName(choices.target), false},
      {QStringLiteral("Device"), choices.device, false},
      {workspace.scenario().isChosen() ? QStringLiteral("Scenario") : QStringLiteral("Function"),
       workspace.runName(), true}};
  if (choices.options.threads > 0)
    rows.push_back({QStringLiteral("Threads"), format::integer(choices.options.threads), false});
  return rows;
}

}  // namespace

LiveDesk::LiveDesk(const Theme* theme, Workspace* workspace, SummaryPage* page, QObject* parent)
    : QObject(parent), m_workspace(workspace), m_page(page), m_inspector(new InspectorRunning(theme)) {
  connect(workspace, &Workspace::liveChanged, this, &LiveDesk::refresh);
}

QWidget* LiveDesk::inspector() const {
  return m_inspector;
}

void LiveDesk::refresh() {
  const LiveRun& live = m_workspace->live();
  const bool shown = !live.isEmpty();
  if (shown) {
    m_page->setLive(&live);
    m_inspector->setRun(factsOf(*m_workspace), live);
  } else if (m_shown) {
    m_page->setLive(nullptr);
  }
  if (shown == m_shown) return;
  m_shown = shown;
  Q_EMIT shownChanged();
}

}  // namespace opscope::ui
