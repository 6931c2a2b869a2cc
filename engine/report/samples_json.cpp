// SPDX-License-Identifier: Apache-2.0
#include "engine/report/samples_json.h"

#include <fmt/format.h>

#include "engine/report/json_text.h"
#include "engine/report/lanes_json.h"
#include "engine/report/memory_json.h"
#include "engine/report/metrics.h"
#include "engine/report/op_table.h"
#include "engine/report/report_json.h"

namespace opscope::report {

namespace {

void appendText(std::string& out, std::string_view key, std::string_view text) {
  appendJsonKey(out, key);
  appendJsonString(out, text);
}

void appendInteger(std::string& out, std::string_view key, std::int64_t value) {
  appendJsonKey(out, key);
  appendJsonInteger(out, value);
}

void appendFlag(std::string& out, std::string_view key, bool value) {
  appendJsonKey(out, key);
  out += value ? "true" : "false";
}

/// A list of objects with two texts each.
template <class Item>
void appendPairs(std::string& out, std::string_view key, const std::vector<Item>& items,
                 std::pair<std::string_view, std::string Item::*> first,
                 std::pair<std::string_view, std::string Item::*> second) {
  appendJsonKey(out, key);
  out += '[';
  for (const Item& item : items) {
    appendJsonComma(out);
    out += '{';
    appendText(out, first.first, item.*first.second);
    appendText(out, second.first, item.*second.second);
    out += '}';
  }
  out += ']';
}

void appendHead(std::string& out, const Run& run) {
  appendText(out, "schema", fmt::format("{}{}", kSamplesSchema, kSamplesVersion));
  appendText(out, "executablePath", run.executablePath);
  appendText(out, "executableHash", run.executableHash);
  appendText(out, "function", run.function);
  appendText(out, "target", run.target);
  appendText(out, "startedAt", run.startedAt);
  appendText(out, "inputs", run.inputs);
  appendInteger(out, "warmup", run.warmup);
  appendInteger(out, "repeatsWanted", run.repeatsWanted);
  appendInteger(out, "repeats", run.repeats);
  appendFlag(out, "hasStartTimes", run.hasStartTimes);
  appendText(out, "failure", run.failure);
  appendJsonKey(out, "configuration");
  appendJsonMetrics(out, run.configuration);
  appendPairs(out, "environment", run.environment, {"name", &Fact::name}, {"value", &Fact::value});
  appendPairs(out, "warnings", run.warnings, {"message", &Warning::message}, {"hint", &Warning::hint});
}

void appendTexts(std::string& out, const Run& run) {
  const std::pair<std::string_view, const std::vector<std::string>*> tables[] = {
      {"names", &run.names}, {"shapes", &run.shapes}, {"devices", &run.devices}, {"steps", &run.steps}};
  for (const auto& [key, texts] : tables) {
    appendJsonKey(out, key);
    appendJsonStrings(out, *texts);
  }
}

void appendTotals(std::string& out, const Run& run) {
  appendJsonKey(out, "totals");
  out += '[';
  for (const DeviceTotal& total : run.totals) {
    appendJsonComma(out);
    out += '{';
    appendText(out, "device", total.device);
    appendJsonKey(out, "totalNs");
    appendJsonNumbers(out, total.totalNs);
    out += '}';
  }
  out += ']';
  appendJsonKey(out, "stepNs");
  out += '[';
  for (const auto& step : run.stepNs) {
    appendJsonComma(out);
    appendJsonNumbers(out, step);
  }
  out += ']';
}

/// Repeats are told only where a call was not made once in each.
bool inEachRepeat(const Run& run, const Call& call) {
  if (call.sampleCount != run.repeats) return false;
  for (std::uint32_t repeat = 0; repeat < call.sampleCount; ++repeat) {
    if (run.sampleRepeat[call.firstSample + repeat] != repeat) return false;
  }
  return true;
}

void appendCall(std::string& out, const Run& run, const Call& call) {
  out += '{';
  appendInteger(out, "name", call.name);
  if (call.shapes != kNone) appendInteger(out, "shapes", call.shapes);
  if (call.device != kNone) appendInteger(out, "device", call.device);
  appendInteger(out, "instruction", call.instruction);
  appendInteger(out, "depth", call.depth);
  appendInteger(out, "step", call.step);
  appendFlag(out, "inReport", call.inReport);
  appendFlag(out, "kernel", call.kernel);
  if (!inEachRepeat(run, call)) {
    appendJsonKey(out, "repeats");
    out += '[';
    for (std::uint32_t sample = 0; sample < call.sampleCount; ++sample) {
      appendJsonComma(out);
      appendJsonInteger(out, run.sampleRepeat[call.firstSample + sample]);
    }
    out += ']';
  }
  appendJsonKey(out, "ownNs");
  appendJsonNumbers(out, ownSamples(run, call));
  appendJsonKey(out, "inclusiveNs");
  appendJsonNumbers(out, std::span(run.inclusiveNs.data() + call.firstSample, call.sampleCount));
  out += '}';
}

void appendCalls(std::string& out, const Run& run) {
  appendJsonKey(out, "calls");
  out += '[';
  for (const Call& call : run.calls) {
    appendJsonComma(out);
    appendCall(out, run, call);
  }
  out += ']';
}

/// One array a field: four times smaller than an object a span.
void appendSpans(std::string& out, const Run& run) {
  appendJsonKey(out, "spans");
  out += '{';
  const auto column = [&out, &run](std::string_view key, auto&& appendValue) {
    appendJsonKey(out, key);
    out += '[';
    for (const Span& span : run.spans) {
      appendJsonComma(out);
      appendValue(span);
    }
    out += ']';
  };
  column("call", [&out](const Span& span) { appendJsonInteger(out, span.call); });
  column("repeat", [&out](const Span& span) { appendJsonInteger(out, span.repeat); });
  column("startNs", [&out](const Span& span) { appendJsonNumber(out, span.startNs); });
  column("durationNs", [&out](const Span& span) { appendJsonNumber(out, span.durationNs); });
  out += '}';
}

void appendStatistics(std::string& out, const Statistics& statistics) {
  appendJsonKey(out, "statisticsUs");
  out += '{';
  for (const MetricColumn& column : metricColumns()) {
    if (const std::optional<double> value = column.value(statistics)) {
      appendJsonKey(out, column.id);
      appendJsonNumber(out, *value);
    }
  }
  out += '}';
}

void appendOps(std::string& out, const Document& document) {
  const OpTable table = buildOpTable(document, Grouping::ByOp);
  appendJsonKey(out, "ops");
  out += '[';
  for (std::size_t index = 0; index < table.rows.size(); ++index) {
    const OpRow& row = table.rows[index];
    appendJsonComma(out);
    out += '{';
    appendText(out, "name", nameOf(*document.run, row));
    appendText(out, "shapes", shapesOf(*document.run, row));
    appendText(out, "device", deviceOf(*document.run, row));
    appendText(out, "kind", kindName(row.kind));
    appendInteger(out, "count", row.count);
    appendJsonKey(out, "durationUs");
    appendJsonNumber(out, row.durationUs);
    if (!table.statistics.empty()) appendStatistics(out, table.statistics[index]);
    out += '}';
  }
  out += ']';
}

/// The report that the run was made from, and which call each of its rows is.
void appendReport(std::string& out, const Document& document) {
  appendJsonKey(out, "report");
  out += toJson(*document.report);
  appendJsonKey(out, "reportCalls");
  out += '[';
  for (const std::uint32_t call : document.reportCalls) {
    appendJsonComma(out);
    appendJsonInteger(out, call);
  }
  out += ']';
}

}  // namespace

std::string toSamplesJson(const Document& document) {
  const Run& run = *document.run;
  std::string out = "{";
  appendHead(out, run);
  appendTexts(out, run);
  appendTotals(out, run);
  appendOps(out, document);
  appendCalls(out, run);
  appendSpans(out, run);
  if (run.memory) appendMemoryJson(out, *run.memory);
  if (run.lanes) appendLanesJson(out, *run.lanes);
  if (!run.hasStartTimes && document.report != nullptr) appendReport(out, document);
  out += "}\n";
  return out;
}

}  // namespace opscope::report
