// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/noise_rules.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/clock.h"

namespace opscope::profile {
namespace {

using report::Grade;

/// Quiet, and all is told.
NoiseReadings quiet() {
  NoiseReadings readings;
  readings.governors = {"performance"};
  readings.turbo = false;
  readings.temperatureC = 50;
  readings.cores = 8;
  readings.noise = 0.004;
  readings.repeats = 10;
  for (auto* value : {&readings.throttled, &readings.othersCores, &readings.stolenPart, &readings.waitedPart,
                      &readings.migrations, &readings.minorFaultsPerMs, &readings.majorFaults,
                      &readings.involuntaryPerS, &readings.voluntaryPerS, &readings.drift}) {
    *value = 0;
  }
  return readings;
}

report::NoiseCheck checkOf(const NoiseReadings& readings, std::string_view id) {
  for (const report::NoiseCheck& check : gradeNoise(readings).checks) {
    if (check.id == id) return check;
  }
  ADD_FAILURE() << "no check " << id;
  return {};
}

TEST(NoiseRules, AQuietMachineHasAnA) {
  const report::NoiseGrade noise = gradeNoise(quiet());
  EXPECT_EQ(noise.grade, Grade::A);
  EXPECT_EQ(noise.checks.size(), noiseRules().size());
  EXPECT_TRUE(noise.unknown.empty());
  for (const report::NoiseCheck& check : noise.checks) {
    EXPECT_TRUE(check.advice.empty()) << check.id;
    EXPECT_FALSE(check.found.empty()) << check.id;
  }
  EXPECT_TRUE(noiseWarnings(noise).empty());
  EXPECT_EQ(report::noiseWords(noise), "A: nothing that was looked at disturbed it");
}

TEST(NoiseRules, WhatIsNotToldIsNotJudged) {
  NoiseReadings readings;
  readings.repeats = 10;
  const report::NoiseGrade noise = gradeNoise(readings);
  EXPECT_EQ(noise.grade, Grade::A);
  EXPECT_EQ(noise.checks.size(), 1u) << "the number of repeats alone";
  EXPECT_EQ(noise.unknown.size(), noiseRules().size() - 1);
}

/// Each rule: how a reading is set, values of B, C and D (negative: there is none), words.
struct Case {
  const char* id;
  void (*set)(NoiseReadings& readings, double value);
  double b, c, d;
  const char* words;
};

const Case kCases[] = {
    {"governor", [](NoiseReadings& r, double) { r.governors = {"powersave"}; }, 1, -1, -1, "powersave"},
    {"turbo", [](NoiseReadings& r, double) { r.turbo = true; }, 1, -1, -1, "turbo is on"},
    {"temperature", [](NoiseReadings& r, double v) { r.temperatureC = v; }, 80, 90, 98, "°C"},
    {"throttling", [](NoiseReadings& r, double v) { r.throttled = v; }, -1, 1, 10, "heat slowed"},
    {"load", [](NoiseReadings& r, double v) { r.othersCores = v; }, 0.4, 1.6, 4, "of 8 cores busy"},
    {"steal", [](NoiseReadings& r, double v) { r.stolenPart = v; }, 0.01, 0.05, 0.15, "host"},
    {"waiting", [](NoiseReadings& r, double v) { r.waitedPart = v; }, 0.01, 0.05, 0.2, "waited for a core"},
    {"threads", [](NoiseReadings& r, double v) { r.threads = v; }, -1, 9, 17, "threads had 8 cores"},
    {"migrations", [](NoiseReadings& r, double v) { r.migrations = v; }, 0.2, 2, -1, "times a repeat"},
    {"involuntary", [](NoiseReadings& r, double v) { r.involuntaryPerS = v; }, 20, 200, 2000, "aside"},
    {"voluntary", [](NoiseReadings& r, double v) { r.voluntaryPerS = v; }, 500, 5000, -1, "sleep"},
    {"faults", [](NoiseReadings& r, double v) { r.minorFaultsPerMs = v; }, 5, 50, 300, "page faults"},
    {"disk", [](NoiseReadings& r, double v) { r.majorFaults = v; }, 0.05, 0.5, 5, "from disk"},
    {"drift", [](NoiseReadings& r, double v) { r.drift = -v; }, 0.01, 0.05, 0.15, "shorter"},
    {"noise", [](NoiseReadings& r, double v) { r.noise = v; }, 0.02, 0.05, 0.15, "varies by"},
    {"repeats", [](NoiseReadings& r, double) { r.repeats = 4; }, -1, 1, -1, "4 repeats"},
};

TEST(NoiseRules, EachRuleHasItsCase) {
  ASSERT_EQ(std::size(kCases), noiseRules().size());
  for (std::size_t i = 0; i < std::size(kCases); ++i) EXPECT_EQ(kCases[i].id, noiseRules()[i].id);
}

TEST(NoiseRules, EachThresholdGivesItsGradeWithWordsAndAdvice) {
  for (const Case& rule : kCases) {
    for (const auto& [value, grade] : {std::pair{rule.b, Grade::B}, {rule.c, Grade::C}, {rule.d, Grade::D}}) {
      if (value < 0) continue;
      NoiseReadings readings = quiet();
      rule.set(readings, value);
      const report::NoiseCheck check = checkOf(readings, rule.id);
      EXPECT_EQ(check.grade, grade) << rule.id << ' ' << value;
      EXPECT_FALSE(check.advice.empty()) << rule.id;
      EXPECT_NE(check.found.find(rule.words), std::string::npos) << check.found;
      const report::NoiseGrade noise = gradeNoise(readings);
      EXPECT_EQ(noise.grade, grade) << "the worst one is the run's";
      EXPECT_EQ(noise.checks.front().id, rule.id) << "and stands first";
    }
  }
}

TEST(NoiseRules, WarningsTellWhatCostsTheB) {
  NoiseReadings readings = quiet();
  readings.othersCores = 5;
  readings.turbo = true;
  const auto warnings = noiseWarnings(gradeNoise(readings));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].message, "Others kept 5.0 of 8 cores busy.");
  EXPECT_NE(warnings[0].hint.find("Close other programs"), std::string::npos);
  EXPECT_EQ(report::noiseWords(gradeNoise(readings)),
            "D: others kept 5.0 of 8 cores busy; turbo is on: the clock rate follows heat and load");
}

