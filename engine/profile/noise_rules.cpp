// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/noise_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include "engine/report/quantity_words.h"
#include "engine/report/statistics.h"
#include "engine/report/trend.h"

namespace opscope::profile {

bool isSteady(const std::set<std::string>& governors) {
  return governors == std::set<std::string>{"performance"};
}

namespace {

using Readings = NoiseReadings;
using Value = std::optional<double>;
using report::Grade;

constexpr double kNever = NoiseRule::kNever;
constexpr double kWhole = 100;

std::string part(double value) {
  return report::partWords(value * kWhole);
}

/// "0.4", "3", "more than 999999": a rate in words.
std::string rate(double value) {
  constexpr double kMost = 999'999;
  if (value > kMost) return fmt::format("more than {:.0f}", kMost);
  return value < 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

// One row a rule. A number is measured, a flag is 0 or 1.
constexpr NoiseRule kRules[] = {
    {"governor", "CPU governor", 1, kNever, kNever,
     [](const Readings& r) { return r.governors.empty() ? Value() : Value(isSteady(r.governors) ? 0 : 1); },
     [](const Readings& r, double) {
       return fmt::format("the CPU governor is {}", fmt::join(r.governors, " and "));
     },
     "Keep the clock rate steady: sudo cpupower frequency-set -g performance"},
    {"turbo", "Turbo", 1, kNever, kNever,
     [](const Readings& r) { return r.turbo ? Value(*r.turbo ? 1 : 0) : Value(); },
     [](const Readings&, double on) {
       return std::string(on > 0 ? "turbo is on: the clock rate follows heat and load" : "turbo is off");
     },
     "Turn it off while you compare: echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo, or "
     "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"},
    {"temperature", "Temperature", 80, 90, 98, [](const Readings& r) { return r.temperatureC; },
     [](const Readings&, double celsius) { return fmt::format("the processor has {:.0f} °C", celsius); },
     "Let it cool down between runs, and see to its fans."},
    {"throttling", "Slowed down by heat", kNever, 1, 10, [](const Readings& r) { return r.throttled; },
     [](const Readings&, double times) {
       return times < 1 ? std::string("heat did not slow the processor down")
                        : fmt::format("heat slowed the processor down {} times", rate(times));
     },
     "Let it cool down, use fewer threads, or turn turbo off."},
    {"load", "Load by others", 0.05, 0.2, 0.5,
     [](const Readings& r) {
       return r.othersCores && r.cores && *r.cores > 0 ? Value(*r.othersCores / *r.cores) : Value();
     },
     [](const Readings& r, double) {
       return fmt::format("others kept {:.1f} of {:.0f} cores busy", *r.othersCores, *r.cores);
     },
     "Close other programs, or measure when the machine is quiet; medians and minima suffer least."},
    {"steal", "Taken by the host", 0.01, 0.05, 0.15, [](const Readings& r) { return r.stolenPart; },
     [](const Readings&, double value) {
       return fmt::format("the host of this virtual machine took {} of its time", part(value));
     },
     "Use a machine of your own, or one with cores of its own."},
    {"waiting", "Waiting for a core", 0.01, 0.05, 0.2, [](const Readings& r) { return r.waitedPart; },
     [](const Readings&, double value) {
       return fmt::format("the thread that runs the model waited for a core {} of the time", part(value));
     },
     "Use fewer threads, leave cores free for others, or close other programs."},
    {"threads", "Threads and cores", kNever, 1.001, 2.001,
     [](const Readings& r) { return r.cores && *r.cores > 0 ? Value(r.threads / *r.cores) : Value(); },
     [](const Readings& r, double) {
       return fmt::format("{:.0f} threads had {:.0f} cores", r.threads, *r.cores);
     },
     "Use at most as many threads as there are cores."},
    {"migrations", "Moves to other cores", 0.2, 2, kNever, [](const Readings& r) { return r.migrations; },
     [](const Readings&, double value) {
       return fmt::format("the thread that runs the model moved to another core {} times a repeat",
                          rate(value));
     },
     "Bind threads to cores: --pin on, or start it under taskset."},
    {"involuntary", "Put aside by the system", 20, 200, 2000,
     [](const Readings& r) { return r.involuntaryPerS; },
     [](const Readings&, double value) {
       return fmt::format("the system put threads aside {} times a second", rate(value));
     },
     "Use fewer threads, or close other programs."},
    {"voluntary", "Sleeping and waking", 500, 5000, kNever, [](const Readings& r) { return r.voluntaryPerS; },
     [](const Readings&, double value) {
       return fmt::format("threads went to sleep {} times a second", rate(value));
     },
     "Let idle threads spin longer (--spin-us), so that they need not be woken."},
    {"faults", "Page faults", 5, 50, 300, [](const Readings& r) { return r.minorFaultsPerMs; },
     [](const Readings&, double value) { return fmt::format("{} page faults a millisecond", rate(value)); },
     "Keep memory between repeats: --allocator pooled, and a longer --warmup."},
    {"disk", "Pages from disk", 0.05, 0.5, 5, [](const Readings& r) { return r.majorFaults; },
     [](const Readings&, double value) {
       return value > 0 && value < 0.1 ? std::string("a page was read from disk now and then")
                                       : fmt::format("{} pages a repeat were read from disk", rate(value));
     },
     "Warm up longer (--warmup), and see that memory is not short."},
    {"drift", "Drift", 0.01, 0.05, 0.15,
     [](const Readings& r) { return r.drift ? Value(std::abs(*r.drift)) : Value(); },
     [](const Readings& r, double value) {
       return value == 0 ? std::string("the total does not drift")
                         : fmt::format("the total became {} {} from first to last",
                                       value > 1 ? "more than 100 %" : part(value),
                                       *r.drift > 0 ? "longer" : "shorter");
     },
     "Warm up longer (--warmup) until the machine is steady, and let it cool between runs."},
    {"noise", "Noise of totals", 0.02, 0.05, 0.15, [](const Readings& r) { return r.noise; },
     [](const Readings&, double value) {
       return fmt::format("the total varies by {} between repeats",
                          value > 1 ? "more than 100 %" : part(value));
     },
     "Medians are more stable than means; more repeats and a quiet machine help."},
    {"repeats", "Number of repeats", kNever, 1, kNever,
     [](const Readings& r) { return Value(r.repeats < 5 ? 1 : 0); },
     [](const Readings& r, double) {
       return r.repeats == 1 ? std::string("one repeat does not tell how far times vary")
                             : fmt::format("{:.0f} repeats were measured", r.repeats);
     },
     "Use 10 repeats or more."},
};

/// Programs of others, in cores; a window of a few hundredths of a second is too coarse for /proc/stat, and
/// what could run as the run began stands in for it.
Value othersCores(const NoiseEvidence& evidence, double stealFreeS) {
  constexpr double kLongEnoughS = 0.2;
  if (evidence.before.cores.empty() || evidence.after.cores.empty()) {
    return std::nullopt;
  }
  const auto cores = static_cast<double>(evidence.after.cores.size());
  if (evidence.wallS < kLongEnoughS) {
    return evidence.before.runnable ? Value(std::clamp(*evidence.before.runnable - 1.0, 0.0, cores))
                                    : Value();
  }
  const double own = evidence.processAfter.cpuS - evidence.processBefore.cpuS;
  return std::clamp((stealFreeS - own) / evidence.wallS, 0.0, cores);
}

void readCores(const NoiseEvidence& evidence, NoiseReadings& readings) {
  double busy = 0;
  double stolen = 0;
  for (const auto& [core, after] : evidence.after.cores) {
    if (const auto before = evidence.before.cores.find(core); before != evidence.before.cores.end()) {
      busy += std::max(0.0, after.busyS - before->second.busyS);
      stolen += std::max(0.0, after.stolenS - before->second.stolenS);
    }
  }
  readings.othersCores = othersCores(evidence, busy);
  const auto cores = static_cast<double>(evidence.after.cores.size());
  if (cores > 0) {
    readings.cores = cores;
    if (evidence.wallS > 0) {
      readings.stolenPart = std::min(1.0, stolen / (evidence.wallS * cores));
    }
  }
}

void readUsage(const NoiseEvidence& evidence, double measuredS, NoiseReadings& readings) {
  const auto repeats = static_cast<double>(evidence.repeats == nullptr ? 0 : evidence.repeats->all().size());
  if (repeats == 0) {
    return;
  }
  double minor = 0, major = 0, voluntary = 0, involuntary = 0;
  for (const RepeatUsage& usage : evidence.repeats->all()) {
    minor += usage.minorFaults;
    major += usage.majorFaults;
    voluntary += usage.voluntarySwitches;
    involuntary += usage.involuntarySwitches;
  }
  readings.majorFaults = major / repeats;
  if (measuredS > 0) {
    constexpr double kMsInS = 1e3;
    readings.minorFaultsPerMs = minor / (measuredS * kMsInS);
    // One switch in a short run is no thousand a second.
    const double seconds = std::max(measuredS, 0.05);
    readings.voluntaryPerS = voluntary / seconds;
    readings.involuntaryPerS = involuntary / seconds;
  }
  if (evidence.threadBefore.migrations && evidence.threadAfter.migrations) {
    const auto moves = static_cast<double>(*evidence.threadAfter.migrations) -
                       static_cast<double>(*evidence.threadBefore.migrations);
    readings.migrations = std::max(0.0, moves) / repeats;
  }
}

void readTotals(const report::Run& run, NoiseReadings& readings) {
  readings.repeats = run.repeats;
  if (run.totals.empty()) {
    return;
  }
  const std::vector<double>& totals = run.totals.front().totalNs;
  readings.noise = report::computeStatistics(totals).noise;
  if (const auto trend = report::trendOf(totals)) {
    readings.drift = trend->isDrift() ? trend->change : 0;
  }
}

}  // namespace

NoiseReadings noiseReadings(const NoiseEvidence& evidence, const report::Run& run) {
  NoiseReadings readings;
  readings.governors = evidence.after.governors;
  readings.turbo = evidence.after.turbo;
  readings.temperatureC = evidence.after.temperatureC;
  if (evidence.before.throttled && evidence.after.throttled) {
    readings.throttled = static_cast<double>(*evidence.after.throttled -
                                             std::min(*evidence.before.throttled, *evidence.after.throttled));
  }
  readings.threads = std::max(evidence.threads, 1);
  readCores(evidence, readings);
  const double ownS = evidence.wallS - evidence.asideS;
  if (evidence.threadBefore.waitedS && evidence.threadAfter.waitedS && ownS > 0) {
    readings.waitedPart =
        std::clamp((*evidence.threadAfter.waitedS - *evidence.threadBefore.waitedS) / ownS, 0.0, 1.0);
  }
  double measuredNs = 0;
  if (!run.totals.empty()) {
    for (const double total : run.totals.front().totalNs) measuredNs += total;
  }
  constexpr double kNsInS = 1e9;
  readUsage(evidence, measuredNs / kNsInS, readings);
  readTotals(run, readings);
  return readings;
}

NoiseReadings sampleReadings(const report::Run& run) {
  NoiseReadings readings;
  readTotals(run, readings);
  return readings;
}

Grade NoiseRule::gradeOf(double reading) const {
  return reading >= d ? Grade::D : reading >= c ? Grade::C : reading >= b ? Grade::B : Grade::A;
}

std::span<const NoiseRule> noiseRules() {
  return kRules;
}

report::NoiseGrade gradeNoise(const NoiseReadings& readings) {
  report::NoiseGrade noise;
  for (const NoiseRule& rule : kRules) {
    const Value value = rule.value(readings);
    if (!value) {
      noise.unknown.emplace_back(rule.title);
      continue;
    }
    const Grade grade = rule.gradeOf(*value);
    noise.checks.push_back({std::string(rule.id), std::string(rule.title), rule.found(readings, *value),
                            grade, std::string(grade == Grade::A ? "" : rule.advice)});
    noise.grade = std::max(noise.grade, grade);
  }
  std::ranges::stable_sort(noise.checks, std::ranges::greater(), &report::NoiseCheck::grade);
  return noise;
}

std::vector<report::Warning> noiseWarnings(const report::NoiseGrade& noise) {
  std::vector<report::Warning> warnings;
  for (const report::NoiseCheck& check : noise.checks) {
    const bool isTold = check.id == "repeats" || check.id == "threads" || check.id == "drift";
    if (check.grade >= Grade::C && !isTold) {
      std::string message = check.found + '.';
      message.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(message.front())));
      warnings.push_back({std::move(message), check.advice});
    }
  }
  return warnings;
}

}  // namespace opscope::profile
