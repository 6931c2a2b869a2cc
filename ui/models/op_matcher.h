// SPDX-License-Identifier: GPL-3.0-or-later
// Which calls and rows of a run pass a filter: worked out once for each text of the run, since texts are few
// and calls may be many. Any thread; immutable.
#pragma once

#include <vector>

#include "engine/report/op_table.h"
#include "ui/models/selection.h"

namespace opscope::ui {

class OpMatcher {
 public:
  /// Words match name, shapes and device, whatever their case. Those that begin with "name:", "shape:",
  /// "device:", "kind:" or "depth:" match that alone. A wrong regular expression matches everything.
  OpMatcher(const report::Run& run, const OpFilter& filter);

  bool passesAll() const { return m_passesAll; }
  /// Whether calls of one op may differ in that they pass.
  bool looksAtDepth() const { return m_depth != report::kNone; }
  bool passes(std::uint32_t name, std::uint32_t shapes, std::uint32_t device, std::uint32_t depth) const;
  bool passes(const report::Call& call) const {
    return passes(call.name, call.shapes, call.device, call.depth);
  }
  bool passes(const report::OpRow& row) const { return passes(row.name, row.shapes, row.device, row.depth); }

 private:
  bool m_passesAll = true;
  std::vector<char> m_names;
  std::vector<char> m_shapes;
  std::vector<char> m_devices;
  std::uint32_t m_depth = report::kNone;
};

/// The words under the filter field when a regular expression is wrong; empty when it is right.
QString filterProblem(const OpFilter& filter);

}  // namespace opscope::ui
