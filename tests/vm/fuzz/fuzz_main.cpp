// SPDX-License-Identifier: Apache-2.0
// fuzz_bytecode [--seconds N] [--seed N] [--first N] [--corpus DIR] [--findings DIR] [--case FILE]...
//
// Runs made and changed executables for N seconds, each in a child process that is replaced when it dies. The
// case that was running then is kept in DIR as NAME.vmexe; --case runs such files again. Tells at the end
// which functions returned how often. Ends with 1 when something was found.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "engine/runtime/backend_symbols.h"
#include "engine/vm/builtins.h"
#include "tests/vm/fuzz/fuzz_cases.h"

namespace opscope::vm::test {

namespace {

struct FuzzOptions {
  std::uint64_t seconds = 60;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::filesystem::path corpus;
  std::filesystem::path findings = ".";
  std::vector<std::filesystem::path> cases;
};

/// Shared with the child, so that its last case outlives it.
struct Progress {
  std::atomic<std::uint64_t> number;
  std::atomic<std::uint64_t> accepted;
  std::atomic<std::uint64_t> ran;
  std::atomic<std::uint64_t> size;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;
  char library[256];
  char finding[256];
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
  const std::string how = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                              : "status " + std::to_string(WEXITSTATUS(status));
  std::fprintf(stderr, "FINDING in case %llu (%s): %s; kept as %s\n",
               static_cast<unsigned long long>(progress.number.load()), how.c_str(), progress.finding,
               path.c_str());
}

int runAll(const FuzzOptions& options) {
  void* memory = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    return 2;
  }
  auto& progress = *static_cast<Progress*>(memory);
  progress.number.store(options.first);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(options.seconds);
  int findings = 0;
  while (std::chrono::steady_clock::now() < end) {
    progress.finding[0] = '\0';
    const pid_t child = ::fork();
    if (child == 0) {
      _exit(runChild(options, progress, end));
    }
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) {
      std::perror("fork");
      return 2;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      break;
    }
    ++findings;
    keep(options, progress, status);
    progress.number.fetch_add(1);
  }
  std::fprintf(stderr, "%llu cases, %llu accepted, %llu returned a value, %d findings\n",
               static_cast<unsigned long long>(progress.number.load() - options.first),
               static_cast<unsigned long long>(progress.accepted.load()),
               static_cast<unsigned long long>(progress.ran.load()), findings);
  return findings == 0 ? 0 : 1;
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

bool parseNumber(const char* text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  return error == std::errc() && *end == '\0';
}

bool parse(int count, char** words, FuzzOptions& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = words[i];
    const char* value = words[i + 1];
    bool good = true;
    if (name == "--seconds") {
      good = parseNumber(value, options.seconds);
    } else if (name == "--seed") {
      good = parseNumber(value, options.seed);
    } else if (name == "--first") {
      good = parseNumber(value, options.first);
    } else if (name == "--corpus") {
      options.corpus = value;
    } else if (name == "--findings") {
      options.findings = value;
    } else if (name == "--case") {
      options.cases.emplace_back(value);
    } else {
      good = false;
    }
    if (!good) {
      return false;
    }
  }
  return count % 2 == 1;
}

int run(int count, char** words) {
  FuzzOptions options;
  if (!parse(count, words, options)) {
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
