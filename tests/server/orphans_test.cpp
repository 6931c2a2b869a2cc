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

TEST(Orphans, ChildrenAreListedAndNobodyElse) {
  const pid_t first = sleeper();
  const pid_t second = sleeper();
  const pid_t ended = ::fork();
  if (ended == 0) {
    ::_exit(0);
  }
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(ended), &info, WEXITED | WNOWAIT);
  std::vector<pid_t> children = childProcesses();
  std::ranges::sort(children);
  std::vector<pid_t> expected{first, second, ended};
  std::ranges::sort(expected);
  EXPECT_EQ(children, expected);
  ::waitpid(ended, nullptr, 0);
  EXPECT_EQ(endOf(first), SIGTERM);
  EXPECT_EQ(endOf(second), SIGTERM);
  EXPECT_EQ(childProcesses(), std::vector<pid_t>{});
}

TEST(Orphans, OnlyUnknownChildrenAreKilled) {
  const pid_t known = sleeper();
  const pid_t unknown = sleeper();
  killOrphans({known});
  int status = 0;
  EXPECT_EQ(::waitpid(unknown, &status, 0), unknown);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_EQ(endOf(known), SIGTERM);
}

TEST(Orphans, AChainOfThemEnds) {
  adoptOrphans();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  if (::fork() == 0) {  // a child that leaves a child in a session of its own, which leaves one more
    for (int i = 0; i < 2; ++i) {
      if (const pid_t next = ::fork(); next > 0) {
        ::write(ends[1], &next, sizeof next);
        ::pause();
        ::_exit(0);
      }
      ::setsid();
    }
    ::pause();
    ::_exit(0);
  }
  pid_t left[2] = {};
  for (pid_t& id : left) {
    ASSERT_EQ(::read(ends[0], &id, sizeof id), static_cast<ssize_t>(sizeof id));
  }
  ::close(ends[0]);
  ::close(ends[1]);
  endOrphans();
  EXPECT_EQ(childProcesses(), std::vector<pid_t>{});
  for (const pid_t id : left) {
    EXPECT_EQ(::kill(id, 0), -1) << id;
  }
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
