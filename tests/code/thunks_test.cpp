// SPDX-License-Identifier: Apache-2.0
#include "engine/code/thunks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

namespace opscope::code {
namespace {

std::atomic<int> g_calls{0};

int succeeds(void*, const void*, std::int32_t, void*) {
  ++g_calls;
  return 0;
}
int fails(void*, const void*, std::int32_t, void*) {
  return -1;
}
int throws(void*, const void*, std::int32_t, void*) {
  throw std::runtime_error("from a kernel");
}

class Tap final : public KernelTap {
 public:
  Answer beginKernel(const KernelCall& call) noexcept override {
    last = call;
    ++begun;
    return answer;
  }
  bool endKernel(const KernelCall& /*call*/, bool succeeded) noexcept override {
    ++(succeeded ? ended : failed);
    return accepts;
  }
  Answer answer = Answer::Watch;
  bool accepts = true;
  KernelCall last;
  int begun = 0;
  int ended = 0;
  int failed = 0;
};

TEST(Thunks, TellTheTapOfItsThreadAndForward) {
  Tap tap;
  ThunkSet set;
  const KernelFunction thunk = set.add(tap, 7, &succeeds);
  ASSERT_NE(thunk, nullptr);
  g_calls = 0;
  int argument = 0;
  EXPECT_EQ(thunk(nullptr, &argument, 3, nullptr), 0);
  EXPECT_EQ(tap.begun, 0);  // the thread has no tap
  const KernelTapScope scope(&tap);
  EXPECT_EQ(thunk(nullptr, &argument, 3, nullptr), 0);
  EXPECT_EQ(tap.last.kernel, 7u);
  EXPECT_EQ(tap.last.arguments, &argument);
  EXPECT_EQ(tap.last.count, 3);
  EXPECT_NE(tap.last.returnAddress, nullptr);
  std::thread([&] { EXPECT_EQ(thunk(nullptr, nullptr, 0, nullptr), 0); }).join();
  EXPECT_EQ(g_calls, 3);
  EXPECT_EQ(tap.begun, 1);
  EXPECT_EQ(tap.ended, 1);
}

TEST(Thunks, AnotherTapHearsNothing) {
  Tap tap;
  Tap other;
  ThunkSet set;
  const KernelFunction thunk = set.add(tap, 0, &succeeds);
  const KernelTapScope scope(&other);
  EXPECT_EQ(thunk(nullptr, nullptr, 0, nullptr), 0);
  EXPECT_EQ(tap.begun + other.begun, 0);
}

TEST(Thunks, ATapRefusesIgnoresAndFails) {
  Tap tap;
  ThunkSet set;
  const KernelFunction thunk = set.add(tap, 0, &succeeds);
  const KernelTapScope scope(&tap);
  g_calls = 0;
  tap.answer = KernelTap::Answer::Refuse;
  EXPECT_NE(thunk(nullptr, nullptr, 0, nullptr), 0);
  EXPECT_EQ(g_calls, 0);
  tap.answer = KernelTap::Answer::Ignore;
  EXPECT_EQ(thunk(nullptr, nullptr, 0, nullptr), 0);
  EXPECT_EQ(tap.ended, 0);
  tap.answer = KernelTap::Answer::Watch;
  tap.accepts = false;
  EXPECT_NE(thunk(nullptr, nullptr, 0, nullptr), 0);
  EXPECT_EQ(tap.ended, 1);
}

TEST(Thunks, FailuresAndExceptionsEndTheCall) {
  Tap tap;
  ThunkSet set;
  const KernelFunction failing = set.add(tap, 0, &fails);
  const KernelFunction throwing = set.add(tap, 1, &throws);
  const KernelTapScope scope(&tap);
  EXPECT_EQ(failing(nullptr, nullptr, 0, nullptr), -1);
  EXPECT_EQ(tap.failed, 1);
  EXPECT_THROW(throwing(nullptr, nullptr, 0, nullptr), std::runtime_error);
  EXPECT_EQ(tap.failed, 2);
  EXPECT_EQ(tap.ended, 0);
}

TEST(Thunks, AllAreThereOnceAndComeBack) {
  Tap tap;
  const std::uint32_t before = ThunkSet::freeCount();
  std::set<KernelFunction> distinct;
  {
    ThunkSet set;
    while (const KernelFunction thunk = set.add(tap, 0, &succeeds)) {
      EXPECT_TRUE(distinct.insert(thunk).second);
    }
    EXPECT_EQ(distinct.size(), before);
    EXPECT_EQ(ThunkSet::freeCount(), 0u);
    ThunkSet second;
    EXPECT_EQ(second.add(tap, 0, &succeeds), nullptr);
  }
  EXPECT_EQ(ThunkSet::freeCount(), before);
  ThunkSet again;
  const KernelFunction thunk = again.add(tap, 5, &fails);
  ASSERT_NE(thunk, nullptr);
  const KernelTapScope scope(&tap);
  EXPECT_EQ(thunk(nullptr, nullptr, 0, nullptr), -1);  // the new one, not what it was before
  EXPECT_EQ(tap.last.kernel, 5u);
}

TEST(Thunks, ThreadsTakeAndReturnThem) {
  const std::uint32_t before = ThunkSet::freeCount();
  const auto work = [] {
    Tap tap;
    const KernelTapScope scope(&tap);
    for (int round = 0; round < 50; ++round) {
      ThunkSet set;
      for (std::uint32_t i = 0; i < 20; ++i) {
        ASSERT_EQ(set.add(tap, i, &succeeds)(nullptr, nullptr, 0, nullptr), 0);
        ASSERT_EQ(tap.last.kernel, i);
      }
    }
    EXPECT_EQ(tap.ended, 1000);
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  EXPECT_EQ(ThunkSet::freeCount(), before);
}

}  // namespace
}  // namespace opscope::code
