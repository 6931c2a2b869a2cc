// SPDX-License-Identifier: Apache-2.0
// What the fuzzers for long runs share: their options, and cases that run in a child process which is
// replaced when it dies. Used by their main programs, on the main thread.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace opscope::test {

struct FuzzOptions {
  std::uint64_t seconds = 60;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;  ///< number of the first case
  std::filesystem::path corpus;
  std::filesystem::path findings = ".";
  std::vector<std::filesystem::path> cases;  ///< run these again, and no others
};

/// Shared with the child, so that its last case outlives it. Fuzzers add what they count.
struct FuzzProgress {
  std::atomic<std::uint64_t> number;  ///< of the case that runs
  char finding[256];
};

inline bool parseNumber(const char* text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  return error == std::errc() && *end == '\0';
}

/// False for an option that is unknown or lacks its value.
inline bool parseFuzzOptions(int count, char** words, FuzzOptions& options) {
  bool good = count % 2 == 1;
  for (int i = 1; good && i + 1 < count; i += 2) {
    const std::string name = words[i];
    const char* value = words[i + 1];
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
  }
  return good;
}

/// "signal 11" or "status 3": how a child ended.
inline std::string howEnded(int status) {
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "status " + std::to_string(WEXITSTATUS(status));
}

/// Tells of a finding that was kept.
inline void tellFinding(const FuzzProgress& progress, int status, const std::filesystem::path& kept) {
  std::fprintf(stderr, "FINDING in case %llu (%s): %s; kept as %s\n",
               static_cast<unsigned long long>(progress.number.load()), howEnded(status).c_str(),
               progress.finding, kept.c_str());
}

/// Runs `child(progress, end)` in child processes, one after the other, until one ends with 0 or the time is
/// over. `keep(progress, status)` is called for each that ends otherwise; the next begins with the case
/// after. `sum(progress, findings)` tells what was done. The exit status of the program.
template <class Progress, class Child, class Keep, class Sum>
int runInChildren(const FuzzOptions& options, const Child& child, const Keep& keep, const Sum& sum) {
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
    const pid_t process = ::fork();
    if (process == 0) {
      _exit(child(progress, end));
    }
    int status = 0;
    if (process < 0 || ::waitpid(process, &status, 0) != process) {
      std::perror("fork");
      return 2;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      break;
    }
    ++findings;
    keep(progress, status);
    progress.number.fetch_add(1);
  }
  sum(progress, findings);
  return findings == 0 ? 0 : 1;
}

}  // namespace opscope::test
