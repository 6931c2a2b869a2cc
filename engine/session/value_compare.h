// SPDX-License-Identifier: Apache-2.0
// Compares the elements of two tensors of one shape. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/arrays/array.h"

namespace opscope::session {

struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-5;
};

struct ValueDifference {
  std::uint64_t beyond = 0;
  double maxAbsolute = 0;
  double maxRelative = 0;
  std::uint64_t firstIndex = 0;  ///< of the first that does not agree
  std::string valueA;            ///< there
  std::string valueB;
};

/// The elements of `a` and `b`, of which the second may have another type. As TensorDifference says it.
/// Both hold as many elements.
ValueDifference compareValues(arrays::ElementType typeA, std::span<const std::byte> a,
                              arrays::ElementType typeB, std::span<const std::byte> b, Tolerance tolerance);

}  // namespace opscope::session
