// SPDX-License-Identifier: GPL-3.0-or-later
// What can be chosen as one of the two runs that are compared. Plain values.
#pragma once

#include <QString>

#include "ui/bridge/run_store.h"

namespace opscope::ui {

struct CompareChoice {
  enum class Kind { None, Shown, Saved, File };
  Kind kind = Kind::None;
  store::RunId id = 0;
  QString file;
  bool operator==(const CompareChoice&) const = default;
};

/// A line of the list to choose from.
struct CompareOption {
  CompareChoice choice;
  QString text;
};

}  // namespace opscope::ui
