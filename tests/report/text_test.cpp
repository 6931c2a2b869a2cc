// SPDX-License-Identifier: Apache-2.0
// Table and CSV beyond TVM's cases: what TVM gets wrong, and what hostile reports hold.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "engine/report/aggregate.h"
#include "engine/report/csv.h"
#include "engine/report/report_json.h"
#include "engine/report/table.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

MetricMap row(std::string name, double us, std::string shapes = "float32[1]", std::string device = "cpu0") {
  MetricMap metrics;
  metrics.set(kName, std::move(name));
  metrics.set(kDurationUs, Duration{us});
  metrics.set(kDevice, std::move(device));
  metrics.set(kCount, Count{1});
  metrics.set(kArgumentShapes, std::move(shapes));
  return metrics;
}

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Table, WidthsCountCharacters) {
  Report report;
  report.calls = {row("größe", 1), row("abcdef", 2)};
  const auto lines = linesOf(toTable(report, {false, false, false}));
  EXPECT_EQ(lines[1], "größe            1.00             cpu0      1       float32[1]  ");
  EXPECT_EQ(lines[2], "abcdef           2.00             cpu0      1       float32[1]  ");
}

TEST(Table, ARowStaysOneLineAndATerminalIsSafe) {
  Report report;
  report.calls = {row("a\nb\tc\x1b[31m\r", 1)};
  report.configuration.set("Exe\ncutor", std::string("V\nM"));
  const auto lines = linesOf(toTable(report, {false, false, false}));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_TRUE(lines[1].starts_with("a\\nb\\tc\\x1b[31m\\r  ")) << lines[1];
  EXPECT_EQ(lines[5], "Exe\\ncutor: V\\nM");
}

TEST(Table, EqualDurationsKeepTheirOrderAndMissingOnesComeLast) {
  Report report;
  MetricMap without;
  without.set(kName, std::string("none"));
  report.calls = {without, row("first", 5), row("second", 5), row("longest", 9)};
  const auto lines = linesOf(toTable(report, {true, true, false}));
  EXPECT_TRUE(lines[1].starts_with("longest"));
  EXPECT_TRUE(lines[2].starts_with("first"));
  EXPECT_TRUE(lines[3].starts_with("second"));
  EXPECT_TRUE(lines[4].starts_with("none"));
}

TEST(Table, NumbersThatAreNotFiniteLeaveTheirCellEmpty) {
  Report report;
  report.calls = {row("a", std::nan("")), row("b", std::numeric_limits<double>::infinity())};
  report.calls[0].set("IPC", Ratio{std::nan("")});
  for (const std::string& text : {toTable(report), toCsv(report), toJson(report)}) {
    EXPECT_EQ(text.find("nan"), std::string::npos) << text;
    EXPECT_EQ(text.find("inf"), std::string::npos) << text;
  }
}

TEST(Aggregate, SameOpIsHashOrNameWithShapesAndDevice) {
  std::vector<MetricMap> calls = {row("a", 1), row("a", 2), row("a", 4, "float32[2]"),
                                  row("a", 8, "float32[1]", "cuda0")};
  EXPECT_EQ(aggregateCalls(calls).size(), 3u);
  calls[0].set("Hash", std::string("h"));
  EXPECT_EQ(aggregateCalls(calls).size(), 4u);
  calls[1].set("Hash", std::string("h"));
  calls[1].set(kName, std::string("b"));
  const auto rows = aggregateCalls(calls);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(*rows[0].find(kName), Metric(std::string())) << "differing texts give an empty one";
  EXPECT_EQ(*rows[0].find(kDurationUs), Metric(Duration{3}));
  EXPECT_EQ(*rows[0].find(kCount), Metric(Count{2}));
}

TEST(Aggregate, PartsOfAKeyDoNotRunIntoEachOther) {
  EXPECT_EQ(aggregateCalls({row("ab", 1, "c"), row("a", 1, "bc")}).size(), 2u);
}

TEST(Aggregate, RatiosAreMeansAndMixedKindsGiveNothing) {
  std::vector<MetricMap> calls = {row("a", 1), row("a", 2), row("a", 3)};
  calls[0].set("IPC", Ratio{1});
  calls[2].set("IPC", Ratio{4});
  calls[0].set("Mixed", Count{1});
  calls[1].set("Mixed", Duration{1});
  const auto rows = aggregateCalls(calls);
  EXPECT_EQ(*rows[0].find("IPC"), Metric(Ratio{2.5}));
  EXPECT_EQ(*rows[0].find("Mixed"), Metric(std::string()));
  const MetricMap sums = sumColumns(calls);
  EXPECT_EQ(sums.find("IPC"), nullptr);
  EXPECT_EQ(sums.find("Mixed"), nullptr);
  EXPECT_EQ(*sums.find(kDurationUs), Metric(Duration{6}));
}

TEST(Aggregate, CountsStayAtTheLimitInsteadOfOverflowing) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  std::vector<MetricMap> calls = {row("a", 1), row("a", 1)};
  for (MetricMap& call : calls) call.set(kCount, Count{kMax});
  EXPECT_EQ(*sumColumns(calls).find(kCount), Metric(Count{kMax}));
  EXPECT_EQ(*aggregateCalls(calls)[0].find(kCount), Metric(Count{kMax}));
}

TEST(Csv, QuotesAreDoubledAndOddTitlesQuoted) {
  Report report;
  MetricMap call;
  call.set(kName, std::string("say \"hi\",\nthen"));
  call.set("a,\"b\"", Ratio{1234567});
  report.calls = {call};
  EXPECT_EQ(toCsv(report), "Name,\"a,\"\"b\"\"\"\n\"say \"\"hi\"\",\nthen\",1.23457e+06\n");
}

TEST(Json, IsCompactInTheTablesOrderWithShortestDigits) {
  Report report;
  MetricMap call;
  call.set("Zeta", Ratio{0.1});
  call.set(kPercent, Percent{100});
  call.set(kDurationUs, Duration{1e-7});
  call.set(kName, std::string("q\"\\\n\x01 ü \xff"));
  report.calls = {call};
  report.configuration.set("Executor", std::string("VM"));
  const std::string expected = R"j({"calls":[{"Name":{"string":"q\"\\\n\u0001 ü )j"
                               "\xEF\xBF\xBD"
                               R"j("},"Duration (us)":{"microseconds":1e-07},"Percent":{"percent":100.0},)j"
                               R"j("Zeta":{"ratio":0.1}}],"device_metrics":{},)j"
                               R"j("configuration":{"Executor":{"string":"VM"}}})j";
  EXPECT_EQ(toJson(report), expected);
}

TEST(Json, RandomReportsReadBackEqual) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    const Report report = randomReport(random);
    const auto again = reportFromJson(toJson(report), "again");
    ASSERT_TRUE(again) << base::formatError(again.error());
    ASSERT_EQ(*again, report) << toJson(report);
    EXPECT_FALSE(toTable(report).empty());
  }
}

}  // namespace
}  // namespace opscope::report
