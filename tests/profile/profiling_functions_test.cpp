// SPDX-License-Identifier: Apache-2.0
// TVM's profiling functions in the registry: reports against TVM's own files, metrics, ProfileFunction.
#include "engine/profile/profiling_functions.h"

#include <gtest/gtest.h>
#include <tvm/ffi/cast.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/profile/shape_string.h"
#include "engine/report/report_json.h"
#include "engine/vm/executable.h"
#include "tests/profile/fake_collector.h"
#include "tests/profile/fake_module.h"

namespace opscope::profile {
namespace {

namespace ffi = tvm::ffi;
namespace fs = std::filesystem;
using testing::FakeCollector;
using testing::ModuleOfKind;

template <class... Arguments>
ffi::Any call(const char* name, const Arguments&... arguments) {
  const auto function = ffi::Function::GetGlobal(name);
  if (!function.has_value()) {
    throw std::runtime_error(std::string("not registered: ") + name);
  }
  return (*function)(arguments...);
}

template <class F>
std::string failureOf(F&& function) {
  try {
    function();
    return "nothing was raised";
  } catch (const ffi::Error& error) {
    return error.kind() + ": " + error.message();
  }
}

std::string contentOf(const fs::path& path) {
  auto content = base::readFile(path);
  EXPECT_TRUE(content) << path;
  return content.value_or(std::string());
}

class ProfilingFunctions : public ::testing::Test {
 protected:
  void SetUp() override { registerProfilingFunctions(); }
};

TEST_F(ProfilingFunctions, ReportsAreThoseOfTvm) {
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(OPSCOPE_TEST_DATA) / "reports")) {
    const std::string json = contentOf(entry.path() / "report.json");
    const ffi::Any report = call("runtime.profiling.FromJSON", json);
    EXPECT_EQ(call("runtime.profiling.AsTable", report, true, true, true).cast<std::string>(),
              contentOf(entry.path() / "table-sort1-aggregate1-sums1.txt"));
    EXPECT_EQ(call("runtime.profiling.AsTable", report, false, false, false).cast<std::string>(),
              contentOf(entry.path() / "table-sort0-aggregate0-sums0.txt"));
    const auto ours = report::reportFromJson(json, "case");
    ASSERT_TRUE(ours);
    EXPECT_EQ(call("runtime.profiling.AsJSON", report).cast<std::string>(), report::toJson(*ours));
    EXPECT_TRUE(reportFromFfi(report.cast<ReportRef>()) == *ours);
    EXPECT_FALSE(call("runtime.profiling.AsCSV", report).cast<std::string>().empty());
    ++cases;
  }
  EXPECT_EQ(cases, 12);
}

TEST_F(ProfilingFunctions, ReportsAreMadeOfMetrics) {
  FfiMetrics row;
  row.Set("Name", ffi::String("op"));
  row.Set("Duration (us)", call("runtime.profiling.Duration", 1.5));
  row.Set("Percent", call("runtime.profiling.Percent", 50.0));
  row.Set("Count", call("runtime.profiling.Count", 2));
  row.Set("IPC", call("runtime.profiling.Ratio", 0.25));
  ffi::Map<ffi::String, FfiMetrics> devices;
  FfiMetrics configuration;
  configuration.Set("Executor", ffi::String("VM"));
  const ffi::Any report =
      call("runtime.profiling.Report", ffi::Array<FfiMetrics>{row}, devices, configuration);
  EXPECT_EQ(report.cast<ReportRef>()->GetTypeKey(), "runtime.profiling.Report");
  EXPECT_EQ(call("runtime.profiling.AsJSON", report).cast<std::string>(),
            R"json({"calls":[{"Name":{"string":"op"},"Duration (us)":{"microseconds":1.5},)json"
            R"json("Percent":{"percent":50.0},"Count":{"count":2},"IPC":{"ratio":0.25}}],)json"
            R"json("device_metrics":{},"configuration":{"Executor":{"string":"VM"}}})json");
  EXPECT_EQ(call("runtime.profiling.AsCSV", report).cast<std::string>(),
            "Count,Duration (us),IPC,Name,Percent\n2,1.5,0.25,\"op\",50\n");
}

