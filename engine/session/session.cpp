// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <variant>

#include "engine/profile/profiler_module.h"
#include "engine/profile/profiling_functions.h"
#include "engine/profile/time_functions.h"
#include "engine/rpc/remote_functions.h"
#include "engine/runtime/backend_symbols.h"
#include "engine/runtime/signal_handlers.h"
#include "engine/runtime/thread_functions.h"
#include "engine/runtime/timer.h"
#include "engine/session/request_runner.h"
#include "engine/session/stop_control.h"
#include "engine/vm/builtins.h"

namespace opscope::session {

void initialiseEngine() {
  runtime::restoreSignalHandlers();
  runtime::registerBackendSymbols();
  runtime::registerTimers();
  runtime::registerThreadFunctions();
  vm::registerBuiltins();
  profile::registerProfilerModule();
  profile::registerTimeFunctions();
  profile::registerProfilingFunctions();
  rpc::registerRemoteFunctions();
}

/// The queue and the thread that empties it.
class Session::Worker {
 public:
  using Request =
      std::variant<OpenRequest, RunRequest, ProfileRequest, DivergeRequest, TimeRequest, SweepRequest>;

  Worker(EventSink sink, FunctionChoice choice)
      : m_sink(std::move(sink)),
        m_choice(choice),
        m_thread([this](std::stop_token token) { work(std::move(token)); }) {}

  ~Worker() {
    stop();
    m_thread.request_stop();  // also wakes the wait
    m_thread.join();
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  RequestId add(Request request) {
    const std::lock_guard lock(m_mutex);
    m_queue.emplace_back(++m_lastId, std::move(request));
    m_changed.notify_one();
    return m_lastId;
  }

  /// Ends the request that runs and those that wait.
  void stop() {
    const std::lock_guard lock(m_mutex);
    m_stoppedUpTo = m_lastId;
    if (m_currentId != 0) {
      m_control.request();
    }
  }

 private:
  struct Numbered {
    RequestId id = 0;
    Request request;
  };

  /// Everything of tvm-ffi lives and dies in here.
  void work(std::stop_token token) {
    RequestId id = 0;
    RequestRunner runner([&](EventBody body) { m_sink(Event{id, std::move(body)}); }, m_control, m_choice);
    while (std::optional<Numbered> next = take(token)) {
      id = next->id;
      if (begin(id)) {
        std::visit([&](const auto& request) { runner.handle(request); }, next->request);
      } else {
        m_sink(Event{id, RequestCancelled{}});
      }
      const std::lock_guard lock(m_mutex);
      m_currentId = 0;
    }
  }

  /// Waits for a request. Nothing when the session ends; requests that still wait then are dropped.
  std::optional<Numbered> take(const std::stop_token& token) {
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait(lock, token, [this] { return !m_queue.empty(); }) || token.stop_requested()) {
      return std::nullopt;
    }
    Numbered next = std::move(m_queue.front());
    m_queue.pop_front();
    return next;
  }

  /// False when the request was stopped while it waited.
  bool begin(RequestId id) {
    const std::lock_guard lock(m_mutex);
    if (id <= m_stoppedUpTo) {
      return false;
    }
    m_control.reset();
    m_currentId = id;
    return true;
  }

  EventSink m_sink;
  const FunctionChoice m_choice;
  StopControl m_control;
  std::mutex m_mutex;
  std::condition_variable_any m_changed;
  std::deque<Numbered> m_queue;
  RequestId m_lastId = 0;
  RequestId m_currentId = 0;    // 0: none runs
  RequestId m_stoppedUpTo = 0;  // requests up to this one were stopped
  std::jthread m_thread;        // last: it uses the others
};

Session::Session(EventSink sink, FunctionChoice choice)
    : m_worker(std::make_unique<Worker>(std::move(sink), choice)) {}
Session::~Session() = default;

RequestId Session::open(OpenRequest request) {
  return m_worker->add(std::move(request));
}
RequestId Session::run(RunRequest request) {
  return m_worker->add(std::move(request));
}
RequestId Session::profile(ProfileRequest request) {
  return m_worker->add(std::move(request));
}
RequestId Session::diverge(DivergeRequest request) {
  return m_worker->add(std::move(request));
}
RequestId Session::time(TimeRequest request) {
  return m_worker->add(std::move(request));
}
RequestId Session::sweep(SweepRequest request) {
  return m_worker->add(std::move(request));
}
void Session::stop() {
  m_worker->stop();
}

}  // namespace opscope::session
