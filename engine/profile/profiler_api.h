// SPDX-License-Identifier: Apache-2.0
// A profiler of calls that are begun and ended by hand, on several devices, with a timer of the device and
// metric collectors around each: for callers other than the virtual machine, whose calls the recorder notes
// more cheaply (profiler.h). Made, used and destroyed on one thread. Behaviour: seed 004, Profiler; a row is
// own time as everywhere in Opscope, and what TVM leaves undefined (an end without a begin, a report without
// a measurement, calls left open) is an error in words or closed.
#pragma once

#include <tvm/ffi/c_api.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/profile/metric_collector.h"
#include "engine/report/report.h"

namespace opscope::runtime {
class RunContext;
}

namespace opscope::profile {

class Profiler {
 public:
  struct Setup {
    std::vector<DLDevice> devices;             ///< each once counts; totals are told for each
    std::vector<MetricCollector*> collectors;  ///< the caller's; they outlive the profiler
    report::MetricMap configuration;           ///< of the report: Executor, ...
    runtime::RunContext* context = nullptr;    ///< whose threads are counted, and start anew with collectors
  };

  /// Initialises the collectors. Errors: theirs.
  static base::Result<std::unique_ptr<Profiler>> create(Setup setup);
  /// Calls left open are closed.
  ~Profiler();
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Begins the total of each device; what was measured before is forgotten. Errors: InvalidArgument when it
  /// runs already; those of timers and collectors.
  base::Result<> start();
  /// Closes calls that are still open, innermost first (their rows say `Unfinished`), then the totals.
  /// Errors: InvalidArgument when it does not run; those of timers and collectors, after all is closed.
  base::Result<> stop();
  bool isRunning() const { return m_isRunning; }

  /// A call on `device` begins; calls nest. `metrics` become columns of its row. Errors: InvalidArgument when
  /// the profiler does not run; those of timers and collectors, and then no call is open.
  base::Result<> startCall(std::string name, DLDevice device, report::MetricMap metrics = {});
  /// The innermost open call has ended. Errors: InvalidArgument without one; those of timers and collectors.
  base::Result<> stopCall(report::MetricMap metrics = {});

  /// Ends its call when it goes out of scope, also when the op throws.
  class CallScope {
   public:
    explicit CallScope(Profiler& profiler) : m_profiler(profiler), m_depth(profiler.m_open.size()) {}
    ~CallScope();
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

   private:
    Profiler& m_profiler;
    std::size_t m_depth;  ///< open calls, its own among them
  };

  /// Rows in order of begin, each with its own time: without calls inside of it on the same device. Percent
  /// is of the largest total and left out without one. Where ops of several devices take more than that
  /// total, they worked at the same time, and `Devices overlap` in the configuration says so. Errors:
  /// InvalidArgument before the end of a measurement; those of timers.
  base::Result<report::Report> report();

 private:
  struct Frame;

  explicit Profiler(Setup setup);
  base::Result<std::unique_ptr<Frame>> open(std::string name, DLDevice device, report::MetricMap metrics);
  base::Result<> close(Frame& frame);
  base::Result<> closeCalls(std::size_t depth);
  report::MetricMap rowOf(const Frame& frame, double ns) const;
  void addOverlap(const std::vector<std::pair<std::string, double>>& opsNs, double totalNs,
                  report::MetricMap& configuration) const;

  Setup m_setup;
  bool m_isRunning = false;
  bool m_wasStopped = false;
  std::vector<std::unique_ptr<Frame>> m_totals;  ///< by device
  std::vector<std::unique_ptr<Frame>> m_calls;   ///< in order of begin
  std::vector<Frame*> m_open;                    ///< innermost last
};

}  // namespace opscope::profile
