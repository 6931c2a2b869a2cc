// SPDX-License-Identifier: GPL-3.0-or-later
// The Ops table: groups unfold to their members in place.
#include "ui/models/ops_model.h"

#include "ui/bridge/slow_work.h"

namespace opscope::ui {

bool OpsModel::folds() const {
  return m_data && m_data->table.grouping != report::Grouping::EachCall && m_rowLimit == kAllRows;
}

int OpsModel::levelOf(int row) const {
  const FoldItem item = m_rows.at(row);
  return item.part == 0 ? 0 : m_rows.parts[item.part - 1].level;
}

FoldKey OpsModel::keyAt(int row) const {
  const FoldItem item = m_rows.at(row);
  const report::OpRow& op = opRow(row);
  if (item.part == 0) return groupKey(m_data->table.grouping, op);
  return {m_rows.parts[item.part - 1].key.group, {op.name, op.shapes, op.device}};
}

Fold OpsModel::foldOf(int row) const {
  const FoldItem item = m_rows.at(row);
  if (!folds() || !canUnfold(dataOf(item), item.row, levelOf(row))) return Fold::Leaf;
  return m_unfolded.contains(keyAt(row)) ? Fold::Unfolded : Fold::Folded;
}

int OpsModel::parentOf(int row) const {
  const int level = levelOf(row);
  if (level == 0) return -1;
  while (row > 0 && levelOf(row) >= level) --row;
  return row;
}

int OpsModel::endOfMembers(int row) const {
  const int level = levelOf(row);
  int end = row + 1;
  while (end < m_rows.count() && levelOf(end) > level) ++end;
  return end;
}

void OpsModel::setUnfolded(int row, bool unfolded) {
  if (row < 0 || row >= m_rows.count() || isBusy()) return;
  const Fold now = foldOf(row);
  if (unfolded && now == Fold::Folded) {
    unfold(row);
  } else if (!unfolded && now == Fold::Unfolded) {
    fold(row);
  }
}

void OpsModel::unfold(int row) {
  const FoldItem item = m_rows.at(row);
  const FoldKey key = keyAt(row);
  m_unfolded.insert(key);
  Q_EMIT dataChanged(index(row, 0), index(row, 0));
  struct Made {
    std::vector<FoldPart> parts;
    std::vector<FoldItem> items;
    FoldMembers members;
  };
  const std::shared_ptr<const OpsData> data = item.part == 0 ? m_data : m_rows.parts[item.part - 1].data;
  const auto make = [groups = m_data, data, item, key, level = levelOf(row),
                     sort = FoldSort{m_filter, m_sortColumn, m_sortOrder}, unfolded = m_unfolded,
                     members = m_members]() {
    const SlowWork work("rows of a group");
    Made made;
    made.members = members;
    appendMembers(*groups, *data, item.row, key, level, sort, unfolded, made.members, made.parts, made.items);
    return made;
  };
  if (isSmall(*m_document.run)) {
    Made made = make();
    m_members = std::move(made.members);
    insertMembers(row, std::move(made.parts), std::move(made.items));
    return;
  }
  // Rows may stand elsewhere when the members come, or hold them already.
  m_background->run(this, make, [this, key, shown = m_shown](Made made) {
    if (shown != m_wanted || !m_unfolded.contains(key)) return;
    m_members.merge(made.members);
    for (int at = 0; at < m_rows.count(); ++at) {
      if (!(keyAt(at) == key) || foldOf(at) != Fold::Unfolded) continue;
      if (endOfMembers(at) == at + 1) insertMembers(at, std::move(made.parts), std::move(made.items));
      return;
    }
  });
}

void OpsModel::describeGroup(int row) {
  const quint64 asked = ++m_groupAsked;
  if (!m_data || row < 0 || row >= m_rows.count() || m_rows.at(row).part != 0 ||
      !report::isCoarse(m_data->table.grouping)) {
    Q_EMIT groupDescribed(nullptr);
    return;
  }
  const std::uint32_t group = m_rows.at(row).row;
  if (isSmall(*m_document.run)) {
    Q_EMIT groupDescribed(opGroupOf(*m_data, group));
    return;
  }
  m_background->run(
      this, [data = m_data, group]() { return opGroupOf(*data, group); },
      [this, asked](const std::shared_ptr<const OpGroup>& described) {
        if (asked == m_groupAsked) Q_EMIT groupDescribed(described);
      });
}

void OpsModel::insertMembers(int row, std::vector<FoldPart> parts, std::vector<FoldItem> items) {
  if (items.empty()) return;
  beginInsertRows({}, row + 1, row + int(items.size()));
  if (m_rows.items.empty()) {
    m_rows.items.reserve(m_rows.order.size() + items.size());
    for (const std::uint32_t group : m_rows.order) m_rows.items.push_back({0, group});
  }
  const auto before = std::uint32_t(m_rows.parts.size());
  for (FoldItem& item : items) item.part += before;
  for (FoldPart& part : parts) m_rows.parts.push_back(std::move(part));
  m_rows.items.insert(m_rows.items.begin() + row + 1, items.begin(), items.end());
  endInsertRows();
  Q_EMIT membersChanged();
}

void OpsModel::fold(int row) {
  const FoldKey key = keyAt(row);
  const int level = levelOf(row), end = endOfMembers(row);
  m_unfolded.erase(key);
  // What was unfolded within it is folded with it.
  if (level == 0) std::erase_if(m_unfolded, [&](const FoldKey& each) { return each.group == key.group; });
  if (end > row + 1) {
    beginRemoveRows({}, row + 1, end - 1);
    m_rows.items.erase(m_rows.items.begin() + row + 1, m_rows.items.begin() + end);
    endRemoveRows();
  }
  if (m_unfolded.empty()) {
    m_rows.items = {};
    m_rows.parts.clear();
  }
  Q_EMIT dataChanged(index(row, 0), index(row, 0));
  Q_EMIT membersChanged();
}

void OpsModel::foldAll() {
  if (m_unfolded.empty()) return;
  m_unfolded.clear();
  rebuild(false);
}

int OpsModel::memberRowOf(int row, const OpId& op, std::optional<std::uint32_t> call) const {
  if (row < 0) return row;
  int found = row;
  const int end = endOfMembers(row);
  for (int at = row + 1; at < end; ++at) {
    if (!(opAt(at) == op)) continue;
    const auto own = callAt(at);
    if (own && call == own) return at;
    // An op within a group stands for its calls while they are folded.
    if (!own && found == row) found = at;
  }
  return found;
}

QVariant OpsModel::foldText(int row, const QString& text) const {
  switch (foldOf(row)) {
    case Fold::Folded:
      return text + QStringLiteral(", folded");
    case Fold::Unfolded:
      return text + QStringLiteral(", unfolded");
    default:
      return text;
  }
}

}  // namespace opscope::ui