report::Run runOf(std::vector<double> totals) {
  report::Run run;
  run.repeats = static_cast<std::uint32_t>(totals.size());
  run.totals = {{"cpu0", std::move(totals)}};
  return run;
}

TEST(NoiseReadings, AreDifferencesOverTheRun) {
  NoiseEvidence evidence;
  evidence.before.cores = {{0, {100, 1}}, {1, {200, 2}}};
  evidence.after.cores = {{0, {101.5, 1.1}}, {1, {200.5, 2.1}}};
  evidence.before.throttled = 4;
  evidence.after.throttled = 6;
  evidence.wallS = 2;
  evidence.processBefore.cpuS = 10;
  evidence.processAfter.cpuS = 11;
  evidence.threadBefore = {0.5, 3};
  evidence.threadAfter = {0.7, 7};
  RepeatUsages usages;
  usages.begin();
  usages.end();
  usages.begin();
  usages.end();
  evidence.repeats = &usages;
  evidence.threads = 2;
  const NoiseReadings readings = noiseReadings(evidence, runOf({5e8, 5e8}));
  EXPECT_DOUBLE_EQ(readings.othersCores.value_or(-1), 0.5);
  EXPECT_DOUBLE_EQ(readings.cores.value_or(-1), 2);
  EXPECT_NEAR(readings.stolenPart.value_or(-1), 0.05, 1e-9);
  EXPECT_DOUBLE_EQ(readings.throttled.value_or(-1), 2);
  EXPECT_DOUBLE_EQ(readings.waitedPart.value_or(-1), 0.1);
  EXPECT_DOUBLE_EQ(readings.migrations.value_or(-1), 2);
  EXPECT_DOUBLE_EQ(readings.majorFaults.value_or(-1), 0);
  EXPECT_DOUBLE_EQ(readings.noise.value_or(-1), 0);
  EXPECT_FALSE(readings.drift) << "two repeats show no drift";
  EXPECT_EQ(readings.threads, 2);
}

