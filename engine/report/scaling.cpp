// SPDX-License-Identifier: Apache-2.0
#include "engine/report/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/report/measuring_limit.h"
#include "engine/report/op_table.h"
#include "engine/report/run_report.h"

namespace opscope::report {

namespace {

constexpr double kNsPerUs = 1e3;
constexpr std::size_t kLeastPoints = 3;
constexpr double kGoodFit = 0.9;
constexpr double kConstant = 0.05;  // a smaller exponent is none

/// Median of samples and how uncertain it is, as a part of it.
struct Measured {
  double us = 0;
  double uncertainty = 0;
  bool tooShort = false;
};

Measured measuredOf(std::vector<double> samples) {
  const Statistics statistics = computeStatisticsInPlace(samples);
  Measured measured{statistics.median, 0, false};
  if (statistics.medianLow && statistics.median > 0) {
    measured.uncertainty = (*statistics.medianHigh - *statistics.medianLow) / 2 / statistics.median;
  }
  return measured;
}

/// A row while it is filled: by index of the point.
struct Series {
  std::string name;
  std::string device;
  std::vector<std::optional<Measured>> points;
};

/// The fit, or words why there is none.
ScalingRow rowOf(const Series& series, std::span<const ScalingPoint> points) {
  ScalingRow row;
  row.name = series.name;
  row.device = series.device;
  std::vector<double> values;
  std::vector<double> times;
  double uncertainty = 0;
  bool anyTooShort = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::optional<Measured>& measured = series.points[i];
    row.us.push_back(measured ? std::optional(measured->us) : std::nullopt);
    row.tooShort.push_back(measured && measured->tooShort);
    if (!measured) continue;
    anyTooShort = anyTooShort || measured->tooShort;
    if (measured->tooShort) continue;
    values.push_back(static_cast<double>(points[i].value));
    times.push_back(measured->us);
    uncertainty = std::max(uncertainty, measured->uncertainty);
  }
  if (values.size() < kLeastPoints) {
    row.note = anyTooShort ? "too short to measure" : "fewer than 3 values measured";
    row.tooFewValues = !anyTooShort;
    return row;
  }
  const auto fit = fitPower(values, times);
  if (!fit) {
    row.note = "no values that can be fitted";
    return row;
  }
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  const bool isFlat = *most <= *least * (1 + 2 * uncertainty);
  if (isFlat || (std::fabs(fit->exponent) < kConstant && fit->rSquared >= kGoodFit)) {
    row.note = isFlat && uncertainty > kConstant ? "too noisy to tell from constant" : "constant";
    return row;
  }
  row.fit = fit;
  if (fit->rSquared < kGoodFit) row.note = "no power law";
  return row;
}

class Builder {
 public:
  explicit Builder(std::span<const ScalingPoint> points) : m_points(points) {
    m_total.name = "Total";
    m_total.points.resize(points.size());
  }

  Scaling build() {
    for (std::size_t i = 0; i < m_points.size(); ++i) {
      if (m_points[i].document.run != nullptr && m_points[i].document.run->repeats > 0) addPoint(i);
    }
    Scaling scaling;
    for (const ScalingPoint& point : m_points) scaling.values.push_back(point.value);
    scaling.total = rowOf(m_total, m_points);
    for (const auto& [key, series] : m_series) scaling.rows.push_back(rowOf(series, m_points));
    std::stable_sort(scaling.rows.begin(), scaling.rows.end(),
                     [](const ScalingRow& a, const ScalingRow& b) { return lastOf(a) > lastOf(b); });
    return scaling;
  }

 private:
  static double lastOf(const ScalingRow& row) {
    for (std::size_t i = row.us.size(); i-- > 0;) {
      if (row.us[i]) return *row.us[i];
    }
    return 0;
  }

  void addPoint(std::size_t index) {
    const Document& document = m_points[index].document;
    const Run& run = *document.run;
    if (const DeviceTotal* total = largestTotal(run)) {
      std::vector<double> samples;
      for (const double ns : total->totalNs) samples.push_back(ns / kNsPerUs);
      m_total.device = total->device;
      m_total.points[index] = measuredOf(std::move(samples));
    }
    const OpTable table = buildOpTable(document, Grouping::EachCall);
    std::map<std::pair<std::string_view, std::string_view>, std::vector<std::uint32_t>> callsOfOp;
    for (const OpRow& row : table.rows) {
      const auto calls = table.callsOf(row);
      auto& all = callsOfOp[{nameOf(run, row), deviceOf(run, row)}];
      all.insert(all.end(), calls.begin(), calls.end());
    }
    for (const auto& [key, calls] : callsOfOp) {
      Series& series = m_series[std::pair(std::string(key.first), std::string(key.second))];
      series.name = key.first;
      series.device = key.second;
      series.points.resize(m_points.size());
      Measured measured = measuredOf(samplesOf(run, calls));
      measured.tooShort = isTooShort(run, measured.us * kNsPerUs, static_cast<std::int64_t>(calls.size()));
      series.points[index] = measured;
    }
  }

  std::span<const ScalingPoint> m_points;
  Series m_total;
  std::map<std::pair<std::string, std::string>, Series> m_series;
};

}  // namespace

std::optional<PowerFit> fitPower(std::span<const double> values, std::span<const double> times) {
  double count = 0;
  double sumX = 0;
  double sumY = 0;
  const auto usable = [&](std::size_t i) {
    return values[i] > 0 && times[i] > 0 && std::isfinite(values[i]) && std::isfinite(times[i]);
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!usable(i)) continue;
    ++count;
    sumX += std::log(values[i]);
    sumY += std::log(times[i]);
  }
  if (count < kLeastPoints) return std::nullopt;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!usable(i)) continue;
    const double x = std::log(values[i]) - sumX / count;
    const double y = std::log(times[i]) - sumY / count;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  if (!(xx > 0)) return std::nullopt;
  PowerFit fit;
  fit.exponent = xy / xx;
  fit.rSquared = yy > 0 ? std::clamp(xy * xy / (xx * yy), 0.0, 1.0) : 1;
  return fit;
}

Scaling buildScaling(std::span<const ScalingPoint> points) {
  return Builder(points).build();
}

std::string growthWords(const ScalingRow& row, std::string_view variable) {
  if (!row.fit) return row.note;
  std::string words = fmt::format("{}^{:.2f}", variable, row.fit->exponent);
  return row.note.empty() ? words : fmt::format("{}, {}", words, row.note);
}

}  // namespace opscope::report
