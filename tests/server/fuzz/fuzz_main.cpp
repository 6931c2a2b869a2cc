// SPDX-License-Identifier: Apache-2.0
// fuzz_requests [--seconds N] [--seed N] [--case N]
//
// Plays sessions of half-right clients for N seconds, each case by a number that repeats it (--case). Cases
// run in a child process, so that one that ends it is told. Ends with 1 when something was found.
#include <sys/mman.h>
#include <sys/wait.h>
#include <tvm/ffi/function.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "engine/base/log.h"
#include "engine/runtime/storage.h"
#include "tests/server/fuzz/request_fuzzer.h"

namespace opscope::rpc::server::test {

namespace {

using Clock = std::chrono::steady_clock;

/// Shared with the child, so that its last case outlives it.
struct Progress {
  std::atomic<std::uint64_t> number;
  std::atomic<std::uint64_t> answered;
  std::atomic<std::uint64_t> returned;
  char finding[256];
};

void registerFunctions() {
  using namespace tvm::ffi;
  Function::SetGlobal(
      "test.tensor", Function::FromTyped([] {
        runtime::StorageAllocator allocator(runtime::AllocatorKind::Naive);
        return runtime::emptyTensor(allocator, ShapeView({4, 4}), {kDLFloat, 32, 1}, {kDLCPU, 0});
      }));
  Function::SetGlobal("test.echo", Function::FromPacked([](PackedArgs arguments, Any* result) {
                        if (arguments.size() > 0) {
                          *result = arguments[0];
                        }
                      }));
}

int runCases(std::uint64_t seed, Progress& progress, Clock::time_point end, bool once) {
  do {
    RequestFuzzer fuzzer(seed * 1'000'003 + progress.number.load());
    const std::string finding = fuzzer.run();
    progress.answered.fetch_add(fuzzer.answered());
    progress.returned.fetch_add(fuzzer.returned());
    if (!finding.empty()) {
      std::snprintf(progress.finding, sizeof(progress.finding), "%s", finding.c_str());
      return 3;
    }
    progress.number.fetch_add(1);
  } while (!once && Clock::now() < end);
  return 0;
}

int runAll(std::uint64_t seconds, std::uint64_t seed, Progress& progress) {
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  int findings = 0;
  while (Clock::now() < end) {
    progress.finding[0] = '\0';
    const pid_t child = ::fork();
    if (child == 0) {
      registerFunctions();
      _exit(runCases(seed, progress, end, false));
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
    std::fprintf(
        stderr, "FINDING: --seed %llu --case %llu (%s %d) %s\n", static_cast<unsigned long long>(seed),
        static_cast<unsigned long long>(progress.number.load()), WIFSIGNALED(status) ? "signal" : "status",
        WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), progress.finding);
    progress.number.fetch_add(1);
  }
  std::fprintf(stderr, "%llu sessions, %llu answers, %llu of them no exceptions, %d findings\n",
               static_cast<unsigned long long>(progress.number.load()),
               static_cast<unsigned long long>(progress.answered.load()),
               static_cast<unsigned long long>(progress.returned.load()), findings);
  return findings == 0 && progress.returned.load() > 0 ? 0 : 1;
}

int run(int argc, char** argv) {
  std::uint64_t seconds = 60;
  std::uint64_t seed = 1;
  std::int64_t only = -1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    seconds = name == "--seconds" ? value : seconds;
    seed = name == "--seed" ? value : seed;
    only = name == "--case" ? static_cast<std::int64_t>(value) : only;
  }
  void* memory = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    return 2;
  }
  auto& progress = *static_cast<Progress*>(memory);
  if (only >= 0) {
    registerFunctions();
    progress.number.store(static_cast<std::uint64_t>(only));
    const int status = runCases(seed, progress, {}, true);
    std::fprintf(stderr, "%s\n", status == 0 ? "nothing found" : progress.finding);
    return status;
  }
  return runAll(seconds, seed, progress);
}

}  // namespace

}  // namespace opscope::rpc::server::test

int main(int argc, char** argv) {
  ::setenv("OPSCOPE_LOG", "off", 0);
  opscope::base::configureLog(false);
  return opscope::rpc::server::test::run(argc, argv);
}
