// SPDX-License-Identifier: Apache-2.0
// Programs that are killed while they save, and several that save at once.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <thread>

#include "engine/store/database.h"
#include "tests/store/store_fixture.h"

namespace opscope::store {
namespace {

/// What a child tells through its pipe. Short enough to arrive whole or not at all.
struct Message {
  enum Kind : std::int64_t { Saved, Removing } kind = Saved;
  RunId id = 0;
};

constexpr std::string_view kFolder = "/models/";

/// The run whose number stands in its path: some pages long, different for each number.
report::Run numberedRun(std::uint32_t number) {
  report::Run run = report::richRun();
  run.executablePath = std::string(kFolder) + std::to_string(number);
  run.calls.clear();
  run.ownNs.clear();
  run.inclusiveNs.clear();
  run.sampleRepeat.clear();
  run.spans.clear();
  run.repeats = 2 + number % 700;
  run.totals = {{"cpu0", std::vector<double>(run.repeats, 1e6)}};
  run.stepNs = {};
  run.counters.clear();
  run.memory.reset();
  run.lanes.reset();
  for (std::uint32_t call = 0; call < 1 + number % 9; ++call)
    report::addCall(run, call % 3, report::kNone, std::vector<double>(run.repeats, number + call + 0.5));
  for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat)
    for (std::uint32_t call = 0; call < run.calls.size(); ++call)
      run.spans.push_back({1e4 * call, number + call + 0.5, call, repeat});
  return run;
}

[[noreturn]] void saveUntilKilled(const std::filesystem::path& path, unsigned seed, int pipe) {
  std::mt19937 random(seed);
  std::vector<RunId> mine;
  while (true) {
    auto store = Store::open(path, Access::Write);
    for (unsigned left = random() % 8; store && left > 0; --left) {
      const auto saved = store->save(documentOf(numberedRun(random() % 100'000)), {"", {"crash"}});
      if (!saved) _exit(1);
      mine.push_back(*saved);
      const Message told{Message::Saved, *saved};
      if (write(pipe, &told, sizeof told) != sizeof told) _exit(2);
      if (random() % 4 == 0) {
        const Message removing{Message::Removing, mine[random() % mine.size()]};
        if (write(pipe, &removing, sizeof removing) != sizeof removing) _exit(2);
        (void)store->remove({&removing.id, 1});
      }
    }
    if (!store) _exit(3);
  }
}

class CrashTest : public StoreTest {
 protected:
  /// Lets a child save for a while, kills it, and keeps what it told.
  void round(unsigned seed, std::chrono::microseconds lifetime) {
    int ends[2] = {};
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      saveUntilKilled(path(), seed, ends[1]);
    }
    close(ends[1]);
    std::this_thread::sleep_for(lifetime);
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself with " << WEXITSTATUS(status);
    Message message;
    while (read(ends[0], &message, sizeof message) == sizeof message) {
      (message.kind == Message::Saved ? m_saved : m_removed).insert(message.id);
    }
    close(ends[0]);
  }

  /// Every run that is there is whole, and every run that was told as saved is there.
  void check(std::size_t rounds) {
    Store store = open();
    const auto runs = store.list({});
    ASSERT_TRUE(succeeded(runs));
    std::set<RunId> there;
    std::size_t untold = 0;
    for (const StoredRun& run : *runs) {
      there.insert(run.id);
      untold += m_saved.contains(run.id) ? 0 : 1;
      EXPECT_EQ(run.tags, std::vector<std::string>{"crash"});
      const auto loaded = store.load(run.id);
      ASSERT_TRUE(succeeded(loaded));
      const auto number = static_cast<std::uint32_t>(std::stoul(run.path.substr(kFolder.size())));
      EXPECT_TRUE(*loaded->run == numberedRun(number)) << "run " << run.id;
    }
    for (const RunId id : m_saved)
      EXPECT_TRUE(there.contains(id) || m_removed.contains(id)) << "run " << id << " is lost";
    EXPECT_LE(untold, rounds) << "at most one a kill was saved and not told";
  }

  std::set<RunId> m_saved;
  std::set<RunId> m_removed;  // or about to be
};

void expectIntact(const std::filesystem::path& path) {
  const auto database = Database::open(path, SQLITE_OPEN_READWRITE, false);
  ASSERT_TRUE(succeeded(database));
  auto check = database->prepare("PRAGMA integrity_check");
  ASSERT_TRUE(check && check->step());
  EXPECT_EQ(check->text(0), "ok");
  auto strangers = database->prepare("PRAGMA foreign_key_check");
  ASSERT_TRUE(strangers);
  EXPECT_FALSE(strangers->step().value_or(true)) << "rows without a run";
}

TEST_F(CrashTest, KilledAtAnyMomentLosesAtMostTheRunInProgress) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  constexpr std::size_t kRounds = 40;
  for (std::size_t number = 0; number < kRounds; ++number) {
    const unsigned childSeed = random();
    // From before the file is made to some dozens of runs later, short lives more often.
    const double share = static_cast<double>(random()) / 4294967296.0;
    const std::chrono::microseconds lifetime(static_cast<std::int64_t>(500 * std::pow(600.0, share)));
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(number));
    round(childSeed, lifetime);
    open();
    expectIntact(path());
    if (HasFailure()) return;
  }
  std::printf("seed %u: %zu runs saved, %zu removed, %zu kills\n", seed, m_saved.size(), m_removed.size(),
              kRounds);
  check(kRounds);
}

TEST_F(CrashTest, SeveralProgramsSaveAtOnce) {
  constexpr int kPrograms = 4;
  constexpr int kRuns = 12;
  std::vector<pid_t> children;
  for (int program = 0; program < kPrograms; ++program) {
    children.push_back(fork());
    if (children.back() == 0) {
      for (int run = 0; run < kRuns; ++run) {
        auto store = Store::open(path(), Access::Write);  // the first ones make the file, all at once
        if (!store || !store->save(documentOf(numberedRun(static_cast<std::uint32_t>(100 * program + run))),
                                   {"", {"crash"}}))
          _exit(1);
        if (!store->list({}) || !store->newest(0)) _exit(2);
      }
      _exit(0);
    }
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  for (RunId id = 1; id <= kPrograms * kRuns; ++id) m_saved.insert(id);
  check(0);
  expectIntact(path());
}

}  // namespace
}  // namespace opscope::store
