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
  /// "device:", "kind:", "depth:" or "step:" match that alone; a step's whole name matches that step, not
  /// also those whose names hold it. A wrong regular expression matches everything.
  OpMatcher(const report::Run& run, const OpFilter& filter);

  bool passesAll() const { return m_passesAll; }
  /// Whether calls of one op may differ in that they pass.
  bool looksAtCalls() const { return m_looksAtCalls; }
  bool passes(const report::Call& call) const { return passesOne(call); }
  bool passes(const report::OpRow& row) const { return passesOne(row); }

 private:
  template <typename One>
  bool passesOne(const One& one) const {
    return m_passesAll || hit(m_names, one.name) || hit(m_shapes, one.shapes) || hit(m_devices, one.device) ||
           hit(m_steps, one.step) || (m_depth != report::kNone && m_depth == one.depth);
  }
  static bool hit(const std::vector<char>& matching, std::uint32_t index) {
    return index < matching.size() && matching[index] != 0;
  }

  bool m_passesAll = true;
  bool m_looksAtCalls = false;
  std::vector<char> m_names;
  std::vector<char> m_shapes;
  std::vector<char> m_devices;
  std::vector<char> m_steps;
  std::uint32_t m_depth = report::kNone;
};

/// Whether calls of one op may differ in that they pass: by depth or step.
bool looksAtCalls(const OpFilter& filter);

/// The words under the filter field when a regular expression is wrong; empty when it is right.
QString filterProblem(const OpFilter& filter);

}  // namespace opscope::ui
