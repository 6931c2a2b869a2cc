// SPDX-License-Identifier: Apache-2.0
// What the server does with processes that sessions leave behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "engine/rpc/server/session_process.h"

namespace opscope::rpc::server {

namespace {

/// A child does not outlive a test that fails.
void endWithParent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/// A child that waits for its end.
pid_t sleeper() {
  const pid_t id = ::fork();
  if (id == 0) {
    endWithParent();
    ::pause();
    ::_exit(0);
  }
  return id;
}

/// A child that starts and ends processes as fast as it can.
pid_t restlessChild() {
  const pid_t id = ::fork();
  if (id == 0) {
    endWithParent();
    for (;;) {
      const pid_t brief = ::fork();
      if (brief == 0) {
        ::_exit(0);
      }
      ::waitpid(brief, nullptr, 0);
    }
  }
  return id;
}

int endOf(pid_t id) {
  ::kill(id, SIGTERM);
  int status = 0;
  ::waitpid(id, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST(Orphans, OnlyUnknownChildrenAreKilled) {
  const pid_t known = sleeper();
  const pid_t unknown = sleeper();
  killOrphans({known});
  int status = 0;
  EXPECT_EQ(::waitpid(unknown, &status, 0), unknown);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(endOf(known), SIGTERM);
}

TEST(Orphans, ProcessesThatEndWhileTheyAreLookedAtAreNoFault) {
  std::vector<pid_t> restless(8);
  std::ranges::generate(restless, restlessChild);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_NO_THROW(killOrphans(restless));
  }
  for (const pid_t child : restless) {
    EXPECT_EQ(endOf(child), SIGTERM);
  }
}

}  // namespace opscope::rpc::server
