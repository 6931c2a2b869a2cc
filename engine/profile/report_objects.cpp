// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/report_objects.h"

#include <tvm/ffi/cast.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>

namespace opscope::profile {

namespace ffi = tvm::ffi;

DeviceWrapper::DeviceWrapper(DLDevice device) : ffi::ObjectRef(ffi::make_object<DeviceWrapperObj>(device)) {}

namespace {

struct ToFfi {
  ffi::Any operator()(const report::Count& count) const {
    return ffi::ObjectRef(ffi::make_object<CountObj>(count.value));
  }
  ffi::Any operator()(const report::Duration& duration) const {
    return ffi::ObjectRef(ffi::make_object<DurationObj>(duration.microseconds));
  }
  ffi::Any operator()(const report::Percent& percent) const {
    return ffi::ObjectRef(ffi::make_object<PercentObj>(percent.percent));
  }
  ffi::Any operator()(const report::Ratio& ratio) const {
    return ffi::ObjectRef(ffi::make_object<RatioObj>(ratio.ratio));
  }
  ffi::Any operator()(const std::string& text) const { return ffi::String(text); }
};

}  // namespace

ffi::Any toFfi(const report::Metric& metric) {
  return std::visit(ToFfi(), metric);
}

FfiMetrics toFfi(const report::MetricMap& metrics) {
  FfiMetrics map;
  for (const auto& [name, metric] : metrics.entries()) {
    map.Set(name, toFfi(metric));
  }
  return map;
}

ReportRef toFfi(const report::Report& report) {
  auto object = ffi::make_object<ReportObj>();
  for (const report::MetricMap& call : report.calls) {
    object->calls.push_back(toFfi(call));
  }
  for (const auto& [device, metrics] : report.deviceMetrics) {
    object->deviceMetrics.Set(device, toFfi(metrics));
  }
  object->configuration = toFfi(report.configuration);
  return ReportRef(std::move(object));
}

report::Metric metricFromFfi(const ffi::Any& value, const std::string& name) {
  if (const auto* count = value.as<CountObj>()) {
    return report::Count{count->value};
  }
  if (const auto* duration = value.as<DurationObj>()) {
    return report::Duration{duration->microseconds};
  }
  if (const auto* percent = value.as<PercentObj>()) {
    return report::Percent{percent->percent};
  }
  if (const auto* ratio = value.as<RatioObj>()) {
    return report::Ratio{ratio->ratio};
  }
  if (const auto text = value.as<ffi::String>()) {
    return std::string(*text);
  }
  throw ffi::Error("TypeError",
                   "The metric " + name + " is of type " + value.GetTypeKey() +
                       ", expected Count, Duration, Percent, Ratio or a text",
                   "");
}

report::MetricMap metricsFromFfi(const FfiMetrics& metrics) {
  report::MetricMap map;
  for (const auto& [name, value] : metrics) {
    map.set(std::string(name), metricFromFfi(value, name));
  }
  return map;
}

report::Report reportFromFfi(const ReportRef& object) {
  if (!object.defined()) {
    throw ffi::Error("TypeError", "There is no report", "");
  }
  report::Report report;
  for (const FfiMetrics& call : object->calls) {
    report.calls.push_back(metricsFromFfi(call));
  }
  for (const auto& [device, metrics] : object->deviceMetrics) {
    report.deviceMetrics.emplace_back(std::string(device), metricsFromFfi(metrics));
  }
  report.configuration = metricsFromFfi(object->configuration);
  return report;
}

}  // namespace opscope::profile
