// SPDX-License-Identifier: Apache-2.0
// Student's distribution of t. Any thread; pure functions.
#pragma once

namespace opscope::report {

/// The probability of |t| or more, 0 to 1. `freedom`: degrees of freedom, at least 1.
double studentP(double t, double freedom);

/// The t that is exceeded, in either direction, with probability `p`, 0 < p < 1.
double studentT(double p, double freedom);

}  // namespace opscope::report
