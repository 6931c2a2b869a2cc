// SPDX-License-Identifier: Apache-2.0
// A run taken apart into head and body, and put together again.
#include "engine/report/run_head.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

RunBody bodyOf(const Run& run) {
  RunBody body{run.calls, run.ownNs, run.inclusiveNs, run.sampleRepeat, run.spans, {}};
  for (const CounterColumn& counter : run.counters) body.counters.push_back(counter.values);
  return body;
}

TEST(RunHead, WithTheBodyItIsTheRunAgain) {
  const Document document = makeDocument(shared(richRun()));
  const auto again = documentFromHead(toHeadJson(document), bodyOf(*document.run), "run 1");
  ASSERT_TRUE(again) << base::formatError(again.error());
  EXPECT_TRUE(*again->run == *document.run);
  EXPECT_TRUE(*again->report == *document.report);
  EXPECT_EQ(again->reportCalls, document.reportCalls);
}

TEST(RunHead, HoldsTheReportThatTheRunWasMadeFrom) {
  Report report;
  MetricMap row;
  row.set(kName, std::string("op"));
  row.set(kDurationUs, Duration{1.5});
  row.set(kPercent, Percent{7.25});
  report.calls.push_back(row);
  const Document document = importReport(report);
  const auto again = documentFromHead(toHeadJson(document), bodyOf(*document.run), "run 1");
  ASSERT_TRUE(again) << base::formatError(again.error());
  EXPECT_TRUE(*again->report == report);
}

TEST(RunHead, IsTheSamplesFileWithoutItsLists) {
  const Document document = makeDocument(shared(richRun()));
  nlohmann::ordered_json samples = nlohmann::ordered_json::parse(toSamplesJson(document));
  for (const char* key : {"calls", "spans", "ops"}) EXPECT_EQ(samples.erase(key), 1u) << key;
  EXPECT_EQ(nlohmann::ordered_json::parse(toHeadJson(document)), samples);
}

std::string refused(const std::function<void(RunBody&)>& change) {
  const Document document = makeDocument(shared(sampleRunWithCounters()));
  RunBody body = bodyOf(*document.run);
  change(body);
  const auto again = documentFromHead(toHeadJson(document), std::move(body), "run 1");
  if (again) return "accepted";
  EXPECT_EQ(again.error().code, base::ErrorCode::Format);
  return again.error().message + " | " + again.error().detail;
}

TEST(RunHead, ABodyThatDoesNotFitIsRefused) {
  EXPECT_EQ(refused([](RunBody& body) { body.calls[1].name = 3; }),
            "run 1: call 1 is wrong | Found name 3, expected less than 3.");
  EXPECT_EQ(refused([](RunBody& body) { body.calls[1].step = 1; }),
            "run 1: call 1 is wrong | Found step 1, expected less than 1.");
  EXPECT_EQ(refused([](RunBody& body) { body.calls[2].firstSample = 1; }),
            "run 1: call 2 is wrong | Its samples do not follow those of the call before.");
  EXPECT_EQ(refused([](RunBody& body) { body.calls[3].sampleCount = 9; }),
            "run 1: call 3 is wrong | Its samples do not follow those of the call before.");
  EXPECT_EQ(refused([](RunBody& body) { body.calls.pop_back(); }),
            "run 1: samples is wrong | Found 8, expected 6.");
  EXPECT_EQ(refused([](RunBody& body) { body.ownNs.pop_back(); }),
            "run 1: samples is wrong | Found 7 own times, 8 inclusive times and 8 repeats.");
  EXPECT_EQ(refused([](RunBody& body) { body.ownNs[3] = -1; }),
            "run 1: sample 1 of call 1 is wrong | Found -1 ns, expected 0 to 1e18.");
  EXPECT_EQ(refused([](RunBody& body) { body.inclusiveNs[3] = std::numeric_limits<double>::quiet_NaN(); }),
            "run 1: sample 1 of call 1 is wrong | Found nan ns, expected 0 to 1e18.");
  EXPECT_EQ(refused([](RunBody& body) { body.sampleRepeat[3] = 0; }),
            "run 1: sample 1 of call 1 is wrong | Found repeat 0 after repeat 0.");
  EXPECT_EQ(refused([](RunBody& body) { body.sampleRepeat[3] = 2; }),
            "run 1: sample 1 of call 1 is wrong | Found repeat 2, expected less than 2.");
  EXPECT_EQ(refused([](RunBody& body) { body.spans[5].call = 4; }),
            "run 1: span 5 is wrong | Found call 4, expected less than 4.");
  EXPECT_EQ(refused([](RunBody& body) { body.spans[5].startNs = 0; }), "accepted");
  EXPECT_EQ(refused([](RunBody& body) { body.spans[2].startNs = 0; }),
            "run 1: span 2 is wrong | Found it before the one before it, expected order of start.");
}

TEST(RunHead, CountersThatDoNotFitAreRefused) {
  EXPECT_NE(refused([](RunBody& body) { body.counters.pop_back(); }).find("the counters are wrong"),
            std::string::npos);
  EXPECT_NE(refused([](RunBody& body) { body.counters[0].pop_back(); }).find("counter Cache misses"),
            std::string::npos);
  EXPECT_NE(refused([](RunBody& body) { body.counters[1][2] = 1e300; }).find("sample 2 of counter IPC"),
            std::string::npos);
}

}  // namespace
}  // namespace opscope::report
