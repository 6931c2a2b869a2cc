// SPDX-License-Identifier: GPL-3.0-or-later
// A made-up run with calls within calls on several devices, for tests of the Timeline. The same seed gives
// the same run.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "engine/report/run.h"

namespace opscope::ui::testing {

struct NestedOptions {
  std::uint32_t calls = 400;
  std::uint32_t repeats = 2;
  std::uint32_t seed = 1;
  bool hasStartTimes = true;
  std::uint32_t steps = 1;  ///< of a scenario; each has as many calls of depth 0 as the others, about
};

namespace nested {

inline void addCall(report::Run& run, std::mt19937& random, std::uint32_t depth, double& now,
                    std::uint32_t budget, std::vector<report::Span>& spans) {
  const bool isFunction = budget > 4 && depth < 3 && random() % 3 == 0;
  report::Call call;
  call.name = isFunction ? 4 + depth : random() % 4;
  call.kernel = !isFunction && call.name != 3;
  call.shapes = call.kernel ? random() % 2 : report::kNone;
  call.device = call.kernel ? random() % 2 : report::kNone;
  call.depth = depth;
  call.inReport = call.kernel;
  const auto index = std::uint32_t(run.calls.size());
  const auto place = spans.size();
  const double start = now;
  spans.push_back({start, 0, index, 0});
  run.calls.push_back(call);
  if (isFunction) {
    now += 10;
    const std::uint32_t until = std::uint32_t(run.calls.size()) + 1 + random() % (budget / 2);
    while (run.calls.size() < until) {
      addCall(run, random, depth + 1, now, std::uint32_t(until - run.calls.size()), spans);
      now += random() % 40;
    }
  } else {
    // From a few ns to a millisecond, most of them short.
    now += std::pow(10.0, 0.5 + double(random() % 1000) / 1000 * 5.5);
  }
  spans[place].durationNs = now - start;
}

}  // namespace nested

inline report::Document nestedDocument(const NestedOptions& options = {}) {
  auto run = std::make_shared<report::Run>();
  run->executablePath = "/models/nested.so";
  run->function = "main";
  run->repeats = run->repeatsWanted = options.repeats;
  run->hasStartTimes = options.hasStartTimes;
  run->devices = {"cpu0", "cuda0"};
  run->steps = {options.steps > 1 ? "prefill" : "main"};
  for (std::uint32_t step = 1; step < options.steps; ++step)
    run->steps.push_back("decode #" + std::to_string(step));
  run->names = {"conv2d8", "batch_norm5", "relu",   "vm.builtin.alloc_storage",
                "block_a", "block_b",     "block_c"};
  run->shapes = {"float32[1, 272, 14, 14], float32[272, 68, 1, 1]", "float32[1, 16]"};
  std::mt19937 random(options.seed);
  std::vector<report::Span> spans;
  double now = 500;
  while (run->calls.size() < options.calls) {
    const auto left = std::uint32_t(options.calls - run->calls.size());
    // More steps have shorter ones.
    const std::uint32_t budget = options.steps > 1 ? std::max(8U, options.calls / options.steps) : left;
    nested::addCall(*run, random, 0, now, std::min(left, budget), spans);
    now += random() % 300;
  }
  for (std::uint32_t i = 0, step = 0; i < run->calls.size(); ++i) {
    if (run->calls[i].depth == 0) step = std::uint32_t(std::uint64_t{i} * options.steps / run->calls.size());
    run->calls[i].step = step;
  }
  run->totals.push_back({"cpu0", {}});
  for (std::uint32_t repeat = 0; repeat < options.repeats; ++repeat) {
    const double slower = 1 + 0.1 * repeat;
    for (const report::Span& span : spans) {
      if (options.hasStartTimes)
        run->spans.push_back({span.startNs * slower, span.durationNs * slower, span.call, repeat});
    }
    run->totals[0].totalNs.push_back((now + 800) * slower);
  }
  for (report::Call& call : run->calls) {
    call.firstSample = run->ownNs.size();
    call.sampleCount = options.repeats;
    const report::Span& span = spans[std::size_t(&call - run->calls.data())];
    for (std::uint32_t repeat = 0; repeat < options.repeats; ++repeat) {
      const double slower = 1 + 0.1 * repeat;
      run->ownNs.push_back(call.kernel ? span.durationNs * slower : 1);
      run->inclusiveNs.push_back(span.durationNs * slower);
      run->sampleRepeat.push_back(repeat);
    }
  }
  report::Document document;
  document.run = run;
  return document;
}

}  // namespace opscope::ui::testing
