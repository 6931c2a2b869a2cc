// SPDX-License-Identifier: Apache-2.0
// Pairs the calls of two runs. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/session/divergence.h"

namespace opscope::session {

/// What calls are paired by.
struct CallKey {
  std::string name;
  std::string shapes;  ///< of the outputs, as text
};

struct Alignment {
  CallMatching matching = CallMatching::ByOrder;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  ///< ascending on both sides
};

/// One after the other when the names are the same on both sides; else the longest common subsequence of
/// names and shapes (of very long runs, which differ much, not always the longest).
Alignment alignCalls(std::span<const CallKey> a, std::span<const CallKey> b);

/// The name without digits at the end of its words, which TVM counts up within one executable:
/// "fused_matmul3_add1" is "fused_matmul_add".
std::string withoutCounters(std::string_view name);

}  // namespace opscope::session
