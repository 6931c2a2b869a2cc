// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/timer.h"

#include <fmt/format.h>
#include <tvm/ffi/device.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <mutex>
#include <set>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/log.h"
#include "engine/runtime/device_providers.h"

namespace opscope::runtime {

namespace ffi = tvm::ffi;

namespace {

/// Keeps which kinds of devices were warned about, so that there is no global.
constexpr const char* kWarnFunction = "opscope.runtime.warn_no_timer";

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

class CpuTimerObj final : public TimerObj {
 public:
  void start() override { m_startNs = base::monotonicNs(); }
  void stop() override { m_elapsedNs = base::monotonicNs() - m_startNs; }
  std::int64_t syncAndGetElapsedNs() override { return m_elapsedNs; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.CPUTimerNode", CpuTimerObj, TimerObj);

 private:
  std::int64_t m_startNs = 0;
  std::int64_t m_elapsedNs = 0;
};

class DefaultTimerObj final : public TimerObj {
 public:
  explicit DefaultTimerObj(DLDevice device) : m_device(device) {}
  void start() override {
    synchroniseDevice(m_device);
    m_startNs = base::monotonicNs();
  }
  void stop() override {
    synchroniseDevice(m_device);
    m_elapsedNs = base::monotonicNs() - m_startNs;
  }
  std::int64_t syncAndGetElapsedNs() override { return m_elapsedNs; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("runtime.DefaultTimerNode", DefaultTimerObj, TimerObj);

 private:
  DLDevice m_device;
  std::int64_t m_startNs = 0;
  std::int64_t m_elapsedNs = 0;
};

#pragma GCC diagnostic pop

/// The kinds of devices that were warned of. The registry, which is the process's, holds it.
class WarnedKindsObj final : public ffi::Object {
 public:
  void warnOnce(int kind) {
    {
      const std::lock_guard lock(m_mutex);
      if (!m_kinds.insert(kind).second) {
        return;
      }
    }
    base::log(
        base::LogLevel::Warning,
        fmt::format("There is no timer for {}: the host's clock is read after waiting for the device, which "
                    "may be inexact and adds to the times.",
                    deviceTypeName(kind)));
  }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("opscope.WarnedKinds", WarnedKindsObj, ffi::Object);

 private:
  std::mutex m_mutex;
  std::set<int> m_kinds;
};

ffi::Function warnFunction() {
  if (const auto registered = ffi::Function::GetGlobal(kWarnFunction)) {
    return *registered;
  }
  auto warn = ffi::Function::FromTyped(
      [warned = ffi::make_object<WarnedKindsObj>()](int kind) { warned->warnOnce(kind); });
  ffi::Function::SetGlobal(kWarnFunction, warn, /*override=*/true);
  return warn;
}

Timer registeredTimer(DLDevice device) {
  for (const char* prefix : {"runtime.timer.", "profiling.timer."}) {
    const std::string name = prefix + std::string(deviceTypeName(device.device_type));
    const auto make = ffi::Function::GetGlobal(name);
    if (!make.has_value()) {
      continue;
    }
    const auto timer = (*make)(device).try_cast<Timer>();
    if (!timer.has_value() || !timer->defined()) {
      throw ffi::Error("TypeError", name + " should give a timer, but gave something else", "");
    }
    return *timer;
  }
  return {};
}

}  // namespace

Timer Timer::start(DLDevice device) {
  Timer timer = registeredTimer(device);
  if (!timer.defined()) {
    warnFunction()(static_cast<int>(device.device_type));
    timer = defaultTimer(device);
  }
  timer->start();
  return timer;
}

Timer cpuTimer() {
  return Timer(ffi::make_object<CpuTimerObj>());
}

Timer defaultTimer(DLDevice device) {
  return Timer(ffi::make_object<DefaultTimerObj>(device));
}

void registerTimers() {
  if (ffi::Function::GetGlobal("profiling.start_timer").has_value()) {
    return;
  }
  warnFunction();
  for (const char* name : {"runtime.timer.cpu", "profiling.timer.cpu"}) {
    ffi::Function::SetGlobal(name,
                             ffi::Function::FromTyped([](DLDevice /*device*/) { return cpuTimer(); }, name),
                             /*override=*/true);
  }
  ffi::Function::SetGlobal("profiling.start_timer",
                           ffi::Function::FromTyped([](DLDevice device) { return Timer::start(device); }),
                           /*override=*/true);
}

}  // namespace opscope::runtime
