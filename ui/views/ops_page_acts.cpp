// SPDX-License-Identifier: GPL-3.0-or-later
// What the Ops page can do, as commands.
#include <QMenu>

#include "ui/views/ops_page.h"

namespace opscope::ui {
namespace {

/// In the order of the menu of groupings.
constexpr const char* kGroupKeys[] = {"Ctrl+K, 1", "Ctrl+K, 2", "Ctrl+K, 3", "Ctrl+K, 4",
                                      "Ctrl+K, 5", "Ctrl+K, 6", "Ctrl+K, 7"};
constexpr const char* kGroupIds[] = {"ops.group1", "ops.group2", "ops.group3", "ops.group4",
                                     "ops.group5", "ops.group6", "ops.group7"};

}  // namespace

std::vector<PageAct> OpsPage::acts() {
  std::vector<PageAct> list = {
      pressing("ops.eachCall", QStringLiteral("One row for each call"), "Ctrl+K, E", m_eachCall)};
  const QList<QAction*> groupings = m_groupMenu->actions();
  for (std::size_t i = 0; i < std::min(std::size(kGroupKeys), std::size_t(groupings.size())); ++i) {
    QAction* grouping = groupings[qsizetype(i)];
    list.push_back({kGroupIds[i], grouping->text(), grouping->toolTip(), kGroupKeys[i], nullptr,
                    [grouping]() { grouping->trigger(); },
                    [this, grouping]() {
                      return m_groupChoice->isEnabled() && grouping->isEnabled() && grouping->isVisible();
                    }});
  }
  list.push_back(pressing("ops.columns", QStringLiteral("Choose columns"), "Ctrl+K, C", m_columns));
  list.push_back(pressing("ops.regex", QStringLiteral("Filter by regular expression"), "Ctrl+K, R", m_regex));
  list.push_back({"ops.copyCell", QStringLiteral("Copy this cell"),
                  QStringLiteral("Copy the plain number or name of the current cell"), "Ctrl+K, Y", nullptr,
                  [this]() { m_table->copyCell(); },
                  [this]() { return run() != nullptr && m_table->currentIndex().isValid(); }});
  return list;
}

}  // namespace opscope::ui
