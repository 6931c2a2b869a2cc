// SPDX-License-Identifier: Apache-2.0
#include "engine/report/sequence_alignment.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace opscope::report {

namespace {

using Items = std::span<const std::uint32_t>;

constexpr std::ptrdiff_t kMostEdits = 1000;

/// Myers' greedy search: for each number of edits, how far along `a` each diagonal gets.
class EditSearch {
 public:
  EditSearch(Items a, Items b) : m_a(a), m_b(b) {}

  /// Nothing when the sequences differ in more than kMostEdits places.
  std::optional<IndexPairs> pairs() {
    const auto most = std::min(
        kMostEdits, static_cast<std::ptrdiff_t>(m_a.size()) + static_cast<std::ptrdiff_t>(m_b.size()));
    std::vector<std::ptrdiff_t> furthest(static_cast<std::size_t>(2 * most + 3), 0);
    m_centre = most + 1;
    for (std::ptrdiff_t edits = 0; edits <= most; ++edits) {
      const bool reachedEnd = step(furthest, edits);
      m_history.emplace_back(furthest.begin() + m_centre - edits, furthest.begin() + m_centre + edits + 1);
      if (reachedEnd) return walkBack(edits);
    }
    return std::nullopt;
  }

 private:
  bool step(std::vector<std::ptrdiff_t>& furthest, std::ptrdiff_t edits) const {
    const auto countA = static_cast<std::ptrdiff_t>(m_a.size());
    const auto countB = static_cast<std::ptrdiff_t>(m_b.size());
    for (std::ptrdiff_t diagonal = -edits; diagonal <= edits; diagonal += 2) {
      std::ptrdiff_t* const at = &furthest[static_cast<std::size_t>(m_centre + diagonal)];
      const bool down = diagonal == -edits || (diagonal != edits && at[-1] < at[1]);
      std::ptrdiff_t x = edits == 0 ? 0 : (down ? at[1] : at[-1] + 1);
      std::ptrdiff_t y = x - diagonal;
      while (x < countA && y < countB &&
             m_a[static_cast<std::size_t>(x)] == m_b[static_cast<std::size_t>(y)]) {
        ++x;
        ++y;
      }
      *at = x;
      if (x >= countA && y >= countB) return true;
    }
    return false;
  }

  /// The way that led to the end, backwards: equal items along diagonals are the pairs.
  IndexPairs walkBack(std::ptrdiff_t edits) const {
    IndexPairs pairs;
    auto x = static_cast<std::ptrdiff_t>(m_a.size());
    auto y = static_cast<std::ptrdiff_t>(m_b.size());
    for (; edits >= 0; --edits) {
      std::ptrdiff_t beforeX = 0;
      std::ptrdiff_t beforeY = 0;
      std::ptrdiff_t runStart = 0;
      if (edits > 0) {
        const std::vector<std::ptrdiff_t>& before = m_history[static_cast<std::size_t>(edits - 1)];
        const auto at = [&](std::ptrdiff_t diagonal) {
          return before[static_cast<std::size_t>(diagonal + edits - 1)];
        };
        const std::ptrdiff_t diagonal = x - y;
        const bool down = diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
        beforeX = at(down ? diagonal + 1 : diagonal - 1);
        beforeY = beforeX - (down ? diagonal + 1 : diagonal - 1);
        runStart = down ? beforeX : beforeX + 1;
      }
      for (; x > runStart && x > 0 && y > 0; --x, --y) {
        pairs.emplace_back(static_cast<std::size_t>(x - 1), static_cast<std::size_t>(y - 1));
      }
      x = beforeX;
      y = beforeY;
    }
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
  }

  Items m_a;
  Items m_b;
  std::ptrdiff_t m_centre = 0;
  std::vector<std::vector<std::ptrdiff_t>> m_history;  ///< by edits: diagonals -edits ... edits
};

/// Pairs the k-th occurrence of each item with the k-th on the other side and keeps the longest ascending
/// part.
IndexPairs pairByOccurrence(Items a, Items b) {
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> places;
  for (std::size_t i = b.size(); i-- > 0;) places[b[i]].push_back(i);
  IndexPairs candidates;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto found = places.find(a[i]);
    if (found == places.end() || found->second.empty()) continue;
    candidates.emplace_back(i, found->second.back());
    found->second.pop_back();
  }
  std::vector<std::size_t> ends;  // candidate that ends the best ascending part of each length
  std::vector<std::size_t> before(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto place = std::lower_bound(
        ends.begin(), ends.end(), candidates[i].second,
        [&candidates](std::size_t end, std::size_t value) { return candidates[end].second < value; });
    before[i] = place == ends.begin() ? candidates.size() : *(place - 1);
    if (place == ends.end()) {
      ends.push_back(i);
    } else {
      *place = i;
    }
  }
  IndexPairs pairs;
  for (std::size_t i = ends.empty() ? candidates.size() : ends.back(); i < candidates.size(); i = before[i]) {
    pairs.push_back(candidates[i]);
  }
  std::reverse(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

IndexPairs alignSequences(Items a, Items b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  std::size_t head = 0;
  while (head < shorter && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (head + tail < shorter && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const Items middleA = a.subspan(head, a.size() - head - tail);
  const Items middleB = b.subspan(head, b.size() - head - tail);
  std::optional<IndexPairs> middle = EditSearch(middleA, middleB).pairs();
  if (!middle) middle = pairByOccurrence(middleA, middleB);
  IndexPairs pairs;
  pairs.reserve(head + middle->size() + tail);
  for (std::size_t i = 0; i < head; ++i) pairs.emplace_back(i, i);
  for (const auto& [x, y] : *middle) pairs.emplace_back(head + x, head + y);
  for (; tail > 0; --tail) pairs.emplace_back(a.size() - tail, b.size() - tail);
  return pairs;
}

}  // namespace opscope::report
