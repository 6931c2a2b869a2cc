// SPDX-License-Identifier: Apache-2.0
// The samples file out and in, the trace, and the list of exporters.
#include "engine/report/samples_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/report/document_reader.h"
#include "engine/report/exporters.h"
#include "engine/report/report_json.h"
#include "engine/report/run_report.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

using nlohmann::json;

Run unevenRun() {
  report::Run run = sampleRun();
  addCall(run, 1, kNone, {5, 6});
  run.calls.back().device = kNone;
  run.calls.back().sampleCount = 1;
  run.ownNs.pop_back();
  run.inclusiveNs.pop_back();
  run.sampleRepeat.pop_back();
  run.sampleRepeat.back() = 1;
  run.stepNs = {{40000, 60000}, {1, 2}};
  run.steps = {"prefill", "decode"};
  return run;
}

std::string samplesText() {
  return toSamplesJson(makeDocument(shared(unevenRun())));
}

TEST(Samples, ReadBackWhole) {
  const std::string text = samplesText();
  const auto run = runFromSamplesJson(text, "s.json");
  ASSERT_TRUE(run) << base::formatError(run.error());
  EXPECT_EQ(toSamplesJson(makeDocument(*run)), text);
  const report::Run original = unevenRun();
  EXPECT_EQ((*run)->executablePath, original.executablePath);
  EXPECT_EQ((*run)->ownNs, original.ownNs);
  EXPECT_EQ((*run)->sampleRepeat, original.sampleRepeat);
  EXPECT_EQ((*run)->stepNs, original.stepNs);
  EXPECT_EQ((*run)->configuration, original.configuration);
  EXPECT_EQ((*run)->spans.size(), original.spans.size());
  EXPECT_EQ((*run)->environment[0].value, original.environment[0].value);
  EXPECT_EQ((*run)->calls.back().device, kNone);
}

TEST(Samples, CountersReadBack) {
  const std::string text = toSamplesJson(makeDocument(shared(sampleRunWithCounters())));
  const auto run = runFromSamplesJson(text, "s.json");
  ASSERT_TRUE(run) << base::formatError(run.error());
  EXPECT_EQ(toSamplesJson(makeDocument(*run)), text);
  ASSERT_EQ((*run)->counters.size(), 2U);
  const CounterColumn& misses = (*run)->counters[0];
  EXPECT_EQ(misses.name, "Cache misses");
  EXPECT_EQ(misses.kind, CounterColumn::Kind::Count);
  EXPECT_EQ(misses.values, sampleRunWithCounters().counters[0].values);
  EXPECT_EQ(misses.totals, std::vector<double>({4000, 6000}));
  EXPECT_EQ((*run)->counters[1].unit, "instructions a cycle");
  EXPECT_TRUE(std::isnan((*run)->counters[1].values[0]));
  const json parsed = json::parse(text);
  EXPECT_TRUE(parsed["calls"][0]["counters"][1][0].is_null());
  EXPECT_EQ(parsed["calls"][1]["counters"][0], json({1250.0, 1750.0}));
}

TEST(Samples, WrongCountersAreRefused) {
  const json good = json::parse(toSamplesJson(makeDocument(shared(sampleRunWithCounters()))));
  const std::pair<std::function<void(json&)>, std::string> mistakes[] = {
      {[](json& file) { file["counters"][0]["kind"] = "sum"; }, "counters[0].kind"},
      {[](json& file) { file["counters"][1]["name"] = "Cache misses"; }, "counters[1].name"},
      {[](json& file) { file["counters"][0]["totals"] = {1.0}; }, "counters[0].totals"},
      {[](json& file) { file["counters"][1]["name"] = "Duration (us)"; }, "counters[1].name"},
      {[](json& file) { file["calls"][1]["counters"][0][1] = 1e300; }, "calls[1].counters[0][1]"},
      {[](json& file) { file["counters"] = 5; }, "counters"},
      {[](json& file) { file["counters"].erase(1); }, "calls[0].counters"},
      {[](json& file) { file["calls"][1]["counters"][0] = {1.0}; }, "calls[1].counters[0]"},
      {[](json& file) { file["calls"][1]["counters"][0][1] = "x"; }, "calls[1].counters[0][1]"},
      {[](json& file) { file.erase("counters"); }, "calls[0].counters"},
  };
  for (const auto& [change, place] : mistakes) {
    json file = good;
    change(file);
    const auto run = runFromSamplesJson(file.dump(), "s.json");
    ASSERT_FALSE(run) << place;
    EXPECT_NE((run.error().message + run.error().detail).find(place), std::string::npos)
        << base::formatError(run.error());
  }
}

