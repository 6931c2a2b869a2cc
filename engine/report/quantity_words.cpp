// SPDX-License-Identifier: Apache-2.0
#include "engine/report/quantity_words.h"

#include <fmt/format.h>

#include <array>

#include "engine/report/measuring_limit.h"

namespace opscope::report {

std::string durationWords(double ns) {
  if (ns < 1) return "below 1 ns";
  if (ns < 999.5) return fmt::format("{:.0f} ns", ns);  // what would read as 1000 is one of the next unit
  if (ns < 999.95e3) return fmt::format("{:.1f} µs", ns / 1e3);
  if (ns < 999.995e6) return fmt::format("{:.2f} ms", ns / 1e6);
  return fmt::format("{:.2f} s", ns / 1e9);
}

std::string timeWords(double us) {
  struct Unit {
    double us;
    std::string_view name;
  };
  static constexpr std::array kUnits = {Unit{1e6, "s"}, Unit{1e3, "ms"}, Unit{1, "µs"}, Unit{1e-3, "ns"}};
  for (const Unit& unit : kUnits) {
    const double value = us / unit.us;
    if (value < 0.9995) continue;
    return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : (value < 99.95 ? 1 : 0), unit.name);
  }
  return std::string(kTooShort);
}

HeadlineTime headlineTime(double us) {
  constexpr double kFromMs = 1e3;
  constexpr double kFromS = 1e7;
  if (us < kFromMs) return {us, 1, "µs"};
  const double value = us < kFromS ? us / 1e3 : us / 1e6;
  return {value, value < 10 ? 2 : 1, us < kFromS ? "ms" : "s"};
}

std::string percentWords(double percent) {
  constexpr double kLeast = 0.1;
  constexpr double kMost = 99.9;
  if (percent < kLeast) return "below 0.1 %";
  return percent > kMost && percent < 100 ? "over 99.9 %" : fmt::format("{:.1f} %", percent);
}

std::string fromQuarterToQuarter(double beginUs, double endUs) {
  return fmt::format("{} in the first quarter of the repeats, {} in the last", timeWords(beginUs),
                     timeWords(endUs));
}

std::string partWords(double percent) {
  return percent >= 100 ? "100 %" : percentWords(percent);
}

}  // namespace opscope::report
