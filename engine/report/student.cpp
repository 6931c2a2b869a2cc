// SPDX-License-Identifier: Apache-2.0
#include "engine/report/student.h"

#include <algorithm>
#include <cmath>

namespace opscope::report {

namespace {

constexpr int kMostTerms = 500;
constexpr double kPrecision = 1e-15;
constexpr double kTiny = 1e-300;

double awayFromZero(double value) {
  return std::fabs(value) < kTiny ? kTiny : value;
}

/// The continued fraction of the incomplete beta function, by Lentz's method; converges quickly for
/// x < (a + 1) / (a + b + 2).
double betaFraction(double x, double a, double b) {
  double c = 1;
  double d = 1 / awayFromZero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    value *= d * c;
    if (std::fabs(d * c - 1) < kPrecision) break;
  }
  return value;
}

/// The regularised incomplete beta function of x and its complement 1 - x, which keeps its digits so.
double incompleteBeta(double x, double rest, double a, double b) {
  if (x <= 0) return 0;
  if (rest <= 0) return 1;
  const double logFront =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(rest);
  const double front = std::exp(logFront);
  if (x < (a + 1) / (a + b + 2)) return front * betaFraction(x, a, b) / a;
  return 1 - front * betaFraction(rest, b, a) / b;
}

}  // namespace

double studentP(double t, double freedom) {
  const double square = t * t;
  if (!std::isfinite(square)) return 0;
  const double sum = freedom + square;
  return std::clamp(incompleteBeta(freedom / sum, square / sum, freedom / 2, 0.5), 0.0, 1.0);
}

double studentT(double p, double freedom) {
  double low = 0;
  double high = 1;
  while (studentP(high, freedom) > p && high < 1e12) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (studentP(middle, freedom) > p ? low : high) = middle;
  }
  return high;
}

}  // namespace opscope::report
