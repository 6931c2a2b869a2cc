// SPDX-License-Identifier: Apache-2.0
// The two adapters between collectors of ours and collectors of the ffi.
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>

#include <utility>

#include "engine/profile/report_objects.h"
#include "engine/runtime/ffi_error.h"

namespace opscope::profile {

namespace ffi = tvm::ffi;

namespace {

class HeldObject final : public StartedMetrics {
 public:
  explicit HeldObject(ffi::ObjectRef held) : object(std::move(held)) {}
  ffi::ObjectRef object;
};

/// What the object raises becomes an error of ours.
class FfiCollector final : public MetricCollector {
 public:
  explicit FfiCollector(MetricCollectorRef collector) : m_collector(std::move(collector)) {}

  std::string name() const override { return m_collector->GetTypeKey(); }

  base::Result<> init(std::span<const DLDevice> devices) override {
    return runtime::guarded(base::ErrorCode::Unsupported, name(), [&] {
      ffi::Array<DeviceWrapper> wrapped;
      for (const DLDevice device : devices) {
        wrapped.push_back(DeviceWrapper(device));
      }
      m_collector->init(wrapped);
    });
  }

  base::Result<std::unique_ptr<StartedMetrics>> start(DLDevice device) override {
    return runtime::guarded(base::ErrorCode::KernelFailed, name(), [&] {
      ffi::ObjectRef started = m_collector->start(device);
      return started.defined()
                 ? std::unique_ptr<StartedMetrics>(std::make_unique<HeldObject>(std::move(started)))
                 : nullptr;
    });
  }

  base::Result<report::MetricMap> stop(std::unique_ptr<StartedMetrics> started) override {
    return runtime::guarded(base::ErrorCode::KernelFailed, name(), [&] {
      return metricsFromFfi(m_collector->stop(static_cast<HeldObject&>(*started).object));
    });
  }

 private:
  mutable MetricCollectorRef m_collector;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

class StartedObj final : public ffi::Object {
 public:
  std::unique_ptr<StartedMetrics> started;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.profiling.StartedMetrics", StartedObj, ffi::Object);
};

class OwnCollectorObj final : public MetricCollectorObj {
 public:
  explicit OwnCollectorObj(std::unique_ptr<MetricCollector> collector) : m_collector(std::move(collector)) {}

  void init(ffi::Array<DeviceWrapper> devices) override {
    std::vector<DLDevice> plain;
    for (const DeviceWrapper& device : devices) {
      plain.push_back(device->device);
    }
    static_cast<void>(check(m_collector->init(plain)));
  }

  ffi::ObjectRef start(DLDevice device) override {
    auto started = check(m_collector->start(device));
    if (*started == nullptr) {
      return ffi::ObjectRef(nullptr);
    }
    auto object = ffi::make_object<StartedObj>();
    object->started = *std::move(started);
    return ffi::ObjectRef(std::move(object));
  }

  FfiMetrics stop(ffi::ObjectRef started) override {
    auto* object = const_cast<StartedObj*>(started.as<StartedObj>());
    if (object == nullptr || object->started == nullptr) {
      throw ffi::Error("TypeError", m_collector->name() + ": nothing of it was started that could stop", "");
    }
    return toFfi(*check(m_collector->stop(std::move(object->started))));
  }

  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.profiling.MetricCollector", OwnCollectorObj, MetricCollectorObj);

 private:
  template <class T>
  static base::Result<T> check(base::Result<T> result) {
    if (!result) {
      throw ffi::Error("RuntimeError", result.error().message, "");
    }
    return result;
  }

  std::unique_ptr<MetricCollector> m_collector;
};

#pragma GCC diagnostic pop

}  // namespace

std::unique_ptr<MetricCollector> collectorOf(MetricCollectorRef collector) {
  return std::make_unique<FfiCollector>(std::move(collector));
}

MetricCollectorRef collectorObject(std::unique_ptr<MetricCollector> collector) {
  return MetricCollectorRef(ffi::make_object<OwnCollectorObj>(std::move(collector)));
}

}  // namespace opscope::profile
