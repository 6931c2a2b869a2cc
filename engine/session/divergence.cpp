// SPDX-License-Identifier: Apache-2.0
#include "engine/session/divergence.h"

#include <algorithm>

namespace opscope::session {

bool ComparedCall::differs() const {
  return std::ranges::any_of(outputs, &TensorDifference::differs);
}

std::optional<std::size_t> Divergence::first() const {
  const auto found = std::ranges::find_if(calls, &ComparedCall::differs);
  return found == calls.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - calls.begin()));
}

std::size_t Divergence::differingCalls() const {
  return static_cast<std::size_t>(std::ranges::count_if(calls, &ComparedCall::differs));
}

bool Divergence::differs() const {
  return first().has_value() || std::ranges::any_of(results, &TensorDifference::differs);
}

}  // namespace opscope::session
