// SPDX-License-Identifier: Apache-2.0
// The recorder: writes one base::CallRecord for each call of the virtual machine into reserved memory. Made,
// used and destroyed on the machine's thread; owns its records until they are truncated. Behaviour: seed 000,
// VirtualMachineProfiler::RunInstrCall, which lists calls with a tensor among their arguments and notes the
// shapes of all of them and the device of the last one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/base/record.h"
#include "engine/profile/record_buffer.h"
#include "engine/profile/shape_table.h"
#include "engine/vm/call_observer.h"

namespace opscope::profile {

class Recorder final : public vm::CallObserver {
 public:
  /// For an executable of `instructionCount` instructions. `useCounter` as for base::readTicks.
  Recorder(std::size_t instructionCount, bool useCounter);
  ~Recorder() override;

  void beginCall(const vm::CallSite& site, const TVMFFIAny* args, std::int32_t count) override;
  void endCall(const vm::CallSite& site, const TVMFFIAny& result) override;

  /// The call that was begun last begins only now: what was done since is not in its time.
  void restartClock();

  /// As RecordBuffer's. Between repeats.
  void reserve(std::size_t records) { m_records.reserve(records); }
  /// Forgets the records from position `from` on (of a repeat that did not complete) and all open calls.
  void truncate(std::size_t from);
  /// Forgets calls that were begun and never ended. Before each repeat.
  void forgetOpenCalls() { m_open.clear(); }

  const RecordBuffer& records() const { return m_records; }
  const ShapeTable& shapes() const { return m_shapes; }

 private:
  RecordBuffer m_records;
  std::vector<base::CallRecord*> m_open;  // begun and not yet ended, innermost last
  ShapeTable m_shapes;
  bool m_useCounter;
};

/// Nanoseconds that this recorder adds to a call with two small tensors, measured over a few thousand
/// calls.
double measureRecordingCostNs(bool useCounter);

}  // namespace opscope::profile