TEST(Samples, CallsWithoutCountersHaveNoValues) {
  json file = json::parse(toSamplesJson(makeDocument(shared(sampleRunWithCounters()))));
  file["calls"][2].erase("counters");
  const auto run = runFromSamplesJson(file.dump(), "s.json");
  ASSERT_TRUE(run) << base::formatError(run.error());
  EXPECT_EQ(makeDocument(*run).report->calls[1].find("IPC"), nullptr);
}

TEST(Samples, TheReaderTellsFilesApart) {
  const auto samples = documentFromText(samplesText(), "s.json");
  ASSERT_TRUE(samples);
  EXPECT_EQ(samples->run->repeats, 2u);
  const auto report = readDocument(OPSCOPE_TEST_DATA "/reports/report-04/report.json");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->run->repeats, 1u);
  EXPECT_EQ(readDocument("/no/such/file.json").error().code, base::ErrorCode::NotFound);
}

TEST(Samples, KeepTheReportThatTheRunWasMadeFrom) {
  Report report;
  for (int row = 0; row < 3; ++row) {
    MetricMap metrics;
    metrics.set(kName, std::string("op") + static_cast<char>('a' + row));
    metrics.set(kDurationUs, Duration{row + 0.5});
    metrics.set(kPercent, Percent{row + 7.25});
    metrics.set(kCount, Count{4});
    metrics.set("PAPI_TOT_CYC", Count{row + 100});
    metrics.set("Hash", std::string("h") + static_cast<char>('0' + row));
    report.calls.push_back(metrics);
  }
  const Document document = importReport(report);
  const std::string text = toSamplesJson(document);
  const auto read = documentFromText(text, "s.json");
  ASSERT_TRUE(read) << base::formatError(read.error());
  EXPECT_EQ(toJson(*read->report), toJson(report)) << "the order of columns is the table's";
  EXPECT_EQ(read->reportCalls, document.reportCalls);
  EXPECT_EQ(toSamplesJson(*read), text);

  json file = json::parse(text);
  file["reportCalls"] = {0, 1};
  EXPECT_EQ(documentFromSamplesJson(file.dump(), "s.json").error().detail, "Found 2 values, expected 3.");
  file["reportCalls"] = {0, 1, 3};
  EXPECT_FALSE(documentFromSamplesJson(file.dump(), "s.json"));
  file = json::parse(text);
  file["report"]["calls"] = 1;
  EXPECT_EQ(documentFromSamplesJson(file.dump(), "s.json").error().message,
            "s.json is not a samples file: report.calls is wrong");
}

std::string refused(const std::function<void(json&)>& change) {
  json file = json::parse(samplesText());
  change(file);
  const auto run = runFromSamplesJson(file.dump(), "s.json");
  if (run) return "accepted";
  EXPECT_EQ(run.error().code, base::ErrorCode::Format);
  return run.error().message + " | " + run.error().detail;
}

TEST(Samples, ANewerSchemaIsRefusedInWords) {
  json file = json::parse(samplesText());
  file["schema"] = "opscope.samples/2";
  const auto run = runFromSamplesJson(file.dump(), "s.json");
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, base::ErrorCode::Unsupported);
  EXPECT_EQ(run.error().message,
            "s.json: the samples are of a newer version (2) than this program reads (1)");
  EXPECT_FALSE(run.error().hint.empty());
}

