// SPDX-License-Identifier: Apache-2.0
// How fast a trace of about 100 MB is written and read, ours and one as PyTorch writes, and how fast Python's
// json reads the same files in the same run. bench_trace_speed FOLDER [MB]
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/base/atomic_file.h"
#include "engine/base/clock.h"
#include "engine/report/document_reader.h"
#include "engine/report/exporters.h"
#include "engine/report/run_report.h"

namespace {

using namespace opscope;
namespace fs = std::filesystem;

constexpr std::uint32_t kCalls = 2000;
constexpr double kBytesPerMb = 1e6;
constexpr int kRounds = 3;  // the best is told: other programs use the processor too

/// Of this thread, in user and kernel mode: what a quiet machine would take.
double processorSeconds() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

struct Times {
  double wallSeconds = 1e9;
  double processorSeconds = 1e9;
};

template <class Work>
Times best(Work&& work) {
  Times times;
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t begin = base::monotonicNs();
    const double processor = processorSeconds();
    work();
    times.wallSeconds = std::min(times.wallSeconds, static_cast<double>(base::monotonicNs() - begin) * 1e-9);
    times.processorSeconds = std::min(times.processorSeconds, processorSeconds() - processor);
  }
  return times;
}

/// `repeats` of a model with allocations and kernels by turns.
report::Run makeRun(std::uint32_t repeats) {
  report::Run run;
  run.executablePath = "net.so";
  run.function = "main";
  run.repeats = run.repeatsWanted = repeats;
  run.steps = {"main"};
  run.devices = {"cpu0"};
  for (int name = 0; name < 60; ++name) run.names.push_back("fused_conv2d_add_relu" + std::to_string(name));
  run.names.emplace_back("vm.builtin.alloc_tensor");
  for (int shape = 1; shape <= 40; ++shape) {
    run.shapes.push_back("float32[1, " + std::to_string(shape) + ", 56, 56], float32[64, 3, 3, 3]");
  }
  for (std::uint32_t index = 0; index < kCalls; ++index) {
    const bool isKernel = index % 2 == 1;
    report::Call call;
    call.name = isKernel ? index % 60 : 60;
    call.shapes = isKernel ? index % 40 : report::kNone;
    call.device = isKernel ? 0 : report::kNone;
    call.instruction = index;
    call.firstSample = run.ownNs.size();
    call.sampleCount = repeats;
    call.kernel = call.inReport = isKernel;
    run.calls.push_back(call);
    for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
      run.ownNs.push_back(1000 + (index * 7919 + repeat * 104729) % 90000);
      run.sampleRepeat.push_back(repeat);
    }
  }
  run.inclusiveNs = run.ownNs;
  run.totals = {{"cpu0", {}}};
  for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
    double ns = 0;
    for (std::uint32_t call = 0; call < kCalls; ++call) {
      const double duration = run.ownNs[run.calls[call].firstSample + repeat];
      run.spans.push_back({ns, duration, call, repeat});
      ns += duration + 12;
    }
    run.totals[0].totalNs.push_back(ns);
  }
  return run;
}

std::string pytorchTrace(double bytes) {
  std::string text = "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
  for (std::uint64_t event = 0; static_cast<double>(text.size()) < bytes; ++event) {
    text += (event > 0 ? ",\n  {" : "  {");
    text += "\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::linear" +
            std::to_string(event % 90) + "\", \"pid\": 311, \"tid\": " + std::to_string(event % 4) +
            ",\n    \"ts\": " + std::to_string(1694691017123456 + event / 4 * 20) + "." +
            std::to_string(100 + event % 900) + ", \"dur\": " + std::to_string(event % 19) +
            ",\n    \"args\": {\n      \"External id\": " + std::to_string(event) +
            ",\"Record function id\": 0, \"Concrete Inputs\": [\"\", \"\", \"\"], \"Input type\": "
            "[\"float\", \"float\", \"float\"], \"Input Dims\": [[8, " +
            std::to_string(event % 50) + "], [64, 32], [64]], \"Ev Idx\": " + std::to_string(event) +
            "\n    }\n  }";
  }
  return text + "\n  ]\n}\n";
}

double pythonSeconds(const fs::path& path) {
  const fs::path result = path.string() + ".seconds";
  const std::string command =
      "python3 -c 'import json,sys,time\nbest=1e9\nfor _ in range(2):\n begin=time.process_time()\n "
      "json.load(open(sys.argv[1],encoding=\"utf-8\"))\n best=min(best,time.process_time()-begin)\n"
      "open(sys.argv[2],\"w\").write(str(best))' '" +
      path.string() + "' '" + result.string() + "'";
  if (std::system(command.c_str()) != 0) return 0;
  return std::strtod(base::readFile(result).value_or("0").c_str(), nullptr);
}

void tell(const char* what, double bytes, const Times& times) {
  std::printf("  %-28s %7.1f MB %8.1f MB/s %8.1f MB/s of the processor\n", what, bytes / kBytesPerMb,
              bytes / kBytesPerMb / times.wallSeconds, bytes / kBytesPerMb / times.processorSeconds);
}

/// Reads the file, and lets Python read it.
bool read(const char* what, const fs::path& path) {
  const auto bytes = static_cast<double>(fs::file_size(path));
  bool isRead = true;
  std::size_t calls = 0;
  const Times times = best([&] {
    const auto document = report::readDocument(path);
    isRead = isRead && document.has_value();
    calls = document ? document->run->spans.size() : 0;
  });
  tell(what, bytes, times);
  const double python = pythonSeconds(path);
  std::printf("  %-28s %zu spans; Python's json.load takes %.1f times as long (%.1f MB/s)\n", "", calls,
              python / times.processorSeconds, python > 0 ? bytes / kBytesPerMb / python : 0);
  return isRead && calls > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "bench_trace_speed FOLDER [MB]\n");
    return 2;
  }
  const double wanted = (argc > 2 ? std::strtod(argv[2], nullptr) : 100) * kBytesPerMb;
  const fs::path ours = fs::path(argv[1]) / "bench_trace.json";
  const fs::path theirs = fs::path(argv[1]) / "bench_trace_pytorch.json";
  constexpr double kBytesPerSpan = 230;  // a kernel stands on two tracks
  const auto repeats = static_cast<std::uint32_t>(std::max(wanted / kBytesPerSpan / kCalls, 1.0));
  const report::Document document = report::makeDocument(std::make_shared<report::Run>(makeRun(repeats)));
  const report::Exporter& exporter = *report::findExporter("trace");
  bool isDone = true;
  const Times writing =
      best([&] { isDone = report::exportToFile(exporter, document, ours).has_value() && isDone; });
  if (!isDone) return 1;
  tell("write ours", static_cast<double>(fs::file_size(ours)), writing);
  isDone = read("read ours", ours);
  if (!base::writeFileAtomically(theirs, pytorchTrace(wanted))) return 1;
  isDone = read("read PyTorch's", theirs) && isDone;
  for (const fs::path& path : {ours, theirs}) {
    fs::remove(path);
    fs::remove(path.string() + ".seconds");
  }
  return isDone ? 0 : 1;
}
