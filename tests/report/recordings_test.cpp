// SPDX-License-Identifier: Apache-2.0
// Memory and lanes of a run: numbers, samples out and in, trace.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "engine/report/lanes.h"
#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"
#include "engine/report/trace_json.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

using nlohmann::json;

MemoryTrack sampleMemory() {
  MemoryTrack memory;
  memory.storage = {{{0, 0, 0}, {10.5, 4096, 0}, {0, 0, 1}, {12, 4096, 1}, {20, 8192, 1}}, 8192, 20, 1};
  memory.tensors = {{{0, 0, 0}, {0, 0, 1}}, 0, 0, 0};
  memory.workspaces = {{{0, 0, 0}, {11, 64, 0}, {0, 0, 1}}, 64, 11, 0};
  memory.repeat = 1;
  memory.storages = {{12, 30, 4096, 4608, true, false, 0, 1, 3, 2, 4000},
                     {20, -1, 4096, 4608, false, false, 0, kNone, kNone, 0, 0}};
  memory.peakCall = 0;
  memory.holders = {{1, 0}, {0, 4000, 2}};
  memory.peakGivenBytes = 9216;
  memory.peakTensorBytes = 4000;
  memory.taken = 2;
  memory.reused = memory.freed = 1;
  memory.tensorsMade = 2;
  memory.takenBytes = 8192;
  memory.tensorBytes = 5000;
  memory.workspaceRequests = 1;
  memory.largestWorkspaceBytes = 64;
  memory.largestWorkspaceCall = 1;
  memory.constantBytes = 77;
  memory.cacheBytes = 5;
  memory.lostEvents = 1;
  return memory;
}

/// Conv: two tasks on two lanes, then both on one; relu: one task. One nested launch that counts nowhere.
LaneTrack sampleLanes() {
  LaneTrack lanes;
  lanes.threads = 2;
  lanes.launches = {{100, 100, 0, 1, 2, LaunchKind::Pool, false, 0, 2},
                    {300, 200, 0, 1, 2, LaunchKind::Pool, false, 2, 2},
                    {310, 50, 0, 1, 2, LaunchKind::Nested, false, 4, 0},
                    {50, 10, 1, 2, 1, LaunchKind::OneTask, true, 4, 1}};
  lanes.tasks = {{100, 100, 90, 0, 0},
                 {120, 60, 60, 1, 1},
                 {300, 100, 100, 0, 0},
                 {400, 100, 50, 1, 0},
                 {50, 10, 10, 0, 0}};
  return lanes;
}

Run recordedRun() {
  Run run = sampleRun();
  run.memory = sampleMemory();
  run.lanes = sampleLanes();
  return run;
}

std::string samplesText() {
  return toSamplesJson(makeDocument(shared(recordedRun())));
}

TEST(Recordings, ReadBackWhole) {
  const std::string text = samplesText();
  const auto run = runFromSamplesJson(text, "s.json");
  ASSERT_TRUE(run) << base::formatError(run.error());
  EXPECT_EQ(toSamplesJson(makeDocument(*run)), text);
  ASSERT_TRUE((*run)->memory && (*run)->lanes);
  const MemoryTrack& memory = *(*run)->memory;
  EXPECT_EQ(memory.storage.points[1].ns, 10.5);
  EXPECT_EQ(memory.storages[0].freedBy, 3u);
  EXPECT_TRUE(memory.storages[0].reused);
  EXPECT_EQ(memory.storages[1].writer, kNone);
  EXPECT_EQ(memory.storages[1].freedNs, -1);
  EXPECT_EQ(memory.holders[1].tensorBytes, 4000);
  EXPECT_EQ(memory.holders[1].writer, 2u);
  EXPECT_EQ(memory.constantBytes, 77);
  const LaneTrack& lanes = *(*run)->lanes;
  EXPECT_EQ(lanes.launches[3].kind, LaunchKind::OneTask);
  EXPECT_TRUE(lanes.launches[3].failed);
  EXPECT_EQ(lanes.launches[3].firstTask, 4u);
  EXPECT_EQ(lanes.tasks[3].cpuNs, 50);
}

TEST(Recordings, FilesWithoutThemAreReadAsBefore) {
  const auto run = runFromSamplesJson(toSamplesJson(makeDocument(shared(sampleRun()))), "s.json");
  ASSERT_TRUE(run);
  EXPECT_FALSE((*run)->memory);
  EXPECT_FALSE((*run)->lanes);
}

std::string refused(const std::function<void(json&)>& change) {
  json file = json::parse(samplesText());
  change(file);
  const auto run = runFromSamplesJson(file.dump(), "s.json");
  return run ? "accepted" : run.error().message + " | " + run.error().detail;
}