TEST(NoiseReadings, TimeBesideTheRunIsNotPartOfIt) {
  NoiseEvidence evidence;
  evidence.wallS = 2;
  evidence.asideS = 1.5;
  evidence.threadBefore.waitedS = 0.5;
  evidence.threadAfter.waitedS = 0.6;
  EXPECT_NEAR(noiseReadings(evidence, runOf({1e8})).waitedPart.value_or(-1), 0.2, 1e-9);
}

TEST(NoiseReadings, AShortRunIsJudgedByWhatCouldRun) {
  NoiseEvidence evidence;
  evidence.before.cores = evidence.after.cores = {{0, {}}, {1, {}}};
  evidence.before.runnable = 2;
  evidence.wallS = 0.01;
  EXPECT_DOUBLE_EQ(noiseReadings(evidence, {}).othersCores.value_or(-1), 1);
  evidence.before.runnable = 40;
  EXPECT_DOUBLE_EQ(noiseReadings(evidence, {}).othersCores.value_or(-1), 2);
}

TEST(NoiseReadings, AClearDriftIsTaken) {
  std::vector<double> rising;
  for (int i = 0; i < 30; ++i) rising.push_back(1e6 + 5e3 * i);
  const NoiseReadings readings = noiseReadings({}, runOf(rising));
  EXPECT_NEAR(readings.drift.value_or(0), 0.135, 0.01);
  EXPECT_EQ(noiseReadings({}, runOf(std::vector<double>(30, 1e6))).drift, 0.0);
}

TEST(NoiseRules, WordsHoldNoStrangeNumbers) {
  std::mt19937 random(5);
  const auto any = [&random]() -> std::optional<double> {
    if (random() % 5 == 0) return std::nullopt;
    return std::exp(std::uniform_real_distribution<double>(-30, 30)(random));
  };
  for (int turn = 0; turn < 3000; ++turn) {
    NoiseReadings readings = quiet();
    for (auto* value :
         {&readings.temperatureC, &readings.throttled, &readings.othersCores, &readings.stolenPart,
          &readings.waitedPart, &readings.migrations, &readings.minorFaultsPerMs, &readings.majorFaults,
          &readings.involuntaryPerS, &readings.voluntaryPerS, &readings.noise, &readings.drift}) {
      *value = any();
    }
    readings.temperatureC = std::min(readings.temperatureC.value_or(0), 150.0);
    readings.othersCores = std::min(readings.othersCores.value_or(0), 8.0);
    for (const report::NoiseCheck& check : gradeNoise(readings).checks) {
      for (const char* bad : {"nan", "inf", " -", "e+"}) {
        EXPECT_EQ(check.found.find(bad), std::string::npos) << check.found;
      }
      const std::size_t percent = check.found.find(" %");
      if (percent != std::string::npos) {
        const std::size_t from = check.found.rfind(' ', percent - 1) + 1;
        EXPECT_LE(std::stod(check.found.substr(from)), 100) << check.found;
      }
    }
  }
}

/// Keeps all cores busy in other processes.
class BusyMachine {
 public:
  BusyMachine() {
    for (std::size_t i = 0; i < MachineReader::usableCores().size(); ++i) {
      const pid_t child = fork();
      if (child == 0) {
        for (;;) {
          asm volatile("");  // a loop that is not taken away
        }
      }
      m_children.push_back(child);
    }
  }
  ~BusyMachine() {
    for (const pid_t child : m_children) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;

 private:
  std::vector<pid_t> m_children;
};

TEST(NoiseReadings, LoadByOthersIsSeen) {
  const MachineReader reader;
  NoiseEvidence evidence;
  {
    const BusyMachine busy;
    evidence.before = reader.read();
    evidence.processBefore = readProcessUsage();
    const std::int64_t begin = base::monotonicNs();
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    evidence.wallS = static_cast<double>(base::monotonicNs() - begin) / 1e9;
    evidence.processAfter = readProcessUsage();
    evidence.after = reader.read();
  }
  const NoiseReadings readings = noiseReadings(evidence, {});
  ASSERT_TRUE(readings.othersCores && readings.cores);
  EXPECT_GE(*readings.othersCores, 0.4 * *readings.cores) << "others work on every core";
  EXPECT_GE(checkOf(readings, "load").grade, Grade::C);
}

}  // namespace
}  // namespace opscope::profile
