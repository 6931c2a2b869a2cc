// SPDX-License-Identifier: Apache-2.0
#include "engine/report/noise_grade.h"

#include <fmt/format.h>

#include <algorithm>

namespace opscope::report {

char letterOf(Grade grade) {
  return static_cast<char>('A' + static_cast<int>(grade));
}

std::string noiseWords(const NoiseGrade& noise) {
  constexpr std::ptrdiff_t kMost = 3;
  std::string words(1, letterOf(noise.grade));
  std::ptrdiff_t told = 0;
  const auto reasons =
      std::ranges::count_if(noise.checks, [](const NoiseCheck& check) { return check.grade != Grade::A; });
  for (const NoiseCheck& check : noise.checks) {
    if (check.grade == Grade::A || told == kMost) break;
    words += (told++ == 0 ? ": " : "; ") + check.found;
  }
  if (reasons > kMost) words += fmt::format("; {} more", reasons - kMost);
  if (reasons == 0) words += ": nothing that was looked at disturbed it";
  return words;
}

}  // namespace opscope::report
