// SPDX-License-Identifier: Apache-2.0
// Files that are no stores, damaged stores, disks that are full or read-only, locks.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <random>

#include "engine/base/atomic_file.h"
#include "engine/report/statistics.h"
#include "engine/store/database.h"
#include "engine/store/schema.h"
#include "tests/store/fault_vfs.h"
#include "tests/store/store_fixture.h"

namespace opscope::store {
namespace {

namespace fs = std::filesystem;

using DamageTest = StoreTest;

std::string contentOf(const fs::path& path) {
  return base::readFile(path).value_or("cannot be read");
}

std::size_t filesIn(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_F(DamageTest, WhatIsNoStoreIsRefusedAndLeftAsItIs) {
  const fs::path other = m_folder / "other.sqlite";
  execute(other, "PRAGMA journal_mode = DELETE; CREATE TABLE runs(id); INSERT INTO runs VALUES(1)");
  const std::pair<fs::path, std::string> files[] = {{m_folder / "text", "something that is no SQLite file"},
                                                    {other, "an SQLite file of another program"}};
  ASSERT_TRUE(base::writeFileAtomically(m_folder / "text", std::string(5000, 'x')));
  for (const auto& [file, words] : files) {
    const std::string before = contentOf(file);
    for (const Access access : {Access::Read, Access::Write}) {
      const auto store = Store::open(file, access);
      ASSERT_FALSE(store);
      EXPECT_EQ(store.error().code, base::ErrorCode::Format);
      EXPECT_EQ(store.error().message, file.string() + " is not a store of runs.");
      EXPECT_NE(store.error().detail.find(words), std::string::npos) << store.error().detail;
    }
    EXPECT_EQ(contentOf(file), before);
  }
  EXPECT_EQ(filesIn(m_folder), 2u);
  EXPECT_EQ(Store::open(m_folder, Access::Write).error().code, base::ErrorCode::Format);
  EXPECT_EQ(Store::open("/dev/null", Access::Write).error().code, base::ErrorCode::Format);
  EXPECT_EQ(Store::open(m_folder / "no" / "s", Access::Write).error().code, base::ErrorCode::NotFound);
  EXPECT_EQ(Store::open(m_folder / "none", Access::Read).error().code, base::ErrorCode::NotFound);
  EXPECT_EQ(Store::open("/proc/runs.sqlite", Access::Write).error().code, base::ErrorCode::NotFound);
}

TEST_F(DamageTest, ASessionFileThatIsCutOffIsToldAsSuch) {
  EXPECT_TRUE(succeeded(open().save(documentOf(report::sampleRun()), {})));
  const std::string whole = contentOf(path());
  const fs::path file = m_folder / "sent.opscope";
  for (const std::size_t size : {std::size_t{0}, std::size_t{50}, std::size_t{8192}, whole.size() / 2}) {
    ASSERT_TRUE(base::writeFileAtomically(file, whole.substr(0, size)));
    auto store = Store::open(file, Access::Read);
    const auto read = store ? store->load(1) : base::Result<report::Document>(store.error());
    ASSERT_FALSE(read) << size;
    EXPECT_NE(read.error().message.find("ession file"), std::string::npos) << size << read.error().message;
    EXPECT_EQ(read.error().hint.find("Move it away"), std::string::npos) << size;
    EXPECT_NE(read.error().hint.find("copy it again"), std::string::npos) << size << read.error().hint;
  }
}

TEST_F(DamageTest, AnEmptyFileBecomesAStore) {
  ASSERT_TRUE(base::writeFileAtomically(path(), ""));
  EXPECT_EQ(Store::open(path(), Access::Read).error().code, base::ErrorCode::NotFound);
  EXPECT_TRUE(succeeded(open().save(documentOf(report::sampleRun()), {})));
  EXPECT_EQ(filesIn(m_folder), 1u) << "no log stays behind";
}

TEST_F(DamageTest, ANewerSchemaIsRefusedInWords) {
  EXPECT_TRUE(succeeded(open().save(documentOf(report::sampleRun()), {})));
  execute(path(), "PRAGMA user_version = 99");
  const std::string before = contentOf(path());
  const auto store = Store::open(path(), Access::Write);
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, base::ErrorCode::Unsupported);
  EXPECT_EQ(store.error().message,
            "The store " + path().string() + " was made by a newer version of Opscope.");
  EXPECT_EQ(store.error().detail, "Its schema is 99, this program knows up to 3. It was left as it is.");
  EXPECT_EQ(contentOf(path()), before);
}

TEST_F(DamageTest, MigrationsBringOlderFilesUpToDateOrLeaveThem) {
  const auto database = Database::open(path(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false);
  ASSERT_TRUE(succeeded(database));
  const char* const steps[] = {"CREATE TABLE a(x); INSERT INTO a VALUES(7)",
                               "ALTER TABLE a ADD COLUMN y; UPDATE a SET y = x + 1",
                               "CREATE TABLE b(x); CREATE TABLE a(x)"};
  ASSERT_TRUE(succeeded(migrate(*database, std::span(steps, 1))));
  ASSERT_TRUE(succeeded(migrate(*database, std::span(steps, 2))));
  ASSERT_TRUE(succeeded(migrate(*database, std::span(steps, 2))));
  EXPECT_EQ(database->integer("SELECT y FROM a").value_or(0), 8);
  EXPECT_FALSE(migrate(*database, steps)) << "the last step is wrong";
  EXPECT_EQ(database->integer("PRAGMA user_version").value_or(0), 2);
  EXPECT_EQ(database->integer("SELECT count(*) FROM sqlite_schema").value_or(0), 1) << "and leaves nothing";
  EXPECT_EQ(migrate(*database, std::span(steps, 1)).error().code, base::ErrorCode::Unsupported);
}

TEST_F(DamageTest, TheNoiseOfOlderFilesIsFilledIn) {
  const report::Run run = report::sampleRun();
  std::optional<double> noise;
  {
    Store store = open();
    ASSERT_TRUE(succeeded(store.save(documentOf(run), {})));
    report::Run once = run;
    once.repeats = once.repeatsWanted = 1;
    once.totals = {{"cpu0", {5e3}}};
    ASSERT_TRUE(succeeded(store.save(documentOf(once), {})));
    noise = store.find(1).value_or(StoredRun()).noise;
  }
  const auto expected = report::computeStatistics(report::largestTotal(run)->totalNs).noise;
  ASSERT_TRUE(noise && expected);
  EXPECT_DOUBLE_EQ(*noise, *expected);
  execute(path(), "ALTER TABLE runs DROP COLUMN noise; PRAGMA user_version = 2");
  Store store = open();
  const auto filled = store.find(1);
  ASSERT_TRUE(succeeded(filled));
  ASSERT_TRUE(filled->noise);
  EXPECT_NEAR(*filled->noise, *noise, 1e-9);
  EXPECT_FALSE(store.find(2).value_or(StoredRun()).noise);
}

std::string refusedAfter(const fs::path& path, const char* sql) {
  execute(path, sql);
  auto store = Store::open(path, Access::Read);
  if (!store) return store.error().message;
  const auto loaded = store->load(1);
  return loaded ? "accepted" : loaded.error().message + " | " + loaded.error().detail;
}

TEST_F(DamageTest, ADamagedRunIsToldWithItsPlace) {
  const std::pair<const char*, std::string> cases[] = {
      {"UPDATE run_calls SET own_ns = x'00' WHERE call = 1",
       "is damaged: call 1. | The columns of its samples differ in length."},
      {"UPDATE run_calls SET own_ns = x'' WHERE call = 1",
       "is damaged: call 1. | The columns of its samples differ in length."},
      {"UPDATE run_calls SET inclusive_ns = own_ns || x'0000000000000000' WHERE call = 2",
       "is damaged: call 2. |"},
      {"UPDATE run_calls SET repeats = x'00' WHERE call = 0", "is damaged: call 0. |"},
      {"UPDATE run_calls SET repeats = x'0700000008000000' WHERE call = 0",
       "sample 0 of call 0 is wrong | Found repeat 7"},
      {"UPDATE run_calls SET name = -1 WHERE call = 0",
       "is damaged: call 0. | A number is missing or out of range."},
      {"UPDATE run_calls SET name = 'x' WHERE call = 0", "accepted"},
      {"UPDATE run_calls SET name = 99 WHERE call = 0", "call 0 is wrong | Found name 99"},
      {"UPDATE run_calls SET own_ns = x'000000000000F87F000000000000F87F' WHERE call = 0", "Found nan ns"},
      {"DELETE FROM run_calls WHERE call = 1", "is damaged: call 1. |"},
      {"UPDATE run_calls SET own_ns = x'', counters = x'' WHERE call = 1",
       "is damaged: calls are missing. | Found 5 calls with 7 samples, expected 5 with 9."},
      {"UPDATE run_calls SET counters = NULL WHERE call = 1", "is damaged: call 1. |"},
      {"DELETE FROM run_calls", "is damaged: calls are missing. | Found 0 calls"},
      {"DELETE FROM run_calls WHERE call = 4", "is damaged: calls are missing. |"},
      {"UPDATE run_spans SET duration_ns = x'0011'", "is damaged: repeat 0. |"},
      {"UPDATE run_spans SET calls = x'00'", "is damaged: repeat 0. |"},
      {"UPDATE run_spans SET counts = x'00'", "is damaged: repeat 0. |"},
      {"UPDATE run_spans SET counts = x'0100000001000000'", "is damaged: repeat 0. |"},
      {"UPDATE run_spans SET counts = x'FFFFFFFFFFFFFFFF'", "is damaged: repeat 0. |"},
      {"UPDATE run_spans SET repeat = 4294967294", "is damaged: repeat 4294967294. |"},
      {"UPDATE run_spans SET repeat = -1", "is damaged: repeat -1. |"},
      {"UPDATE run_spans SET repeat = 77", "span 0 is wrong | Found repeat 77"},
      {"UPDATE run_heads SET json = '{'", "is not the head of a run"},
      {"UPDATE run_heads SET json = x'ff00ff'", "is not the head of a run"},
      {"DELETE FROM run_heads", "is damaged: its head is missing."},
      {"DROP VIEW calls; DROP TABLE run_calls", "no such table"},
      {"UPDATE runs SET calls = -5, samples = 9000000000000000000", "is damaged: calls are missing. |"},
  };
  for (const auto& [sql, words] : cases) {
    fs::remove(path());
    ASSERT_TRUE(succeeded(open().save(documentOf(report::richRun()), {})));
    const std::string found = refusedAfter(path(), sql);
    EXPECT_NE(found.find(words), std::string::npos) << sql << "\n" << found;
  }
}

/// Everything that a store can do; what matters is that it comes back.
void useWhatIsThere(const fs::path& path) {
  auto store = Store::open(path, Access::Write);
  if (!store) return;
  (void)store->info();
  const auto runs = store->list({});
  for (RunId id = 1; id <= 4; ++id) {
    if (const auto loaded = store->load(id)) (void)report::buildOpTable(*loaded, report::Grouping::ByOp);
  }
  (void)store->query("SELECT name, sum(duration_us) FROM samples GROUP BY name", {});
  (void)store->query("SELECT sum(start_us + duration_us), max(call) FROM spans", {});
  (void)store->save(documentOf(report::richRun()), {"x", {"y"}});
  const RunId first = 1;
  (void)store->remove({&first, 1});
}

TEST_F(DamageTest, ChangedBytesAreReadOrRefused) {
  {
    Store store = open();
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(succeeded(store.save(documentOf(report::richRun()), {"note", {"tag"}})));
  }
  const std::string original = contentOf(path());
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const fs::path damaged = m_folder / "damaged.sqlite";
  for (int round = 0; round < 250; ++round) {
    std::string content = original;
    if (round % 5 == 0) content.resize(random() % content.size());
    for (unsigned change = random() % 40; change > 0 && !content.empty(); --change) {
      // Half of the changes go to where tables and rows are told.
      const std::size_t place = random() % 2 == 0 ? random() % content.size()
                                                  : random() % content.size() / 8192 * 8192 + random() % 64;
      content[std::min(place, content.size() - 1)] = static_cast<char>(random() % 4 == 0 ? 0xFF : random());
    }
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(damaged.string() + suffix);
    ASSERT_TRUE(base::writeFileAtomically(damaged, content));
    useWhatIsThere(damaged);
  }
}

TEST_F(DamageTest, AFullDiskLosesNothingThatWasSaved) {
  for (const int code : {SQLITE_FULL, SQLITE_IOERR_WRITE}) {
    FaultVfs disk;
    fs::remove(path());
    int failures = 0;
    for (int writes = 0;; ++writes) {
      auto store = Store::open(path(), Access::Write);
      ASSERT_TRUE(succeeded(store));
      const std::size_t before = store->list({}).value_or(std::vector<StoredRun>()).size();
      disk.failAfter(writes, code);
      const auto saved = store->save(documentOf(report::richRun()), {"", {"t"}});
      const bool failed = disk.hasFailed();
      disk.work();
      const auto after = store->list({});
      ASSERT_TRUE(succeeded(after));
      EXPECT_EQ(after->size(), before + (saved ? 1 : 0)) << writes;
      if (!saved) {
        ++failures;
        EXPECT_EQ(saved.error().code, base::ErrorCode::Io);
        EXPECT_EQ(code == SQLITE_FULL, saved.error().message.find("the disk is full") != std::string::npos)
            << saved.error().message;
        EXPECT_TRUE(succeeded(store->save(documentOf(report::richRun()), {})))
            << "the same store works again";
      }
      for (const StoredRun& run : store->list({}).value_or(std::vector<StoredRun>()))
        EXPECT_TRUE(succeeded(store->load(run.id)));
      if (!failed) break;
    }
    EXPECT_GT(failures, 5);
  }
}

TEST_F(DamageTest, AFullDiskWhileTheFileIsMadeLeavesNoTrap) {
  FaultVfs disk;
  for (int writes = 0;; ++writes) {
    fs::remove(path());
    disk.failAfter(writes, SQLITE_FULL);
    const auto first = Store::open(path(), Access::Write);
    const bool failed = disk.hasFailed();
    disk.work();
    const base::ErrorCode code = first ? base::ErrorCode::Io : first.error().code;
    EXPECT_EQ(code, base::ErrorCode::Io);
    EXPECT_TRUE(succeeded(Store::open(path(), Access::Write))) << "after " << writes << " writes";
    if (!failed) break;
  }
}

}  // namespace
}  // namespace opscope::store
