// SPDX-License-Identifier: Apache-2.0
#include "engine/report/head_json.h"

#include <fmt/format.h>

#include "engine/report/counters_json.h"
#include "engine/report/file_names.h"
#include "engine/report/json_text.h"
#include "engine/report/lanes_json.h"
#include "engine/report/memory_json.h"
#include "engine/report/noise_json.h"
#include "engine/report/overhead_json.h"
#include "engine/report/report_json.h"
#include "engine/report/samples_json.h"
#include "engine/report/traffic_json.h"

namespace opscope::report {

namespace {

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
    appendTextMember(out, first.first, item.*first.second);
    appendTextMember(out, second.first, item.*second.second);
    out += '}';
  }
  out += ']';
}

void appendScalars(std::string& out, const Run& run, HeadPath path) {
  appendTextMember(out, "schema", fmt::format("{}{}", kSamplesSchema, kSamplesVersion));
  appendTextMember(out, "executablePath",
                   path == HeadPath::Whole ? run.executablePath : fileNameOf(run.executablePath));
  appendTextMember(out, "executableHash", run.executableHash);
  appendTextMember(out, "function", path == HeadPath::Whole ? run.function : withoutFolders(run.function));
  appendTextMember(out, "target", run.target);
  appendTextMember(out, "startedAt", run.startedAt);
  appendTextMember(out, "inputs", path == HeadPath::Whole ? run.inputs : withoutFolders(run.inputs));
  appendIntegerMember(out, "warmup", run.warmup);
  appendIntegerMember(out, "repeatsWanted", run.repeatsWanted);
  appendIntegerMember(out, "repeats", run.repeats);
  appendFlagMember(out, "hasStartTimes", run.hasStartTimes);
  appendTextMember(out, "failure", run.failure);
  appendJsonKey(out, "configuration");
  appendJsonMetrics(out, run.configuration);
  appendPairs(out, "environment", run.environment, {"name", &Fact::name}, {"value", &Fact::value});
  appendWarnings(out, run.warnings);
}

void appendRemote(std::string& out, const RemoteFacts& remote) {
  appendJsonKey(out, "remote");
  out += '{';
  appendTextMember(out, "way", remote.way);
  appendTextMember(out, "words", remote.words);
  appendPairs(out, "board", remote.board, {"name", &Fact::name}, {"value", &Fact::value});
  out += '}';
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
    appendTextMember(out, "device", total.device);
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

void appendWarnings(std::string& out, const std::vector<Warning>& warnings) {
  appendPairs(out, "warnings", warnings, {"message", &Warning::message}, {"hint", &Warning::hint});
}

void appendHead(std::string& out, const Run& run, HeadPath path) {
  appendScalars(out, run, path);
  appendTexts(out, run);
  appendTotals(out, run);
  appendCounterColumns(out, run);
  if (run.overhead) appendOverheadJson(out, *run.overhead);
  if (run.noise) appendNoiseJson(out, *run.noise);
  if (run.remote) appendRemote(out, *run.remote);
  if (run.traffic) {
    appendJsonKey(out, "traffic");
    out += trafficText(*run.traffic);
  }
}

void appendHeadExtras(std::string& out, const Document& document) {
  const Run& run = *document.run;
  if (run.timing) {
    appendJsonKey(out, "timing");
    out += '{';
    appendJsonKey(out, "tickNs");
    appendJsonNumber(out, run.timing->tickNs);
    appendJsonKey(out, "recordingNs");
    appendJsonNumber(out, run.timing->recordingNs);
    out += '}';
  }
  if (run.memory) appendMemoryJson(out, *run.memory);
  if (run.lanes) appendLanesJson(out, *run.lanes);
  if (!run.hasStartTimes && document.report != nullptr) appendReport(out, document);
}

std::string toHeadJson(const Document& document) {
  std::string out = "{";
  appendHead(out, *document.run);
  appendHeadExtras(out, document);
  out += "}\n";
  return out;
}

}  // namespace opscope::report
