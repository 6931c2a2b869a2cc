// SPDX-License-Identifier: GPL-3.0-or-later
// What a coarse row of Ops sums: the calls of a kind, a device, a name, the same shapes or depth, and their
// ops. Plain values; any thread.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "ui/models/ops_columns.h"

namespace opscope::ui {

struct OpGroup {
  struct Member {
    OpId op;
    QString name;
    QString shapes;
    std::int64_t calls = 0;
    double us = 0;
  };
  QString title;  ///< "Convolution"
  QString words;  ///< "Ops of this kind"
  std::optional<report::OpKind> kind;
  std::int64_t calls = 0;
  double us = 0;
  double wholeUs = 0;  ///< that the percent is of
  std::optional<double> percent;
  std::vector<Member> members;  ///< the longest first
};

/// Null where the row's calls are of one op: it is told better by itself.
std::shared_ptr<const OpGroup> opGroupOf(const OpsData& groups, std::uint32_t row);

}  // namespace opscope::ui
