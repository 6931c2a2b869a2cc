// SPDX-License-Identifier: Apache-2.0
// How far the numbers of a run may be trusted: a grade with its reasons. Any thread; plain values.
#pragma once

#include <string>
#include <vector>

namespace opscope::report {

enum class Grade { A, B, C, D };

/// One thing that was looked at.
struct NoiseCheck {
  std::string id;     ///< "load"
  std::string title;  ///< "Load by others"
  std::string found;  ///< in words: "others kept 1.4 of 2 cores busy"
  Grade grade = Grade::A;
  std::string advice;  ///< what to do; empty with A
  bool operator==(const NoiseCheck&) const = default;
};

struct NoiseGrade {
  Grade grade = Grade::A;            ///< the worst of the checks
  std::vector<NoiseCheck> checks;    ///< of all that could be read, the worst first
  std::vector<std::string> unknown;  ///< titles of what this machine does not tell
  bool operator==(const NoiseGrade&) const = default;
};

char letterOf(Grade grade);

/// "C: others kept 1.4 of 2 cores busy; the total varies by 7 %": the grade and what stands against a better
/// one, at most three reasons.
std::string noiseWords(const NoiseGrade& noise);

}  // namespace opscope::report
