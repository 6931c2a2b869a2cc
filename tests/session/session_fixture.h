// SPDX-License-Identifier: Apache-2.0
// A session with its log and a folder of its own, for tests over real executables.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "engine/session/session.h"
#include "tests/session/session_log.h"

namespace opscope::session::testing {

class SessionFixture : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { initialiseEngine(); }
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "opscope_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    m_folder = pattern;
  }
  void TearDown() override {
    m_session.reset();
    std::filesystem::remove_all(m_folder);
  }

  /// Waits for the failure of a request and gives all its words.
  std::string failureOf(RequestId id) {
    const auto failed = m_log.waitFor<RequestFailed>(id);
    return failed ? failed->error.message + "\n" + failed->error.detail + "\n" + failed->error.hint
                  : std::string("(no failure)");
  }

  std::filesystem::path m_folder;
  SessionLog m_log;
  std::unique_ptr<Session> m_session = std::make_unique<Session>(m_log.sink());
};

}  // namespace opscope::session::testing
