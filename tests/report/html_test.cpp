// SPDX-License-Identifier: Apache-2.0
// The page: what it shows, that it needs nothing but itself, that no text becomes markup.
#include "engine/report/html_report.h"

#include <gtest/gtest.h>

#include "engine/report/document_reader.h"
#include "engine/report/html_text.h"
#include "engine/report/html_timeline.h"
#include "engine/report/run_report.h"
#include "tests/report/checked_files.h"
#include "tests/report/sample_run.h"
#include "tests/report/trace_run.h"

namespace opscope::report {
namespace {

std::string pageOf(report::Run run) {
  return toHtml(makeDocument(shared(std::move(run))));
}

/// Python's own parser finds each element closed, no address outside the page, no handler of events.
class HtmlFiles : public CheckedFiles {
 protected:
  HtmlFiles() : CheckedFiles("html_check.py") {}
};

TEST_F(HtmlFiles, AreSoundAndNeedNothingElse) {
  std::mt19937 random(31);
  write("sample", pageOf(sampleRun()));
  write("rich", pageOf(richRun()));
  write("empty", pageOf(report::Run()));
  for (int round = 0; round < 15; ++round) {
    write("random" + std::to_string(round), pageOf(randomTraceRun(random)));
    write("report" + std::to_string(round), toHtml(importReport(randomReport(random))));
  }
  for (const std::string number : {"00", "02", "06", "16"}) {
    const auto document = readDocument(OPSCOPE_TEST_DATA "/reports/report-" + number + "/report.json");
    ASSERT_TRUE(document);
    write("tvm" + number, toHtml(*document));
  }
  EXPECT_TRUE(valid());
}

TEST_F(HtmlFiles, TheCheckerFindsMistakes) {
  const std::string good = pageOf(sampleRun());
  for (const std::string mistake : {"<script src=\"https://example.org/x.js\"></script>", "<b>", "</div>",
                                    "<img src=x onerror=y>", "<a href=\"http://example.org\">x</a>",
                                    "<p style=\"background:url(//example.org/a)\"></p>", "nan", "inf"}) {
    std::string wrong = good;
    wrong.insert(wrong.find("<footer>"), mistake);
    write("page", wrong);
    EXPECT_FALSE(valid()) << mistake;
  }
}

TEST_F(HtmlFiles, NoTextBecomesMarkup) {
  report::Run run = richRun();
  const std::string attack =
      "</title></script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;";
  for (std::string* text :
       {&run.names[0], &run.names[1], &run.shapes[0], &run.devices[0], &run.steps[0], &run.executablePath,
        &run.function, &run.inputs, &run.target, &run.startedAt, &run.failure, &run.environment[0].name,
        &run.environment[0].value, &run.warnings[0].message, &run.warnings[0].hint, &run.counters[0].name,
        &run.totals[0].device, &run.executableHash}) {
    *text = attack;
  }
  run.configuration.set(attack, attack);
  const std::string page = pageOf(std::move(run));
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt;"), std::string::npos);
  write("page", page);
  EXPECT_TRUE(valid());
}

TEST(Html, TellsNoPlaces) {
  report::Run run = richRun();
  run.executablePath = "/home/jane/secret/net.so";
  run.target = "rpc://build-host.example:9090/key";
  run.inputs = "x float32 [1, 3] @/home/jane/jane and secret/image.npy; y float32 [4] @~/b.npz:k";
  run.function = "/home/jane/chat.json";
  run.failure = "Cannot read \"/home/jane/secret/net.so\": gone";
  run.warnings.push_back({"Took /home/jane/plugin.so too", "See ../jane/notes"});
  run.environment.push_back({"Library", "/home/jane/lib/libtvm.so"});
  run.configuration.set("Plugin", std::string("/home/jane/plugin.so"));
  const std::string page = pageOf(std::move(run));
  for (const char* secret : {"jane", "secret", "build-host", "9090"}) {
    EXPECT_EQ(page.find(secret), std::string::npos) << secret;
  }
  for (const char* kept : {"net.so", "image.npy", "b.npz:k", "chat.json", "plugin.so", "libtvm.so", "rpc"}) {
    EXPECT_NE(page.find(kept), std::string::npos) << kept;
  }
}

TEST(Html, ALostBoardIsToldWithoutItsAddress) {
  report::Run run = richRun();
  run.remote = report::RemoteFacts{"recorder", "", {{"Board", "10.0.0.7:9090"}, {"Key", "rpi4"}}};
  run.failure = "the session with 10.0.0.7:9090 was lost";
  const std::string page = pageOf(std::move(run));
  EXPECT_EQ(page.find("10.0.0.7"), std::string::npos);
  EXPECT_NE(page.find("the session with the board was lost"), std::string::npos);
}

TEST(Html, PlacesLeaveTheirLastPart) {
  EXPECT_EQ(withoutPlaces("a/b c"), "a/b c") << "a slash alone is no place";
  EXPECT_EQ(withoutPlaces("/usr/lib/x.so"), "x.so");
  EXPECT_EQ(withoutPlaces("/"), "");
  EXPECT_EQ(withoutPlaces("at \"/a/b/\", then"), "at \"b\", then");
  EXPECT_EQ(withoutPlaces("tracker://h:9190/k?priority=1"), "tracker");
}

TEST(Html, ShowsHeadlinesAsMedians) {
  const std::string page = pageOf(sampleRun());
  for (const char* words :
       {"Total, median of 2", "fused_conv2d1_add", "What to know before you trust these numbers",
        "The clock is slow.", "Time by op", "Total of each repeat", "Spread of the totals", "Timeline",
        "Time by kind", "Measured on", "float32[1, 3], float32[3]", "2 groups, 3 calls, all on cpu0"}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(page.find("Memory"), std::string::npos) << "it was not recorded";
  const std::string rich = pageOf(richRun());
  for (const char* words :
       {"Memory", "Threads", "Steps", "Only 2 of 30 repeats were measured", "Cache misses"}) {
    EXPECT_NE(rich.find(words), std::string::npos) << words;
  }
}

TEST(Html, StaysSmallWithManyOpsAndLongNames) {
  report::Run run;
  run.repeats = run.repeatsWanted = 1;
  run.steps = {"main"};
  run.devices = {"cpu0"};
  run.shapes = {"float32[1]"};
  constexpr std::uint32_t kOps = 100'000;
  double ns = 0;
  for (std::uint32_t op = 0; op < kOps; ++op) {
    run.names.push_back("op" + std::to_string(op) + (op < 3 ? std::string(10'000, 'x') : std::string()));
    addCall(run, op, 0, {1000.0 + op % 977});
    run.spans.push_back({ns, 1000.0 + op % 977, op, 0});
    ns += 1100.0 + op % 977;
  }
  run.totals = {{"cpu0", {ns}}};
  const std::string page = pageOf(std::move(run));
  EXPECT_LT(page.size(), 1'000'000U);
  EXPECT_NE(page.find("The 500 longest are shown. 99\u202F500 more take"), std::string::npos);
}

TEST(Html, NumbersForPeople) {
  EXPECT_EQ(htmlNumber(1234567.25, 1), "1\u202F234\u202F567.2");
  EXPECT_EQ(htmlNumber(0.01, 1), "&lt;0.1");
  EXPECT_EQ(htmlNumber(0, 1), "–");
  EXPECT_EQ(htmlNumber(-3, 1), "–");
  EXPECT_EQ(htmlPercent(250.0), "100.0\u00A0%");
  EXPECT_EQ(htmlDurationText(82.66), "82.7\u00A0µs");
  EXPECT_EQ(htmlDurationText(82660), "82.7\u00A0ms");
  EXPECT_EQ(htmlDurationText(8.266e7), "82.7\u00A0s");
  EXPECT_EQ(htmlBytes(1536), "1.50\u00A0KiB");
  EXPECT_EQ(cutInTheMiddle("fused_conv2d_add_relu1", 11), "fused_…elu1");
  EXPECT_EQ(cutInTheMiddle("日本語日本語", 4), "日…本語") << "whole characters";
  EXPECT_EQ(htmlText("a<b>\"'&\n\xff"), "a&lt;b&gt;&quot;&#39;&amp;\\n\uFFFD");
}

TEST(Html, TheTypicalRepeatIsNearTheMedian) {
  report::Run run = sampleRun();
  run.repeats = 5;
  run.totals[0].totalNs = {90, 10, 52, 50, 30};
  EXPECT_EQ(typicalRepeat(run), 3U);
  EXPECT_EQ(typicalRepeat(report::Run()), 0U);
}

}  // namespace
}  // namespace opscope::report
