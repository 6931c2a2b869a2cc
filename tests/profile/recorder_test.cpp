// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/recorder.h"

#include <gtest/gtest.h>

#include "engine/base/clock.h"
#include "tests/profile/fake_tensors.h"

namespace opscope::profile {
namespace {

using testing::FakeTensors;

class RecorderTest : public ::testing::TestWithParam<bool> {
 protected:
  void begin(std::uint32_t instruction, std::uint32_t depth) {
    const TVMFFIAny argument = m_make.tensor({4});
    m_recorder.beginCall({instruction, instruction + 100, depth}, &argument, 1);
  }
  void end(std::uint32_t instruction, std::uint32_t depth) {
    m_recorder.endCall({instruction, instruction + 100, depth}, TVMFFIAny{});
  }
  FakeTensors m_make;
  Recorder m_recorder{64, GetParam() && base::tickCounterUsable()};
};

TEST_P(RecorderTest, NotesCallsInOrderOfBeginning) {
  begin(1, 0);
  begin(2, 1);
  end(2, 1);
  end(1, 0);
  begin(3, 0);
  end(3, 0);
  const RecordBuffer& records = m_recorder.records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records.at(0).instruction, 1u);
  EXPECT_EQ(records.at(0).function, 101u);
  EXPECT_EQ(records.at(1).instruction, 2u);
  EXPECT_EQ(records.at(1).depth, 1u);
  EXPECT_EQ(records.at(2).instruction, 3u);
  EXPECT_GE(records.at(1).beginTicks, records.at(0).beginTicks);
  EXPECT_LE(records.at(1).endTicks, records.at(0).endTicks);
  EXPECT_GE(records.at(2).beginTicks, records.at(0).endTicks);
  EXPECT_EQ(m_recorder.shapes().text(records.at(0).shapes), "float32[4]");
}

TEST_P(RecorderTest, CallsThatFailedInsideStayWithoutEnd) {
  begin(1, 0);
  begin(2, 1);  // raises; whatever instruction 1 calls goes on
  begin(3, 1);
  end(3, 1);
  end(1, 0);
  const RecordBuffer& records = m_recorder.records();
  EXPECT_EQ(records.at(1).endTicks, 0u);
  EXPECT_NE(records.at(2).endTicks, 0u);
  EXPECT_NE(records.at(0).endTicks, 0u);
}

TEST_P(RecorderTest, AnEndWithoutBeginIsPassedOver) {
  end(5, 0);
  EXPECT_EQ(m_recorder.records().size(), 0u);
}

TEST_P(RecorderTest, OutgrowsItsMemoryWithoutMovingRecords) {
  begin(1, 0);
  const base::CallRecord* const first = &m_recorder.records().at(0);
  for (std::size_t i = 0; i < 3 * RecordBuffer::kChunkRecords; ++i) {
    begin(2, 1);
    end(2, 1);
  }
  end(1, 0);
  EXPECT_EQ(&m_recorder.records().at(0), first);
  EXPECT_EQ(m_recorder.records().size(), 3 * RecordBuffer::kChunkRecords + 1);
  EXPECT_NE(first->endTicks, 0u);
  EXPECT_EQ(m_recorder.records().at(3 * RecordBuffer::kChunkRecords).instruction, 2u);
}

TEST_P(RecorderTest, TruncatesAnywhereAndGoesOn) {
  for (const std::size_t keep :
       {std::size_t{0}, std::size_t{5}, RecordBuffer::kChunkRecords, RecordBuffer::kChunkRecords + 1}) {
    m_recorder.truncate(0);
    for (std::size_t i = 0; i < RecordBuffer::kChunkRecords + 10; ++i) {
      begin(1, 0);
      end(1, 0);
    }
    m_recorder.truncate(keep);
    ASSERT_EQ(m_recorder.records().size(), keep);
    begin(7, 0);
    end(7, 0);
    ASSERT_EQ(m_recorder.records().size(), keep + 1);
    EXPECT_EQ(m_recorder.records().at(keep).instruction, 7u);
    if (keep > 0) {
      EXPECT_EQ(m_recorder.records().at(keep - 1).instruction, 1u);
    }
  }
}

TEST_P(RecorderTest, CostIsMeasured) {
  const double cost = measureRecordingCostNs(GetParam() && base::tickCounterUsable());
  EXPECT_GT(cost, 0.0);
  RecordProperty("recording_ns", std::to_string(cost));
}

INSTANTIATE_TEST_SUITE_P(Clocks, RecorderTest, ::testing::Values(false, true));

}  // namespace
}  // namespace opscope::profile
