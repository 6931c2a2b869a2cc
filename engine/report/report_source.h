// SPDX-License-Identifier: Apache-2.0
// The report of a document: read from a file, or made from its run when somebody first asks for it. A million
// rows take time and memory, and most views need the run alone. Any thread; copies share one report.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/report/metric.h"
#include "engine/report/report.h"

namespace opscope::report {

struct Run;

class ReportSource {
 public:
  /// None.
  ReportSource() = default;
  /// One that is there already, whose rows may say more than the run.
  ReportSource(std::shared_ptr<const Report> report);  // NOLINT: a report is a source of itself
  /// The one that makeReport gives for `run`, which is not null.
  static ReportSource ofRun(std::shared_ptr<const Run> run);

  bool operator==(std::nullptr_t) const { return m_state == nullptr; }
  /// Makes the report if that was not done. Only when there is one.
  const Report& operator*() const { return get(); }
  const Report* operator->() const { return &get(); }

  /// The rows say what the run says, and nothing else: no counters, no numbers of samples.
  bool isPlain() const;
  /// Configuration alone: rows are not made for it. Only when there is one.
  MetricMap configuration() const;

 private:
  struct State;
  const Report& get() const;
  std::shared_ptr<State> m_state;
};

}  // namespace opscope::report
