// SPDX-License-Identifier: GPL-3.0-or-later
// The list of saved runs: what is ticked, and the two groups.
#include <algorithm>

#include "ui/models/runs_model.h"

namespace opscope::ui {

std::vector<store::RunId> RunsModel::ticked() const {
  std::vector<RunId> ids = m_ticked;
  std::ranges::sort(ids, [this](RunId a, RunId b) {
    const auto moment = [this](RunId id) {
      const auto found = std::ranges::find(*m_runs, id, &store::StoredRun::id);
      return found == m_runs->end() ? std::string() : momentOf(*found);
    };
    const std::string left = moment(a), right = moment(b);
    return left == right ? a < b : left < right;
  });
  return ids;
}

void RunsModel::setTicked(RunId id, bool ticked) {
  const bool was = std::ranges::find(m_ticked, id) != m_ticked.end();
  if (was == ticked) return;
  if (ticked) {
    m_ticked.push_back(id);
    if (m_ticked.size() > kTicksAtMost) m_ticked.erase(m_ticked.begin());
  } else {
    std::erase(m_ticked, id);
  }
  tellTicks();
}

void RunsModel::tellTicks() {
  if (rowCount() > 0)
    Q_EMIT dataChanged(index(0, Tick), index(rowCount() - 1, Tick), {Qt::CheckStateRole, kChoiceRole});
  Q_EMIT ticksChanged();
}

RunsModel::Choice RunsModel::choiceOf(RunId id) const {
  const auto found = m_groups.constFind(id);
  if (found != m_groups.cend()) return *found;
  return std::ranges::find(m_ticked, id) != m_ticked.end() ? Choice::Ticked : Choice::None;
}

void RunsModel::setGroup(const RunGroup& ids, Choice group) {
  for (const RunId id : ids) {
    if (group == Choice::Old || group == Choice::New) {
      m_groups.insert(id, group);
    } else {
      m_groups.remove(id);
    }
  }
  m_ticked.clear();
  tellTicks();
}

RunGroup RunsModel::group(Choice which) const {
  RunGroup ids;
  for (auto entry = m_groups.cbegin(); entry != m_groups.cend(); ++entry) {
    if (entry.value() == which) ids.push_back(entry.key());
  }
  std::ranges::sort(ids);
  return ids;
}

void RunsModel::clearGroups() {
  if (m_groups.isEmpty()) return;
  m_groups.clear();
  tellTicks();
}

void RunsModel::step(RunId id) {
  const Choice now = choiceOf(id);
  setGroup({id}, now == Choice::Old ? Choice::New : now == Choice::New ? Choice::None : Choice::Old);
}

void RunsModel::clearTicks() {
  while (!m_ticked.empty()) setTicked(m_ticked.back(), false);
}

QString RunsModel::tickWords(const store::StoredRun& run) const {
  const Choice choice = choiceOf(run.id);
  const QString words = QStringLiteral("Compare %1").arg(runTitle(run));
  if (choice == Choice::Old) return words + QStringLiteral(", in the old group");
  return choice == Choice::New ? words + QStringLiteral(", in the new group") : words;
}

}  // namespace opscope::ui