TEST_F(ProfilingFunctions, MetricsHaveTvmsTypes) {
  const std::pair<ffi::Any, std::string> metrics[] = {
      {call("runtime.profiling.Duration", 1.0), "runtime.profiling.Duration"},
      {call("runtime.profiling.Percent", 1.0), "runtime.profiling.Percent"},
      {call("runtime.profiling.Count", 1), "runtime.profiling.Count"},
      {call("runtime.profiling.Ratio", 1.0), "runtime.profiling.Ratio"},
      {call("runtime.profiling.DeviceWrapper", DLDevice{kDLCPU, 0}), "runtime.profiling.DeviceWrapper"}};
  for (const auto& [metric, key] : metrics) {
    EXPECT_EQ(metric.GetTypeKey(), key);
  }
}

TEST_F(ProfilingFunctions, WhatIsNoReportOrMetricIsRefused) {
  EXPECT_TRUE(failureOf([] { call("runtime.profiling.FromJSON", "{"); }).starts_with("ValueError"));
  EXPECT_TRUE(failureOf([] {
                call("runtime.profiling.FromJSON", R"({"calls":[{"Name":{"colour":"red"}}]})");
              }).starts_with("ValueError"));
  EXPECT_TRUE(failureOf([] { call("runtime.profiling.AsCSV", 5); }).starts_with("TypeError"));
  FfiMetrics row;
  row.Set("Name", 5);
  const ffi::Any report = call("runtime.profiling.Report", ffi::Array<FfiMetrics>{row},
                               ffi::Map<ffi::String, FfiMetrics>(), FfiMetrics());
  EXPECT_TRUE(failureOf([&] {
                call("runtime.profiling.AsTable", report, true, true, true);
              }).starts_with("TypeError: The metric Name is of type int"));
}

// ---- ProfileFunction ----

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

/// As a plugin's: counts what goes on between start and stop.
class PluginCollectorObj final : public MetricCollectorObj {
 public:
  PluginCollectorObj(std::string metric, std::vector<std::string>* log)
      : m_metric(std::move(metric)), m_log(log) {}
  void init(ffi::Array<DeviceWrapper> devices) override {
    m_log->push_back("init " + std::to_string(devices.size()) + " " +
                     std::to_string(devices[0]->device.device_id));
  }
  ffi::ObjectRef start(DLDevice device) override {
    m_log->push_back("start");
    return device.device_type == kDLCPU ? ffi::ObjectRef(ffi::make_object<CountObj>(0))
                                        : ffi::ObjectRef(nullptr);
  }
  FfiMetrics stop(ffi::ObjectRef started) override {
    m_log->push_back("stop");
    FfiMetrics metrics;
    metrics.Set(m_metric, started);
    return metrics;
  }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.PluginCollector", PluginCollectorObj, MetricCollectorObj);

 private:
  std::string m_metric;
  std::vector<std::string>* m_log;
};

#pragma GCC diagnostic pop

class ProfileFunction : public ProfilingFunctions {
 protected:
  ffi::Function profiled(const std::string& kind, const std::string& name, int warmup,
                         const ffi::Array<MetricCollectorRef>& collectors, int deviceType = kDLCPU) {
    const ffi::Module module(ffi::make_object<ModuleOfKind>(kind, "kernel", m_kernel));
    return call("runtime.profiling.ProfileFunction", module, name, deviceType, 3, warmup, collectors)
        .cast<ffi::Function>();
  }
  MetricCollectorRef collector(const std::string& metric) {
    return MetricCollectorRef(ffi::make_object<PluginCollectorObj>(metric, &m_log));
  }

  std::vector<std::string> m_log;
  ffi::Function m_kernel = ffi::Function::FromPacked([this](ffi::PackedArgs arguments, ffi::Any* result) {
    m_log.push_back("call");
    if (arguments[0].cast<std::int64_t>() == 13) {
      throw ffi::Error("IndexError", "unlucky", "");
    }
    *result = 4;
  });
};

