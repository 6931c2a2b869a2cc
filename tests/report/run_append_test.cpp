// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_append.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/report/sample_warnings.h"

namespace opscope::report {

namespace {

/// Two calls; `base` is in all times, so that it can be seen where they went.
Run runOf(std::uint32_t repeats, double base) {
  report::Run run;
  run.repeats = repeats;
  run.names = {"add", "mul"};
  run.shapes = {"float32[4]"};
  run.devices = {"cpu0"};
  run.steps = {"main"};
  for (std::uint32_t c = 0; c < 2; ++c) {
    Call call;
    call.name = c;
    call.shapes = c == 0 ? 0 : kNone;
    call.device = 0;
    call.instruction = 10 + c;
    call.firstSample = run.ownNs.size();
    call.sampleCount = repeats;
    run.calls.push_back(call);
    for (std::uint32_t i = 0; i < repeats; ++i) {
      run.ownNs.push_back(base + 10 * c + i);
      run.inclusiveNs.push_back(base + 10 * c + i + 0.5);
      run.sampleRepeat.push_back(i);
    }
  }
  for (std::uint32_t i = 0; i < repeats; ++i) {
    run.spans.push_back({base, base, 0, i});
  }
  run.totals = {{"cpu0", std::vector<double>(repeats, base)}};
  run.stepNs = {std::vector<double>(repeats, base), std::vector<double>(repeats, base)};
  run.configuration.set("Repeats", Count{repeats});
  return run;
}

}  // namespace

TEST(RunAppend, RepeatsComeBehindThoseThatAreThere) {
  report::Run run = runOf(2, 100);
  run.counters = {{"Cache misses", "", CounterColumn::Kind::Count, {1, 2, 3, 4}, {5, 6}, {}}};
  ASSERT_TRUE(appendRepeats(run, runOf(3, 1000)));
  EXPECT_EQ(run.repeats, 5U);
  EXPECT_EQ(run.ownNs, (std::vector<double>{100, 101, 1000, 1001, 1002, 110, 111, 1010, 1011, 1012}));
  EXPECT_EQ(run.inclusiveNs[2], 1000.5);
  EXPECT_EQ(run.sampleRepeat, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
  EXPECT_EQ(run.calls[1].firstSample, 5U);
  EXPECT_EQ(run.calls[1].sampleCount, 5U);
  EXPECT_EQ(run.spans.back().repeat, 4U);
  EXPECT_EQ(run.totals[0].totalNs, (std::vector<double>{100, 100, 1000, 1000, 1000}));
  EXPECT_EQ(run.stepNs[1].size(), 5U);
  EXPECT_EQ(*run.configuration.find("Repeats"), Metric(Count{5}));
  EXPECT_EQ(run.counters[0].values.size(), 10U);
  EXPECT_EQ(run.counters[0].values[1], 2);
  EXPECT_TRUE(std::isnan(run.counters[0].values[2]));
  EXPECT_EQ(run.counters[0].values[6], 4);
  EXPECT_EQ(run.counters[0].totals.size(), 5U);
}

TEST(RunAppend, NumbersOfTextsMayDiffer) {
  report::Run run = runOf(1, 1);
  report::Run more = runOf(1, 2);
  more.names = {"mul", "add"};
  std::swap(more.calls[0].name, more.calls[1].name);
  EXPECT_TRUE(appendRepeats(run, more));
  EXPECT_EQ(run.names[run.calls[0].name], "add");
}

TEST(RunAppend, OtherCallsAreNotAdded) {
  const report::Run whole = runOf(2, 1);
  const auto isRefused = [&](auto change) {
    report::Run run = whole;
    report::Run more = runOf(1, 2);
    change(more);
    const bool added = appendRepeats(run, more);
    return !added && run == whole;
  };
  EXPECT_TRUE(isRefused([](report::Run& more) { more.calls.pop_back(); }));
  EXPECT_TRUE(isRefused([](report::Run& more) { more.calls[1].instruction = 99; }));
  EXPECT_TRUE(isRefused([](report::Run& more) { more.names[1] = "sub"; }));
  EXPECT_TRUE(isRefused([](report::Run& more) { more.calls[0].shapes = kNone; }));
  EXPECT_TRUE(isRefused([](report::Run& more) { more.totals[0].device = "cuda0"; }));
  EXPECT_TRUE(isRefused([](report::Run& more) { more.totals[0].totalNs.clear(); }));
  EXPECT_TRUE(isRefused([](report::Run& more) { more.stepNs.pop_back(); }));
  EXPECT_TRUE(isRefused([](report::Run& more) { more.calls[1].sampleCount = 9; }));
  EXPECT_TRUE(isRefused([](report::Run& more) { more.calls[1].firstSample = ~std::uint64_t{0}; }));
  EXPECT_TRUE(isRefused([](report::Run& more) { more.inclusiveNs.pop_back(); }));
}

TEST(RunAppend, WarningsOfTheRepeatsAreToldAnew) {
  report::Run run = runOf(1, 100);
  run.repeatsWanted = 9;
  run.warnings = {countWarnings(run)[0], {"Another.", "It stays."}, countWarnings(run)[1]};
  const std::vector<Warning> before = repeatWarnings(run);
  ASSERT_TRUE(appendRepeats(run, runOf(3, 100)));
  run.failure = "The board is gone.";
  renewRepeatWarnings(run, before);
  ASSERT_EQ(run.warnings.size(), 2U);
  EXPECT_EQ(run.warnings[0].message, "Only 4 of 9 repeats were measured.");
  EXPECT_EQ(run.warnings[0].hint, "The board is gone.");
  EXPECT_EQ(run.warnings[1].message, "Another.");
}

}  // namespace opscope::report
