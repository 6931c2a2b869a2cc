// SPDX-License-Identifier: Apache-2.0
// Fixtures of the runtime's tests: libraries compiled by TVM 0.27, read whole.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/base/atomic_file.h"

namespace opscope::runtime {

inline std::shared_ptr<const std::string> readFixture(const std::string& name) {
  auto content = base::readFile(std::string(OPSCOPE_TEST_DATA) + "/vm/" + name);
  EXPECT_TRUE(content) << (content ? "" : content.error().message);
  return std::make_shared<const std::string>(content ? std::move(*content) : std::string());
}

}  // namespace opscope::runtime