TEST_F(ProfileFunction, WarmsUpThenCallsOnceWithinTheCollectors) {
  const ffi::Any metrics = profiled("library", "kernel", 2, {collector("A"), collector("B")})(5);
  EXPECT_EQ(m_log, (std::vector<std::string>{"call", "call", "init 1 3", "init 1 3", "start", "start", "call",
                                             "stop", "stop"}));
  const auto map = metrics.cast<FfiMetrics>();
  EXPECT_EQ(map.size(), 2U);
  EXPECT_NE(map["A"].as<CountObj>(), nullptr);
}

TEST_F(ProfileFunction, LeavesOutCollectorsThatDoNotSeeTheDevice) {
  const ffi::Any metrics = profiled("library", "kernel", 0, {collector("A")}, kDLCUDA)(5);
  EXPECT_EQ(m_log, (std::vector<std::string>{"init 1 3", "start", "call"}));
  EXPECT_EQ(metrics.cast<FfiMetrics>().size(), 0U);
  EXPECT_EQ(profiled("library", "kernel", 0, {})(5).cast<FfiMetrics>().size(), 0U);
}

TEST_F(ProfileFunction, StopsCollectorsWhenTheCallRaises) {
  EXPECT_EQ(failureOf([&] {
              profiled("library", "kernel", 0, {collector("A"), collector("B")})(13);
            }),
            "IndexError: unlucky");
  EXPECT_EQ(m_log,
            (std::vector<std::string>{"init 1 3", "init 1 3", "start", "start", "call", "stop", "stop"}));
}

TEST_F(ProfileFunction, TellsWhatIsWrong) {
  EXPECT_EQ(failureOf([&] { profiled("library", "nosuch", 0, {})(5); }),
            "ValueError: There is no function called \"nosuch\" in the module");
  EXPECT_TRUE(failureOf([&] { profiled("library", "kernel", -1, {}); }).starts_with("ValueError"));
  EXPECT_TRUE(failureOf([&] { profiled("rpc", "kernel", 0, {}); }).starts_with("RuntimeError"));
  EXPECT_TRUE(failureOf([&] {
                profiled("library", "kernel", 0, {MetricCollectorRef(nullptr)});
              }).starts_with("TypeError"));
}

TEST_F(ProfileFunction, TakesOurOwnCollectorsByName) {
  const auto own = call("opscope.profiling.MetricCollector", "process").cast<MetricCollectorRef>();
  const ffi::Any metrics = profiled("library", "kernel", 1, {own})(5);
  EXPECT_NE(metrics.cast<FfiMetrics>()["CPU time (us)"].as<DurationObj>(), nullptr);
  EXPECT_TRUE(
      failureOf([] { call("opscope.profiling.MetricCollector", "nosuch"); }).starts_with("ValueError"));
}

TEST(CollectorAdapters, GoThereAndBack) {
  auto fake = std::make_unique<FakeCollector>();
  FakeCollector& itself = *fake;
  const auto there = collectorOf(collectorObject(std::move(fake)));
  const DLDevice cpu{kDLCPU, 0};
  ASSERT_TRUE(there->init({&cpu, 1}));
  auto none = there->start({kDLCUDA, 0});
  ASSERT_TRUE(none);
  EXPECT_EQ(*none, nullptr);
  auto started = there->start(cpu);
  ASSERT_TRUE(started && *started);
  itself.m_now += 4;
  const auto metrics = there->stop(*std::move(started));
  ASSERT_TRUE(metrics);
  EXPECT_EQ(*metrics->find("Events"), report::Metric(report::Count{4}));
  EXPECT_EQ(*metrics->find("Wait (us)"), report::Metric(report::Duration{2}));
  EXPECT_EQ(*metrics->find("IPC"), report::Metric(report::Ratio{0.4}));
  itself.m_initFails = true;
  EXPECT_EQ(there->init({&cpu, 1}).error().code, base::ErrorCode::Unsupported);
}

// ---- shapes ----

