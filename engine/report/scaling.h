// SPDX-License-Identifier: Apache-2.0
// How the time of ops grows with a value that was varied: a free dimension, the number of threads. Built once
// from the documents of a sweep; any thread; pure functions. Definitions in docs/statistics.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/report/run.h"

namespace opscope::report {

/// One value of a sweep and what was measured there; `document.run` is null where nothing was.
struct ScalingPoint {
  std::int64_t value = 0;
  Document document;
};

/// time = factor * value ^ exponent, by least squares of logarithms.
struct PowerFit {
  double exponent = 0;
  double rSquared = 0;  ///< 0 to 1: part of the variation of log time that the line explains
};

/// Nothing for fewer than 3 points with values and times above 0, or when all values are equal.
std::optional<PowerFit> fitPower(std::span<const double> values, std::span<const double> times);

struct ScalingRow {
  std::string name;  ///< of the op; "Total"
  std::string device;
  std::vector<std::optional<double>>
      us;                      ///< a value each: median over the repeats; empty where it was not measured
  std::vector<bool> tooShort;  ///< a value each: tables say so in place of the time
  std::optional<PowerFit> fit;
  std::string note;           ///< why there is no fit, or what to mind of it; in words, may be empty
  bool tooFewValues = false;  ///< there is no fit since fewer than 3 values were measured
};

struct Scaling {
  std::vector<std::int64_t> values;
  ScalingRow total;
  std::vector<ScalingRow> rows;  ///< ops by name and device, the longest at the last measured value first
};

/// Ops are put together by name and device: their shapes change with the value.
Scaling buildScaling(std::span<const ScalingPoint> points);

/// "n^1.02", "constant", or the note; for tables.
std::string growthWords(const ScalingRow& row, std::string_view variable);

}  // namespace opscope::report
