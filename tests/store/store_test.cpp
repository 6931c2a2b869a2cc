// SPDX-License-Identifier: Apache-2.0
// Runs in and out, lists, notes, tags, removal.
#include "engine/store/store.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/report/samples_json.h"
#include "tests/report/traffic_run.h"
#include "tests/store/store_fixture.h"

namespace opscope::store {
namespace {

TEST_F(StoreTest, ARunComesBackEqual) {
  const report::Document document = documentOf(report::richRun());
  RunId id = 0;
  {
    Store store = open();
    const auto saved = store.save(document, {"before the fix", {"nightly", "a"}});
    ASSERT_TRUE(succeeded(saved));
    id = *saved;
    EXPECT_EQ(id, 1);
  }
  Store store = open(Access::Read);
  const auto loaded = store.load(id);
  ASSERT_TRUE(succeeded(loaded));
  EXPECT_TRUE(*loaded->run == *document.run);
  EXPECT_TRUE(*loaded->report == *document.report);
  EXPECT_EQ(loaded->reportCalls, document.reportCalls);
  EXPECT_EQ(report::toSamplesJson(*loaded), report::toSamplesJson(document));
}

TEST_F(StoreTest, WhatWentOverTheWireComesBack) {
  const auto document = documentOf(report::remoteRun());
  Store store = open();
  const auto id = store.save(document, {});
  ASSERT_TRUE(succeeded(id));
  const auto again = store.load(*id);
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(*again->run, *document.run);
  EXPECT_EQ(again->run->traffic, report::handMadeTraffic(document.run->repeats));
}

TEST_F(StoreTest, AnImportedReportComesBackWithItsOwnColumns) {
  std::mt19937 random(5);
  Store store = open();
  for (int round = 0; round < 50; ++round) {
    const report::Document document = report::importReport(report::randomReport(random));
    const auto saved = store.save(document, {});
    ASSERT_TRUE(succeeded(saved));
    const auto loaded = store.load(*saved);
    ASSERT_TRUE(succeeded(loaded));
    EXPECT_EQ(report::toSamplesJson(*loaded), report::toSamplesJson(document)) << round;
    EXPECT_TRUE(*loaded->run == *document.run) << round;
  }
}

TEST_F(StoreTest, RunsWithoutRepeatsOrCallsComeBack) {
  Store store = open();
  report::Run run;
  run.steps = {"main"};
  run.repeatsWanted = 3;
  run.failure = "The kernel add failed.";
  const auto saved = store.save(documentOf(run), {});
  ASSERT_TRUE(succeeded(saved));
  const auto loaded = store.load(*saved);
  ASSERT_TRUE(succeeded(loaded));
  EXPECT_TRUE(*loaded->run == run);
  const auto found = store.find(*saved);
  ASSERT_TRUE(succeeded(found));
  EXPECT_FALSE(found->complete);
  EXPECT_EQ(found->failure, run.failure);
  EXPECT_FALSE(found->medianUs);
}

TEST_F(StoreTest, AListTellsWhatWasRun) {
  Store store = open();
  ASSERT_TRUE(succeeded(store.save(documentOf(report::sampleRun()), {"first", {"b", "a", "b"}})));
  const auto runs = store.list({});
  ASSERT_TRUE(succeeded(runs));
  ASSERT_EQ(runs->size(), 1u);
  const StoredRun& run = runs->front();
  EXPECT_EQ(run.executable, "\"net\".so");
  EXPECT_EQ(run.path, "/models/\"net\".so");
  EXPECT_EQ(run.hash, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(run.startedAt, "2026-01-02T03:04:05Z");
  EXPECT_EQ(run.savedAt.size(), run.startedAt.size());
  EXPECT_EQ(run.device, "cpu0");
  EXPECT_EQ(run.medianUs, 50.0);
  EXPECT_EQ(run.durationUs, 100.0);
  EXPECT_EQ(run.calls, 4);
  EXPECT_EQ(run.samples, 8);
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.note, "first");
  EXPECT_EQ(run.tags, (std::vector<std::string>{"a", "b"}));
}

std::vector<RunId> idsOf(Store& store, const RunFilter& filter) {
  std::vector<RunId> ids;
  const auto runs = store.list(filter);
  EXPECT_TRUE(succeeded(runs));
  for (const StoredRun& run : runs.value_or(std::vector<StoredRun>())) ids.push_back(run.id);
  return ids;
}

TEST_F(StoreTest, FiltersChoose) {
  Store store = open();
  for (int number = 1; number <= 5; ++number) {
    report::Run run = report::sampleRun();
    run.executablePath = number % 2 == 0 ? "/m/even.so" : "/m/odd_%_100.so";
    run.executableHash = number == 3 ? "feed" : "cafe";
    run.startedAt = "2026-01-0" + std::to_string(number) + "T00:00:00Z";
    RunNotes notes;
    if (number > 2) notes.tags.push_back("late");
    if (number == 4) notes.tags.push_back("best");
    ASSERT_TRUE(succeeded(store.save(documentOf(run), notes)));
  }
  using Ids = std::vector<RunId>;
  EXPECT_EQ(idsOf(store, {}), (Ids{5, 4, 3, 2, 1}));
  EXPECT_EQ(idsOf(store, {"even", {}, "", {}}), (Ids{4, 2}));
  EXPECT_EQ(idsOf(store, {"_%_", {}, "", {}}), (Ids{5, 3, 1}));
  EXPECT_EQ(idsOf(store, {"fe", {}, "", {}}), (Ids{3}));
  EXPECT_EQ(idsOf(store, {"ed", {}, "", {}}), (Ids{})) << "the beginning of a hash, not its middle";
  EXPECT_EQ(idsOf(store, {"", {"late"}, "", {}}), (Ids{5, 4, 3}));
  EXPECT_EQ(idsOf(store, {"", {"late", "best"}, "", {}}), (Ids{4}));
  EXPECT_EQ(idsOf(store, {"", {}, "2026-01-04", {}}), (Ids{5, 4}));
  EXPECT_EQ(idsOf(store, {"odd", {"late"}, "2026-01-01", 1}), (Ids{5}));
  EXPECT_EQ(idsOf(store, {"", {}, "", 0}), (Ids{}));
  EXPECT_EQ(store.newest(0).value_or(0), 5);
  EXPECT_EQ(store.newest(4).value_or(0), 1);
  EXPECT_EQ(store.newest(5).error().code, base::ErrorCode::NotFound);
}

TEST_F(StoreTest, NotesAndTagsAreEditedLater) {
  Store store = open();
  ASSERT_TRUE(succeeded(store.save(documentOf(report::sampleRun()), {"old", {"x"}})));
  ASSERT_TRUE(succeeded(store.setNote(1, "neu: \"ü\"\nzwei")));
  const std::string add[] = {"y", "x"};
  const std::string drop[] = {"x", "none"};
  ASSERT_TRUE(succeeded(store.addTags(1, add)));
  ASSERT_TRUE(succeeded(store.removeTags(1, drop)));
  const auto run = store.find(1);
  ASSERT_TRUE(succeeded(run));
  EXPECT_EQ(run->note, "neu: \"ü\"\nzwei");
  EXPECT_EQ(run->tags, (std::vector<std::string>{"y"}));
  EXPECT_EQ(store.setNote(2, "").error().message, "There is no run 2 in the store " + path().string() + ".");
  EXPECT_EQ(store.addTags(2, add).error().code, base::ErrorCode::NotFound);
}

report::Run longRun() {
  report::Run run = report::sampleRun();
  run.repeats = run.repeatsWanted = 20'000;
  run.calls.clear();
  run.ownNs.clear();
  run.inclusiveNs.clear();
  run.sampleRepeat.clear();
  run.spans.clear();
  for (std::uint32_t name = 0; name < 3; ++name)
    report::addCall(run, name, name == 2 ? report::kNone : name,
                    std::vector<double>(run.repeats, 1e3 + name));
  run.totals = {{"cpu0", std::vector<double>(run.repeats, 5e3)}};
  return run;
}

TEST_F(StoreTest, ChangesOfOthersAreTold) {
  Store mine = open();
  const auto before = mine.changeNumber();
  ASSERT_TRUE(succeeded(before));
  ASSERT_TRUE(succeeded(mine.save(documentOf(report::sampleRun()), {})));
  EXPECT_EQ(mine.changeNumber().value_or(-1), *before) << "its own changes do not count";
  ASSERT_TRUE(succeeded(open().setNote(1, "theirs")));
  EXPECT_NE(mine.changeNumber().value_or(*before), *before);
}

TEST_F(StoreTest, RemovedRunsGiveTheirSpaceBack) {
  Store store = open();
  ASSERT_TRUE(succeeded(store.save(documentOf(report::sampleRun()), {})));
  const report::Document document = documentOf(longRun());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(succeeded(store.save(document, {"", {"big"}})));
  const std::int64_t before = store.info().value_or(StoreInfo()).bytes;
  EXPECT_GT(before, 3'000'000);
  const RunId missing[] = {2, 99};
  EXPECT_EQ(store.remove(missing).error().code, base::ErrorCode::NotFound);
  EXPECT_EQ(idsOf(store, {}).size(), 6u) << "all or none";
  const RunId big[] = {2, 3, 4, 5, 6};
  ASSERT_TRUE(succeeded(store.remove(big)));
  const auto after = store.info();
  ASSERT_TRUE(succeeded(after));
  EXPECT_EQ(after->runs, 1);
  EXPECT_LT(after->bytes, 400'000);
  EXPECT_EQ(std::filesystem::file_size(path()), static_cast<std::uintmax_t>(after->bytes));
  EXPECT_TRUE(succeeded(store.load(1)));
  EXPECT_EQ(store.load(2).error().code, base::ErrorCode::NotFound);
  const auto next = store.save(document, {});
  EXPECT_EQ(next.value_or(0), 7) << "a number is not given twice";
}

}  // namespace
}  // namespace opscope::store
