// SPDX-License-Identifier: Apache-2.0
// fuzz_replies [--seconds N] [--seed N] [--first N] [--findings DIR] [--case FILE]...
//
// Runs our client against made and changed sessions of servers for N seconds, in a child process that is
// replaced when it dies or hangs. The case that was running then is kept in DIR as SEED-NUMBER.replies;
// --case runs such files again. Ends with 1 when something was found.
#include <fstream>
#include <sstream>

#include "tests/rpc/fuzz/reply_cases.h"
#include "tests/support/fuzz_driver.h"

namespace opscope::rpc::test {

namespace {

using opscope::test::FuzzOptions;

struct Progress : opscope::test::FuzzProgress {
  std::atomic<std::uint64_t> opened;
  std::atomic<std::uint64_t> finished;
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

int runChild(const FuzzOptions& options, Progress& progress, std::chrono::steady_clock::time_point end) {
  for (; std::chrono::steady_clock::now() < end; progress.number.fetch_add(1)) {
    const std::string finding = runOne(makeReplyCase(options.seed, progress.number.load()), progress);
    if (!finding.empty()) {
      std::snprintf(progress.finding, sizeof(progress.finding), "%s", finding.c_str());
      return 3;
    }
  }
  return 0;
}

void keep(const FuzzOptions& options, const Progress& progress, int status) {
  const std::uint64_t number = progress.number.load();
  const std::filesystem::path path =
      options.findings / (std::to_string(options.seed) + "-" + std::to_string(number) + ".replies");
  std::ofstream(path, std::ios::binary) << makeReplyCase(options.seed, number).saved();
  opscope::test::tellFinding(progress, status, path);
}

int runAll(const FuzzOptions& options) {
  return opscope::test::runInChildren<Progress>(
      options, [&](Progress& progress, auto end) { return runChild(options, progress, end); },
      [&](const Progress& progress, int status) { keep(options, progress, status); },
      [&](const Progress& progress, int findings) {
        std::fprintf(stderr, "%llu cases, %llu sessions, %llu to their end, %d findings\n",
                     static_cast<unsigned long long>(progress.number.load() - options.first),
                     static_cast<unsigned long long>(progress.opened.load()),
                     static_cast<unsigned long long>(progress.finished.load()), findings);
      });
}

int runFiles(const FuzzOptions& options) {
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

}  // namespace

}  // namespace opscope::rpc::test

int main(int count, char** words) {
  opscope::test::FuzzOptions options;
  if (!opscope::test::parseFuzzOptions(count, words, options) || !options.corpus.empty()) {
    std::fprintf(
        stderr,
        "usage: fuzz_replies [--seconds N] [--seed N] [--first N] [--findings DIR] [--case FILE]...\n");
    return 2;
  }
  return options.cases.empty() ? opscope::rpc::test::runAll(options) : opscope::rpc::test::runFiles(options);
}
