// SPDX-License-Identifier: Apache-2.0
// Memory and parallel parts recorded over real executables, held against what their bytecode says.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "engine/report/lanes.h"
#include "engine/session/session.h"
#include "engine/vm/executable_file.h"
#include "tests/session/session_log.h"

namespace opscope::session {
namespace {

using testing::SessionLog;

/// What a run of a straight function must do, worked out from its instructions: sizes from the constants,
/// lifetimes from the references that registers hold.
class ListingReplay {
 public:
  explicit ListingReplay(const vm::ExecutableData& data) : m_data(data) {}

  void run(const std::string& name) {
    const vm::FunctionEntry& function =
        m_data.functions[static_cast<std::size_t>(vm::findFunction(m_data, name))];
    for (std::int64_t at = function.startInstruction; at < function.endInstruction; ++at) {
      const vm::Instruction& instruction = m_data.instructions[static_cast<std::size_t>(at)];
      if (instruction.op == vm::Instruction::Op::Call) {
        call(instruction, static_cast<std::uint32_t>(at));
      }
    }
  }

  std::uint64_t storages = 0;
  std::uint64_t tensors = 0;
  std::int64_t storageBytes = 0;
  std::int64_t tensorBytes = 0;
  std::int64_t peakBytes = 0;
  std::uint32_t peakInstruction = 0;
  std::uint64_t freed = 0;

 private:
  using Value = std::shared_ptr<void>;

  void call(const vm::Instruction& instruction, std::uint32_t at) {
    const std::string& name = m_data.functions[static_cast<std::size_t>(instruction.function)].name;
    Value result;
    if (name == "vm.builtin.alloc_storage") {
      result = takeStorage(bytesOf(instruction, 1, 3), at);
    } else if (name == "vm.builtin.alloc_tensor") {
      ++tensors;
      tensorBytes += bytesOf(instruction, 2, 3);
      result = m_registers[argument(instruction, 0).value];  // a tensor keeps its storage alive
    } else if (name == "vm.builtin.reshape") {
      result = m_registers[argument(instruction, 0).value];
    }
    if (instruction.destination < vm::kVoidRegister) {
      m_registers[instruction.destination] = result;
    }
  }

  Value takeStorage(std::int64_t bytes, std::uint32_t at) {
    ++storages;
    storageBytes += bytes;
    m_live += bytes;
    if (m_live > peakBytes) {
      peakBytes = m_live;
      peakInstruction = at;
    }
    return {nullptr, [this, bytes](void*) {
              m_live -= bytes;
              ++freed;
            }};
  }

  const vm::Argument& argument(const vm::Instruction& instruction, std::uint32_t i) const {
    return m_data.arguments[instruction.firstArgument + i];
  }
  std::int64_t bytesOf(const vm::Instruction& instruction, std::uint32_t shape, std::uint32_t type) const {
    const auto constant = [&](std::uint32_t i) -> const vm::Constant& {
      return m_data.constants[static_cast<std::size_t>(argument(instruction, i).value)];
    };
    const auto& values = std::get<vm::ShapeConstant>(constant(shape)).values;
    const auto element = std::get<vm::DataType>(constant(type));
    return std::accumulate(values.begin(), values.end(), std::int64_t{element.bits / 8}, std::multiplies<>());
  }

  const vm::ExecutableData& m_data;
  std::int64_t m_live = 0;
  std::map<std::int64_t, Value> m_registers;
};

struct Model {
  std::string path;
  std::string function;
};

class RecordingTest : public ::testing::TestWithParam<runtime::AllocatorKind> {
 protected:
  static void SetUpTestSuite() { initialiseEngine(); }

  static std::string fixture(const std::string& name) { return OPSCOPE_TEST_DATA "/vm/tvm027/" + name; }

  static ProfileRequest request(const std::string& path, int threads = 1) {
    ProfileRequest made;
    made.path = path;
    made.repeats = 3;
    made.recordMemory = true;
    made.recordLanes = true;
    made.settings.runtime.threads = threads;
    made.settings.runtime.allocator = GetParam();
    return made;
  }

  static ProfileRequest languageModel() {
    ProfileRequest made = request(fixture("tiny_llama.so"));
    made.plan.scenarioFile = fixture("tiny_llama.scenario.json");
    made.plan.inputs.arraysFile = fixture("tiny_llama.npz");
    return made;
  }

  std::shared_ptr<const report::Run> profile(const ProfileRequest& made) {
    const RequestId id = m_session->profile(made);
    const auto finished = m_log.waitFor<ProfileFinished>(id);
    return finished ? finished->document.run : nullptr;
  }

