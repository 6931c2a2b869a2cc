// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run.h"

#include <algorithm>
#include <cmath>

namespace opscope::report {

bool CounterColumn::operator==(const CounterColumn& other) const {
  const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  return name == other.name && unit == other.unit && kind == other.kind && texts == other.texts &&
         std::ranges::equal(values, other.values, same) && std::ranges::equal(totals, other.totals, same);
}

}  // namespace opscope::report
