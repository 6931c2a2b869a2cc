// SPDX-License-Identifier: Apache-2.0
#include "engine/base/log.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace opscope::base {
namespace {

class LogLevels : public ::testing::Test {
 protected:
  static std::string toldWith(const char* value, bool verbose = false) {
    setenv("OPSCOPE_LOG", value, 1);
    ::testing::internal::CaptureStderr();
    configureLog(verbose);
    log(LogLevel::Warning, "warned\nhere");
    log(LogLevel::Info, "informed");
    return ::testing::internal::GetCapturedStderr();
  }
  void TearDown() override { unsetenv("OPSCOPE_LOG"); }
};

TEST_F(LogLevels, AWrongValueIsToldOnce) {
  const std::string told = toldWith("loud");
  EXPECT_NE(
      told.find("OPSCOPE_LOG is \"loud\", which is no level: the levels are debug, info, warning, error"),
      std::string::npos)
      << told;
  EXPECT_EQ(told.find("OPSCOPE_LOG"), told.rfind("OPSCOPE_LOG"));
  EXPECT_NE(told.find("warned\\nhere"), std::string::npos) << "the default level";
  EXPECT_EQ(told.find("informed"), std::string::npos);
}

TEST_F(LogLevels, KnownValuesAreTaken) {
  EXPECT_EQ(toldWith("error"), "");
  EXPECT_EQ(toldWith("off"), "");
  EXPECT_EQ(toldWith("").find("OPSCOPE_LOG"), std::string::npos);
  const std::string told = toldWith("info");
  EXPECT_NE(told.find("informed"), std::string::npos);
  EXPECT_EQ(told.find("OPSCOPE_LOG"), std::string::npos);
}

}  // namespace
}  // namespace opscope::base
