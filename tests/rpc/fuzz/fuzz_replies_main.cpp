// SPDX-License-Identifier: Apache-2.0
// fuzz_replies [--seconds N] [--seed N] [--first N] [--findings DIR] [--case FILE]...
//
// Runs our client against made and changed sessions of servers for N seconds, in a child process that is
// replaced when it dies or hangs. The case that was running then is kept in DIR as SEED-NUMBER.replies;
// --case runs such files again. Ends with 1 when something was found.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/rpc/fuzz/reply_cases.h"

namespace opscope::rpc::test {

namespace {

struct Options {
  std::uint64_t seconds = 60;
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::filesystem::path findings = ".";
  std::vector<std::filesystem::path> cases;
};

/// Shared with the child, so that its last case outlives it.
struct Progress {
  std::atomic<std::uint64_t> number;
  std::atomic<std::uint64_t> opened;
  std::atomic<std::uint64_t> finished;
  char finding[256];
};

constexpr unsigned kHangSeconds = 60;

std::string runOne(const ReplyCase& replies, Progress& progress) {
  ::alarm(kHangSeconds);
  const ReplyOutcome outcome = runReplyCase(replies);
  progress.opened.fetch_add(outcome.opened ? 1 : 0);
  progress.finished.fetch_add(outcome.finished ? 1 : 0);
  const std::size_t head = std::min<std::size_t>(replies.bytes.size(), 23);  // the handshake, about
  return outcome.finding.empty() ? checkDecoders(std::string_view(replies.bytes).substr(head))
                                 : outcome.finding;
}

int runChild(const Options& options, Progress& progress, std::chrono::steady_clock::time_point end) {
  for (; std::chrono::steady_clock::now() < end; progress.number.fetch_add(1)) {
    const std::string finding = runOne(makeReplyCase(options.seed, progress.number.load()), progress);
    if (!finding.empty()) {
      std::snprintf(progress.finding, sizeof(progress.finding), "%s", finding.c_str());
      return 3;
    }
  }
  return 0;
}

void keep(const Options& options, const Progress& progress, int status) {
  const std::uint64_t number = progress.number.load();
  const std::filesystem::path path =
      options.findings / (std::to_string(options.seed) + "-" + std::to_string(number) + ".replies");
  std::ofstream(path, std::ios::binary) << makeReplyCase(options.seed, number).saved();
  std::fprintf(stderr, "FINDING in case %llu (%s %d): %s; kept as %s\n",
               static_cast<unsigned long long>(number), WIFSIGNALED(status) ? "signal" : "status",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), progress.finding, path.c_str());
}

int runAll(const Options& options) {
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
  std::fprintf(stderr, "%llu cases, %llu sessions, %llu to their end, %d findings\n",
               static_cast<unsigned long long>(progress.number.load() - options.first),
               static_cast<unsigned long long>(progress.opened.load()),
               static_cast<unsigned long long>(progress.finished.load()), findings);
  return findings == 0 ? 0 : 1;
}

int runFiles(const Options& options) {
  Progress progress{};
  int findings = 0;
  for (const std::filesystem::path& path : options.cases) {
    std::ostringstream file;
    file << std::ifstream(path, std::ios::binary).rdbuf();
    const std::string finding = runOne(ReplyCase::read(file.str()), progress);
    std::fprintf(stderr, "%s: %s\n", path.c_str(), finding.empty() ? "well" : finding.c_str());
    findings += finding.empty() ? 0 : 1;
  }
  return findings == 0 ? 0 : 1;
}

bool parseNumber(const char* text, std::uint64_t& number) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), number);
  return error == std::errc() && *end == '\0';
}

bool parse(int count, char** words, Options& options) {
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

}  // namespace

}  // namespace opscope::rpc::test

int main(int count, char** words) {
  opscope::rpc::test::Options options;
  if (!opscope::rpc::test::parse(count, words, options)) {
    std::fprintf(
        stderr,
        "usage: fuzz_replies [--seconds N] [--seed N] [--first N] [--findings DIR] [--case FILE]...\n");
    return 2;
  }
  return options.cases.empty() ? opscope::rpc::test::runAll(options) : opscope::rpc::test::runFiles(options);
}
