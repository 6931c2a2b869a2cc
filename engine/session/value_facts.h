// SPDX-License-Identifier: Apache-2.0
// What the values of an array are like, in a few numbers. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/arrays/array.h"

namespace opscope::session {

struct ValueFacts {
  std::string type;  ///< "float32"
  std::vector<std::int64_t> shape;
  std::uint64_t elements = 0;
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;
  // Of the finite elements; false and true count as 0 and 1. Without one they are empty and nothing.
  std::string least;  ///< as the elements are written, whole numbers in full
  std::string largest;
  std::optional<double> mean;
};

ValueFacts factsOf(const arrays::Array& array);

/// One element as text: "0.125", "-3", "true", "nan".
std::string elementText(const arrays::Array& array, std::size_t index);

}  // namespace opscope::session
