// SPDX-License-Identifier: Apache-2.0
// Timers of devices, as ffi objects: what a plugin registers for its device is used here, and ours may be
// asked for by clients. A timer belongs to one thread and is started and stopped once.
// Behaviour: seed 004, DefaultTimerNode, CPUTimerNode, Timer::Start.
#pragma once

#include <tvm/ffi/object.h>

#include <cstdint>

namespace opscope::runtime {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"  // as for every object of tvm-ffi

/// The virtual functions stand in the order of TVM's TimerNode, so that timers of libraries built with TVM's
/// headers work too.
class TimerObj : public tvm::ffi::Object {
 public:
  virtual void start() = 0;
  virtual void stop() = 0;
  /// Between start and stop, in ns; waits for the device where it has to. Stop all timers before asking one.
  virtual std::int64_t syncAndGetElapsedNs() = 0;
  virtual ~TimerObj() = default;

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("runtime.TimerNode", TimerObj, tvm::ffi::Object);
};

class Timer : public tvm::ffi::ObjectRef {
 public:
  /// A running timer for the device: what `runtime.timer.KIND` (TVM 0.27's name) or else
  /// `profiling.timer.KIND` of the ffi registry makes, or else one that waits for the device before it reads
  /// the host's clock, with a warning in the log, once for each kind. Raises tvm::ffi::Error: TypeError when
  /// a registered function gives no timer; what the timer itself raises.
  static Timer start(DLDevice device);

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NULLABLE(Timer, tvm::ffi::ObjectRef, TimerObj);
};

/// Of the host's monotonic clock alone; not started.
Timer cpuTimer();

/// Reads the host's clock after the device has done all that it was given; not started.
Timer defaultTimer(DLDevice device);

/// Registers `runtime.timer.cpu`, `profiling.timer.cpu` and `profiling.start_timer`. Called by the program,
/// before plugins are loaded; further calls do nothing more. Any thread.
void registerTimers();

#pragma GCC diagnostic pop

}  // namespace opscope::runtime
