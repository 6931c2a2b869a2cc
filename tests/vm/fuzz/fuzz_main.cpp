// SPDX-License-Identifier: Apache-2.0
// fuzz_bytecode [--seconds N] [--seed N] [--first N] [--corpus DIR] [--findings DIR] [--case FILE]...
//
// Runs made and changed executables for N seconds, each in a child process that is replaced when it dies. The
// case that was running then is kept in DIR as NAME.vmexe; --case runs such files again. Tells at the end
// which functions returned how often. Ends with 1 when something was found.
#include <sys/resource.h>

#include <fstream>
#include <iterator>

#include "engine/runtime/backend_symbols.h"
#include "engine/vm/builtins.h"
#include "tests/support/fuzz_driver.h"
#include "tests/vm/fuzz/fuzz_cases.h"

namespace opscope::vm::test {

namespace {

using opscope::test::FuzzOptions;

struct Progress : opscope::test::FuzzProgress {
  std::atomic<std::uint64_t> accepted;
  std::atomic<std::uint64_t> ran;
  std::atomic<std::uint64_t> size;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  char library[256];
  char bytes[kMostBytes];
};

void note(char (&field)[256], const std::string& text) {
  std::snprintf(field, sizeof(field), "%s", text.c_str());
}

int runChild(const FuzzOptions& options, Progress& progress, std::chrono::steady_clock::time_point end) {
  FuzzCases cases(options.corpus);
  FuzzRunner runner;
  for (; std::chrono::steady_clock::now() < end; progress.number.fetch_add(1)) {
    const FuzzCase fuzzCase = cases.make(options.seed, progress.number.load());
    note(progress.library, fuzzCase.libraryName);
    progress.size.store(std::min(fuzzCase.bytes.size(), Progress::kMostBytes));
    std::memcpy(progress.bytes, fuzzCase.bytes.data(), progress.size.load());
    const FuzzOutcome outcome = cases.run(runner, fuzzCase);
    progress.accepted.fetch_add(outcome.accepted ? 1 : 0);
    progress.ran.fetch_add(outcome.ran ? 1 : 0);
    if (!outcome.finding.empty()) {
      note(progress.finding, outcome.finding);
      return 3;
    }
  }
  for (const auto& [name, count] : runner.returned()) {
    std::fprintf(stderr, "%10llu %s\n", static_cast<unsigned long long>(count), name.c_str());
  }
  return 0;
}

void keep(const FuzzOptions& options, const Progress& progress, int status) {
  const std::string name = std::string(progress.library) + (progress.library[0] != '\0' ? "@" : "") +
                           std::to_string(options.seed) + "-" + std::to_string(progress.number.load());
  const std::filesystem::path path = options.findings / (name + ".vmexe");
  std::ofstream(path, std::ios::binary)
      .write(progress.bytes, static_cast<std::streamsize>(progress.size.load()));
  opscope::test::tellFinding(progress, status, path);
}

int runAll(const FuzzOptions& options) {
  return opscope::test::runInChildren<Progress>(
      options, [&](Progress& progress, auto end) { return runChild(options, progress, end); },
      [&](const Progress& progress, int status) { keep(options, progress, status); },
      [&](const Progress& progress, int findings) {
        std::fprintf(stderr, "%llu cases, %llu accepted, %llu returned a value, %d findings\n",
                     static_cast<unsigned long long>(progress.number.load() - options.first),
                     static_cast<unsigned long long>(progress.accepted.load()),
                     static_cast<unsigned long long>(progress.ran.load()), findings);
      });
}

int runFiles(const FuzzOptions& options) {
  FuzzCases cases(options.corpus);
  FuzzRunner runner;
  int findings = 0;
  for (const std::filesystem::path& path : options.cases) {
    const FuzzOutcome outcome = cases.run(runner, cases.read(path));
    std::fprintf(stderr, "%s: %s%s%s\n", path.c_str(), outcome.accepted ? "accepted" : "refused",
                 outcome.ran ? ", ran" : "",
                 outcome.finding.empty() ? "" : (", FINDING: " + outcome.finding).c_str());
    findings += outcome.finding.empty() ? 0 : 1;
  }
  return findings == 0 ? 0 : 1;
}

int run(int count, char** words) {
  FuzzOptions options;
  if (!opscope::test::parseFuzzOptions(count, words, options)) {
    std::fprintf(stderr,
                 "usage: fuzz_bytecode [--seconds N] [--seed N] [--first N] [--corpus DIR] "
                 "[--findings DIR] [--case FILE]...\n");
    return 2;
  }
  runtime::registerBackendSymbols();
  registerBuiltins();
  if (std::freopen("/dev/null", "w", stdout) == nullptr) {  // relax.run.print
    return 2;
  }
  return options.cases.empty() ? runAll(options) : runFiles(options);
}

}  // namespace

}  // namespace opscope::vm::test

int main(int count, char** words) {
  return opscope::vm::test::run(count, words);
}
