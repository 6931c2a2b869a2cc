// SPDX-License-Identifier: Apache-2.0
// `profile` of the module that vm_profiler_load_executable gives.
#include "engine/profile/profiler_module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/profile/profiling_functions.h"
#include "engine/report/report_json.h"
#include "tests/vm/case_runner.h"
#include "tests/vm/module_calls.h"

namespace opscope::profile {

namespace ffi = tvm::ffi;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using vm::test::callModule;
using vm::test::failureOf;

namespace {

ffi::Any vector16() {
  return vm::test::floatTensor({16}, std::vector<float>(16, 1.0F));
}

class ProfilerModule : public ::testing::Test {
 protected:
  void SetUp() override { registerProfilerModule(); }

  static ffi::Module open(const std::string& fixture) {
    const auto machine =
        callModule(vm::test::executableModule(fixture), "vm_profiler_load_executable").cast<ffi::Module>();
    callModule(machine, "vm_initialization", 1, 0, 2);
    return machine;
  }
  static report::Report parsed(const ffi::Any& json) {
    auto report = report::reportFromJson(json.cast<std::string>(), "profile");
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(report::Report{});
  }
};

TEST_F(ProfilerModule, IsAMachineWithProfile) {
  const ffi::Module machine = open("tvm027/chain");
  EXPECT_STREQ(machine->kind(), "relax.VirtualMachine");
  EXPECT_TRUE(machine->GetFunction("profile").has_value());
  EXPECT_EQ(failureOf(machine, "main", vector16()), "");
  EXPECT_FALSE(vm::test::machineModule("tvm027/chain")->GetFunction("profile").has_value());
}

TEST_F(ProfilerModule, GivesTvmsReportOfOneRun) {
  const report::Report report = parsed(callModule(open("tvm027/chain"), "profile", "main", vector16()));
  std::size_t additions = 0;
  for (const report::MetricMap& call : report.calls) {
    additions += *call.find(report::kName) == report::Metric(std::string("add")) ? 1U : 0U;
    EXPECT_EQ(*call.find(report::kDevice), report::Metric(std::string("cpu0")));
  }
  EXPECT_EQ(additions, 300U);
  EXPECT_EQ(*report.configuration.find("Executor"), report::Metric(std::string("VM")));
  EXPECT_EQ(report.deviceMetrics.at(0).first, "cpu0");
}

TEST_F(ProfilerModule, TakesTheInputsThatWereSet) {
  const ffi::Module machine = open("tvm027/chain");
  callModule(machine, "set_input", "main", vector16());
  EXPECT_FALSE(parsed(callModule(machine, "profile", "main")).calls.empty());
  EXPECT_THAT(failureOf(machine, "profile", "main", vector16()), StartsWith("InternalError"));
  EXPECT_EQ(failureOf(machine, "invoke_stateful", "main"), "") << "they are still set";
}

TEST_F(ProfilerModule, InputsOfItsOwnAreForgotten) {
  const ffi::Module machine = open("tvm027/chain");
  callModule(machine, "profile", "main", vector16());
  EXPECT_THAT(failureOf(machine, "invoke_stateful", "main"), StartsWith("ValueError"));
}

TEST_F(ProfilerModule, ProfilesSavedFunctions) {
  const ffi::Module machine = open("tvm027/chain");
  callModule(machine, "save_function", "main", "bound", false, vector16());
  EXPECT_FALSE(parsed(callModule(machine, "profile", "bound")).calls.empty());
}

TEST_F(ProfilerModule, PassesErrorsOn) {
  const ffi::Module machine = open("tvm027/chain");
  EXPECT_THAT(failureOf(machine, "profile", "nosuch", vector16()), StartsWith("ValueError"));
  EXPECT_THAT(failureOf(machine, "profile"), StartsWith("TypeError"));
  EXPECT_THAT(failureOf(machine, "profile", "main"), StartsWith("InternalError"));
  EXPECT_THAT(failureOf(machine, "profile", "main", 5), StartsWith("TypeError"));
  EXPECT_EQ(failureOf(machine, "profile", "main", vector16()), "") << "usable after errors";
}

TEST_F(ProfilerModule, CollectorsGiveColumns) {
  registerProfilingFunctions();
  const auto make = ffi::Function::GetGlobal("opscope.profiling.MetricCollector");
  const ffi::Array<ffi::Any> collectors = {(*make)("process")};
  const ffi::Module machine = open("tvm027/chain");
  report::Report report = parsed(callModule(machine, "profile", "main", collectors, vector16()));
  EXPECT_GE(report.calls.size(), 300U);
  for (const report::MetricMap& call : report.calls) {
    EXPECT_NE(call.find("CPU time (us)"), nullptr);
  }
  EXPECT_NE(report.deviceMetrics.at(0).second.find("Page faults"), nullptr);
  callModule(machine, "set_input", "main", vector16());
  report = parsed(callModule(machine, "profile", "main", collectors));
  EXPECT_NE(report.calls.at(0).find("CPU time (us)"), nullptr);
  EXPECT_THAT(failureOf(machine, "profile", "main", collectors, vector16()), StartsWith("InternalError"));
}

TEST_F(ProfilerModule, AnArrayOfOtherThingsIsAnInput) {
  const ffi::Module machine = open("tvm027/chain");
  EXPECT_THAT(failureOf(machine, "profile", "main", vm::test::tupleOf(vector16())), StartsWith("TypeError"));
}

TEST_F(ProfilerModule, CountsTheInstrumentsRunsTwice) {
  const ffi::Module machine = open("tvm027/chain");
  int additions = 0;
  callModule(machine, "set_instrument", ffi::Function::FromPacked([&](ffi::PackedArgs arguments, ffi::Any*) {
               additions += arguments[2].cast<bool>() && arguments[1].cast<std::string>() == "add" ? 1 : 0;
             }));
  const report::Report report = parsed(callModule(machine, "profile", "main", vector16()));
  EXPECT_EQ(additions, 600) << "warm-up and measured run";
  EXPECT_GE(report.calls.size(), 300U);
}

}  // namespace

}  // namespace opscope::profile
