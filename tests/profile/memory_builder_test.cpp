// SPDX-License-Identifier: Apache-2.0
// Peak, holders and writers from synthetic events over synthetic calls.
#include "engine/profile/memory_builder.h"

#include <gtest/gtest.h>

#include <deque>

#include "engine/base/clock.h"
#include "engine/profile/memory_series.h"
#include "engine/profile/run_timeline.h"
#include "engine/profile/tensor_writers.h"

namespace opscope::profile {
namespace {

using runtime::MemoryEventKind;
using Op = vm::Instruction::Op;
using Kind = vm::Argument::Kind;

enum Function : std::int64_t { kMain, kStorage, kTensor, kConv, kAdd };

/// A machine played by hand: calls and events take the times that the clock tells.
class MemoryBuilderTest : public ::testing::Test {
 protected:
  MemoryBuilderTest() {
    m_data = std::make_shared<vm::ExecutableData>();
    for (const char* name : {"main", "vm.builtin.alloc_storage", "vm.builtin.alloc_tensor", "conv", "add"}) {
      m_data->functions.emplace_back().name = name;
    }
    // 0: %0 = storage   1: %1 = tensor(%0)   2: %2 = storage   3: %3 = tensor(%2)   4: conv(%1)   5: add(%1,
    // %3)
    instruction(kStorage, 0, {});
    instruction(kTensor, 1, {0});
    instruction(kStorage, 2, {});
    instruction(kTensor, 3, {2});
    instruction(kConv, vm::kVoidRegister, {1});
    instruction(kAdd, vm::kVoidRegister, {1, 3});
    m_data->functions[kMain].kind = vm::FunctionKind::Bytecode;
    m_data->functions[kMain].endInstruction = static_cast<std::int64_t>(m_data->instructions.size());
    m_file.data = m_data;
  }

  void instruction(std::int64_t function, std::int64_t destination, std::vector<std::int64_t> registers) {
    vm::Instruction& made = m_data->instructions.emplace_back();
    made.op = Op::Call;
    made.function = function;
    made.destination = destination;
    made.firstArgument = static_cast<std::uint32_t>(m_data->arguments.size());
    made.argumentCount = static_cast<std::uint32_t>(registers.size());
    for (const std::int64_t reg : registers) {
      m_data->arguments.push_back({Kind::Register, reg});
    }
  }

  std::uint64_t now() const { return base::readTicks(m_useCounter); }

  /// Calls instruction `at`; what `body` does happens within.
  template <class Body>
  void call(std::uint32_t at, Body&& body) {
    base::CallRecord& record = m_records.append();
    const auto function = static_cast<std::uint32_t>(m_data->instructions[at].function);
    record = {now(), 0, at, function, base::kNoShapes, 0};
    body();
    record.endTicks = now();
  }
  void call(std::uint32_t at) {
    call(at, [] {});
  }

  template <class Body>
  void repeat(Body&& body) {
    StepMark mark{0, now(), 0, m_records.size(), 0};
    body();
    mark.endTicks = now();
    mark.endRecord = m_records.size();
    m_repeats.push_back({mark});
  }

  void* key(int number) { return &m_keys[static_cast<std::size_t>(number)]; }
  void take(int storage, std::size_t bytes, bool reused = false) {
    m_log.add(MemoryEventKind::StorageTaken, key(storage), bytes, bytes + 64, reused);
  }
  void release(int storage) { m_log.add(MemoryEventKind::StorageFreed, key(storage)); }
  void tensor(int number, int storage, std::size_t bytes) {
    m_log.add(MemoryEventKind::TensorMade, key(number), bytes, 0, false, key(storage));
  }
  void dropTensor(int number) { m_log.add(MemoryEventKind::TensorFreed, key(number)); }

  report::MemoryTrack build() {
    const base::ClockPoint first{m_begin, 0};
    const base::ClockPoint last{m_begin + 10'000'000, 10'000'000};
    const BuildInput input{m_records, m_shapes, m_repeats, m_file, base::TickScale(first, last, 1.0),
                           1,         {"cpu0"}};
    RunPlaces places;
    buildCalls(input, m_run, places);
    return buildMemory(m_log, RunTimeline(input, places), m_run);
  }
  std::string name(std::uint32_t call) const {
    return call == report::kNone ? "(none)" : m_run.names[m_run.calls[call].name];
  }

