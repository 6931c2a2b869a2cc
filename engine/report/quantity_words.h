// SPDX-License-Identifier: Apache-2.0
// Times and parts as statements about a run say them. Any thread; pure functions.
#pragma once

#include <string>

namespace opscope::report {

/// "35 ns", "12.5 µs", "3.20 ms", "1.25 s"; "below 1 ns" for less. `ns` is finite and at least 0.
std::string durationWords(double ns);

/// "5.1 %", "below 0.1 %", "over 99.9 %" for what would read as all but is not, "100 %" for all and more.
/// `percent` is finite and at least 0.
std::string partWords(double percent);

}  // namespace opscope::report