TEST(ShapeString, IsTvms) {
  const std::int64_t shape[] = {1, 3, 224, 224};
  EXPECT_EQ(shapeString(shape, {kDLFloat, 32, 1}), "float32[1, 3, 224, 224]");
  EXPECT_EQ(shapeString({}, {kDLInt, 64, 1}), "int64[]");
  EXPECT_EQ(shapeString(std::span(shape).first(1), {kDLFloat, 16, 4}), "float16x4[1]");
  EXPECT_EQ(shapeString(std::span(shape).first(2), {kDLInt, 4, 1}), "int4[1, 3]");
  EXPECT_EQ(shapeString(std::span(shape).first(2), {kDLUInt, 8, 1}), "uint8[1, 3]");
  EXPECT_EQ(shapeString(std::span(shape).first(2), {kDLBool, 8, 1}), "bool[1, 3]");
  EXPECT_EQ(shapeString(std::span(shape).first(2), {kDLBfloat, 16, 1}), "bfloat16[1, 3]");
  const std::int64_t dynamic[] = {-1, 7};
  EXPECT_EQ(shapeString(dynamic, {kDLFloat, 32, 1}), "float32[-1, 7]");
  EXPECT_EQ(shapeString(std::span<const DLTensor* const>()), "");
}

TEST(ShapeString, OfSeveralTensors) {
  std::int64_t shape[] = {4, 2};
  DLTensor tensor{};
  tensor.ndim = 2;
  tensor.shape = shape;
  tensor.dtype = {kDLFloat, 32, 1};
  DLTensor scalar{};
  scalar.dtype = {kDLInt, 32, 1};
  const DLTensor* const both[] = {&tensor, &scalar};
  EXPECT_EQ(shapeString(both), "float32[4, 2], int32[]");
}

TEST(ShapeHeldByATensor, IsReadFromVectorsOfIntegers) {
  const std::int64_t values[] = {2, -1, 9, 5};
  std::int64_t count[] = {4};
  std::int64_t stride[] = {1};
  DLTensor tensor{};
  tensor.data = const_cast<std::int64_t*>(values);
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 1;
  tensor.shape = count;
  tensor.dtype = {kDLInt, 64, 1};
  EXPECT_EQ(shapeHeldBy(tensor).value(), (std::vector<std::int64_t>{2, -1, 9, 5}));
  count[0] = 2;
  stride[0] = 2;
  tensor.strides = stride;
  EXPECT_EQ(shapeHeldBy(tensor).value(), (std::vector<std::int64_t>{2, 9}));
  const std::int32_t narrow[] = {7, 8};
  tensor.strides = nullptr;
  tensor.data = const_cast<std::int32_t*>(narrow);
  tensor.dtype = {kDLInt, 32, 1};
  EXPECT_EQ(shapeHeldBy(tensor).value(), (std::vector<std::int64_t>{7, 8}));
  tensor.ndim = 0;
  EXPECT_EQ(shapeHeldBy(tensor).value(), std::vector<std::int64_t>());
}

TEST(ShapeHeldByATensor, OtherTensorsAreRefused) {
  std::int64_t shape[] = {2, 2};
  std::int64_t data[4] = {};
  DLTensor tensor{};
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = 2;
  tensor.shape = shape;
  tensor.dtype = {kDLInt, 64, 1};
  EXPECT_FALSE(shapeHeldBy(tensor)) << "a matrix";
  tensor.ndim = 1;
  for (const DLDataType type : {DLDataType{kDLFloat, 64, 1}, DLDataType{kDLInt, 16, 1},
                                DLDataType{kDLInt, 64, 2}, DLDataType{kDLUInt, 64, 1}}) {
    tensor.dtype = type;
    EXPECT_FALSE(shapeHeldBy(tensor)) << vm::dataTypeName({type.code, type.bits, type.lanes});
  }
  tensor.dtype = {kDLInt, 64, 1};
  tensor.device = {kDLCUDA, 0};
  EXPECT_FALSE(shapeHeldBy(tensor)) << "memory that the host cannot read";
}

}  // namespace
}  // namespace opscope::profile
