// SPDX-License-Identifier: Apache-2.0
// Reports made of runs, and runs made of reports.
#include "engine/report/run_report.h"

#include <gtest/gtest.h>

#include "engine/report/op_table.h"
#include "engine/report/report_json.h"
#include "engine/report/table.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

TEST(RunReport, RowsAreMeansOfOwnTimeInOrderOfExecution) {
  const Document document = makeDocument(shared(sampleRun()));
  ASSERT_EQ(document.report->calls.size(), 3u) << "the allocation takes no tensor";
  EXPECT_EQ(document.reportCalls, (std::vector<std::uint32_t>{1, 2, 3}));
  const MetricMap& row = document.report->calls[0];
  EXPECT_EQ(*row.find(kName), Metric(std::string("fused_conv2d1_add")));
  EXPECT_EQ(*row.find(kDurationUs), Metric(Duration{12}));
  EXPECT_EQ(*row.find(kPercent), Metric(Percent{24}));
  EXPECT_EQ(*row.find(kDevice), Metric(std::string("cpu0")));
  EXPECT_EQ(*row.find(kCount), Metric(Count{1}));
  EXPECT_EQ(*row.find(kArgumentShapes), Metric(std::string("float32[1, 3], float32[3]")));
  EXPECT_EQ(row.find(kSamples), nullptr);
}

TEST(RunReport, TotalsAndConfigurationAreTvmsAndOurs) {
  const Document document = makeDocument(shared(sampleRun()));
  ASSERT_EQ(document.report->deviceMetrics.size(), 1u);
  EXPECT_EQ(document.report->deviceMetrics[0].first, "cpu0");
  MetricMap total;
  total.set(kName, std::string("Total"));
  total.set(kDurationUs, Duration{50});
  total.set(kDevice, std::string("cpu0"));
  total.set(kCount, Count{1});
  EXPECT_EQ(document.report->deviceMetrics[0].second, total);
  MetricMap configuration;
  configuration.set("Executor", std::string("VM"));
  configuration.set("Number of threads", Count{2});
  configuration.set(kRepeats, Count{2});
  configuration.set(kWarmup, Count{3});
  EXPECT_EQ(document.report->configuration, configuration);
}

TEST(RunReport, CallsThatSomeRepeatLacksCarryTheirSamples) {
  report::Run run = sampleRun();
  addCall(run, 1, 1, {6000});
  const Document document = makeDocument(shared(std::move(run)));
  ASSERT_EQ(document.report->calls.size(), 4u);
  EXPECT_EQ(*document.report->calls[0].find(kSamples), Metric(Count{2}));
  EXPECT_EQ(*document.report->calls[3].find(kSamples), Metric(Count{1}));
  EXPECT_EQ(*document.report->calls[3].find(kDurationUs), Metric(Duration{3})) << "6 us once in 2 repeats";
}

TEST(RunReport, CountersAreColumnsWithTheirMeans) {
  const Document document = makeDocument(shared(sampleRunWithCounters()));
  const MetricMap& conv = document.report->calls[0];  // 10000 and 14000 ns
  EXPECT_EQ(*conv.find("Cache misses"), Metric(Count{1500}));
  EXPECT_EQ(*conv.find("IPC"), Metric(Ratio{1.2}));
  EXPECT_EQ(*document.report->deviceMetrics[0].second.find("Cache misses"), Metric(Count{5000}));
  EXPECT_EQ(document.report->deviceMetrics[0].second.find("IPC"), nullptr) << "no totals were told";
  const std::string table = toTable(*document.report);
  EXPECT_NE(table.find("Cache misses"), std::string::npos);
  const OpTable ops = buildOpTable(document, Grouping::ByOp);
  ASSERT_EQ(ops.extras.size(), 2U);
  EXPECT_EQ(ops.extras[0].title, "Cache misses");
  EXPECT_EQ(ops.extras[0].numbers[0], 1500 + 3125) << "two calls of the convolution";
  EXPECT_DOUBLE_EQ(ops.extras[1].numbers[0].value(), (1.2 + 2.5) / 2);
}

TEST(RunReport, ACounterThatSomeCallsLackIsEmptyThere) {
  report::Run run = sampleRunWithCounters();
  const double missing = std::numeric_limits<double>::quiet_NaN();
  for (double& value : run.counters[0].values) value = missing;
  run.counters[1].values[2] = missing;  // the convolution's first repeat
  const Document document = makeDocument(shared(std::move(run)));
  EXPECT_EQ(document.report->calls[0].find("Cache misses"), nullptr);
  EXPECT_EQ(*document.report->calls[0].find("IPC"), Metric(Ratio{1.4}));
}

TEST(RunReport, SamplesOfAnUnfinishedRepeatDoNotCount) {
  report::Run run = sampleRun();
  run.repeats = 1;
  run.totals = {{"cpu0", {40000}}};
  const Document document = makeDocument(shared(std::move(run)));
  EXPECT_EQ(*document.report->calls[0].find(kDurationUs), Metric(Duration{10}));
  EXPECT_EQ(document.report->calls[0].find(kSamples), nullptr);
}

