// SPDX-License-Identifier: Apache-2.0
// The calls of compiled functions that the probe meets in the slots of a loaded library: those that our own
// recorder sees, however the library was linked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <tvm/ffi/extra/module.h>

#include <set>

#include "engine/profile/compiled_calls.h"
#include "engine/profile/recorder.h"
#include "engine/session/probe_records.h"
#include "tests/probe/probe_module.h"
#include "tests/profile/link_variants.h"
#include "tests/vm/case_runner.h"
#include "tests/vm/module_calls.h"

namespace opscope::session {

namespace {

namespace ffi = tvm::ffi;
using profile::test::LinkedModels;
using profile::test::LinkVariant;
using test::loadProbe;
using test::Probed;
using test::reportOf;
using vm::test::callModule;
using vm::test::failureOf;

constexpr const char* kModel = "link_variants/model";

std::set<std::string> loadedLibraries() {
  std::set<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* to) {
        static_cast<std::set<std::string>*>(to)->insert(info->dlpi_name);
        return 0;
      },
      &paths);
  return paths;
}

/// A machine and the name under which the loader knows its library.
struct Loaded {
  vm::test::OpenMachine machine;
  std::string fileName;
};

Loaded load(const std::filesystem::path& path) {
  const std::set<std::string> before = loadedLibraries();
  auto machine = vm::test::openPath(path);
  if (!machine) {
    throw std::runtime_error(machine.error().message);
  }
  std::string fileName;
  for (const std::string& name : loadedLibraries()) {
    fileName = before.contains(name) ? fileName : std::filesystem::path(name).filename().string();
  }
  return {*std::move(machine), fileName};
}

void runStep(const ffi::Module& probe, Loaded& loaded, const std::string& fixture) {
  const auto run = ffi::Function::FromTyped([&] {
    std::vector<ffi::Any> arguments = vm::test::scenarioArguments(fixture);
    const auto result = loaded.machine->invoke(vm::test::scenarioFunction(fixture), arguments);
    EXPECT_TRUE(result);
  });
  callModule(probe, "opscope_probe_step", 0, run);
}

base::ProbeSlots patch(const ffi::Module& probe, const std::string& fileName) {
  const std::string bytes = callModule(probe, "opscope_probe_patch", fileName).cast<ffi::Bytes>();
  const auto slots = readProbeSlots(bytes);
  EXPECT_TRUE(slots);
  return slots.value();
}

struct SeenCall {
  std::string name;
  std::string shapes;
  std::uint32_t depth = 0;
  std::uint32_t instruction = 0;
  bool operator==(const SeenCall&) const = default;
};

void PrintTo(const SeenCall& call, std::ostream* out) {
  *out << call.name << " " << call.shapes << " depth " << call.depth << " at " << call.instruction;
}

template <class Shapes>
std::vector<SeenCall> listOf(const vm::ExecutableData& data, const std::vector<std::string>& more,
                             const profile::RecordBuffer& records, const Shapes& shapes) {
  std::vector<SeenCall> calls;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const base::CallRecord& record = records.at(i);
    EXPECT_GE(record.endTicks, record.beginTicks);
    const std::size_t table = data.functions.size();
    calls.push_back(
        {record.function < table ? data.functions[record.function].name : more.at(record.function - table),
         record.shapes == base::kNoShapes ? "" : shapes.text(record.shapes), record.depth,
         record.instruction});
  }
  return calls;
}

std::vector<SeenCall> callsHere(const std::filesystem::path& path, const std::string& fixture) {
  Loaded loaded = load(path);
  const vm::ExecutableData& data = loaded.machine->executable();
  profile::Recorder recorder(data.instructions.size(), false);
  std::vector<ffi::Any> arguments = vm::test::scenarioArguments(fixture);
  const profile::CompiledCalls calls(*loaded.machine.machine, recorder);
  EXPECT_TRUE(loaded.machine->invoke(vm::test::scenarioFunction(fixture), arguments));
  return listOf(data, calls.facts().names, recorder.records(), recorder.shapes());
}

std::vector<SeenCall> callsOf(const Probed& probed, const vm::ExecutableData& data,
                              const std::string& fixture) {
  ProbeRecords records(data);
  EXPECT_TRUE(
      records.addRepeat(probed.report, {vm::findFunction(data, vm::test::scenarioFunction(fixture))}));
  return listOf(data, records.moreFunctions(), records.records(), records.shapes());
}

class ProbeInSlots : public testing::TestWithParam<const char*> {};

