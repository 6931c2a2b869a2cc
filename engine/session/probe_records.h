// SPDX-License-Identifier: Apache-2.0
// What probes on boards recorded, made into the recorder's own terms, so that a remote run is built as a
// local one is. On the worker; owns its records. What comes from the board is held against every limit first.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/probe_layout.h"
#include "engine/base/result.h"
#include "engine/profile/record_buffer.h"
#include "engine/profile/run_builder.h"
#include "engine/profile/shape_table.h"
#include "engine/vm/executable.h"

namespace opscope::session {

/// The parts of a probe's report, which must stay alive: they point into it.
struct ProbeReport {
  base::ProbeHeader header;
  std::vector<base::CallRecord> records;
  std::vector<base::ProbeMark> marks;
  std::vector<std::vector<std::int64_t>> shapes;  ///< words, as ProbeShapes says
  std::vector<std::string_view> names;
};

/// Errors: Format saying what was found and expected; Unsupported for another version of the layout.
base::Result<ProbeReport> readProbeReport(std::string_view bytes);

/// What opscope_probe_patch gives. Errors: Format.
base::Result<base::ProbeSlots> readProbeSlots(std::string_view bytes);

/// What all steps of a report took, in ns of the board's clock.
double markedNs(const ProbeReport& report);

/// Finds the instruction behind each call from the names of the calls alone, by following the bytecode.
class InstructionFinder {
 public:
  explicit InstructionFinder(const vm::ExecutableData& data) : m_data(data) {}

  /// A step begins with the function at `entry` of the table; -1: what it calls is not known.
  void beginStep(std::int64_t entry);
  /// The next call is of function `function` of the table, at `depth`.
  void add(std::uint32_t depth, std::int64_t function);
  /// The instruction of each call of the step; 0 where it cannot be told.
  std::vector<std::uint32_t> endStep();

 private:
  using Places = std::vector<std::uint32_t>;  ///< instructions that may come next
  struct Call {
    std::int64_t function = 0;
    Places places;  ///< where it may stand
  };
  struct Frame {
    bool anywhere = true;  ///< at the start of some function of the bytecode, it is not known which
    Places next;
    std::vector<std::size_t> calls;
  };

  Frame startOf(std::int64_t function) const;
  Places allStarts() const;
  /// Calls of `function` that can be the next call from `places`.
  Places callsFrom(Places places, std::int64_t function) const;
  /// Of calls that may stand in several places, keeps one that leads to the calls after it.
  void close(const Frame& frame);

  const vm::ExecutableData& m_data;
  std::vector<Frame> m_frames;  ///< of the calls that are open, by depth
  std::vector<Call> m_calls;    ///< of the step
};

class ProbeRecords {
 public:
  /// `data` outlives this.
  explicit ProbeRecords(const vm::ExecutableData& data);

  /// Adds one complete repeat: the report of all its steps, of which `entries` are the functions (index into
  /// the table, -1: none of its). Errors: Format for marks that are not those of these steps.
  base::Result<> addRepeat(const ProbeReport& report, const std::vector<std::int64_t>& entries);

  const profile::RecordBuffer& records() const { return m_records; }
  const profile::ShapeTable& shapes() const { return m_shapes; }
  const std::vector<profile::RepeatMarks>& repeats() const { return m_repeats; }
  /// For BuildInput::moreFunctions.
  const std::vector<std::string>& moreFunctions() const { return m_moreFunctions; }

 private:
  std::vector<std::uint32_t> instructionsOf(const ProbeReport& report, const base::ProbeMark& mark,
                                            std::int64_t entry, const std::vector<std::uint32_t>& functions);
  std::uint32_t functionOf(std::string_view name);
  std::uint32_t shapesOf(const std::vector<std::int64_t>& words);

  const vm::ExecutableData& m_data;
  InstructionFinder m_finder;
  profile::RecordBuffer m_records;
  profile::ShapeTable m_shapes;
  std::vector<profile::RepeatMarks> m_repeats;
  std::vector<std::string> m_moreFunctions;
  std::map<std::string, std::uint32_t, std::less<>> m_functions;
};

}  // namespace opscope::session
