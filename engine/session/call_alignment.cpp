// SPDX-License-Identifier: Apache-2.0
#include "engine/session/call_alignment.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace opscope::session {

namespace {

using Ids = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Cells of the table of the longest common subsequence, 4 bytes each.
constexpr std::size_t kMostCells = std::size_t{1} << 24;

/// Same number for same key.
Ids idsOf(std::span<const CallKey> keys,
          std::map<std::pair<std::string, std::string>, std::uint32_t>& known) {
  Ids ids;
  ids.reserve(keys.size());
  for (const CallKey& key : keys) {
    const auto next = static_cast<std::uint32_t>(known.size());
    ids.push_back(known.emplace(std::pair(withoutCounters(key.name), key.shapes), next).first->second);
  }
  return ids;
}

/// Textbook table, from the back: lengths[i][j] is the longest for a[i..], b[j..].
void longestCommon(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::size_t offset,
                   Pairs& pairs) {
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> lengths((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      lengths[i * width + j] = a[i] == b[j]
                                   ? lengths[(i + 1) * width + j + 1] + 1
                                   : std::max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      pairs.emplace_back(offset + i++, offset + j++);
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
}

/// The next same call on the other side, not too far away: linear, for runs that are too long for the table.
void nearestCommon(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::size_t offset,
                   Pairs& pairs) {
  constexpr std::size_t kLookAhead = 256;
  std::size_t j = 0;
  for (std::size_t i = 0; i < a.size() && j < b.size(); ++i) {
    const std::size_t end = std::min(b.size(), j + kLookAhead);
    for (std::size_t at = j; at < end; ++at) {
      if (a[i] == b[at]) {
        pairs.emplace_back(offset + i, offset + at);
        j = at + 1;
        break;
      }
    }
  }
}

}  // namespace

std::string withoutCounters(std::string_view name) {
  std::string kept;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t end = std::min(name.find_first_not_of("0123456789", i), name.size());
    const bool endsWord = end == name.size() || name[end] == '_';
    if (end == i || !endsWord || i == 0) {
      kept += name[i++];
    } else {
      i = end;
    }
  }
  return kept;
}

Alignment alignCalls(std::span<const CallKey> a, std::span<const CallKey> b) {
  Alignment alignment;
  if (std::ranges::equal(a, b, {}, &CallKey::name, &CallKey::name)) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      alignment.pairs.emplace_back(i, i);
    }
    return alignment;
  }
  alignment.matching = CallMatching::ByNames;
  std::map<std::pair<std::string, std::string>, std::uint32_t> known;
  const Ids idsA = idsOf(a, known);
  const Ids idsB = idsOf(b, known);
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t begin = 0;
  while (begin < shorter && idsA[begin] == idsB[begin]) {
    alignment.pairs.emplace_back(begin, begin);
    ++begin;
  }
  std::size_t tail = 0;
  while (begin + tail < shorter && idsA[a.size() - 1 - tail] == idsB[b.size() - 1 - tail]) {
    ++tail;
  }
  const auto middleA = std::span(idsA).subspan(begin, a.size() - begin - tail);
  const auto middleB = std::span(idsB).subspan(begin, b.size() - begin - tail);
  const bool fits = middleA.empty() || middleB.size() + 1 <= kMostCells / (middleA.size() + 1);
  (fits ? longestCommon : nearestCommon)(middleA, middleB, begin, alignment.pairs);
  for (; tail > 0; --tail) {
    alignment.pairs.emplace_back(a.size() - tail, b.size() - tail);
  }
  return alignment;
}

}  // namespace opscope::session
