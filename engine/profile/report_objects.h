// SPDX-License-Identifier: Apache-2.0
// Reports, metrics, devices and metric collectors as ffi objects, with TVM's type keys and fields, and the
// way between them and our own values. Objects are shared by reference; any thread may read them.
// Behaviour: seed 004, the nodes of profiling.h.
#pragma once

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/object.h>
#include <tvm/ffi/string.h>

#include <cstdint>

#include "engine/profile/metric_collector.h"
#include "engine/report/report.h"

namespace opscope::profile {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // as for every object of tvm-ffi

class DurationObj final : public tvm::ffi::Object {
 public:
  double microseconds = 0;
  explicit DurationObj(double value) : microseconds(value) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.profiling.Duration", DurationObj, tvm::ffi::Object);
};

class PercentObj final : public tvm::ffi::Object {
 public:
  double percent = 0;
  explicit PercentObj(double value) : percent(value) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.profiling.Percent", PercentObj, tvm::ffi::Object);
};

class CountObj final : public tvm::ffi::Object {
 public:
  std::int64_t value = 0;
  explicit CountObj(std::int64_t number) : value(number) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.profiling.Count", CountObj, tvm::ffi::Object);
};

class RatioObj final : public tvm::ffi::Object {
 public:
  double ratio = 0;
  explicit RatioObj(double value) : ratio(value) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.profiling.Ratio", RatioObj, tvm::ffi::Object);
};

class DeviceWrapperObj final : public tvm::ffi::Object {
 public:
  DLDevice device;
  explicit DeviceWrapperObj(DLDevice wrapped) : device(wrapped) {}
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.profiling.DeviceWrapper", DeviceWrapperObj, tvm::ffi::Object);
};

class DeviceWrapper : public tvm::ffi::ObjectRef {
 public:
  explicit DeviceWrapper(DLDevice device);
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(DeviceWrapper, tvm::ffi::ObjectRef, DeviceWrapperObj);
};

using FfiMetrics = tvm::ffi::Map<tvm::ffi::String, tvm::ffi::Any>;

class ReportObj final : public tvm::ffi::Object {
 public:
  tvm::ffi::Array<FfiMetrics> calls;
  tvm::ffi::Map<tvm::ffi::String, FfiMetrics> deviceMetrics;
  FfiMetrics configuration;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.profiling.Report", ReportObj, tvm::ffi::Object);
};

class ReportRef : public tvm::ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(ReportRef, tvm::ffi::ObjectRef, ReportObj);
};

/// A collector that a plugin brings or that a client asked for. The virtual functions stand in the order of
/// TVM's MetricCollectorNode, so that collectors built with TVM's headers work too. They raise
/// tvm::ffi::Error.
class MetricCollectorObj : public tvm::ffi::Object {
 public:
  virtual void init(tvm::ffi::Array<DeviceWrapper> devices) = 0;
  /// Null: nothing is told of this device.
  virtual tvm::ffi::ObjectRef start(DLDevice device) = 0;
  virtual FfiMetrics stop(tvm::ffi::ObjectRef started) = 0;
  virtual ~MetricCollectorObj() = default;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("runtime.profiling.MetricCollector", MetricCollectorObj, tvm::ffi::Object);
};

class MetricCollectorRef : public tvm::ffi::ObjectRef {
 public:
  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(MetricCollectorRef, tvm::ffi::ObjectRef, MetricCollectorObj);
};

#pragma GCC diagnostic pop

tvm::ffi::Any toFfi(const report::Metric& metric);
FfiMetrics toFfi(const report::MetricMap& metrics);
ReportRef toFfi(const report::Report& report);

/// Raise TypeError for a value that is no metric.
report::Metric metricFromFfi(const tvm::ffi::Any& value, const std::string& name);
report::MetricMap metricsFromFfi(const FfiMetrics& metrics);
report::Report reportFromFfi(const ReportRef& report);

/// A collector of the ffi as one of ours, which keeps it.
std::unique_ptr<MetricCollector> collectorOf(MetricCollectorRef collector);
/// One of ours as an object for the ffi.
MetricCollectorRef collectorObject(std::unique_ptr<MetricCollector> collector);

}  // namespace opscope::profile
