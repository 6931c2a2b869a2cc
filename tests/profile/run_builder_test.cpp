// SPDX-License-Identifier: Apache-2.0
// Own and inclusive times, matching over repeats and totals, from records with ticks chosen by hand.
#include "engine/profile/run_builder.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/profile/fake_tensors.h"

namespace opscope::profile {
namespace {

using testing::FakeTensors;

class RunBuilderTest : public ::testing::Test {
 protected:
  RunBuilderTest() {
    auto data = std::make_shared<vm::ExecutableData>();
    for (const char* name : {"main", "conv", "add", "inner", "vm.builtin.reshape"}) {
      data->functions.push_back({});
      data->functions.back().name = name;
    }
    m_file.data = data;
    m_file.kernels = {{"conv", "", 0}, {"add", "", 0}};
    const TVMFFIAny tensor = m_make.tensor({4});
    m_shapes.indexOf(0, &tensor, 1);
  }

  void record(std::uint64_t begin, std::uint64_t end, std::uint32_t function, std::uint32_t depth = 0,
              std::uint32_t shapes = 0) {
    m_records.append() = {begin, end, 10 + function, function, shapes, depth};
  }
  /// All records since the last mark are one step.
  StepMark mark(std::uint64_t begin, std::uint64_t end, std::uint32_t step = 0) {
    const StepMark made{step, begin, end, m_marked, m_records.size()};
    m_marked = m_records.size();
    return made;
  }
  std::uint64_t build(std::uint32_t steps = 1) {
    const base::TickScale twoNsPerTick({0, 0}, {1'000'000, 2'000'000}, 1.0);
    return buildCalls({m_records, m_shapes, m_repeats, m_file, twoNsPerTick, steps, {"cpu0"}}, m_run,
                      m_places);
  }
  std::vector<double> own(std::size_t call) const { return slice(m_run.ownNs, call); }
  std::vector<double> inclusive(std::size_t call) const { return slice(m_run.inclusiveNs, call); }
  std::string name(std::size_t call) const { return m_run.names[m_run.calls[call].name]; }

  FakeTensors m_make;
  RecordBuffer m_records;
  ShapeTable m_shapes{32};
  vm::ExecutableFile m_file;
  std::vector<RepeatMarks> m_repeats;
  std::size_t m_marked = 0;
  report::Run m_run;
  RunPlaces m_places;

 private:
  std::vector<double> slice(const std::vector<double>& values, std::size_t call) const {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(m_run.calls[call].firstSample);
    return {first, first + m_run.calls[call].sampleCount};
  }
};

TEST_F(RunBuilderTest, OwnTimeLeavesOutCallees) {
  record(100, 200, 3, 0);  // inner: a VM function
  record(110, 130, 1, 1);  //   conv
  record(140, 180, 3, 1);  //   inner again
  record(150, 170, 2, 2);  //     add
  record(210, 220, 2, 0);  // add
  m_repeats = {{mark(90, 230)}};
  EXPECT_EQ(build(), 0u);
  ASSERT_EQ(m_run.calls.size(), 5u);
  EXPECT_EQ(inclusive(0), (std::vector<double>{200}));
  EXPECT_EQ(own(0), (std::vector<double>{200 - 40 - 80}));
  EXPECT_EQ(own(1), (std::vector<double>{40}));
  EXPECT_EQ(inclusive(2), (std::vector<double>{80}));
  EXPECT_EQ(own(2), (std::vector<double>{40}));
  EXPECT_EQ(own(3), (std::vector<double>{40}));
  EXPECT_EQ(own(4), (std::vector<double>{20}));
  EXPECT_EQ(m_run.totals.at(0).totalNs, (std::vector<double>{280}));
  EXPECT_EQ(std::accumulate(m_run.ownNs.begin(), m_run.ownNs.end(), 0.0), 220);
}

TEST_F(RunBuilderTest, CallsKnowNameShapesDeviceAndKind) {
  record(10, 20, 1);
  record(20, 30, 4, 0, base::kNoShapes);
  m_repeats = {{mark(0, 40)}};
  build();
  EXPECT_EQ(name(0), "conv");
  EXPECT_TRUE(m_run.calls[0].inReport);
  EXPECT_TRUE(m_run.calls[0].kernel);
  EXPECT_EQ(m_run.shapes.at(m_run.calls[0].shapes), "float32[4]");
  EXPECT_EQ(m_run.devices.at(m_run.calls[0].device), "cpu0");
  EXPECT_EQ(m_run.calls[0].instruction, 11u);
  EXPECT_EQ(name(1), "vm.builtin.reshape");
  EXPECT_FALSE(m_run.calls[1].inReport);
  EXPECT_FALSE(m_run.calls[1].kernel);
  EXPECT_EQ(m_run.calls[1].shapes, report::kNone);
  EXPECT_EQ(m_run.calls[1].device, report::kNone);
}

TEST_F(RunBuilderTest, RepeatsAreSamplesOfTheSameCall) {
  for (const std::uint64_t start : {0u, 1000u, 2000u}) {
    record(start + 10, start + 20 + start / 100, 1);
    record(start + 50, start + 60, 2);
    m_repeats.push_back({mark(start, start + 100)});
  }
  build();
  ASSERT_EQ(m_run.calls.size(), 2u);
  EXPECT_EQ(m_run.repeats, 3u);
  EXPECT_EQ(own(0), (std::vector<double>{20, 40, 60}));
  EXPECT_EQ(own(1), (std::vector<double>{20, 20, 20}));
  EXPECT_EQ(m_run.sampleRepeat, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2}));
  ASSERT_EQ(m_run.spans.size(), 6u);
  EXPECT_EQ(m_run.spans[2].repeat, 1u);
  EXPECT_DOUBLE_EQ(m_run.spans[2].startNs, 20);  // since the start of its own repeat
  EXPECT_DOUBLE_EQ(m_run.spans[2].durationNs, 40);
  EXPECT_EQ(m_run.totals.at(0).totalNs, (std::vector<double>{200, 200, 200}));
}

