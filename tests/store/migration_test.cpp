// SPDX-License-Identifier: Apache-2.0
// Stores that older versions of the program wrote: tests/data/store holds one of each version, with what that
// version's own `runs export --samples` said of its runs.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/report/samples_json.h"
#include "engine/store/database.h"
#include "engine/store/schema.h"
#include "tests/store/store_fixture.h"

namespace opscope::store {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

fs::path fixture(const std::string& name) {
  return fs::path(OPSCOPE_TEST_DATA) / "store" / name;
}

Json expected(RunId run) {
  std::ifstream file(fixture("version1." + std::to_string(run) + ".json"));
  return Json::parse(file);
}

class MigrationTest : public StoreTest {
 protected:
  MigrationTest() {
    fs::copy_file(fixture("version1.sqlite"), path());
    fs::permissions(path(), fs::perms::owner_read | fs::perms::owner_write);
  }
  std::int64_t version() const {
    const auto database = Database::open(path(), SQLITE_OPEN_READWRITE, false);
    return database ? database->integer("PRAGMA user_version").value_or(-1) : -1;
  }
  static void expectWhatItWas(Store store) {
    for (const RunId run : {1, 2}) {
      const auto loaded = store.load(run);
      ASSERT_TRUE(succeeded(loaded));
      EXPECT_EQ(Json::parse(report::toSamplesJson(*loaded)), expected(run)) << "run " << run;
      const auto spans = store.query("SELECT repeat, call FROM spans WHERE run = " + std::to_string(run), {});
      ASSERT_TRUE(succeeded(spans));
      const Json columns = expected(run)["spans"];
      ASSERT_EQ(spans->rows.size(), columns["repeat"].size());
      for (std::size_t row = 0; row < spans->rows.size(); ++row) {
        EXPECT_EQ(spans->rows[row][0], Cell(columns["repeat"][row].get<std::int64_t>()));
        EXPECT_EQ(spans->rows[row][1], Cell(columns["call"][row].get<std::int64_t>()));
      }
    }
  }
};

TEST_F(MigrationTest, RunsOfVersion1AreWhatTheyWere) {
  ASSERT_EQ(version(), 1);
  expectWhatItWas(open(Access::Read));
  EXPECT_EQ(version(), 3);
  expectWhatItWas(open());
  Store store = open();
  const auto saved = store.save(documentOf(report::richRun()), {});
  ASSERT_TRUE(succeeded(saved));
  EXPECT_EQ(*saved, 3);
  const auto loaded = store.load(*saved);
  ASSERT_TRUE(succeeded(loaded));
  EXPECT_EQ(*loaded->run, report::richRun());
  expectWhatItWas(std::move(store));
}

/// As where the folder may not be written: the file's version cannot be changed.
TEST_F(MigrationTest, AFileThatMayNotBeWrittenIsReadInItsOldVersion) {
  const auto database = Database::open(path(), SQLITE_OPEN_READONLY, true);
  ASSERT_TRUE(succeeded(database));
  EXPECT_FALSE(succeeded(database->integer("SELECT count(counts) FROM run_spans")));
  ASSERT_TRUE(succeeded(standIn(*database)));
  EXPECT_EQ(database->integer("SELECT count(*) - count(counts) FROM run_spans").value_or(0), 5);
  EXPECT_EQ(database->integer("SELECT count(*) - count(noise) FROM runs").value_or(0), 2);
  EXPECT_EQ(version(), 1);
}

TEST_F(StoreTest, RepeatsShareRows) {
  report::Run run = report::sampleRun();
  constexpr std::uint32_t kRepeats = 3000;
  run.spans.clear();
  for (report::Call& call : run.calls) call.sampleCount = 0;
  run.calls.resize(3);
  run.ownNs.clear();
  for (std::size_t call = 0; call < run.calls.size(); ++call) {
    run.calls[call].firstSample = run.ownNs.size();
    run.calls[call].sampleCount = kRepeats;
    for (std::uint32_t repeat = 0; repeat < kRepeats; ++repeat) run.ownNs.push_back(repeat + call * 0.5);
  }
  run.inclusiveNs = run.ownNs;
  run.sampleRepeat.clear();
  for (std::size_t i = 0; i < run.ownNs.size(); ++i) run.sampleRepeat.push_back(i % kRepeats);
  run.repeats = run.repeatsWanted = kRepeats;
  run.totals[0].totalNs.assign(kRepeats, 1e6);
  for (std::uint32_t repeat = 0; repeat < kRepeats; ++repeat) {
    if (repeat % 1000 == 999) continue;  // has none: the next row begins behind it
    const bool isOdd = repeat == 2500;
    for (std::uint32_t call = 0; call < (isOdd ? 1U : 3U); ++call) {
      run.spans.push_back({call * 2.0, 1.5 + repeat, isOdd ? 2U : call, repeat});
    }
  }
  Store store = open();
  const auto saved = store.save(documentOf(run), {});
  ASSERT_TRUE(succeeded(saved));
  const auto loaded = store.load(*saved);
  ASSERT_TRUE(succeeded(loaded));
  EXPECT_EQ(*loaded->run, run);
  const auto rows = store.query("SELECT count(*), min(repeat), max(repeat) FROM run_spans", {});
  ASSERT_TRUE(succeeded(rows));
  EXPECT_EQ(rows->rows.front()[0], Cell(std::int64_t{3}));
  const auto spans = store.query("SELECT repeat, call, duration_us FROM spans WHERE run = 1", {});
  ASSERT_TRUE(succeeded(spans));
  ASSERT_EQ(spans->rows.size(), run.spans.size());
  for (std::size_t row = 0; row < run.spans.size(); ++row) {
    const report::Span& span = run.spans[row];
    ASSERT_EQ(spans->rows[row], (std::vector<Cell>{std::int64_t{span.repeat}, std::int64_t{span.call},
                                                   span.durationNs / 1000}));
  }
}

}  // namespace
}  // namespace opscope::store