TEST(RunReport, SumsOfRowsStayWithinTotalsForAnyRepeats) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    report::Run run = sampleRun();
    run.calls.clear();
    run.ownNs.clear();
    run.inclusiveNs.clear();
    run.sampleRepeat.clear();
    run.spans.clear();
    run.repeats = 1 + random() % 9;
    run.totals = {{"cpu0", std::vector<double>(run.repeats, 0.0)}};
    for (unsigned calls = 1 + random() % 20; calls > 0; --calls) {
      std::vector<double> samples;
      for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat) {
        if (random() % 5 == 0) break;
        samples.push_back(static_cast<double>(random() % 100000));
        run.totals[0].totalNs[repeat] += samples.back() + 10;
      }
      addCall(run, 0, 0, samples);
    }
    const Document document = makeDocument(shared(std::move(run)));
    const OpTable table = buildOpTable(document, Grouping::ByOp);
    EXPECT_LE(table.totals.opsUs, table.totals.totalUs);
    EXPECT_LE(table.totals.opsPercent.value_or(0), 100.0);
    double percent = 0;
    for (const MetricMap& row : document.report->calls) {
      if (const Metric* metric = row.find(kPercent)) percent += std::get<Percent>(*metric).percent;
    }
    EXPECT_LE(percent, 100.0 + 1e-9);
  }
}

TEST(RunReport, AnEmptyRunGivesAnEmptyReport) {
  const Document document = makeDocument(shared(report::Run()));
  EXPECT_TRUE(document.report->calls.empty() && document.report->deviceMetrics.empty());
  report::Run untimed = sampleRun();
  untimed.repeats = 0;
  untimed.totals = {{"cpu0", {}}};
  const Document none = makeDocument(shared(std::move(untimed)));
  EXPECT_EQ(none.report->calls[0].find(kPercent), nullptr) << "no total, no part of it";
  EXPECT_EQ(toTable(*none.report).find("nan"), std::string::npos);
}

Report importedReport() {
  const auto report = reportFromJson(
      R"j({"calls":[{"Name":{"string":"a"},"Duration (us)":{"microseconds":3.5},"Percent":{"percent":40}},)j"
      R"j({"Name":{"string":"b"},"Duration (us)":{"microseconds":-2}},{"Count":{"count":2}}],)j"
      R"j("device_metrics":{"cpu0":{"Duration (us)":{"microseconds":10}}},)j"
      R"j("configuration":{"Warm-up":{"count":4}}})j",
      "r.json");
  return report.value_or(Report());
}

TEST(Import, ARunOfOneRepeatWithoutStartTimes) {
  const Document document = importReport(importedReport());
  const report::Run& run = *document.run;
  EXPECT_EQ(*document.report, importedReport()) << "values stay as they are in the file";
  EXPECT_EQ(run.repeats, 1u);
  EXPECT_EQ(run.warmup, 4u);
  EXPECT_FALSE(run.hasStartTimes);
  ASSERT_EQ(run.calls.size(), 3u);
  EXPECT_EQ(run.names[run.calls[0].name], "a");
  EXPECT_EQ(ownSamples(run, run.calls[0])[0], 3500);
  EXPECT_EQ(ownSamples(run, run.calls[1])[0], 0) << "no negative time is shown";
  EXPECT_EQ(run.calls[2].sampleCount, 0u);
  EXPECT_EQ(run.calls[2].device, kNone);
  ASSERT_EQ(run.totals.size(), 1u);
  EXPECT_EQ(run.totals[0].totalNs, std::vector<double>{10000});
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(run.warnings[0].message, "Duration (us) of the report cannot be true: row 2 (b) has -2.");
}

TEST(Import, ValuesThatCannotBeTrueAreToldWithColumnAndRow) {
  Report report;
  const auto add = [&report](const char* name, Duration duration, Percent percent, Count count) {
    MetricMap row;
    row.set(kName, std::string(name));
    row.set(kDurationUs, duration);
    row.set(kPercent, percent);
    row.set(kCount, count);
    report.calls.push_back(std::move(row));
  };
  add("good", {10}, {100.04}, {1});
  add("conv", {10}, {140}, {0});
  add("relu\n", {std::nan("")}, {-1}, {-5});
  add("pool", {1e20}, {std::nan("")}, {1});
  MetricMap total;
  total.set(kDurationUs, Duration{-1});
  report.deviceMetrics.emplace_back("cpu0", total);
  const Document document = importReport(std::move(report));
  const auto& warnings = document.run->warnings;
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0].message,
            "Duration (us) of the report cannot be true: row 3 (relu\\n) has no number, and 2 more.");
  EXPECT_EQ(warnings[1].message, "Percent of the report cannot be true: row 2 (conv) has 140, and 2 more.");
  EXPECT_EQ(warnings[1].hint, "A percent is from 0 to 100. It is shown as the nearest of these.");
  EXPECT_EQ(warnings[2].message, "Count of the report cannot be true: row 2 (conv) has 0, and 1 more.");
}

TEST(Import, WithoutDeviceTotalsTheSumStandsForThem) {
  Report report = importedReport();
  report.deviceMetrics.clear();
  const Document document = importReport(std::move(report));
  ASSERT_EQ(document.run->totals.size(), 1u);
  EXPECT_EQ(document.run->totals[0].totalNs, std::vector<double>{3500});
  EXPECT_TRUE(document.run->warnings[0].message.starts_with("The report tells no total"));
}

}  // namespace
}  // namespace opscope::report
