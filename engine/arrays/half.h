// SPDX-License-Identifier: Apache-2.0
// The two-byte floats, which C++20 has no types for, as bit patterns. Any thread; no state.
#pragma once

#include <cstdint>

namespace opscope::arrays {

/// Nearest float16 or bfloat16, ties to even; too large becomes infinity, NaN stays NaN.
std::uint16_t float16FromDouble(double value);
std::uint16_t bfloat16FromDouble(double value);

/// Exact.
double doubleFromFloat16(std::uint16_t bits);
double doubleFromBfloat16(std::uint16_t bits);

}  // namespace opscope::arrays
