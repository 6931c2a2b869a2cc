// SPDX-License-Identifier: Apache-2.0
// Timers of a kind of device that runs on a clock which the test moves.
#pragma once

#include <tvm/ffi/device.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/memory.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/runtime/device_providers.h"
#include "engine/runtime/timer.h"

namespace opscope::profile::testing {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"

class FakeTimerObj final : public runtime::TimerObj {
 public:
  explicit FakeTimerObj(const std::int64_t* nowNs) : m_nowNs(nowNs) {}
  void start() override { m_startNs = *m_nowNs; }
  void stop() override { m_elapsedNs = *m_nowNs - m_startNs; }
  std::int64_t syncAndGetElapsedNs() override { return m_elapsedNs; }
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("test.FakeTimer", FakeTimerObj, runtime::TimerObj);

 private:
  const std::int64_t* m_nowNs;
  std::int64_t m_startNs = 0;
  std::int64_t m_elapsedNs = 0;
};

#pragma GCC diagnostic pop

/// While it lives, devices of the kind are timed by `nowNs`, and waiting for any device does nothing.
class FakeTimers {
 public:
  explicit FakeTimers(DLDeviceType kind)
      : m_name("runtime.timer." + std::string(runtime::deviceTypeName(kind))) {
    tvm::ffi::Function::SetGlobal(m_name, tvm::ffi::Function::FromTyped([this](DLDevice) {
                                    ++timersMade;
                                    return runtime::Timer(tvm::ffi::make_object<FakeTimerObj>(&nowNs));
                                  }),
                                  true);
    tvm::ffi::Function::SetGlobal("runtime.Device_StreamSync",
                                  tvm::ffi::Function::FromTyped([](DLDevice, std::int64_t) {}), true);
  }
  ~FakeTimers() {
    tvm::ffi::Function::RemoveGlobal(m_name);
    tvm::ffi::Function::RemoveGlobal("runtime.Device_StreamSync");
  }
  FakeTimers(const FakeTimers&) = delete;
  FakeTimers& operator=(const FakeTimers&) = delete;

  std::int64_t nowNs = 0;
  int timersMade = 0;

 private:
  std::string m_name;
};

}  // namespace opscope::profile::testing
