// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/signal_handlers.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace opscope::runtime {
namespace {

void ownHandler(int /*signal*/) {}

TEST(SignalHandlers, RemovesOnlyTheOneOfTvmFfi) {
  struct sigaction before {};
  sigaction(SIGSEGV, nullptr, &before);

  struct sigaction own {};
  own.sa_handler = ownHandler;
  sigaction(SIGSEGV, &own, nullptr);
  EXPECT_FALSE(restoreSignalHandlers());
  struct sigaction now {};
  sigaction(SIGSEGV, nullptr, &now);
  EXPECT_EQ(now.sa_handler, ownHandler);

  sigaction(SIGSEGV, &before, nullptr);
  restoreSignalHandlers();
  EXPECT_FALSE(restoreSignalHandlers()) << "nothing is left to restore";
  sigaction(SIGSEGV, &before, nullptr);
}

}  // namespace
}  // namespace opscope::runtime