TEST_P(ProbeInSlots, TellsTheCallsOfOurRecorder) {
  const std::filesystem::path path = vm::test::fixturePath(GetParam());
  const ffi::Module probe = loadProbe();
  callModule(probe, "opscope_probe_start", 100'000);
  Loaded loaded = load(path);
  const base::ProbeSlots slots = patch(probe, loaded.fileName);
  EXPECT_GT(slots.slots, 0U);
  EXPECT_EQ(slots.patched, slots.slots);
  EXPECT_EQ(slots.builtins, 1U);
  runStep(probe, loaded, GetParam());
  const Probed probed = reportOf(probe);
  EXPECT_EQ(probed.report.header.dropped, 0U);
  const auto there = callsOf(probed, loaded.machine->executable(), GetParam());
  EXPECT_GT(there.size(), 3U);
  EXPECT_THAT(there, testing::ContainerEq(callsHere(path, GetParam())));
  callModule(probe, "opscope_probe_stop");
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ProbeInSlots,
                         testing::Values("tvm027/chain_compiled", "tvm027/mlp_compiled",
                                         "tvm027/mlp_dyn_compiled", "tvm027/ifelse_compiled",
                                         "tvm025/mlp_compiled"),
                         [](const auto& fixture) {
                           std::string name = fixture.param;
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

class ProbeAndLinks : public testing::TestWithParam<LinkVariant> {};

TEST_P(ProbeAndLinks, MeetKernelsInSlotsOrSayThatTheyDoNot) {
  const LinkedModels models;
  const auto path = models.compiled(GetParam());
  if (!path) {
    return;  // its linker is not installed, which is told
  }
  const bool hasSlots = std::string_view(GetParam().way) == "slots";
  const ffi::Module probe = loadProbe();
  callModule(probe, "opscope_probe_start", 100'000);
  Loaded loaded = load(*path);
  const base::ProbeSlots slots = patch(probe, loaded.fileName);
  EXPECT_EQ(slots.patched > 0, hasSlots);
  EXPECT_EQ(slots.patched, slots.slots);
  EXPECT_GT(slots.kernels, 0U);
  runStep(probe, loaded, kModel);
  auto expected = callsHere(*path, kModel);
  auto there = callsOf(reportOf(probe), loaded.machine->executable(), kModel);
  if (!hasSlots) {
    std::erase_if(expected, [](const SeenCall& call) { return !call.name.starts_with("vm.builtin."); });
    for (auto* calls : {&expected, &there}) {
      std::ranges::for_each(*calls, [](SeenCall& call) { call.instruction = 0; });
    }
  }
  EXPECT_THAT(there, testing::ContainerEq(expected));
  callModule(probe, "opscope_probe_stop");
}

INSTANTIATE_TEST_SUITE_P(Variants, ProbeAndLinks, testing::ValuesIn(profile::test::linkVariants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

constexpr const char* kFixture = "tvm027/mlp_compiled";

TEST(ProbeSlots, AreAsBeforeWhenItIsOver) {
  const ffi::Module probe = loadProbe();
  callModule(probe, "opscope_probe_start", 1000);
  Loaded loaded = load(vm::test::fixturePath(kFixture));
  const auto recorded = [&] {
    callModule(probe, "opscope_probe_clear");
    runStep(probe, loaded, kFixture);
    return callsOf(reportOf(probe), loaded.machine->executable(), kFixture);
  };
  EXPECT_THAT(recorded(), testing::IsEmpty());
  patch(probe, loaded.fileName);
  const auto first = recorded();
  EXPECT_GT(first.size(), 3U);
  EXPECT_EQ(patch(probe, loaded.fileName).patched, 7U);  // again, without an end in between
  EXPECT_EQ(recorded(), first);
  callModule(probe, "opscope_probe_restore");
  EXPECT_THAT(recorded(), testing::IsEmpty());
  patch(probe, loaded.fileName);
  EXPECT_EQ(recorded(), first);
  callModule(probe, "opscope_probe_stop");
  EXPECT_EQ(vm::test::runAndCompare(*loaded.machine.machine, kFixture), "");
}

TEST(ProbeSlots, CallsOutsideOfStepsAreNotRecorded) {
  const ffi::Module probe = loadProbe();
  callModule(probe, "opscope_probe_start", 1000);
  Loaded loaded = load(vm::test::fixturePath(kFixture));
  patch(probe, loaded.fileName);
  std::vector<ffi::Any> arguments = vm::test::scenarioArguments(kFixture);
  EXPECT_TRUE(loaded.machine->invoke(vm::test::scenarioFunction(kFixture), arguments));
  EXPECT_EQ(reportOf(probe).report.records.size(), 0U);
  // What was looked up in that run has its name nevertheless.
  runStep(probe, loaded, kFixture);
  EXPECT_EQ(callsOf(reportOf(probe), loaded.machine->executable(), kFixture),
            callsHere(vm::test::fixturePath(kFixture), kFixture));
  callModule(probe, "opscope_probe_stop");
}

TEST(ProbeSlots, NamesAreFoundWhenTheLibraryRanBefore) {
  const ffi::Module probe = loadProbe();
  callModule(probe, "opscope_probe_start", 1000);
  Loaded loaded = load(vm::test::fixturePath(kFixture));
  std::vector<ffi::Any> arguments = vm::test::scenarioArguments(kFixture);
  EXPECT_TRUE(loaded.machine->invoke(vm::test::scenarioFunction(kFixture), arguments));
  patch(probe, loaded.fileName);
  runStep(probe, loaded, kFixture);
  EXPECT_EQ(callsOf(reportOf(probe), loaded.machine->executable(), kFixture),
            callsHere(vm::test::fixturePath(kFixture), kFixture));
  callModule(probe, "opscope_probe_stop");
}

TEST(ProbeSlots, OfALibraryThatWasUnloadedAreLeftAlone) {
  const ffi::Module probe = loadProbe();
  callModule(probe, "opscope_probe_start", 1000);
  {
    Loaded loaded = load(vm::test::fixturePath(kFixture));
    patch(probe, loaded.fileName);
    runStep(probe, loaded, kFixture);
  }
  callModule(probe, "opscope_probe_restore");
  callModule(probe, "opscope_probe_stop");
}

TEST(ProbeSlots, MistakesAreToldInWords) {
  const ffi::Module probe = loadProbe();
  EXPECT_THAT(failureOf(probe, "opscope_probe_patch", "no-such-library.so"),
              testing::HasSubstr("does not find the library"));
  EXPECT_THAT(failureOf(probe, "opscope_probe_patch", 5), testing::StartsWith("TypeError"));
  EXPECT_THAT(failureOf(probe, "opscope_probe_patch"), testing::StartsWith("TypeError"));
  callModule(probe, "opscope_probe_restore");
  EXPECT_FALSE(readProbeSlots("short"));
  const std::string zeros(sizeof(base::ProbeSlots), '\0');
  EXPECT_FALSE(readProbeSlots(zeros));
}

}  // namespace

}  // namespace opscope::session
