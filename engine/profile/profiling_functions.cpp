// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/profiling_functions.h"

#include <fmt/format.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/reflection/registry.h>

#include <string_view>
#include <utility>
#include <vector>

#include "engine/profile/collectors.h"
#include "engine/report/csv.h"
#include "engine/report/report_json.h"
#include "engine/report/table.h"

namespace opscope::profile {

namespace ffi = tvm::ffi;

namespace {

constexpr const char* kProfileFunction = "runtime.profiling.ProfileFunction";

[[noreturn]] void raise(const char* kind, std::string message) {
  throw ffi::Error(kind, std::move(message), "");
}

template <class T>
T valueOf(base::Result<T> result) {
  if (!result) {
    raise("ValueError",
          result.error().message + (result.error().detail.empty() ? "" : " " + result.error().detail));
  }
  return *std::move(result);
}

/// Collectors that were started; they are stopped on every way out.
class Started {
 public:
  void start(const ffi::Array<MetricCollectorRef>& collectors, DLDevice device) {
    for (MetricCollectorRef collector : collectors) {
      ffi::ObjectRef data = collector->start(device);
      if (data.defined()) {
        m_started.emplace_back(std::move(collector), std::move(data));
      }
    }
  }
  FfiMetrics stop() {
    FfiMetrics all;
    while (!m_started.empty()) {
      const auto [collector, data] = std::move(m_started.front());
      m_started.erase(m_started.begin());
      for (const auto& [name, metric] : MetricCollectorRef(collector)->stop(data)) {
        all.Set(name, metric);
      }
    }
    return all;
  }
  ~Started() {
    try {
      stop();
    } catch (const ffi::Error&) {
      // The call's own error is on its way.
    }
  }
  Started() = default;
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

 private:
  std::vector<std::pair<MetricCollectorRef, ffi::ObjectRef>> m_started;
};

FfiMetrics profileOnce(const ffi::Module& module, const std::string& name, DLDevice device,
                       std::int64_t warmup, const ffi::Array<MetricCollectorRef>& collectors,
                       ffi::PackedArgs arguments) {
  const auto function = module->GetFunction(name);
  if (!function.has_value()) {
    raise("ValueError", fmt::format("There is no function called \"{}\" in the module", name));
  }
  ffi::Any result;
  for (std::int64_t i = 0; i < warmup; ++i) {
    (*function).CallPacked(arguments, &result);
  }
  for (MetricCollectorRef collector : collectors) {
    collector->init({DeviceWrapper(device)});
  }
  Started started;
  started.start(collectors, device);
  (*function).CallPacked(arguments, &result);
  return started.stop();
}

ReportRef makeReport(const ffi::Array<FfiMetrics>& calls,
                     const ffi::Map<ffi::String, FfiMetrics>& deviceMetrics,
                     const FfiMetrics& configuration) {
  auto object = ffi::make_object<ReportObj>();
  object->calls = calls;
  object->deviceMetrics = deviceMetrics;
  object->configuration = configuration;
  return ReportRef(std::move(object));
}

template <class F>
void define(const char* name, F function) {
  ffi::Function::SetGlobal(name, ffi::Function::FromTyped(std::move(function), name), /*override=*/true);
}

/// So that clients reach the members of a report.
void registerFields() {
  namespace reflection = tvm::ffi::reflection;
  reflection::ObjectDef<ReportObj>()
      .def_ro("calls", &ReportObj::calls)
      .def_ro("device_metrics", &ReportObj::deviceMetrics)
      .def_ro("configuration", &ReportObj::configuration);
}

void registerMetrics() {
  define("runtime.profiling.Count",
         [](std::int64_t value) { return toFfi(report::Metric(report::Count{value})); });
  define("runtime.profiling.Percent",
         [](double value) { return toFfi(report::Metric(report::Percent{value})); });
  define("runtime.profiling.Duration",
         [](double value) { return toFfi(report::Metric(report::Duration{value})); });
  define("runtime.profiling.Ratio", [](double value) { return toFfi(report::Metric(report::Ratio{value})); });
  define("runtime.profiling.DeviceWrapper", [](DLDevice device) { return DeviceWrapper(device); });
}

void registerReports() {
  define("runtime.profiling.Report", makeReport);
  define("runtime.profiling.AsTable",
         [](const ReportRef& object, bool sort, bool aggregate, bool columnSums) {
           return ffi::String(report::toTable(reportFromFfi(object), {sort, aggregate, columnSums}));
         });
  define("runtime.profiling.AsCSV",
         [](const ReportRef& object) { return ffi::String(report::toCsv(reportFromFfi(object))); });
  define("runtime.profiling.AsJSON",
         [](const ReportRef& object) { return ffi::String(report::toJson(reportFromFfi(object))); });
  define("runtime.profiling.FromJSON", [](const ffi::String& text) {
    return toFfi(valueOf(report::reportFromJson(std::string_view(text.data(), text.size()), "The report")));
  });
}

}  // namespace

ffi::Function profileFunction(ffi::Module module, std::string name, DLDevice device, std::int64_t warmup,
                              ffi::Array<MetricCollectorRef> collectors) {
  if (warmup < 0) {
    raise("ValueError", fmt::format("{}: {} calls to warm up, expected 0 or more", kProfileFunction, warmup));
  }
  for (const MetricCollectorRef& collector : collectors) {
    if (!collector.defined()) {
      raise("TypeError", fmt::format("{}: a collector is none", kProfileFunction));
    }
  }
  return ffi::Function::FromPacked(
      [module = std::move(module), name = std::move(name), device, warmup,
       collectors = std::move(collectors)](ffi::PackedArgs arguments, ffi::Any* result) {
        *result = profileOnce(module, name, device, warmup, collectors, arguments);
      });
}

void registerProfilingFunctions() {
  if (ffi::Function::GetGlobal(kProfileFunction).has_value()) {
    return;
  }
  registerFields();
  registerMetrics();
  registerReports();
  define(kProfileFunction, [](ffi::Module module, const ffi::String& name, int deviceType, int deviceId,
                              int warmup, ffi::Array<MetricCollectorRef> collectors) {
    if (std::string_view(module->kind()) == "rpc") {
      raise("RuntimeError", fmt::format("{}: a module on another machine cannot be profiled this way, since "
                                        "collectors cannot be sent there",
                                        kProfileFunction));
    }
    return profileFunction(std::move(module), std::string(name),
                           {static_cast<DLDeviceType>(deviceType), deviceId}, warmup, std::move(collectors));
  });
  define("opscope.profiling.MetricCollector",
         [](const ffi::String& text) { return collectorObject(valueOf(makeCollector(std::string(text)))); });
}

}  // namespace opscope::profile
