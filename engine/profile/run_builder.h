// SPDX-License-Identifier: Apache-2.0
// From records to a run: matches the calls of the repeats, computes own times, places spans on the time axis.
// Any thread; works on plain values after the measuring is over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/profile/record_buffer.h"
#include "engine/profile/shape_table.h"
#include "engine/report/run.h"
#include "engine/vm/executable_file.h"

namespace opscope::profile {

/// One step of one repeat: its records are [firstRecord, endRecord) of the buffer.
struct StepMark {
  std::uint32_t step = 0;
  std::uint64_t beginTicks = 0;
  std::uint64_t endTicks = 0;
  std::size_t firstRecord = 0;
  std::size_t endRecord = 0;
};

/// The steps of one complete repeat in order.
using RepeatMarks = std::vector<StepMark>;

struct BuildInput {
  const RecordBuffer& records;
  const ShapeTable& shapes;
  const std::vector<RepeatMarks>& repeats;
  const vm::ExecutableFile& file;
  base::TickScale scale;
  std::uint32_t stepCount = 1;
  std::vector<std::string> devices;
  /// Names of the functions after those of the executable's table: what compiled functions call.
  const std::vector<std::string>* moreFunctions = nullptr;

  const std::string& functionName(std::uint32_t function) const;
};

/// Where records and steps came to stand in the run.
struct RunPlaces {
  std::vector<std::uint32_t> callOfRecord;       ///< by position in the buffer; kNone: not a call of the run
  std::vector<std::vector<double>> stepStartNs;  ///< [repeat][step of it]: since the start of the repeat
};

/// Fills names, shapes, devices, calls, ownNs, inclusiveNs, sampleRepeat, spans, totals, stepNs and repeats
/// of `run`. A call too short for the clock counts as one tick, never as nothing. Returns how many such
/// samples there were. `places` tells where everything went.
std::uint64_t buildCalls(const BuildInput& input, report::Run& run, RunPlaces& places);

}  // namespace opscope::profile
