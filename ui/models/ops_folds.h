// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the Ops table as they stand on screen: groups, and under those that are unfolded their members.
// Plain values; any thread.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "ui/models/ops_columns.h"

namespace opscope::ui {

/// A group by what its calls share, or an op within one; the same after sorting and filtering.
struct FoldKey {
  std::array<std::uint32_t, 5> group{};
  OpId op;  ///< null: the group itself
  bool operator<(const FoldKey& other) const;
  bool operator==(const FoldKey&) const = default;
};

/// The same whatever the filter leaves of the group.
FoldKey groupKey(report::Grouping grouping, const report::OpRow& row);

/// The members of an unfolded row.
struct FoldPart {
  FoldKey key;
  std::shared_ptr<const OpsData> data;
  int level = 1;
};

/// A row on screen: of the groups (part 0) or of parts[part - 1].
struct FoldItem {
  std::uint32_t part = 0;
  std::uint32_t row = 0;
};

using FoldKeys = std::set<FoldKey>;
using FoldMembers = std::map<FoldKey, std::shared_ptr<const OpsData>>;

struct FoldedRows {
  std::vector<std::uint32_t> order;  ///< of the groups
  std::vector<FoldPart> parts;
  std::vector<FoldItem> items;  ///< empty: nothing is unfolded, and rows are `order`

  int count() const { return int(items.empty() ? order.size() : items.size()); }
  FoldItem at(int row) const {
    return items.empty() ? FoldItem{0, order[std::size_t(row)]} : items[std::size_t(row)];
  }
};

/// How members are sorted and which are shown: as the groups.
struct FoldSort {
  OpFilter filter;
  int column = 1;
  Qt::SortOrder order = Qt::DescendingOrder;
};

/// Whether a row has members to show, and how many there are before the filter.
bool canUnfold(const OpsData& data, std::uint32_t row, int level);

/// The members of one row, unfolded further where `unfolded` says so: appended to `items`, with their parts.
/// `known` holds members that were made before, and takes new ones.
void appendMembers(const OpsData& groups, const OpsData& data, std::uint32_t row, const FoldKey& key,
                   int level, const FoldSort& sort, const FoldKeys& unfolded, FoldMembers& known,
                   std::vector<FoldPart>& parts, std::vector<FoldItem>& items);

/// All rows of the groups in `order`.
FoldedRows foldedRows(const OpsData& groups, std::vector<std::uint32_t> order, const FoldSort& sort,
                      const FoldKeys& unfolded, FoldMembers& known);

}  // namespace opscope::ui
