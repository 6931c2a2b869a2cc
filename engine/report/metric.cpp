// SPDX-License-Identifier: Apache-2.0
#include "engine/report/metric.h"

namespace opscope::report {

void MetricMap::set(std::string_view name, Metric value) {
  for (Entry& entry : m_entries) {
    if (entry.first == name) {
      entry.second = std::move(value);
      return;
    }
  }
  append(std::string(name), std::move(value));
}

const Metric* MetricMap::find(std::string_view name) const {
  for (const Entry& entry : m_entries) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

}  // namespace opscope::report
