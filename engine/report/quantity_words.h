// SPDX-License-Identifier: Apache-2.0
// Times and parts as people read them: the one place that says with which unit and how many digits. Any
// thread; pure functions.
#pragma once

#include <string>
#include <string_view>

namespace opscope::report {

/// In sentences and lists, with a fixed number of decimals: "35 ns", "12.5 µs", "3.20 ms", "1.25 s"; "below
/// 1 ns" for less. `ns` is finite and at least 0.
std::string durationWords(double ns);

/// For comparing, with three digits whatever the size: "1.25 ms", "12.5 µs", "640 ns"; "too short" below a
/// nanosecond. `us` is finite.
std::string timeWords(double us);

/// A time as large type shows it. Who shows it groups digits and says what is too small in its own way.
struct HeadlineTime {
  double value = 0;
  int decimals = 1;
  std::string_view unit;  ///< µs below 1 ms, ms below 10 s, then s
};
HeadlineTime headlineTime(double us);

/// How much something changes or varies: "5.1 %", "150.0 %"; "below 0.1 %", and "over 99.9 %" for what would
/// read as all but is not. `percent` is finite and at least 0.
std::string percentWords(double percent);

/// A change over a run, from times at its begin and its end in µs: "12.1 µs in the first quarter of the
/// repeats, 13.0 µs in the last".
std::string fromQuarterToQuarter(double beginUs, double endUs);

/// A part of a whole: the same, but "100 %" for all and more.
std::string partWords(double percent);

}  // namespace opscope::report
