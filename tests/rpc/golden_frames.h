// SPDX-License-Identifier: Apache-2.0
// Frames that were recorded between TVM and a raw client (tests/data/rpc/golden_*.txt). Any thread; values.
#pragma once

#include <string>
#include <vector>

namespace opscope::rpc::test {

struct GoldenFrame {
  std::string body;  ///< code and payload, without the length
  std::string from;  ///< "FILE:LINE"
};

/// What TVM 0.27's own client sends; lines that were cut are left out.
std::vector<GoldenFrame> framesOfTvmsClient();
/// Both directions of a raw client's walk against TVM 0.27's server; lines that were cut are left out.
std::vector<GoldenFrame> framesOfWalk();

}  // namespace opscope::rpc::test
