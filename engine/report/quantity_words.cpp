// SPDX-License-Identifier: Apache-2.0
#include "engine/report/quantity_words.h"

#include <fmt/format.h>

namespace opscope::report {

std::string durationWords(double ns) {
  if (ns < 1) return "below 1 ns";
  if (ns < 1e3) return fmt::format("{:.0f} ns", ns);
  if (ns < 1e6) return fmt::format("{:.1f} µs", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.2f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

std::string partWords(double percent) {
  constexpr double kLeast = 0.1;
  constexpr double kMost = 99.9;
  if (percent < kLeast) return "below 0.1 %";
  if (percent >= 100) return "100 %";
  return percent > kMost ? "over 99.9 %" : fmt::format("{:.1f} %", percent);
}

}  // namespace opscope::report
