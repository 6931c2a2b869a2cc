// SPDX-License-Identifier: Apache-2.0
// When the steps of a repeat begin and end. For profiler.cpp, on the machine's thread.
#pragma once

#include <cstdint>
#include <utility>

#include "engine/base/clock.h"
#include "engine/profile/collecting_recorder.h"
#include "engine/profile/profiler.h"
#include "engine/profile/run_builder.h"

namespace opscope::profile {

/// Of a recorded repeat: notes the begin and end of each step in ticks and records.
class Marks final : public StepMarks {
 public:
  /// `collecting` is null without collectors.
  Marks(const RecordBuffer& records, bool useCounter, CollectingRecorder* collecting)
      : m_records(records), m_useCounter(useCounter), m_collecting(collecting) {}

  void beginStep(std::uint32_t step) override {
    if (m_collecting != nullptr) {
      m_collecting->beginStep();
    }
    m_steps.push_back({step, 0, 0, m_records.size(), m_records.size()});
    m_steps.back().beginTicks = base::readTicks(m_useCounter);
  }
  void endStep() override {
    const std::uint64_t now = base::readTicks(m_useCounter);
    m_steps.back().endTicks = now;
    m_steps.back().endRecord = m_records.size();
    if (m_collecting != nullptr) {
      m_collecting->endStep();
    }
  }
  RepeatMarks take() { return std::exchange(m_steps, {}); }

 private:
  const RecordBuffer& m_records;
  bool m_useCounter;
  CollectingRecorder* m_collecting;
  RepeatMarks m_steps;
};

/// Adds up the time of the steps of a repeat that nothing records.
class BareMarks final : public StepMarks {
 public:
  explicit BareMarks(bool useCounter) : m_useCounter(useCounter) {}
  void beginStep(std::uint32_t /*step*/) override { m_begin = base::readTicks(m_useCounter); }
  void endStep() override { m_ticks += base::readTicks(m_useCounter) - m_begin; }
  std::uint64_t ticks() const { return m_ticks; }

 private:
  bool m_useCounter;
  std::uint64_t m_begin = 0;
  std::uint64_t m_ticks = 0;
};

}  // namespace opscope::profile
