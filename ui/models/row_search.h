// SPDX-License-Identifier: GPL-3.0-or-later
// Searching a table for a text, from a row on and round. Any thread.
#pragma once

namespace opscope::ui {

/// The next of `count` rows that `matches(row)`, from `from` on and round; -1: none.
template <class Matches>
int findRow(int count, int from, bool backwards, const Matches& matches) {
  for (int step = 0; step < count; ++step) {
    const int row = (from + (backwards ? -step : step) + 2 * count) % count;
    if (matches(row)) return row;
  }
  return -1;
}

template <class Matches>
int countRows(int count, const Matches& matches) {
  int found = 0;
  for (int row = 0; row < count; ++row) found += matches(row) ? 1 : 0;
  return found;
}

}  // namespace opscope::ui