TEST(Samples, BadFilesAreToldWithTheirPlace) {
  EXPECT_EQ(refused([](json& file) { file["schema"] = "opscope.samples/x"; }),
            "s.json is not a samples file: schema is wrong | "
            "Found the text \"opscope.samples/x\", expected \"opscope.samples/1\".");
  EXPECT_EQ(refused([](json& file) { file.erase("names"); }),
            "s.json is not a samples file: names is wrong | Found nothing, expected this key.");
  EXPECT_EQ(refused([](json& file) { file["calls"][1]["name"] = 3; }),
            "s.json is not a samples file: calls[1].name is wrong | "
            "Found the number 3, expected an integer from 0 to below 3.");
  EXPECT_EQ(refused([](json& file) { file["calls"][1]["ownNs"].push_back(1); }),
            "s.json is not a samples file: calls[1].ownNs is wrong | Found 3 values, expected 2.");
  EXPECT_EQ(refused([](json& file) { file["calls"][1]["ownNs"][0] = -1; }),
            "s.json is not a samples file: calls[1].ownNs[0] is wrong | "
            "Found the number -1, expected nanoseconds from 0 to 1e18.");
  EXPECT_EQ(refused([](json& file) { file["calls"][4]["repeats"] = {2}; }),
            "s.json is not a samples file: calls[4].repeats[0] is wrong | "
            "Found the number 2, expected an integer from 0 to below 2.");
  EXPECT_EQ(refused([](json& file) {
              file["calls"][4]["repeats"] = {1, 1};
            }),
            "s.json is not a samples file: calls[4].repeats[1] is wrong | "
            "Found the number 1, expected ascending numbers of repeats.");
  EXPECT_EQ(refused([](json& file) { file["spans"]["call"][0] = 99; }),
            "s.json is not a samples file: spans.call[0] is wrong | "
            "Found the number 99, expected an integer from 0 to below 5.");
  EXPECT_EQ(refused([](json& file) { file["spans"]["startNs"][1] = 1e9; }),
            "s.json is not a samples file: spans.startNs is wrong | "
            "Found entry 2 before entry 1, expected spans sorted by repeat, then start.");
  EXPECT_EQ(
      refused([](json& file) { file["repeats"] = 4000000000u; }),
      "s.json is not a samples file: totals[0].totalNs is wrong | Found 2 values, expected 4000000000.");
  EXPECT_EQ(refused([](json& file) { file["totals"] = json::array(); }),
            "s.json is not a samples file: totals is wrong | "
            "Found an empty array, expected the total of at least one device.");
  EXPECT_EQ(
      refused([](json& file) { file["steps"] = json::array(); }),
      "s.json is not a samples file: steps is wrong | Found an empty array, expected at least one step.");
}

TEST(Samples, ChangedBytesAreReadOrRefused) {
  const std::string original = samplesText();
  std::mt19937 random(9);
  for (int round = 0; round < 3000; ++round) {
    std::string changed = original;
    for (int change = 0; change < 2; ++change)
      changed[random() % changed.size()] = "0123456789[]{},\":-e"[random() % 19];
    const auto document = documentFromText(changed, "changed");
    if (document) {
      for (const Exporter& exporter : exporters())
        EXPECT_TRUE(exporter.write(*document) || !document->run->hasStartTimes);
    }
  }
}

TEST(Exporters, EachWritesAFile) {
  const Document document = makeDocument(shared(sampleRun()));
  std::string pattern = (std::filesystem::temp_directory_path() / "opscope-export-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  for (const Exporter& exporter : exporters()) {
    EXPECT_EQ(findExporter(exporter.id), &exporter);
    const auto path =
        std::filesystem::path(pattern) / (std::string(exporter.id) + std::string(exporter.extension));
    ASSERT_TRUE(exportToFile(exporter, document, path)) << exporter.id;
    EXPECT_EQ(base::readFile(path).value_or(""), exporter.write(document).value_or("none"));
    const auto refusedPath = exportToFile(exporter, document, "/no/such/folder/file");
    ASSERT_FALSE(refusedPath);
  }
  std::filesystem::remove_all(pattern);
  EXPECT_EQ(findExporter("xml"), nullptr);
}

TEST(Exporters, AReportWithoutStartTimesHasNoTrace) {
  const auto document = readDocument(OPSCOPE_TEST_DATA "/reports/report-04/report.json");
  ASSERT_TRUE(document);
  const auto trace = findExporter("trace")->write(*document);
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().code, base::ErrorCode::Unsupported);
  EXPECT_EQ(trace.error().message, "This run has no start times, so there is no trace to write.");
}

}  // namespace
}  // namespace opscope::report
