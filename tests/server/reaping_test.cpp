// SPDX-License-Identifier: Apache-2.0
// In which order the server ends and waits for its processes: a number that was waited for may be another
// process's. This program sees every signal that it sends.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "engine/rpc/server/sessions.h"

namespace {

std::atomic<int> toNobody = 0;

}  // namespace

extern "C" int kill(pid_t id, int signal) noexcept {
  const long done = ::syscall(SYS_kill, id, signal);
  if (done != 0 && errno == ESRCH) {
    ++toNobody;
  }
  return static_cast<int>(done);
}

namespace opscope::rpc::server {

namespace {

namespace fs = std::filesystem;

class Reaping : public testing::Test {
 protected:
  Reaping() {
    std::string name = (fs::temp_directory_path() / "opscope-reaping-XXXXXX").string();
    m_folder = ::mkdtemp(name.data());
    m_options.workDirectory = m_folder.string();
    m_options.program = "session";
    toNobody = 0;
  }
  ~Reaping() override { fs::remove_all(m_folder); }

  /// Sessions whose processes do as a shell's command line says.
  Sessions sessions(const std::string& command) {
    m_options.wrapper = {"/bin/sh", "-c", command};
    auto folders = SessionFolders::create(m_options.workDirectory);
    return Sessions(m_options, *std::move(folders), m_key);
  }

  template <class Condition>
  static bool becomes(const Condition& condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return condition();
  }

  fs::path m_folder;
  ServerOptions m_options;
  MatchKey m_key{"", false};
};

/// The client's end of a connection, and the other in the hands of a session.
int served(Sessions& sessions) {
  int ends[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  sessions.serve({ends[0], "peer", {}, {}}, {});
  return ends[1];
}

}  // namespace

TEST_F(Reaping, NoSignalIsSentToAProcessThatWasWaitedFor) {
  Sessions sessions = this->sessions("sleep 0.2");
  const int client = served(sessions);
  ASSERT_EQ(sessions.running(), 1U);
  EXPECT_TRUE(becomes([&] {
    sessions.reap();
    return sessions.running() == 0;
  }));
  EXPECT_EQ(toNobody, 0);
  ::close(client);
}

TEST_F(Reaping, AProcessThatEndsAheadIsNotSignalledEither) {
  Sessions sessions = this->sessions("exit 3");
  sessions.prepare();
  EXPECT_TRUE(becomes([&] {
    sessions.reap();
    return sessions.nextPreparationMs() > 1000;  // not at once again
  }));
  EXPECT_EQ(toNobody, 0);
}

TEST_F(Reaping, WhatASessionLeavesInItsGroupEndsWithIt) {
  adoptOrphans();
  const fs::path left = m_folder / "left";
  Sessions sessions = this->sessions("sleep 600 & echo $! > " + left.string() + ".new; mv " + left.string() +
                                     ".new " + left.string() + "; sleep 0.1");
  const int client = served(sessions);
  ASSERT_TRUE(becomes([&] { return fs::exists(left); }));
  EXPECT_TRUE(becomes([&] {
    sessions.reap();
    return sessions.running() == 0;
  }));
  EXPECT_EQ(toNobody, 0);
  pid_t id = 0;
  std::ifstream(left) >> id;
  ASSERT_GT(id, 0);
  EXPECT_TRUE(becomes([&] {
    sessions.reap();
    return ::kill(id, 0) != 0;
  }));
  ::close(client);
}

}  // namespace opscope::rpc::server