  /// The program of the instructions above, with sizes; storage 0 is freed when `add` is done.
  void playProgram(std::size_t first, std::size_t second) {
    call(0, [&] { take(0, first, true); });
    call(1, [&] { tensor(10, 0, first / 2); });
    call(2, [&] { take(1, second); });
    call(3, [&] { tensor(11, 1, second); });
    call(4);
    call(5, [&] {
      dropTensor(10);
      release(0);
    });
  }

  const bool m_useCounter = base::tickCounterUsable();
  std::shared_ptr<vm::ExecutableData> m_data;
  vm::ExecutableFile m_file;
  RecordBuffer m_records;
  ShapeTable m_shapes{16};
  std::vector<RepeatMarks> m_repeats;
  runtime::MemoryLog m_log{m_useCounter};
  const std::uint64_t m_begin = now();
  char m_keys[32]{};
  report::Run m_run;
};

TEST_F(MemoryBuilderTest, WritersAreTheFirstToTakeATensor) {
  const TensorWriters writers = findTensorWriters(*m_data);
  EXPECT_EQ(writers, (TensorWriters{{1, 4}, {3, 5}}));
}

TEST_F(MemoryBuilderTest, ATensorThatIsReplacedBeforeAnyUseHasNoWriter) {
  m_data->instructions[2].destination = 1;
  EXPECT_EQ(findTensorWriters(*m_data), (TensorWriters{{3, 5}}));
}

TEST_F(MemoryBuilderTest, ThePeakHasItsHoldersAndTheirWriters) {
  repeat([&] { playProgram(1000, 3000); });
  const report::MemoryTrack memory = build();
  EXPECT_EQ(memory.storage.peakBytes, 4000);
  EXPECT_EQ(name(memory.peakCall), "vm.builtin.alloc_storage");
  EXPECT_EQ(m_run.calls[memory.peakCall].instruction, 2u);
  ASSERT_EQ(memory.holders.size(), 2u);
  const report::StorageLife& larger = memory.storages[memory.holders[0].storage];
  EXPECT_EQ(larger.bytes, 3000);
  EXPECT_EQ(name(larger.writer), "add");
  EXPECT_EQ(larger.freedNs, -1);
  EXPECT_EQ(memory.holders[0].tensorBytes, 0);  // its tensor is made after the peak was reached
  const report::StorageLife& smaller = memory.storages[memory.holders[1].storage];
  EXPECT_EQ(name(smaller.writer), "conv");
  EXPECT_EQ(name(smaller.freedBy), "add");
  EXPECT_TRUE(smaller.reused);
  EXPECT_GT(smaller.freedNs, smaller.takenNs);
  EXPECT_EQ(memory.holders[1].tensorBytes, 500);
  EXPECT_EQ(name(memory.holders[1].writer), "conv");
  EXPECT_EQ(name(memory.holders[0].writer), "(none)");
  EXPECT_EQ(memory.peakTensorBytes, 500);
  EXPECT_EQ(memory.peakGivenBytes, 4128);
  EXPECT_EQ(memory.taken, 2u);
  EXPECT_EQ(memory.reused, 1u);
  EXPECT_EQ(memory.freed, 1u);
  EXPECT_EQ(memory.tensorsMade, 2u);
  EXPECT_EQ(memory.takenBytes, 4000);
  EXPECT_EQ(memory.tensorBytes, 3500);
  EXPECT_EQ(memory.tensors.peakBytes, 3500);
}

TEST_F(MemoryBuilderTest, TheRepeatWithThePeakIsTold) {
  for (const std::size_t bytes : {100u, 900u, 300u}) {
    repeat([&] { playProgram(bytes, 50); });
    release(1);  // what the run returned, between repeats
    dropTensor(11);
  }
  const report::MemoryTrack memory = build();
  EXPECT_EQ(memory.storage.peakBytes, 950);
  EXPECT_EQ(memory.repeat, 1u);
  EXPECT_EQ(memory.storage.peakRepeat, 1u);
  EXPECT_EQ(memory.taken, 2u);
  EXPECT_EQ(memory.storages.size(), 2u);
  ASSERT_FALSE(memory.storage.points.empty());
  std::uint32_t starts = 0;
  for (std::size_t i = 0; i < memory.storage.points.size(); ++i) {
    const report::MemoryPoint& point = memory.storage.points[i];
    if (i == 0 || point.repeat != memory.storage.points[i - 1].repeat) {
      ++starts;
      EXPECT_EQ(point.ns, 0);
      EXPECT_EQ(point.bytes, 0);
    } else {
      EXPECT_GE(point.ns, memory.storage.points[i - 1].ns);
    }
  }
  EXPECT_EQ(starts, 3u);
}

TEST_F(MemoryBuilderTest, WhatIsThereFromBeforeHoldsToo) {
  take(5, 7000);  // of the warm-up
  tensor(15, 5, 6000);
  release(9);  // older than the log
  repeat([&] { playProgram(1000, 100); });
  take(6, 1'000'000);  // after the last repeat
  const report::MemoryTrack memory = build();
  EXPECT_EQ(memory.storage.peakBytes, 8100);
  ASSERT_EQ(memory.holders.size(), 3u);
  const report::StorageLife& before = memory.storages[memory.holders[0].storage];
  EXPECT_TRUE(before.before);
  EXPECT_EQ(before.call, report::kNone);
  EXPECT_EQ(before.writer, report::kNone);
  EXPECT_EQ(memory.holders[0].tensorBytes, 6000);
  EXPECT_EQ(memory.taken, 2u);
  EXPECT_EQ(memory.storage.points.front().bytes, 7000);
}

TEST_F(MemoryBuilderTest, WorkspacesCountApart) {
  repeat([&] {
    call(4, [&] {
      m_log.add(MemoryEventKind::WorkspaceTaken, key(20), 300, 4096);
      m_log.add(MemoryEventKind::WorkspaceTaken, key(21), 500, 4096);
      m_log.add(MemoryEventKind::WorkspaceFreed, key(21));
      m_log.add(MemoryEventKind::WorkspaceFreed, key(20));
    });
  });
  const report::MemoryTrack memory = build();
  EXPECT_EQ(memory.storage.peakBytes, 0);
  EXPECT_TRUE(memory.holders.empty());
  EXPECT_EQ(memory.peakCall, report::kNone);
  EXPECT_EQ(memory.workspaces.peakBytes, 800);
  EXPECT_EQ(memory.workspaceRequests, 2u);
  EXPECT_EQ(memory.largestWorkspaceBytes, 500);
  EXPECT_EQ(name(memory.largestWorkspaceCall), "conv");
}

TEST_F(MemoryBuilderTest, NoEventsAndNoRepeats) {
  EXPECT_EQ(build().storage.peakBytes, 0);
  repeat([&] { call(4); });
  m_run = {};
  const report::MemoryTrack memory = build();
  ASSERT_EQ(memory.storage.points.size(), 1u);
  EXPECT_TRUE(memory.storages.empty());
}

TEST_F(MemoryBuilderTest, MomentsFindTheInnermostCall) {
  repeat([&] {
    call(0, [&] { call(4); });
    call(1);
  });
  // The second record lies within the first, one frame deeper.
  const_cast<base::CallRecord&>(m_records.at(1)).depth = 1;
  build();
  const BuildInput input{m_records, m_shapes, m_repeats, m_file, base::TickScale({0, 0}, {0, 0}, 1.0),
                         1,         {"cpu0"}};
  report::Run run;
  RunPlaces places;
  buildCalls(input, run, places);
  const RunTimeline timeline(input, places);
  const auto recordAt = [&](std::uint64_t ticks) { return timeline.at(ticks).record; };
  EXPECT_EQ(recordAt(m_records.at(0).beginTicks), 0u);
  EXPECT_EQ(recordAt(m_records.at(1).beginTicks), 1u);
  EXPECT_EQ(recordAt(m_records.at(1).endTicks + 1), 0u);
  EXPECT_EQ(timeline.at(m_repeats[0][0].beginTicks - 1).repeat, 0u);
  EXPECT_FALSE(timeline.at(m_repeats[0][0].beginTicks - 1).inStep);
  EXPECT_EQ(timeline.at(m_repeats[0][0].endTicks + 1).repeat, report::kNone);
}

}  // namespace
}  // namespace opscope::profile
