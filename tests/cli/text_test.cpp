// SPDX-License-Identifier: Apache-2.0
// Texts of the command line tool that need no terminal to be tested.
#include <gtest/gtest.h>

#include "app/cli/progress_line.h"
#include "app/cli/report_view.h"
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
  EXPECT_NE(reportView(document, {}, 20).find("\nwithout Device,\nCount, Argument\nShapes; --wide"),
            std::string::npos)
      << reportView(document, {}, 20);
}

}  // namespace
}  // namespace opscope::cli
