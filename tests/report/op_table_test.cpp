// SPDX-License-Identifier: Apache-2.0
#include "engine/report/op_table.h"

#include <gtest/gtest.h>

#include "engine/base/atomic_file.h"
#include "engine/report/aggregate.h"
#include "engine/report/document_reader.h"
#include "engine/report/report_json.h"
#include "engine/report/run_report.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

TEST(OpTable, GroupedRowsSumTheirCalls) {
  const Document document = makeDocument(shared(sampleRun()));
  const OpTable table = buildOpTable(document, Grouping::ByOp);
  ASSERT_EQ(table.rows.size(), 2u);
  const OpRow& conv = table.rows[0];
  EXPECT_EQ(nameOf(*document.run, conv), "fused_conv2d1_add");
  EXPECT_EQ(shapesOf(*document.run, conv), "float32[1, 3], float32[3]");
  EXPECT_EQ(deviceOf(*document.run, conv), "cpu0");
  EXPECT_EQ(conv.kind, OpKind::Convolution);
  EXPECT_TRUE(conv.kernel);
  EXPECT_DOUBLE_EQ(conv.durationUs, 37);
  EXPECT_DOUBLE_EQ(conv.percent.value(), 74);
  EXPECT_EQ(conv.count, 2);
  const auto calls = table.callsOf(conv);
  EXPECT_EQ(std::vector<std::uint32_t>(calls.begin(), calls.end()), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(samplesOf(*document.run, calls), (std::vector<double>{30, 44}));
  ASSERT_EQ(table.statistics.size(), 2u);
  EXPECT_DOUBLE_EQ(table.statistics[0].median, 37);
  EXPECT_DOUBLE_EQ(table.statistics[0].max, 44);
  EXPECT_TRUE(table.extras.empty());
}

TEST(OpTable, TotalsSayWhatIsBetweenOps) {
  const OpTable table = buildOpTable(makeDocument(shared(sampleRun())), Grouping::EachCall);
  EXPECT_DOUBLE_EQ(table.totals.totalUs, 50);
  EXPECT_DOUBLE_EQ(table.totals.medianTotalUs, 50);
  EXPECT_DOUBLE_EQ(table.totals.opsUs, 39);
  EXPECT_DOUBLE_EQ(table.totals.betweenUs, 11);
  EXPECT_DOUBLE_EQ(table.totals.opsPercent.value(), 78);
  EXPECT_DOUBLE_EQ(table.totals.betweenPercent.value(), 22);
  EXPECT_EQ(table.totals.repeats, 2u);
  EXPECT_EQ(table.totals.calls, 3);
}

TEST(OpTable, EachCallKeepsTheOrderOfExecution) {
  const Document document = makeDocument(shared(sampleRun()));
  const OpTable table = buildOpTable(document, Grouping::EachCall);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.calls, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_DOUBLE_EQ(table.rows[1].durationUs, 2);
  EXPECT_DOUBLE_EQ(table.statistics[1].standardDeviation.value(), 0);
}

TEST(OpTable, CoarseRowsSumWhatSharesOneThing) {
  const Document document = makeDocument(shared(sampleRun()));
  const OpTable each = buildOpTable(document, Grouping::EachCall);
  for (const Grouping grouping : {Grouping::ByName, Grouping::ByKind, Grouping::ByDevice, Grouping::ByShapes,
                                  Grouping::ByDepth, Grouping::ByStep}) {
    EXPECT_TRUE(isCoarse(grouping));
    const OpTable table = buildOpTable(document, grouping);
    double sumUs = 0;
    std::int64_t calls = 0;
    std::size_t callCount = 0;
    for (const OpRow& row : table.rows) {
      sumUs += row.durationUs;
      calls += row.count;
      callCount += row.callCount;
      for (const std::uint32_t call : table.callsOf(row)) {
        const Call& about = document.run->calls[call];
        if (grouping == Grouping::ByName) {
          EXPECT_EQ(about.name, row.name);
        }
        if (grouping == Grouping::ByKind) {
          EXPECT_EQ(kindOf(document.run->names[about.name]), row.kind);
        }
        if (grouping == Grouping::ByDevice) {
          EXPECT_EQ(about.device, row.device);
        }
        if (grouping == Grouping::ByShapes) {
          EXPECT_EQ(about.shapes, row.shapes);
        }
        if (grouping == Grouping::ByDepth) {
          EXPECT_EQ(about.depth, row.depth);
        }
      }
    }
    EXPECT_DOUBLE_EQ(sumUs, each.totals.opsUs);
    EXPECT_EQ(calls, each.totals.calls);
    EXPECT_EQ(callCount, each.rows.size());
  }
  EXPECT_FALSE(isCoarse(Grouping::ByOp));
}

TEST(OpTable, StepsAreInTheirOrder) {
  report::Run run = sampleRun();
  run.steps = {"prefill", "decode #1", "decode #2"};
  // The calls of the report are 1, 2 and 3; the last step is much the longest, and one is not there.
  run.calls[1].step = 0;
  run.calls[2].step = 2;
  run.calls[3].step = 0;
  const Document document = makeDocument(shared(std::move(run)));
  const OpTable table = buildOpTable(document, Grouping::ByStep);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(stepOf(*document.run, table.rows[0]), "prefill");
  EXPECT_EQ(stepOf(*document.run, table.rows[1]), "decode #2");
  EXPECT_EQ(table.rows[0].count, 2);
  EXPECT_EQ(table.rows[1].count, 1);
  const OpTable each = buildOpTable(document, Grouping::EachCall);
  EXPECT_EQ(each.rows[1].step, 2u);
  EXPECT_DOUBLE_EQ(table.rows[0].durationUs, each.rows[0].durationUs + each.rows[2].durationUs);
  EXPECT_DOUBLE_EQ(table.rows[1].durationUs, each.rows[1].durationUs);
  const OpTable kinds = buildOpTable(document, Grouping::ByKind);
  for (const OpRow& row : kinds.rows) {
    for (const std::uint32_t call : kinds.callsOf(row))
      EXPECT_TRUE(row.step == kNone || row.step == document.run->calls[call].step);
  }
}

TEST(OpTable, RowsOfSomeCallsKeepTheTotalsOfAll) {
  const Document document = makeDocument(shared(sampleRun()));
  const OpTable all = buildOpTable(document, Grouping::ByKind);
  const std::uint32_t wanted = document.run->calls[1].name;
  const OpTable some =
      buildOpTable(document, Grouping::ByKind, [wanted](const Call& call) { return call.name == wanted; });
  ASSERT_EQ(some.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(some.rows[0].durationUs, 37);
  EXPECT_DOUBLE_EQ(some.totals.opsUs, all.totals.opsUs);
  EXPECT_EQ(some.totals.calls, all.totals.calls);
  EXPECT_TRUE(buildOpTable(document, Grouping::ByKind, [](const Call&) { return false; }).rows.empty());
}

TEST(OpTable, ARunWithoutReportIsEnough) {
  Document document;
  document.run = shared(sampleRun());
  const OpTable table = buildOpTable(document, Grouping::ByOp);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(table.rows[0].percent.value(), 74);
}

/// A run's own report is not made for the table; with it the table is the same.
TEST(OpTable, IsTheSameWithTheRowsOfTheReport) {
  const Document document = makeDocument(shared(sampleRun()));
  ASSERT_TRUE(document.report.isPlain());
  Document made = document;
  made.report = std::make_shared<const Report>(makeReport(*document.run));
  ASSERT_FALSE(made.report.isPlain());
  for (const Grouping grouping : {Grouping::ByOp, Grouping::EachCall}) {
    const OpTable fromRun = buildOpTable(document, grouping);
    const OpTable fromRows = buildOpTable(made, grouping);
    ASSERT_EQ(fromRun.rows.size(), fromRows.rows.size());
    EXPECT_EQ(fromRun.calls, fromRows.calls);
    for (std::size_t i = 0; i < fromRun.rows.size(); ++i) {
      EXPECT_EQ(fromRun.rows[i].name, fromRows.rows[i].name);
      EXPECT_DOUBLE_EQ(fromRun.rows[i].durationUs, fromRows.rows[i].durationUs);
      EXPECT_DOUBLE_EQ(fromRun.rows[i].percent.value_or(-1), fromRows.rows[i].percent.value_or(-1));
      EXPECT_EQ(fromRun.rows[i].count, fromRows.rows[i].count);
    }
    EXPECT_TRUE(fromRows.extras.empty());
  }
}

TEST(OpTable, RowsThatSayMoreThanTheRunAreNotPlain) {
  report::Run counted = sampleRun();
  counted.counters.emplace_back().name = "cycles";
  counted.counters.front().values.assign(counted.ownNs.size(), 3.0);
  EXPECT_FALSE(makeDocument(shared(std::move(counted))).report.isPlain());
  report::Run stopped = sampleRun();
  stopped.calls[1].sampleCount = 1;
  EXPECT_FALSE(makeDocument(shared(std::move(stopped))).report.isPlain()) << "a column tells the samples";
}

TEST(OpTable, OneRepeatHasNoStatistics) {
  report::Run run = sampleRun();
  run.repeats = 1;
  run.totals[0].totalNs.resize(1);
  EXPECT_TRUE(buildOpTable(makeDocument(shared(std::move(run))), Grouping::ByOp).statistics.empty());
}

/// The op table of an imported report tells what aggregateCalls tells.
TEST(OpTable, AgreesWithTheTextTableOnTvmsReports) {
  for (const std::string number : {"04", "12", "16", "20", "22"}) {
    const auto document = readDocument(OPSCOPE_TEST_DATA "/reports/report-" + number + "/report.json");
    ASSERT_TRUE(document) << base::formatError(document.error());
    const OpTable table = buildOpTable(*document, Grouping::ByOp);
    std::vector<MetricMap> rows = aggregateCalls(document->report->calls);
    sortByDuration(rows);
    ASSERT_EQ(table.rows.size(), rows.size()) << number;
    for (std::size_t index = 0; index < rows.size(); ++index) {
      const OpRow& row = table.rows[index];
      EXPECT_EQ(Metric(std::string(shapesOf(*document->run, row))), *rows[index].find(kArgumentShapes));
      EXPECT_NEAR(row.durationUs, std::get<Duration>(*rows[index].find(kDurationUs)).microseconds, 1e-6);
      EXPECT_NEAR(row.percent.value(), std::get<Percent>(*rows[index].find(kPercent)).percent, 1e-9);
      EXPECT_EQ(row.count, std::get<Count>(*rows[index].find(kCount)).value);
      for (const ExtraColumn& column : table.extras) {
        const Metric* metric = rows[index].find(column.title);
        ASSERT_NE(metric, nullptr);
        if (column.type == ExtraColumn::Type::Text) {
          EXPECT_EQ(column.texts[index], std::get<std::string>(*metric));
        } else {
          EXPECT_DOUBLE_EQ(column.numbers[index].value(), std::get<Ratio>(*metric).ratio);
        }
      }
    }
  }
}

TEST(OpTable, HostileReportsGiveNumbersThatCanBeShown) {
  const auto document = documentFromText(
      R"j({"calls":[{"Name":{"string":"a"},"Duration (us)":{"microseconds":-5},"Percent":{"percent":900},)j"
      R"j("Count":{"count":9223372036854775807},"X":{"count":1}},)j"
      R"j({"Name":{"string":"a"},"Duration (us)":{"microseconds":1.7e308},"Percent":{"percent":-3},)j"
      R"j("Count":{"count":9223372036854775807},"X":{"string":"text"}},{}]})j",
      "r.json");
  ASSERT_TRUE(document) << base::formatError(document.error());
  for (const Grouping grouping : {Grouping::EachCall, Grouping::ByOp}) {
    const OpTable table = buildOpTable(*document, grouping);
    for (const OpRow& row : table.rows) {
      EXPECT_GE(row.durationUs, 0);
      EXPECT_LE(row.durationUs, 1e15);
      EXPECT_GE(row.count, 0);
      if (row.percent) {
        EXPECT_TRUE(*row.percent >= 0 && *row.percent <= 100);
      }
    }
    ASSERT_EQ(table.extras.size(), 1u);
    EXPECT_EQ(table.extras[0].type, ExtraColumn::Type::Text);
    EXPECT_LE(table.totals.opsPercent.value(), 100);
  }
}

TEST(OpTable, AMillionCalls) {
  report::Run run;
  run.repeats = 1;
  run.devices = {"cpu0"};
  run.steps = {"main"};
  for (int name = 0; name < 1000; ++name) run.names.push_back("fused_op" + std::to_string(name));
  for (int shape = 0; shape < 100; ++shape) run.shapes.push_back("float32[" + std::to_string(shape) + "]");
  constexpr std::uint32_t kCalls = 1000000;
  for (std::uint32_t call = 0; call < kCalls; ++call)
    addCall(run, call % 1000, call % 100, {1000.0 + call % 7});
  run.totals = {{"cpu0", {2e9}}};
  Document document;
  document.run = shared(std::move(run));
  const OpTable table = buildOpTable(document, Grouping::ByOp);
  EXPECT_EQ(table.rows.size(), 1000u);
  EXPECT_EQ(table.totals.calls, kCalls);
  EXPECT_EQ(table.rows[0].count, 1000);
  EXPECT_EQ(buildOpTable(document, Grouping::EachCall).rows.size(), kCalls);
}

}  // namespace
}  // namespace opscope::report
