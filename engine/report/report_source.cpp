// SPDX-License-Identifier: Apache-2.0
#include "engine/report/report_source.h"

#include <mutex>
#include <utility>

#include "engine/report/run_report.h"

namespace opscope::report {

struct ReportSource::State {
  std::once_flag made;
  std::shared_ptr<const Run> run;  // null for a report that was there
  bool isPlain = false;
  std::shared_ptr<const Report> report;
};

ReportSource::ReportSource(std::shared_ptr<const Report> report) {
  if (report != nullptr) {
    m_state = std::make_shared<State>();
    m_state->report = std::move(report);
  }
}

ReportSource ReportSource::ofRun(std::shared_ptr<const Run> run) {
  ReportSource source;
  source.m_state = std::make_shared<State>();
  source.m_state->isPlain = run->counters.empty() && !someRepeatLacksACall(*run);
  source.m_state->run = std::move(run);
  return source;
}

const Report& ReportSource::get() const {
  State& state = *m_state;
  if (state.run != nullptr) {
    std::call_once(state.made,
                   [&state]() { state.report = std::make_shared<const Report>(makeReport(*state.run)); });
  }
  return *state.report;
}

bool ReportSource::isPlain() const {
  return m_state != nullptr && m_state->isPlain;
}

MetricMap ReportSource::configuration() const {
  return m_state->run != nullptr ? reportConfiguration(*m_state->run) : m_state->report->configuration;
}

}  // namespace opscope::report
