// SPDX-License-Identifier: Apache-2.0
// What boards and check are told. Plain values.
#pragma once

#include <string>

namespace opscope::cli {

inline constexpr double kBoardTimeoutSeconds = 10;

struct BoardsOptions {
  std::string tracker;  ///< "HOST:PORT"
  double timeoutSeconds = kBoardTimeoutSeconds;
  bool json = false;
};

struct CheckBoardOptions {
  std::string target;
  double timeoutSeconds = kBoardTimeoutSeconds;
  std::string secretFile;
  bool json = false;
};

}  // namespace opscope::cli
