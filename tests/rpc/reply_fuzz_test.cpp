// SPDX-License-Identifier: Apache-2.0
// Some thousand cases of the fuzzer, and those that it found once.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/rpc/fuzz/reply_cases.h"
#include "tests/rpc/golden_frames.h"

namespace opscope::rpc::test {

TEST(ReplyFuzz, SessionsThatAreNotChangedAreRight) {
  for (std::uint64_t number = 0; number < 16 * 60; number += 16) {
    const ReplyOutcome outcome = runReplyCase(makeReplyCase(7, number));
    EXPECT_TRUE(outcome.opened) << number;
    EXPECT_TRUE(outcome.finished) << number;
    EXPECT_EQ(outcome.finding, "") << number;
  }
}

TEST(ReplyFuzz, ChangedOnesAreTakenOrRefusedInWords) {
  for (std::uint64_t number = 0; number < 3000; ++number) {
    const ReplyCase replies = makeReplyCase(11, number);
    ASSERT_EQ(runReplyCase(replies).finding, "") << number;
    ASSERT_EQ(checkDecoders(replies.bytes), "") << number;
  }
}

TEST(ReplyFuzz, WhatWasFoundOnceStaysFixed) {
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(OPSCOPE_TEST_DATA) + "/rpc/replies")) {
    std::ostringstream file;
    file << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    EXPECT_EQ(runReplyCase(ReplyCase::read(file.str())).finding, "") << entry.path();
    ++files;
  }
  EXPECT_GT(files, 0u);
}

TEST(ReplyFuzz, RecordedFramesAreReadInEveryEncoding) {
  for (const auto& frames : {framesOfTvmsClient(), framesOfWalk()}) {
    for (const GoldenFrame& frame : frames) {
      EXPECT_EQ(checkDecoders(frame.body), "") << frame.from;
    }
  }
}

TEST(ReplyFuzz, CasesAreSavedAndReadAgain) {
  const ReplyCase made = makeReplyCase(3, 32);
  const ReplyCase again = ReplyCase::read(made.saved());
  EXPECT_EQ(again.steps, made.steps);
  EXPECT_EQ(again.bytes, made.bytes);
}

}  // namespace opscope::rpc::test
