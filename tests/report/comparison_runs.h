// SPDX-License-Identifier: Apache-2.0
// Runs to be compared, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "engine/report/document_reader.h"
#include "engine/report/draws.h"
#include "engine/report/interner.h"
#include "engine/report/run_report.h"
#include "tests/report/sample_run.h"

namespace opscope::report {

/// One op of a made-up run.
struct MadeOp {
  std::string name;
  double ns = 1000;
  std::string shapes = "float32[8]";
};

/// A run of `ops` with nearly normal noise of the given size (part of each time).
inline Document madeDocument(const std::vector<MadeOp>& ops, std::uint32_t repeats, double noise,
                             std::uint64_t seed) {
  Run run;
  run.function = "main";
  run.executablePath = "net.so";
  run.repeats = run.repeatsWanted = repeats;
  run.devices = {"cpu0"};
  run.steps = {"main"};
  Draws draws(seed);
  std::vector<double> totals(repeats, 500.0);
  Interner names(run.names);
  Interner shapes(run.shapes);
  for (const MadeOp& op : ops) {
    const std::uint32_t name = names.idOf(op.name);
    std::vector<double> samples;
    for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
      samples.push_back(op.ns * (1 + noise * draws.nearlyNormal()));
      totals[repeat] += samples.back();
    }
    addCall(run, name, shapes.idOf(op.shapes), samples);
  }
  run.totals = {{"cpu0", totals}};
  return makeDocument(shared(std::move(run)));
}

/// 60 repeats of a small network, recorded on a machine that others used at the same time.
inline Document recordedDocument() {
  auto document = readDocument(OPSCOPE_TEST_DATA "/statistics/interleaved.samples.json");
  EXPECT_TRUE(document) << document.error().message;
  return *document;
}

/// The run with these of its repeats alone, in this order; each call was made once in each repeat.
inline Run partOf(const Run& whole, const std::vector<std::uint32_t>& repeats) {
  Run run = whole;
  run.repeats = run.repeatsWanted = static_cast<std::uint32_t>(repeats.size());
  run.ownNs.clear();
  run.inclusiveNs.clear();
  run.sampleRepeat.clear();
  for (Call& call : run.calls) {
    const std::uint64_t first = call.firstSample;
    call.firstSample = run.ownNs.size();
    call.sampleCount = run.repeats;
    for (std::uint32_t i = 0; i < run.repeats; ++i) {
      run.ownNs.push_back(whole.ownNs[first + repeats[i]]);
      run.inclusiveNs.push_back(whole.inclusiveNs[first + repeats[i]]);
      run.sampleRepeat.push_back(i);
    }
  }
  for (std::size_t device = 0; device < run.totals.size(); ++device) {
    run.totals[device].totalNs.clear();
    for (const std::uint32_t repeat : repeats) {
      run.totals[device].totalNs.push_back(whole.totals[device].totalNs[repeat]);
    }
  }
  return run;
}

/// Two halves, each repeat in one of them by chance, in the order of recording.
inline std::pair<Run, Run> randomHalves(const Run& whole, Draws& draws) {
  std::vector<std::uint32_t> order(whole.repeats);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = whole.repeats; i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  std::sort(order.begin(), middle);
  std::sort(middle, order.end());
  return {partOf(whole, {order.begin(), middle}), partOf(whole, {middle, order.end()})};
}

/// Makes one call slower in place, by a factor, and the totals with it.
inline void slowDown(Run& run, std::size_t call, double factor) {
  for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat) {
    double& ns = run.ownNs[run.calls[call].firstSample + repeat];
    run.totals.front().totalNs[repeat] += ns * (factor - 1);
    ns *= factor;
  }
}

}  // namespace opscope::report
