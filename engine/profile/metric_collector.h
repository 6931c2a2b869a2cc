// SPDX-License-Identifier: Apache-2.0
// What measures more than time around a call: hardware counters, faults, what a user needs. A collector is
// made, used and destroyed on the machine's thread; whoever profiles owns it. A new kind is a file and a line
// in collectors.cpp; a plugin brings its own as an ffi object (collector_objects.h).
// Behaviour: seed 004, MetricCollectorNode as Profiler::StartCall and StopCall use it.
#pragma once

#include <tvm/ffi/c_api.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/metric.h"
#include "engine/report/run.h"

namespace opscope::profile {

/// What a collector noted when a call began.
class StartedMetrics {
 public:
  virtual ~StartedMetrics() = default;
};

class MetricCollector {
 public:
  virtual ~MetricCollector() = default;

  /// In words, for facts and warnings: "processor counters".
  virtual std::string name() const = 0;

  /// Before anything is measured; again for each profile that uses it. The kernel pool starts its threads
  /// anew afterwards, so that they inherit what was set up for this thread.
  virtual base::Result<> init(std::span<const DLDevice> devices) = 0;

  /// A call on `device` begins. Null: there is nothing to tell of this device. Calls nest; each start is
  /// ended by its stop, inner ones first, also those of calls that failed.
  virtual base::Result<std::unique_ptr<StartedMetrics>> start(DLDevice device) = 0;

  /// It has ended: the metrics between the two by name, callees included (whoever asks takes them out). The
  /// same names and kinds each time; a metric that cannot be told this time is left out.
  virtual base::Result<report::MetricMap> stop(std::unique_ptr<StartedMetrics> started) = 0;

  /// Of one of its metrics in words, for CounterColumn::unit. May be empty.
  virtual std::string unitOf(std::string_view /*metric*/) const { return {}; }

  /// What a reader should know about its numbers; asked after the last stop.
  virtual std::vector<report::Warning> notes() const { return {}; }
};

}  // namespace opscope::profile
