// SPDX-License-Identifier: Apache-2.0
#include "engine/base/near_match.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace opscope::base {

namespace {

/// Longer names are not compared: the work grows with the square.
constexpr std::size_t kLengthLimit = 200;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Letters to add, drop or change to get from `a` to `b` (Levenshtein), case not counted.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j + 1] + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearMatch(std::string_view name, std::span<const std::string> known) {
  if (name.empty() || name.size() > kLengthLimit) {
    return {};
  }
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string match;
  for (const std::string& candidate : known) {
    if (candidate.empty() || candidate.size() > kLengthLimit) {
      continue;
    }
    const std::size_t distance = editDistance(name, candidate);
    // A name of one letter is not near to any other letter.
    if (distance < best && distance < std::max(name.size(), candidate.size())) {
      best = distance;
      match = candidate;
    }
  }
  return match;
}

std::string joinNames(std::span<const std::string> names, std::size_t limit) {
  if (names.empty()) {
    return "none";
  }
  const bool cut = names.size() > limit;
  const std::size_t shown = cut ? limit : names.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) {
      text += !cut && i + 1 == shown ? " and " : ", ";
    }
    text += names[i];
  }
  if (cut) {
    text += " and " + std::to_string(names.size() - limit) + " more";
  }
  return text;
}

}  // namespace opscope::base