TEST_F(RunBuilderTest, RepeatsWithOtherCallsKeepTheirOwnRows) {
  record(10, 20, 1);
  record(30, 40, 2);
  m_repeats.push_back({mark(0, 50)});
  record(110, 120, 3);
  record(130, 150, 2);
  m_repeats.push_back({mark(100, 160)});
  build();
  ASSERT_EQ(m_run.calls.size(), 3u);
  EXPECT_EQ(name(0), "inner");
  EXPECT_EQ(m_run.calls[0].sampleCount, 1u);
  EXPECT_EQ(name(1), "conv");
  EXPECT_EQ(name(2), "add");
  EXPECT_EQ(own(2), (std::vector<double>{20, 40}));
  EXPECT_EQ(m_run.sampleRepeat.at(m_run.calls[0].firstSample), 1u);
}

TEST_F(RunBuilderTest, StepsFollowEachOtherWithoutTheirPauses) {
  record(10, 20, 1);
  const StepMark first = mark(0, 30, 0);
  record(1010, 1020, 1);
  m_repeats = {{first, mark(1000, 1030, 1)}};
  build(2);
  ASSERT_EQ(m_run.calls.size(), 2u);
  EXPECT_EQ(m_run.calls[1].step, 1u);
  EXPECT_DOUBLE_EQ(m_run.spans[1].startNs, 60 + 20);
  EXPECT_EQ(m_run.stepNs, (std::vector<std::vector<double>>{{60}, {60}}));
  EXPECT_EQ(m_run.totals.at(0).totalNs, (std::vector<double>{120}));
}

TEST_F(RunBuilderTest, TooShortIsOneTickNotNothing) {
  record(10, 10, 1);
  record(10, 10, 2);
  m_repeats = {{mark(10, 11)}};
  EXPECT_EQ(build(), 2u);
  EXPECT_EQ(own(0), (std::vector<double>{2}));
  // The parts are never more than the whole.
  EXPECT_EQ(m_run.totals.at(0).totalNs, (std::vector<double>{4}));
}

TEST_F(RunBuilderTest, CallsThatNeverEndedAreLeftOut) {
  record(10, 50, 3, 0);
  record(20, 0, 1, 1);
  record(30, 40, 2, 1);
  m_repeats = {{mark(0, 60)}};
  build();
  ASSERT_EQ(m_run.calls.size(), 2u);
  EXPECT_EQ(own(0), (std::vector<double>{60}));
}

}  // namespace
}  // namespace opscope::profile
