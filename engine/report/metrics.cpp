// SPDX-License-Identifier: Apache-2.0
#include "engine/report/metrics.h"

#include <algorithm>

namespace opscope::report {

namespace {

using Unit = MetricColumn::Unit;
using Value = std::optional<double>;

/// A member of Statistics that is there from one sample on.
template <double Statistics::*member>
Value plain(const Statistics& statistics) {
  return statistics.count > 0 ? Value(statistics.*member) : std::nullopt;
}

template <Value Statistics::*member>
Value optional(const Statistics& statistics) {
  return statistics.*member;
}

Value sampleCount(const Statistics& statistics) {
  return static_cast<double>(statistics.count);
}

Value outlierCount(const Statistics& statistics) {
  return static_cast<double>(statistics.outliers);
}

constexpr MetricColumn kColumns[] = {
    {"mean", "Mean", Unit::Microseconds, "Sum of the samples / their number.", true,
     plain<&Statistics::mean>},
    {"median", "Median", Unit::Microseconds, "Half of the repeats took less.", true,
     plain<&Statistics::median>},
    {"min", "Min", Unit::Microseconds, "The shortest repeat.", true, plain<&Statistics::min>},
    {"max", "Max", Unit::Microseconds, "The longest repeat.", true, plain<&Statistics::max>},
    {"std", "Std dev.", Unit::Microseconds, "Standard deviation over the repeats, with n − 1.", true,
     optional<&Statistics::standardDeviation>},
    {"p95", "p95", Unit::Microseconds, "95 % of the repeats took at most this.", true,
     plain<&Statistics::p95>},
    {"p5", "p5", Unit::Microseconds, "5 % of the repeats took at most this.", false, plain<&Statistics::p5>},
    {"p25", "p25", Unit::Microseconds, "A quarter of the repeats took at most this.", false,
     plain<&Statistics::p25>},
    {"p75", "p75", Unit::Microseconds, "Three quarters of the repeats took at most this.", false,
     plain<&Statistics::p75>},
    {"p99", "p99", Unit::Microseconds, "99 % of the repeats took at most this.", false,
     plain<&Statistics::p99>},
    {"mad", "MAD", Unit::Microseconds, "Median distance from the median, unscaled.", false,
     plain<&Statistics::medianDeviation>},
    {"median_low", "Median from", Unit::Microseconds, "Lower end of the median's 95 % interval.", false,
     optional<&Statistics::medianLow>},
    {"median_high", "Median to", Unit::Microseconds, "Upper end of the median's 95 % interval.", false,
     optional<&Statistics::medianHigh>},
    {"noise", "Noise", Unit::Part, "Standard deviation / mean.", false, optional<&Statistics::noise>},
    {"outliers", "Outliers", Unit::Samples,
     "Repeats far out: more than 3 interquartile ranges outside of the quartiles. They count in all other "
     "numbers.",
     false, outlierCount},
    {"samples", "Samples", Unit::Samples, "Repeats in which the op was called.", false, sampleCount},
};

}  // namespace

std::span<const MetricColumn> metricColumns() {
  return kColumns;
}

const MetricColumn* findMetricColumn(std::string_view id) {
  const auto found = std::find_if(std::begin(kColumns), std::end(kColumns),
                                  [id](const MetricColumn& column) { return column.id == id; });
  return found == std::end(kColumns) ? nullptr : found;
}

}  // namespace opscope::report
