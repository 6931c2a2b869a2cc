// SPDX-License-Identifier: Apache-2.0
// What ten million records of one run take to become a report, statistics and an entry of the store: times of
// each part and the most memory, printed. bench_large_run FOLDER [CALLS [RECORDS]]; the repeats follow.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/clock.h"
#include "engine/profile/run_builder.h"
#include "engine/report/op_table.h"
#include "engine/report/run_report.h"
#include "engine/report/table.h"
#include "engine/store/store.h"
#include "tests/profile/fake_tensors.h"

namespace {

using namespace opscope;

constexpr std::uint64_t kRecords = 10'000'000;
constexpr std::uint32_t kFunctions = 60;
constexpr double kNsPerMs = 1e6;

/// Of all threads, in user and kernel mode: what a quiet machine would take at least.
double processorMs() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto ms = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return ms(use.ru_utime) + ms(use.ru_stime);
}

double mostMemoryMb() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  constexpr double kKiBPerMb = 1024;
  return static_cast<double>(use.ru_maxrss) / kKiBPerMb;
}

class Stopwatch {
 public:
  /// Prints what passed since the last lap.
  void lap(const char* what) {
    print(what, m_wallNs, m_processorMs);
    m_wallNs = base::monotonicNs();
    m_processorMs = processorMs();
  }
  void total() const { print("together", m_beginNs, m_beginMs); }

 private:
  static void print(const char* what, std::int64_t sinceNs, double sinceMs) {
    std::printf("  %-26s %8.0f ms %8.0f ms of the processor   most memory %6.0f MB\n", what,
                static_cast<double>(base::monotonicNs() - sinceNs) / kNsPerMs, processorMs() - sinceMs,
                mostMemoryMb());
  }

  std::int64_t m_beginNs = base::monotonicNs();
  double m_beginMs = processorMs();
  std::int64_t m_wallNs = m_beginNs;
  double m_processorMs = m_beginMs;
};

/// The records as a recorder leaves them: `calls` of them a repeat, every tenth around the next two.
class Recording {
 public:
  Recording(std::uint32_t calls, std::uint64_t records) : m_shapes(calls + 3) {
    auto data = std::make_shared<vm::ExecutableData>();
    for (std::uint32_t function = 0; function < kFunctions; ++function) {
      data->functions.push_back({});
      data->functions.back().name = "fused_conv2d_add_relu" + std::to_string(function);
      m_file.kernels.push_back({data->functions.back().name, "", 0});
    }
    m_file.data = data;
    for (std::int64_t shape = 1; shape <= kShapes; ++shape) {
      const TVMFFIAny tensor = m_tensors.tensor({1, shape, 56, 56});
      m_shapes.indexOf(0, &tensor, 1);
    }
    m_records.reserve(records + calls);
    while (m_records.size() < records) {
      addRepeat(calls);
    }
  }

  report::Run build() {
    report::Run run;
    run.steps = {"main"};
    profile::RunPlaces places;
    const base::TickScale scale({0, 0}, {2'100'000'000, 1'000'000'000}, 1.0);
    profile::buildCalls({m_records, m_shapes, m_repeats, m_file, scale, 1, {"cpu0"}}, run, places);
    run.repeatsWanted = run.repeats;
    run.executablePath = "large.so";
    run.function = "main";
    return run;
  }

  std::size_t repeats() const { return m_repeats.size(); }
  std::uint64_t size() const { return m_records.size(); }

 private:
  static constexpr std::int64_t kShapes = 40;

  void addRepeat(std::uint32_t calls) {
    const std::size_t first = m_records.size();
    const std::uint64_t begin = m_ticks;
    for (std::uint32_t call = 0; call < calls; ++call) {
      const bool encloses = call % 10 == 0 && call + 2 < calls;
      const std::uint32_t depth = call % 10 == 1 || call % 10 == 2 ? 1 : 0;
      m_state = m_state * 6364136223846793005u + 1442695040888963407u;
      const std::uint64_t ticks = 2000 + (m_state >> 54);
      m_records.append() = {m_ticks,           m_ticks + (encloses ? 3 * ticks + 4000 : ticks), call,
                            call % kFunctions, static_cast<std::uint32_t>(call % kShapes),      depth};
      m_ticks += encloses ? 20 : ticks + 20;
    }
    m_repeats.push_back({{0, begin, m_ticks, first, m_records.size()}});
  }

  profile::testing::FakeTensors m_tensors;
  profile::RecordBuffer m_records;
  profile::ShapeTable m_shapes;
  vm::ExecutableFile m_file;
  std::vector<profile::RepeatMarks> m_repeats;
  std::uint64_t m_ticks = 1000;
  std::uint64_t m_state = 7;
};

int measure(const std::filesystem::path& path, std::uint32_t calls, std::uint64_t records) {
  auto recording = std::make_unique<Recording>(calls, records);
  std::printf("%llu records: %u calls, %zu repeats; %.0f MB before\n",
              static_cast<unsigned long long>(recording->size()), calls, recording->repeats(),
              mostMemoryMb());
  Stopwatch watch;
  auto run = std::make_shared<const report::Run>(recording->build());
  recording.reset();  // as the profiler's is when the run leaves it
  watch.lap("calls, samples and spans");
  const report::Document document = report::makeDocument(std::move(run));
  if (document.report->calls.size() != document.reportCalls.size())
    std::abort();  // it is made when asked for
  watch.lap("report");
  const report::OpTable ops = report::buildOpTable(document, report::Grouping::ByOp);
  watch.lap("statistics by op");
  const report::OpTable each = report::buildOpTable(document, report::Grouping::EachCall);
  watch.lap("statistics of each call");
  auto store = store::Store::open(path, store::Access::Write);
  auto saved = store ? store->save(document, {}) : base::Result<store::RunId>(store.error());
  if (!saved) {
    std::fputs(base::formatError(saved.error()).c_str(), stderr);
    return 1;
  }
  watch.lap("entry of the store");
  watch.total();
  Stopwatch after;
  const auto loaded = store->load(*saved);
  after.lap("(opened again)");
  std::printf("  %zu ops, %zu calls, %.0f MB in the store\n", ops.rows.size(), each.rows.size(),
              static_cast<double>(std::filesystem::file_size(path)) / 1e6);
  return loaded && *loaded->run == *document.run ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fputs("usage: bench_large_run FOLDER [CALLS [RECORDS]]\n", stderr);
    return 2;
  }
  const auto number = [argc, argv](int position, std::uint64_t usual) {
    return argc > position ? std::strtoull(argv[position], nullptr, 10) : usual;
  };
  const std::filesystem::path path = std::filesystem::path(argv[1]) / "large.sqlite";
  std::filesystem::remove(path);
  const int status = measure(path, static_cast<std::uint32_t>(number(2, 1000)), number(3, kRecords));
  std::filesystem::remove(path);
  return status;
}
