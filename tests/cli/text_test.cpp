// SPDX-License-Identifier: Apache-2.0
// Texts of the command line tool that need no terminal to be tested.
#include <gtest/gtest.h>

#include "app/cli/distinct_names.h"
#include "app/cli/grid_text.h"
#include "app/cli/progress_line.h"
#include "app/cli/report_view.h"
#include "app/cli/text_table.h"
#include "app/cli/words.h"
#include "engine/base/text_width.h"
#include "engine/report/run_report.h"
#include "tests/report/sample_run.h"

namespace opscope::cli {
namespace {

TEST(Words, NumbersWithTheirUnits) {
  EXPECT_EQ(bytesText(1), "1 byte");
  EXPECT_EQ(bytesText(1023), "1023 bytes");
  EXPECT_EQ(bytesText(1536), "1.5 KiB");
  EXPECT_EQ(bytesText(std::uint64_t{5} << 30), "5.0 GiB");
}

TEST(Words, LinesBreakAtBlanks) {
  EXPECT_EQ(wrapped("short enough", 12, 4), "short enough");
  EXPECT_EQ(wrapped("Total   one two three four", 18, 8), "Total   one two\n        three four");
  EXPECT_EQ(wrapped("Total   averyveryverylongword x", 12, 8), "Total   averyveryverylongword\n        x");
  EXPECT_EQ(wrapped("", 10, 2), "");
}

TEST(TextTable, SaysWhatItLeavesOut) {
  const TextTable table{{"Op", "Time", "Note"}, {{"a_rather_long_name", "12 µs", "words that need room"}}};
  EXPECT_EQ(toText(table, std::nullopt),
            "Op                   Time                  Note\n"
            "a_rather_long_name  12 µs  words that need room\n");
  EXPECT_EQ(toText(table, 30),
            "Op                   Time\n"
            "a_rather_long_name  12 µs\n\n"
            "Cut to 30 columns, without\nNote; --wide shows the whole\ntable.\n");
  EXPECT_EQ(toText(table, 47).find("Cut"), std::string::npos);
}

TEST(TextTable, OneLongNameDoesNotWidenAllLines) {
  const TextTable table{{"Op", "Time"}, {{std::string(600, 'x'), "1 µs"}, {"add", "2 µs"}}};
  EXPECT_EQ(toText(table, std::nullopt), "Op" + std::string(58, ' ') + "  Time\n" + std::string(600, 'x') +
                                             "  1 µs\nadd" + std::string(57, ' ') + "  2 µs\n");
}

TEST(DistinctNames, ShowWhereTheyDiffer) {
  const std::string middle(40, 'm');
  const std::vector<std::string> names = {"fused_conv2d" + middle + "relu" + middle + "tail",
                                          "fused_conv2d" + middle + "tanh" + middle + "tail", "short"};
  const std::vector<std::string> shown = distinctNames(names, 30);
  EXPECT_NE(shown[0], shown[1]);
  EXPECT_NE(shown[0].find("relu"), std::string::npos) << shown[0];
  EXPECT_NE(shown[1].find("tanh"), std::string::npos) << shown[1];
  EXPECT_EQ(shown[2], "short");
  for (const std::string& each : shown) {
    EXPECT_LE(base::displayWidth(each), 30U) << each;
  }
  EXPECT_EQ(distinctNames({names[0], names[0]}, 30)[0], base::elideMiddle(names[0], 30));
}

TEST(DistinctNames, AnyNamesStayWithinTheWidth) {
  const std::string stem(30, 'a');
  for (std::size_t width = 1; width < 64; ++width) {
    for (const char* const end : {"", "b", "bb", "a"}) {
      for (const std::string& each :
           distinctNames({stem + stem, stem + end + stem, stem + stem + end}, width)) {
        EXPECT_LE(base::displayWidth(each), width) << each;
      }
    }
  }
}

TEST(Grid, TextsAreShortenedSoThatNumbersAreSeen) {
  const Grid grid{{{"name", false}, {"us", true}, {"device", false}},
                  {{std::string(300, 'x') + "end", "12345", "cpu0"}, {"add", "7", "cpu0"}}};
  const std::string text = toText(grid, 40);
  for (const char* words : {"12345", "cpu0", "end", "…"}) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }
  EXPECT_NE(toText(grid, std::nullopt).find(std::string(300, 'x')), std::string::npos);
}

TEST(ProgressLine, TellsHowFarAndHowLong) {
  EXPECT_EQ(progressLine({session::State::Measuring, 15, 30, 3.2}, 80),
            "measuring  [###############...............] 15 of 30  about 4 s left");
  EXPECT_EQ(progressLine({session::State::WarmingUp, 0, 1, -1}, 80),
            "warm-up    [..............................] 0 of 1");
  EXPECT_EQ(progressLine({session::State::Measuring, 3, 0, -1}, 80), "measuring  3");
}

TEST(ProgressLine, FitsAnyTerminal) {
  for (std::size_t width = 1; width < 120; ++width) {
    const session::Progress progress{session::State::Measuring, 999'999, 1'000'000, 12'345};
    EXPECT_LT(base::displayWidth(progressLine(progress, width)), width) << width;
  }
}

TEST(ReportView, TheSummaryStandsInWords) {
  const std::string text = summaryText(report::makeDocument(report::shared(report::sampleRun())));
  EXPECT_EQ(text,
            "Total           50.0 µs  median of 2 repeats, 40.0 µs to 60.0 µs, noise 28.3 %\n"
            "In ops          39.0 µs  78.0 % of the mean total, 50.0 µs\n"
            "Between ops     11.0 µs  22.0 %\n"
            "Not kernels     11.0 µs  22.0 % of the total\n"
            "Executor: VM, Number of threads: 2, Repeats: 2, Warm-up: 3\n");
}

TEST(ReportView, AnInterruptedRunSaysSo) {
  report::Run run = report::sampleRun();
  run.repeatsWanted = 30;
  const std::string text = summaryText(report::makeDocument(report::shared(std::move(run))));
  EXPECT_NE(text.find("median of 2 of 30 repeats"), std::string::npos) << text;
}

TEST(ReportView, AReportWithoutSamplesClaimsNoMedian) {
  report::Report read = *report::makeDocument(report::shared(report::sampleRun())).report;
  const std::string text = summaryText(report::importReport(std::move(read)));
  EXPECT_NE(text.find("as the report tells"), std::string::npos) << text;
  EXPECT_EQ(text.find("median"), std::string::npos) << text;
}

TEST(ReportView, SaysWhatWasCut) {
  const report::Document document = report::makeDocument(report::shared(report::sampleRun()));
  EXPECT_EQ(reportView(document, {}, 200).find("--wide"), std::string::npos);
  EXPECT_NE(reportView(document, {}, 60).find("Cut to 60 columns"), std::string::npos);
  EXPECT_NE(reportView(document, {}, 20).find("\nwithout Device,\nCount and Argument\nShapes; --wide"),
            std::string::npos)
      << reportView(document, {}, 20);
}

}  // namespace
}  // namespace opscope::cli
