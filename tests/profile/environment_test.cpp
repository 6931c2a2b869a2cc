// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/environment.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace opscope::profile {
namespace {

bool says(const std::vector<report::Warning>& warnings, std::string_view words) {
  return std::ranges::any_of(warnings, [&](const report::Warning& warning) {
    return warning.message.find(words) != std::string::npos;
  });
}

report::Run runWithTotals(std::vector<double> totals) {
  report::Run run;
  run.repeats = run.repeatsWanted = static_cast<std::uint32_t>(totals.size());
  run.totals.push_back({"cpu0", std::move(totals)});
  return run;
}

TEST(Environment, ThisMachineTellsSomething) {
  const Environment environment = readEnvironment();
  EXPECT_GT(environment.logicalCores, 0);
  EXPECT_FALSE(environment.kernel.empty());
  for (const report::Fact& fact : environmentFacts(environment)) {
    EXPECT_FALSE(fact.value.empty()) << fact.name;
  }
}

TEST(Environment, UnknownFactsAreLeftOut) {
  EXPECT_TRUE(environmentFacts({}).empty());
}

TEST(Environment, WarnsOfTooManyThreads) {
  Environment eight;
  eight.logicalCores = 8;
  EXPECT_TRUE(environmentWarnings(eight, 8).empty());
  EXPECT_TRUE(environmentWarnings({}, 4).empty());
  EXPECT_TRUE(says(environmentWarnings(eight, 16), "16 threads share 8"));
}

TEST(Environment, WarnsOfTheRunItself) {
  EXPECT_TRUE(runWarnings(runWithTotals({100, 101, 99, 100}), {}).empty());
  EXPECT_TRUE(says(runWarnings(runWithTotals({100}), {}), "One repeat only"));
  EXPECT_TRUE(says(runWarnings(runWithTotals({100, 100}), {true, "why", 0, 0}), "inside compiled functions"));
  EXPECT_TRUE(says(runWarnings(runWithTotals({100, 100}), {false, "", 0, 3}), "3 samples were too short"));
  report::Run stopped = runWithTotals({100, 100});
  stopped.repeatsWanted = 30;
  EXPECT_TRUE(says(runWarnings(stopped, {}), "2 of 30"));
}

TEST(RunWarnings, ShortKernelsAreJudgedByTheirMedian) {
  report::Run run;
  run.repeats = run.repeatsWanted = 4;
  run.ownNs = {400, 599, 100, 900, 400, 601, 100, 900};  // medians 499.5 and 500.5
  run.calls.resize(2);
  for (report::Call& call : run.calls) {
    call.kernel = true;
    call.sampleCount = 4;
  }
  run.calls[1].firstSample = 4;
  RunFindings findings;
  findings.compiledMode = true;
  const std::vector<report::Warning> warnings = runWarnings(run, findings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].message.find("1 of 2 kernel calls"), 0u) << warnings[0].message;
}

}  // namespace
}  // namespace opscope::profile