  SessionLog m_log;
  std::unique_ptr<Session> m_session = std::make_unique<Session>(m_log.sink());
};
INSTANTIATE_TEST_SUITE_P(BothAllocators, RecordingTest,
                         ::testing::Values(runtime::AllocatorKind::Pooled, runtime::AllocatorKind::Naive),
                         [](const auto& chosen) {
                           return chosen.param == runtime::AllocatorKind::Pooled ? "Pooled" : "Naive";
                         });

TEST_P(RecordingTest, MemoryIsWhatTheBytecodeSays) {
  const std::vector<Model> models = {{fixture("cnn.so"), "forward"},
                                     {fixture("mlp.so"), "forward"},
                                     {fixture("mlp_const.so"), "forward"},
                                     {OPSCOPE_SOURCE_DIR "/resources/samples/basic_pitch.so", "main"}};
  for (const Model& model : models) {
    SCOPED_TRACE(model.path);
    const auto run = profile(request(model.path));
    ASSERT_TRUE(run);
    ASSERT_TRUE(run->memory);
    const report::MemoryTrack& memory = *run->memory;
    const auto file = vm::readExecutableFile(model.path);
    ASSERT_TRUE(file);
    ListingReplay expected(*file->data);
    expected.run(model.function);
    EXPECT_EQ(memory.taken, expected.storages);
    EXPECT_EQ(memory.tensorsMade, expected.tensors);
    EXPECT_EQ(memory.takenBytes, expected.storageBytes);
    EXPECT_EQ(memory.tensorBytes, expected.tensorBytes);
    EXPECT_EQ(memory.storage.peakBytes, expected.peakBytes);
    ASSERT_NE(memory.peakCall, report::kNone);
    EXPECT_EQ(run->calls[memory.peakCall].instruction, expected.peakInstruction);
    EXPECT_EQ(memory.reused, GetParam() == runtime::AllocatorKind::Pooled ? memory.taken : 0);
    EXPECT_LE(memory.tensors.peakBytes, memory.storage.peakBytes);
    EXPECT_EQ(memory.lostEvents, 0u);
  }
}

TEST_P(RecordingTest, HoldersMakeUpThePeakAndHaveWriters) {
  const auto run = profile(request(fixture("cnn.so")));
  ASSERT_TRUE(run);
  const report::MemoryTrack& memory = *run->memory;
  std::int64_t held = 0;
  for (const report::MemoryHolder& holder : memory.holders) {
    const report::StorageLife& storage = memory.storages[holder.storage];
    held += storage.bytes;
    EXPECT_LE(holder.tensorBytes, storage.bytes);
    EXPECT_GE(storage.givenBytes, storage.bytes);
    ASSERT_NE(storage.call, report::kNone);
    EXPECT_EQ(run->names[run->calls[storage.call].name], "vm.builtin.alloc_storage");
    ASSERT_NE(storage.writer, report::kNone);
    EXPECT_TRUE(run->calls[storage.writer].kernel);
    EXPECT_GT(run->calls[storage.writer].instruction, run->calls[storage.call].instruction);
  }
  EXPECT_EQ(held, memory.storage.peakBytes);
}

TEST_P(RecordingTest, EachRepeatDoesTheSame) {
  const auto run = profile(request(fixture("cnn.so")));
  ASSERT_TRUE(run);
  std::vector<std::vector<std::int64_t>> bytes(run->repeats);
  for (const report::MemoryPoint& point : run->memory->storage.points) {
    bytes[point.repeat].push_back(point.bytes);
  }
  EXPECT_EQ(bytes[1], bytes[0]);
  EXPECT_EQ(bytes[2], bytes[0]);
  EXPECT_EQ(bytes[0].front(), 0);  // the result of the repeat before is gone
}

TEST_P(RecordingTest, WorkspacesAreASeriesOfTheirOwn) {
  const auto run = profile(request(fixture("workspace.so")));
  ASSERT_TRUE(run);
  const report::MemoryTrack& memory = *run->memory;
  EXPECT_GT(memory.workspaceRequests, 0u);
  EXPECT_GT(memory.largestWorkspaceBytes, 0);
  EXPECT_GE(memory.workspaces.peakBytes, memory.largestWorkspaceBytes);
  ASSERT_NE(memory.largestWorkspaceCall, report::kNone);
  EXPECT_TRUE(run->calls[memory.largestWorkspaceCall].kernel);
  EXPECT_EQ(memory.workspaces.points.back().bytes, 0);
}

/// Worked out once with another program that counted storages and their releases.
TEST_P(RecordingTest, MemoryOfALanguageModel) {
  const auto run = profile(languageModel());
  ASSERT_TRUE(run);
  const report::MemoryTrack& memory = *run->memory;
  std::int64_t bytes = 0;
  int taken = 0;
  for (const report::StorageLife& life : memory.storages) {
    if (life.call != report::kNone && run->names[run->calls[life.call].name] == "vm.builtin.alloc_storage") {
      ++taken;
      bytes += life.bytes;
    }
  }
  EXPECT_EQ(taken, 34);
  EXPECT_NEAR(static_cast<double>(bytes), 450'400, 100);
  std::int64_t ofSteps = 0;  // taken by steps that call a function of the registry, not the executable
  for (const report::MemoryHolder& holder : memory.holders) {
    const report::StorageLife& life = memory.storages[holder.storage];
    ofSteps += life.call == report::kNone ? life.bytes : 0;
  }
  EXPECT_NEAR(static_cast<double>(memory.storage.peakBytes - memory.cacheBytes - ofSteps), 104'300, 100);
  ASSERT_NE(memory.peakCall, report::kNone);
  EXPECT_EQ(run->calls[memory.peakCall].instruction, 254u);
  ASSERT_FALSE(memory.holders.empty());
  const report::StorageLife& largest = memory.storages[memory.holders.front().storage];
  EXPECT_EQ(largest.bytes, 81'920);
  ASSERT_NE(largest.writer, report::kNone);
  EXPECT_EQ(run->names[run->calls[largest.writer].name], "transpose2");
}

/// Two layers, each with the four pages of 64 tokens and a spare one: keys and values of two heads by 16
/// tokens by 16 numbers.
TEST_P(RecordingTest, PagesOfAKeyValueCacheAreStorages) {
  const auto run = profile(languageModel());
  ASSERT_TRUE(run);
  const report::MemoryTrack& memory = *run->memory;
  constexpr std::int64_t kPages = 5 * 2 * 2 * 16 * 16 * 4;
  int pages = 0;
  for (const report::MemoryHolder& holder : memory.holders) {
    const report::StorageLife& life = memory.storages[holder.storage];
    EXPECT_LE(holder.tensorBytes, life.bytes);
    pages += life.bytes == kPages ? 1 : 0;
    if (life.bytes == kPages) {
      EXPECT_EQ(run->names[run->calls[life.call].name], "vm.builtin.paged_attention_kv_cache_create");
      EXPECT_EQ(holder.tensorBytes, kPages);
    }
  }
  EXPECT_EQ(pages, 2);
  EXPECT_GE(memory.cacheBytes, 2 * kPages);
  EXPECT_LT(memory.cacheBytes, 4 * kPages);
}

TEST_P(RecordingTest, LanesOfAParallelKernel) {
  const auto run = profile(request(fixture("parallel.so"), 2));
  ASSERT_TRUE(run);
  ASSERT_TRUE(run->lanes);
  const report::LaneTrack& lanes = *run->lanes;
  EXPECT_EQ(lanes.threads, 2u);
  ASSERT_EQ(lanes.launches.size(), run->repeats);  // one a repeat, those of the warm-up are left out
  for (const report::Launch& launch : lanes.launches) {
    EXPECT_EQ(launch.kind, report::LaunchKind::Pool);
    EXPECT_EQ(launch.tasks, launch.taskCount);
    ASSERT_NE(launch.call, report::kNone);
    EXPECT_EQ(run->names[run->calls[launch.call].name], "padd");
    std::set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < launch.taskCount; ++i) {
      const report::LaneTask& task = lanes.tasks[launch.firstTask + i];
      seen.insert(task.task);
      EXPECT_LT(task.lane, 2u);
      EXPECT_GE(task.startNs, launch.startNs);
      EXPECT_LE(task.startNs + task.durationNs, launch.startNs + launch.durationNs + 1);
      EXPECT_LE(task.cpuNs, task.durationNs);
    }
    EXPECT_EQ(seen.size(), launch.tasks);
  }
  const std::vector<report::KernelLanes> rows = report::lanesByKernel(*run);
  ASSERT_EQ(rows.size(), 1u);
  ASSERT_TRUE(rows[0].usePercent);
  EXPECT_GT(*rows[0].usePercent, 0);
  EXPECT_LE(*rows[0].usePercent, 100);
}

TEST_P(RecordingTest, NothingIsRecordedWithoutTheWish) {
  ProfileRequest made = request(fixture("parallel.so"), 2);
  made.recordMemory = made.recordLanes = false;
  const auto run = profile(made);
  ASSERT_TRUE(run);
  EXPECT_FALSE(run->memory);
  EXPECT_FALSE(run->lanes);
}

}  // namespace
}  // namespace opscope::session
