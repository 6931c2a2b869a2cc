// SPDX-License-Identifier: Apache-2.0
// Runs and reports for the tests of this folder.
#pragma once

#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/report/run.h"

namespace opscope::report {

/// Adds a call with one sample a repeat (own time, inclusive the same), repeats from 0.
inline void addCall(Run& run, std::uint32_t name, std::uint32_t shapes, const std::vector<double>& ownNs,
                    bool inReport = true, std::uint32_t depth = 0) {
  Call call;
  call.name = name;
  call.shapes = shapes;
  call.device = 0;
  call.instruction = static_cast<std::uint32_t>(run.calls.size());
  call.depth = depth;
  call.firstSample = run.ownNs.size();
  call.sampleCount = static_cast<std::uint32_t>(ownNs.size());
  call.inReport = inReport;
  call.kernel = !run.names[name].starts_with("vm.builtin.");
  for (std::uint32_t repeat = 0; repeat < ownNs.size(); ++repeat) {
    run.ownNs.push_back(ownNs[repeat]);
    run.inclusiveNs.push_back(ownNs[repeat]);
    run.sampleRepeat.push_back(repeat);
    for (CounterColumn& counter : run.counters) counter.values.push_back(ownNs[repeat] / 8);
  }
  run.calls.push_back(call);
}

/// Two repeats: conv2d twice with equal shapes, relu, an allocation that the report does not list.
inline Run sampleRun() {
  Run run;
  run.executablePath = "/models/\"net\".so";
  run.executableHash = "0123456789abcdef0123456789abcdef";
  run.function = "main";
  run.startedAt = "2026-01-02T03:04:05Z";
  run.inputs = "x float32 [1, 3] random:0";
  run.warmup = 3;
  run.repeatsWanted = 2;
  run.repeats = 2;
  run.names = {"fused_conv2d1_add", "relu", "vm.builtin.alloc_tensor"};
  run.shapes = {"float32[1, 3], float32[3]", "float32[1, 3]"};
  run.devices = {"cpu0"};
  run.steps = {"main"};
  addCall(run, 2, kNone, {100, 200}, false);
  addCall(run, 0, 0, {10000, 14000});
  addCall(run, 1, 1, {2000, 2000}, true, 1);
  addCall(run, 0, 0, {20000, 30000});
  run.totals = {{"cpu0", {40000, 60000}}};
  double startNs = 0;
  for (std::uint32_t repeat = 0; repeat < 2; ++repeat, startNs = 0) {
    for (std::uint32_t call = 0; call < run.calls.size(); ++call) {
      const double durationNs = run.ownNs[run.calls[call].firstSample + repeat];
      run.spans.push_back({startNs, durationNs, call, repeat});
      startNs += durationNs + 0.25;
    }
  }
  run.configuration.set("Executor", std::string("VM"));
  run.configuration.set("Number of threads", Count{2});
  run.environment = {{"CPU", "Some \"fast\" CPU\n"}};
  run.warnings = {{"The clock is slow.", "Use another."}};
  return run;
}

/// The same with what collectors told: of each call a count and a ratio, where the first call has no ratio.
inline Run sampleRunWithCounters() {
  Run run = sampleRun();
  run.counters = {{"Cache misses", "", CounterColumn::Kind::Count, {}, {4000, 6000}, {}},
                  {"IPC", "instructions a cycle", CounterColumn::Kind::Ratio, {}, {}, {}}};
  for (const double ns : run.ownNs) {
    run.counters[0].values.push_back(ns / 8);
    run.counters[1].values.push_back(ns < 1000 ? std::numeric_limits<double>::quiet_NaN() : ns / 1e4);
  }
  return run;
}

/// As sampleRun, with everything that some runs have: nested and missing calls, steps, counters, memory,
/// lanes, a failure. A new member of Run gets a value here.
inline Run richRun() {
  Run run = sampleRunWithCounters();
  run.inclusiveNs[4] = 2500.125;
  addCall(run, 1, kNone, {5, 6});
  run.calls.back().device = kNone;
  run.calls.back().sampleCount = 1;
  run.ownNs.pop_back();
  run.inclusiveNs.pop_back();
  run.sampleRepeat.pop_back();
  for (CounterColumn& counter : run.counters) counter.values.pop_back();
  run.sampleRepeat.back() = 1;
  run.calls.back().step = 1;
  run.spans.push_back({70000.5, 6.75, 4, 1});
  run.steps = {"prefill", "decode"};
  const double untold = std::numeric_limits<double>::quiet_NaN();
  run.counters.push_back({"Path",
                          "",
                          CounterColumn::Kind::Text,
                          {untold, untold, 0, 1, 1, 1, 2, 2, 2},
                          {untold, 1},
                          {"\"direct\"", "winograd", "größe\n"}});
  run.stepNs = {{40000, 60000}, {1, 2}};
  run.repeatsWanted = 30;
  run.failure = "Stopped on request.";
  run.configuration.set("Frequency", Ratio{0.1});
  run.timing = Timing{0.5, 52.25};
  run.noise =
      NoiseGrade{Grade::C,
                 {{"load", "Load by others", "others kept \"1.4\" of 2 cores busy", Grade::C, "Close them."},
                  {"turbo", "Turbo", "turbo is off", Grade::A, ""}},
                 {"Temperature"}};
  run.overhead = Overhead{{0, 1}, {39000.5, 58000}, 4.5};
  MemoryTrack memory;
  memory.storage = {{{0, 0, 0}, {10.5, 4096, 0}, {0, 4096, 1}}, 4096, 10.5, 0};
  memory.storages = {{0.5, -1, 4000, 4096, true, false, 0, 1, kNone, 2, 3000}};
  memory.holders = {{0, 3000, 1}};
  memory.peakCall = 0;
  memory.peakGivenBytes = 4096;
  memory.constantBytes = 12;
  memory.taken = 1;
  run.memory = memory;
  LaneTrack lanes;
  lanes.threads = 2;
  lanes.launches = {{1.5, 100.25, 0, 1, 2, LaunchKind::Pool, false, 0, 2}};
  lanes.tasks = {{2.5, 90, 80.5, 0, 0}, {3.5, 70, 70, 1, 1}};
  run.lanes = lanes;
  return run;
}

inline std::shared_ptr<const Run> shared(Run run) {
  return std::make_shared<const Run>(std::move(run));
}

/// Texts that have broken writers before.
inline std::string nastyText(std::mt19937& random) {
  static const std::vector<std::string> kPieces = {"conv2d", "\"",     ",",    "\n",  "\r\n", "\\",
                                                   "ü",      "日本",   "😀",    "\t",  " ",    "'",
                                                   "{}",     "[1, 3]", "\x01", "a=b", ";"};
  std::string text;
  for (unsigned length = random() % 6; length > 0; --length) text += kPieces[random() % kPieces.size()];
  return text;
}

inline double nastyNumber(std::mt19937& random) {
  static const std::vector<double> kNumbers = {0, 1, 0.1, 1e-9, 123456789.123456789, 1e16, 1e22, 5e-324, 0.5};
  const double base = kNumbers[random() % kNumbers.size()];
  return random() % 2 == 0 ? base : base * (1 + static_cast<double>(random()) / 4294967296.0);
}

inline Report randomReport(std::mt19937& random) {
  Report report;
  const std::string ownColumn = "Extra " + nastyText(random);
  for (unsigned calls = random() % 20; calls > 0; --calls) {
    MetricMap row;
    row.set(kName, nastyText(random));
    row.set(kDurationUs, Duration{nastyNumber(random)});
    row.set(kPercent, Percent{nastyNumber(random)});
    if (random() % 2 == 0) row.set(kDevice, nastyText(random));
    row.set(kCount, Count{static_cast<std::int64_t>(random() % 3)});
    if (random() % 2 == 0) row.set(kArgumentShapes, nastyText(random));
    if (random() % 2 == 0) row.set(ownColumn, Ratio{nastyNumber(random)});
    report.calls.push_back(std::move(row));
  }
  MetricMap total;
  total.set(kName, std::string("Total"));
  total.set(kDurationUs, Duration{nastyNumber(random)});
  report.deviceMetrics.emplace_back("cpu0 " + nastyText(random), std::move(total));
  report.configuration.set("Executor", nastyText(random));
  report.configuration.set("Number of threads", Count{static_cast<std::int64_t>(random())});
  return report;
}

}  // namespace opscope::report
