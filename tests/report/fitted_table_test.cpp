// SPDX-License-Identifier: Apache-2.0
// The table for terminals: nothing is wider than the terminal, numbers stay whole, tails tell names apart.
#include "engine/report/fitted_table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "engine/base/text_width.h"
#include "engine/report/run_report.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const std::string& line : linesOf(text)) width = std::max(width, base::displayWidth(line));
  return width;
}

/// Two ops whose names of some 900 characters differ in their last one.
Document longNames() {
  Run run = sampleRun();
  std::string name = "fused";
  while (name.size() < 900) name += "_transpose_concatenate";
  run.names = {name + "3", name + "1", "vm.builtin.alloc_tensor"};
  run.shapes = {"float32[1, 36, 1, 172], float32[1, 36, 1, 172], float32[1, 309, 172, 2]", "float32[1, 3]"};
  return makeDocument(shared(std::move(run)));
}

TEST(FittedTable, WithRoomItShowsEverythingAndTheStatistics) {
  const FittedTable table = toFittedTable(makeDocument(shared(sampleRun())), {}, 120);
  EXPECT_EQ(
      table.text,
      "Name               Duration (us)  Median (us)  Std dev. (us)  Percent  Device  Count  Argument "
      "Shapes\n"
      "fused_conv2d1_add          37.00        37.00           9.90    74.00    cpu0      2  float32[1, 3], "
      "float32[3]\n"
      "relu                        2.00         2.00           0.00     4.00    cpu0      1  float32[1, 3]\n"
      "----------\n"
      "Sum                        39.00                                78.00              3\n"
      "Total                      50.00        50.00          14.14             cpu0      1\n");
  EXPECT_FALSE(table.shortened);
  EXPECT_TRUE(table.hidden.empty());
}

TEST(FittedTable, AnyUsualWidthIsKept) {
  const Document document = longNames();
  for (std::size_t width = 50; width <= 400; ++width) {
    const FittedTable table = toFittedTable(document, {}, width);
    EXPECT_LE(widest(table.text), width);
    EXPECT_TRUE(table.shortened);
    EXPECT_NE(table.text.find("Duration (us)  "), std::string::npos) << width;
    EXPECT_NE(table.text.find("37.00"), std::string::npos) << width;
    EXPECT_NE(table.text.find("74.00"), std::string::npos) << width;
  }
}

TEST(FittedTable, TailsTellNamesApart) {
  const auto lines = linesOf(toFittedTable(longNames(), {}, 80).text);
  EXPECT_EQ(lines[1].substr(0, 6), "fused_");
  EXPECT_NE(lines[1].find("enate3 "), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("enate1 "), std::string::npos) << lines[2];
  EXPECT_TRUE(lines[1].ends_with("…")) << "shapes are cut at their end: " << lines[1];
}

TEST(FittedTable, TheStatisticsGiveWayFirstThenTheColumnsAtTheRight) {
  EXPECT_NE(toFittedTable(longNames(), {}, 140).text.find("Median"), std::string::npos);
  const FittedTable usual = toFittedTable(longNames(), {}, 80);
  EXPECT_EQ(usual.text.find("Median"), std::string::npos);
  EXPECT_TRUE(usual.hidden.empty());
  const FittedTable narrow = toFittedTable(longNames(), {}, 56);
  EXPECT_EQ(narrow.hidden, std::vector<std::string>{"Argument Shapes"});
  const FittedTable tiny = toFittedTable(longNames(), {}, 10);
  EXPECT_EQ(tiny.hidden, (std::vector<std::string>{"Device", "Count", "Argument Shapes"}));
  EXPECT_NE(tiny.text.find("37.00    74.00"), std::string::npos) << tiny.text;
}

TEST(FittedTable, OneRepeatAndReportsWithoutSamplesHaveNoStatistics) {
  Report report = *makeDocument(shared(sampleRun())).report;
  EXPECT_EQ(toFittedTable(importReport(std::move(report)), {}, 200).text.find("Median"), std::string::npos);
}

TEST(FittedTable, EachCallHasItsOwnStatisticsInAnyOrder) {
  const Document document = makeDocument(shared(sampleRun()));
  const auto inOrder = linesOf(toFittedTable(document, {false, false, false}, 120).text);
  EXPECT_EQ(inOrder[1].substr(0, 61), "fused_conv2d1_add          12.00        12.00           2.83 ");
  EXPECT_EQ(inOrder[3].substr(0, 61), "fused_conv2d1_add          25.00        25.00           7.07 ");
  const auto sorted = linesOf(toFittedTable(document, {true, false, false}, 120).text);
  EXPECT_EQ(sorted[1], inOrder[3]);
}

TEST(FittedTable, HostileReportsStayWithinTheirLines) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    Document document = importReport(randomReport(random));
    const FittedTable table = toFittedTable(document, {}, 40 + random() % 120);
    EXPECT_EQ(table.text.find_first_of("\x1b\r\t"), std::string::npos);
    EXPECT_FALSE(table.text.empty());
  }
}

}  // namespace
}  // namespace opscope::report
