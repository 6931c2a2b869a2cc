// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/recorder.h"

#include <tvm/ffi/container/tensor.h>

#include <algorithm>
#include <array>

#include "engine/base/clock.h"

namespace opscope::profile {

Recorder::Recorder(std::size_t instructionCount, bool useCounter)
    : m_shapes(instructionCount), m_useCounter(useCounter) {
  m_open.reserve(1024);
  reserve(1);
}

Recorder::~Recorder() = default;

void Recorder::beginCall(const vm::CallSite& site, const TVMFFIAny* args, std::int32_t count) {
  const std::uint32_t shapes = m_shapes.indexOf(site.instruction, args, count);
  base::CallRecord& record = m_records.append();
  record.instruction = site.instruction;
  record.function = site.function;
  record.shapes = shapes;
  record.depth = site.depth;
  record.endTicks = 0;
  m_open.push_back(&record);
  record.beginTicks = base::readTicks(m_useCounter);  // last, so that nothing of ours is in the time
}

void Recorder::endCall(const vm::CallSite& site, const TVMFFIAny& /*result*/) {
  const std::uint64_t now = base::readTicks(m_useCounter);  // first, for the same reason
  while (!m_open.empty()) {
    base::CallRecord& record = *m_open.back();
    m_open.pop_back();
    // Calls that failed inside of one that caught their error were never ended: they are passed over.
    if (record.instruction == site.instruction && record.depth == site.depth) [[likely]] {
      record.endTicks = now;
      return;
    }
  }
}

void Recorder::restartClock() {
  m_open.back()->beginTicks = base::readTicks(m_useCounter);
}

void Recorder::truncate(std::size_t from) {
  m_open.clear();
  m_records.truncate(from);
}

namespace {

/// Two tensor values as the machine would hand them over; the data is never looked at.
struct SampleArguments {
  struct Cell {
    TVMFFIObject header{};
    DLTensor tensor{};
  };
  std::array<std::int64_t, 4> shape{1, 64, 56, 56};
  std::array<Cell, 2> cells{};
  std::array<TVMFFIAny, 2> values{};

  SampleArguments() {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cells[i].tensor.dtype = DLDataType{kDLFloat, 32, 1};
      cells[i].tensor.device = DLDevice{kDLCPU, 0};
      cells[i].tensor.ndim = static_cast<std::int32_t>(shape.size());
      cells[i].tensor.shape = shape.data();
      values[i].type_index = kTVMFFITensor;
      values[i].v_obj = &cells[i].header;
    }
  }
};

}  // namespace

double measureRecordingCostNs(bool useCounter) {
  constexpr std::size_t kCalls = 4096;
  constexpr int kTries = 5;
  Recorder recorder(64, useCounter);
  recorder.reserve(kCalls);
  SampleArguments arguments;
  vm::CallObserver& observer = recorder;  // through the interface, as the machine calls it
  double best = 0;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    recorder.truncate(0);
    const std::int64_t begin = base::monotonicNs();
    for (std::uint32_t i = 0; i < kCalls; ++i) {
      const vm::CallSite site{i % 64, 0, 0};
      observer.beginCall(site, arguments.values.data(), 2);
      observer.endCall(site, arguments.values[0]);
    }
    const double each = static_cast<double>(base::monotonicNs() - begin) / static_cast<double>(kCalls);
    best = attempt == 0 ? each : std::min(best, each);
  }
  return best;
}

}  // namespace opscope::profile
