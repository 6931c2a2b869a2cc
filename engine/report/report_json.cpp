// SPDX-License-Identifier: Apache-2.0
#include "engine/report/report_json.h"

#include <algorithm>
#include <unordered_set>

#include "engine/report/aggregate.h"
#include "engine/report/json_reader.h"
#include "engine/report/json_text.h"
#include "engine/report/report_element.h"

namespace opscope::report {

namespace {

using base::Result;

constexpr std::string_view kCalls = "calls";
constexpr std::string_view kDeviceMetrics = "device_metrics";
constexpr std::string_view kConfiguration = "configuration";

/// Metrics in the order of `columns`.
void appendInOrder(std::string& out, const MetricMap& metrics, const std::vector<std::string>& columns) {
  std::vector<const MetricMap::Entry*> ordered;
  for (const std::string& column : columns) {
    const auto& entries = metrics.entries();
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&column](const auto& candidate) { return candidate.first == column; });
    if (entry != entries.end()) ordered.push_back(&*entry);
  }
  appendJsonMetrics(out, ordered);
}

Result<std::vector<MetricMap>> readCalls(const JsonFile& file, JsonElement element, const JsonPlace& place) {
  OPSCOPE_TRY_ASSIGN(const simdjson::dom::array items, file.array(element, place));
  std::vector<MetricMap> calls;
  for (const JsonElement item : items) {
    OPSCOPE_TRY_ASSIGN(MetricMap call, file.metrics(item, place.item(calls.size())));
    calls.push_back(std::move(call));
  }
  return calls;
}

using DeviceMetrics = std::vector<std::pair<std::string, MetricMap>>;

Result<DeviceMetrics> readDevices(const JsonFile& file, JsonElement element, const JsonPlace& place) {
  OPSCOPE_TRY_ASSIGN(const simdjson::dom::object fields, file.object(element, place));
  DeviceMetrics devices;
  std::unordered_set<std::string_view> seen;
  for (const auto& [device, value] : fields) {
    const JsonPlace devicePlace = place.member(device);
    if (!seen.insert(device).second) return file.error(devicePlace, "the same key twice", "each key once");
    OPSCOPE_TRY_ASSIGN(MetricMap metrics, file.metrics(value, devicePlace));
    devices.emplace_back(std::string(device), std::move(metrics));
  }
  return devices;
}

}  // namespace

std::string toJson(const Report& report) {
  const std::vector<std::string> callColumns = tableColumns(report.calls);
  std::string out = "{\"calls\":[";
  for (const MetricMap& call : report.calls) {
    appendJsonComma(out);
    appendInOrder(out, call, callColumns);
  }
  out += "],\"device_metrics\":{";
  for (const auto& [device, metrics] : report.deviceMetrics) {
    appendJsonKey(out, device);
    appendInOrder(out, metrics, tableColumns({metrics}));
  }
  out += "},\"configuration\":";
  appendJsonMetrics(out, report.configuration);
  out += '}';
  return out;
}

Result<Report> reportFromJson(std::string_view text, std::string_view fileForMessages) {
  OPSCOPE_TRY_ASSIGN(const JsonFile file, JsonFile::parse(text, fileForMessages, "a TVM report"));
  return reportOfElement(file, file.root(), JsonPlace());
}

Result<Report> reportOfElement(const JsonFile& file, JsonElement element, const JsonPlace& root) {
  OPSCOPE_TRY_ASSIGN(const simdjson::dom::object fields,
                     file.object(element, root, "an object with the key \"calls\""));
  Report report;
  std::unordered_set<std::string_view> seen;
  for (const auto& [key, value] : fields) {
    const JsonPlace place = root.member(key);
    const bool known = key == kCalls || key == kDeviceMetrics || key == kConfiguration;
    if (!known) continue;
    if (!seen.insert(key).second) return file.error(place, "the same key twice", "each key once");
    if (key == kCalls) {
      OPSCOPE_TRY_ASSIGN(report.calls, readCalls(file, value, place));
    } else if (key == kDeviceMetrics) {
      OPSCOPE_TRY_ASSIGN(report.deviceMetrics, readDevices(file, value, place));
    } else {
      OPSCOPE_TRY_ASSIGN(report.configuration, file.metrics(value, place));
    }
  }
  if (!seen.contains(kCalls)) return file.error(root.member(kCalls), "nothing", "an array of calls");
  return report;
}

}  // namespace opscope::report
