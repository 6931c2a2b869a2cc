// SPDX-License-Identifier: Apache-2.0
#include "engine/report/samples_json.h"

#include "engine/report/counters_json.h"
#include "engine/report/head_json.h"
#include "engine/report/json_text.h"
#include "engine/report/metrics.h"
#include "engine/report/op_table.h"

namespace opscope::report {

namespace {

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
  appendIntegerMember(out, "name", call.name);
  if (call.shapes != kNone) appendIntegerMember(out, "shapes", call.shapes);
  if (call.device != kNone) appendIntegerMember(out, "device", call.device);
  appendIntegerMember(out, "instruction", call.instruction);
  appendIntegerMember(out, "depth", call.depth);
  appendIntegerMember(out, "step", call.step);
  appendFlagMember(out, "inReport", call.inReport);
  appendFlagMember(out, "kernel", call.kernel);
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
  appendCallCounters(out, run, call);
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
    appendTextMember(out, "name", nameOf(*document.run, row));
    appendTextMember(out, "shapes", shapesOf(*document.run, row));
    appendTextMember(out, "device", deviceOf(*document.run, row));
    appendTextMember(out, "kind", kindName(row.kind));
    appendIntegerMember(out, "count", row.count);
    appendJsonKey(out, "durationUs");
    appendJsonNumber(out, row.durationUs);
    if (!table.statistics.empty()) appendStatistics(out, table.statistics[index]);
    out += '}';
  }
  out += ']';
}

}  // namespace

std::string toSamplesJson(const Document& document) {
  const Run& run = *document.run;
  std::string out = "{";
  appendHead(out, run);
  appendOps(out, document);
  appendCalls(out, run);
  appendSpans(out, run);
  appendHeadExtras(out, document);
  out += "}\n";
  return out;
}

}  // namespace opscope::report
