// SPDX-License-Identifier: Apache-2.0
// A store of a thousand runs with ten million samples in all: how long listing, opening and querying take,
// printed. bench_many_runs FOLDER [RUNS [SAMPLES]]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>

#include "engine/base/clock.h"
#include "engine/report/run_report.h"
#include "engine/store/store.h"

namespace {

using namespace opscope;

constexpr std::uint32_t kRepeats = 20;
constexpr std::uint32_t kNames = 60;
constexpr int kRounds = 5;

report::Document makeRun(std::uint32_t number, std::uint32_t samples) {
  auto run = std::make_shared<report::Run>();
  run->executablePath = "/models/model" + std::to_string(number % 7) + ".so";
  run->executableHash = std::to_string(number % 7) + "23456789abcdef0123456789abcdef";
  run->function = "main";
  run->startedAt = "2026-01-02T03:04:05Z";
  run->steps = {"main"};
  run->devices = {"cpu0"};
  run->repeats = run->repeatsWanted = kRepeats;
  for (std::uint32_t name = 0; name < kNames; ++name) {
    run->names.push_back("fused_conv2d_add_relu" + std::to_string(name));
    run->shapes.push_back("float32[1, " + std::to_string(name) + ", 56, 56], float32[64, 3, 3, 3]");
  }
  for (std::uint32_t position = 0; position < samples / kRepeats; ++position) {
    report::Call call;
    call.name = call.shapes = position % kNames;
    call.device = 0;
    call.instruction = position;
    call.firstSample = run->ownNs.size();
    call.sampleCount = kRepeats;
    call.inReport = call.kernel = true;
    run->calls.push_back(call);
    for (std::uint32_t repeat = 0; repeat < kRepeats; ++repeat) {
      run->ownNs.push_back(1000.5 + position + repeat + number);
      run->sampleRepeat.push_back(repeat);
    }
  }
  run->inclusiveNs = run->ownNs;
  for (std::uint32_t repeat = 0; repeat < kRepeats; ++repeat) {
    for (std::uint32_t call = 0; call < run->calls.size(); ++call) {
      run->spans.push_back({2000.0 * call, 1000.5 + call + repeat + number, call, repeat});
    }
  }
  run->totals = {{"cpu0", std::vector<double>(kRepeats, 1e6 + number)}};
  return report::makeDocument(std::move(run));
}

/// Prints the least and the most time of some rounds; each opens the store anew, as a program does.
bool time(const char* what, const std::filesystem::path& path,
          const std::function<bool(store::Store&)>& body) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t begin = base::monotonicNs();
    auto store = store::Store::open(path, store::Access::Read);
    if (!store || !body(*store)) {
      std::printf("%s failed\n", what);
      return false;
    }
    const double ms = static_cast<double>(base::monotonicNs() - begin) / 1e6;
    least = std::min(least, ms);
    most = std::max(most, ms);
  }
  std::printf("  %-44s %8.1f to %.1f ms\n", what, least, most);
  return true;
}

bool fill(const std::filesystem::path& path, std::uint32_t runs, std::uint32_t samples) {
  const std::int64_t begin = base::monotonicNs();
  auto store = store::Store::open(path, store::Access::Write);
  for (std::uint32_t number = 0; store && number < runs; ++number) {
    const std::vector<std::string> tags = {number % 2 == 0 ? "even" : "odd"};
    if (auto saved = store->save(makeRun(number, samples / runs), {"run of a benchmark", tags}); !saved) {
      std::fputs(base::formatError(saved.error()).c_str(), stderr);
      return false;
    }
  }
  if (!store) {
    std::fputs(base::formatError(store.error()).c_str(), stderr);
    return false;
  }
  const double ms = static_cast<double>(base::monotonicNs() - begin) / 1e6;
  std::printf("%u runs with %u samples: %.1f ms to make and save each, %.0f MB\n", runs, samples, ms / runs,
              static_cast<double>(std::filesystem::file_size(path)) / 1e6);
  return true;
}

int measure(const std::filesystem::path& path, std::uint32_t runs, std::uint32_t samples) {
  if (!fill(path, runs, samples)) {
    return 1;
  }
  const auto sql = [](const char* text) {
    return [text](store::Store& store) { return store.query(text, {}).has_value(); };
  };
  const bool done =
      time("list of all runs", path,
           [&](store::Store& store) { return store.list({}).value().size() == runs; }) &&
      time("list by tag", path,
           [](store::Store& store) {
             return !store.list({"", {"odd"}, "", {}}).value().empty();
           }) &&
      time("the last 20", path,
           [](store::Store& store) {
             return store.list({"", {}, "", 20}).value().size() == 20;
           }) &&
      time("one run opened", path, [&](store::Store& store) { return store.load(runs / 2).has_value(); }) &&
      time("SQL: means by name of one run", path,
           sql("SELECT name, avg(duration_us) FROM samples WHERE run = 7 GROUP BY name")) &&
      time("SQL: mean of all samples of all runs", path,
           sql("SELECT count(*), avg(duration_us) FROM samples"));
  return done ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fputs("usage: bench_many_runs FOLDER [RUNS [SAMPLES]]\n", stderr);
    return 2;
  }
  const auto number = [argc, argv](int position, unsigned long usual) {
    return static_cast<std::uint32_t>(argc > position ? std::strtoul(argv[position], nullptr, 10) : usual);
  };
  const std::filesystem::path path = std::filesystem::path(argv[1]) / "many.sqlite";
  std::filesystem::remove(path);
  const int status = measure(path, std::max(number(2, 1000), 21u), number(3, 10'000'000));
  std::filesystem::remove(path);
  return status;
}
