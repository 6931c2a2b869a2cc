// SPDX-License-Identifier: GPL-3.0-or-later
// What can be chosen as one of the two sides that are compared: a run, or a group of saved runs. Plain
// values.
#pragma once

#include <QString>
#include <algorithm>
#include <utility>
#include <vector>

#include "ui/bridge/run_store.h"

namespace opscope::ui {

struct CompareChoice {
  enum class Kind { None, Shown, Saved, File, Group };
  Kind kind = Kind::None;
  store::RunId id = 0;
  QString file;
  std::vector<store::RunId> group = {};  ///< of a Group: at least two, ascending
  bool operator==(const CompareChoice&) const = default;
};

inline CompareChoice savedChoice(store::RunId id) {
  return {CompareChoice::Kind::Saved, id, {}};
}

/// One run is no group; none is no choice.
inline CompareChoice groupChoice(std::vector<store::RunId> ids) {
  std::ranges::sort(ids);
  const auto repeated = std::ranges::unique(ids);
  ids.erase(repeated.begin(), repeated.end());
  if (ids.empty()) return {};
  if (ids.size() == 1) return savedChoice(ids.front());
  return {CompareChoice::Kind::Group, 0, {}, std::move(ids)};
}

/// A line of the list to choose from.
struct CompareOption {
  CompareChoice choice;
  QString text;
  QString brief = {};  ///< without the date, for where there is no room; empty: there is none
};

}  // namespace opscope::ui