TEST(Recordings, BadFilesAreToldWithTheirPlace) {
  const std::string start = "s.json is not a samples file: ";
  EXPECT_EQ(refused([](json& file) { file["memory"] = 3; }),
            start + "memory is wrong | Found the number 3, expected an object.");
  EXPECT_EQ(refused([](json& file) { file["memory"]["storages"]["call"][0] = 99; }),
            start +
                "memory.storages.call[0] is wrong | "
                "Found the number 99, expected an integer from -1 to below 4.");
  EXPECT_EQ(refused([](json& file) { file["memory"]["storages"]["bytes"].push_back(1); }),
            start + "memory.storages.bytes is wrong | Found 3 values, expected 2.");
  EXPECT_EQ(refused([](json& file) { file["memory"]["holders"]["storage"][0] = 2; }),
            start +
                "memory.holders.storage[0] is wrong | "
                "Found the number 2, expected an integer from 0 to below 2.");
  EXPECT_EQ(refused([](json& file) { file["memory"]["storage"]["points"]["repeat"][0] = 1; }),
            start +
                "memory.storage.points.ns is wrong | "
                "Found entry 1 before entry 0, expected points sorted by repeat, then time.");
  EXPECT_EQ(refused([](json& file) { file["memory"]["taken"] = -1; }),
            start +
                "memory.taken is wrong | "
                "Found the number -1, expected an integer from 0 to below 9007199254740992.");
  EXPECT_EQ(refused([](json& file) { file["lanes"]["launches"]["taskCount"][0] = 9; }),
            start +
                "lanes.launches.taskCount[0] is wrong | "
                "Found 9 tasks until here, expected at most the 5 of \"tasks\".");
  EXPECT_EQ(refused([](json& file) { file["lanes"]["launches"]["kind"][1] = "cloud"; }),
            start +
                "lanes.launches.kind[1] is wrong | "
                "Found the text \"cloud\", expected a kind of launch, as \"pool\".");
  EXPECT_EQ(refused([](json& file) { file["lanes"]["tasks"]["cpuNs"][0] = -3; }),
            start + "lanes.tasks.cpuNs[0] is wrong | Found the number -3, expected a number from 0 to 1e18.");
  EXPECT_EQ(refused([](json& file) { file["lanes"]["launches"].erase("tasks"); }),
            start + "lanes.launches.tasks is wrong | Found nothing, expected this key.");
}

TEST(Recordings, TheTraceHasCountersAndLanes) {
  const auto text = toTraceJson(recordedRun());
  ASSERT_TRUE(text);
  const json events = json::parse(*text)["traceEvents"];
  std::size_t counters = 0;
  std::size_t tasks = 0;
  std::vector<std::string> threads;
  for (const json& event : events) {
    counters += event["ph"] == "C" ? 1 : 0;
    tasks += event.value("cat", "") == "task" ? 1 : 0;
    if (event["name"] == "thread_name") threads.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(counters, 5u + 3u);  // a quantity that is always 0 has no graph
  EXPECT_EQ(tasks, 5u);
  EXPECT_EQ(std::ranges::count(threads, "worker 1"), 1);
  EXPECT_EQ(std::ranges::count(threads, "calling thread"), 1);
}

TEST(Lanes, NumbersOfOneLaunch) {
  const LaneTrack lanes = sampleLanes();
  const LaunchUse both = useOf(lanes, lanes.launches[0]);
  EXPECT_EQ(both.wanted, 2u);
  EXPECT_EQ(both.used, 2u);
  EXPECT_EQ(both.busyNs, 160);
  EXPECT_EQ(both.longestLaneNs, 100);
  EXPECT_EQ(both.stolenNs, 10);
  EXPECT_EQ(both.workerDelayNs, 20);
  EXPECT_EQ(both.workers, 1u);
  const LaunchUse one = useOf(lanes, lanes.launches[1]);
  EXPECT_EQ(one.wanted, 2u);
  EXPECT_EQ(one.used, 1u);
  EXPECT_EQ(one.workers, 0u);
  EXPECT_EQ(one.stolenNs, 50);
}

TEST(Lanes, RowsByKernelTellIdleFromUneven) {
  const report::Run run = recordedRun();
  const std::vector<KernelLanes> rows = lanesByKernel(run);
  ASSERT_EQ(rows.size(), 2u);
  const KernelLanes& conv = rows[0];
  EXPECT_EQ(run.names[conv.name], "fused_conv2d1_add");
  EXPECT_EQ(conv.launches, 2u);
  EXPECT_EQ(conv.tasks, 4u);
  EXPECT_EQ(conv.wallNs, 300);
  EXPECT_EQ(conv.neverStarted, 1u);
  EXPECT_DOUBLE_EQ(conv.lanesUsed, 1.5);
  EXPECT_DOUBLE_EQ(conv.lanesWanted, 2);
  EXPECT_DOUBLE_EQ(*conv.usePercent, 100.0 * 360 / 600);
  // Of 2 x 100 ns and 1 x 200 ns: the lane that never started is no imbalance.
  EXPECT_DOUBLE_EQ(*conv.imbalancePercent, 100.0 * 40 / 400);
  EXPECT_DOUBLE_EQ(*conv.stolenPercent, 100.0 * 60 / 360);
  EXPECT_DOUBLE_EQ(*conv.workerDelayNs, 20);
  EXPECT_EQ(rows[1].neverStarted, 0u);
  EXPECT_FALSE(rows[1].workerDelayNs);
  EXPECT_EQ(allLanes(run).launches, 3u);
}

TEST(Lanes, NothingToDivideByIsNoNumber) {
  report::Run run = sampleRun();
  run.lanes.emplace();
  EXPECT_TRUE(lanesByKernel(run).empty());
  EXPECT_FALSE(allLanes(run).usePercent);
  run.lanes->launches = {{0, 0, 0, kNone, 4, LaunchKind::Pool, true, 0, 0}};
  const KernelLanes all = allLanes(run);
  EXPECT_FALSE(all.usePercent || all.imbalancePercent || all.stolenPercent || all.workerDelayNs);
  EXPECT_EQ(lanesByKernel(run).front().name, kNone);
}

TEST(Lanes, KindsHaveNamesBothWays) {
  for (const LaunchKind kind : {LaunchKind::Pool, LaunchKind::OneTask, LaunchKind::OneThread,
                                LaunchKind::Nested, LaunchKind::PoolBusy}) {
    EXPECT_EQ(launchKindOf(launchKindName(kind)), kind);
  }
  EXPECT_FALSE(launchKindOf("else"));
}

}  // namespace
}  // namespace opscope::report
