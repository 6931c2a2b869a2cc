// SPDX-License-Identifier: Apache-2.0
// Runs hostile executables as the machine runs them, with a thread that stops what does not end. Used on one
// thread; the stopping thread is its own.
#pragma once

#include <tvm/ffi/extra/module.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/runtime/run_context.h"
#include "engine/vm/executable.h"
#include "engine/vm/interpreter.h"

namespace opscope::vm::test {

/// Stops the interpreter that is guarded when its time is over, and ends the process when it does not stop.
class FuzzWatchdog {
 public:
  FuzzWatchdog();
  ~FuzzWatchdog();
  FuzzWatchdog(const FuzzWatchdog&) = delete;
  FuzzWatchdog& operator=(const FuzzWatchdog&) = delete;

  void guard(Interpreter* interpreter);
  /// After it, the interpreter is not touched any more.
  void release() { guard(nullptr); }

 private:
  void watch(const std::stop_token& stop);

  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  Interpreter* m_interpreter = nullptr;
  std::chrono::steady_clock::time_point m_since;
  std::jthread m_thread;  ///< last: the rest must be there before it runs
};

struct FuzzOutcome {
  bool accepted = false;  ///< by decoder and machine
  bool ran = false;       ///< at least one function returned a value
  std::string finding;    ///< what is wrong with the engine, "" when nothing
};

class FuzzRunner {
 public:
  FuzzRunner();

  /// Decodes and runs every bytecode function, arguments made from `seed`. `library` gives the kernels; it
  /// may be undefined.
  FuzzOutcome runBytes(const std::string& bytes, const tvm::ffi::Module& library, std::uint64_t seed);
  /// The same for a program that the decoder never saw: the machine has to refuse it or to run it.
  FuzzOutcome runData(std::shared_ptr<const ExecutableData> data, const tvm::ffi::Module& library,
                      std::uint64_t seed);

  /// How often each function was called and returned.
  const std::map<std::string, std::uint64_t>& returned() const { return m_returned; }

  /// A module for programs that bring no kernels.
  static tvm::ffi::Module emptyModule();

 private:
  FuzzOutcome runLoaded(Interpreter& interpreter, std::uint64_t seed);

  std::unique_ptr<runtime::RunContext> m_context;
  std::map<std::string, std::uint64_t> m_returned;
  FuzzWatchdog m_watchdog;
};

}  // namespace opscope::vm::test
