// SPDX-License-Identifier: Apache-2.0
#include "engine/report/op_matching.h"

#include <algorithm>
#include <unordered_map>

#include "engine/report/interner.h"
#include "engine/report/sequence_alignment.h"

namespace opscope::report {

namespace {

enum class Likeness { Same, SameName, SameStem };

constexpr Likeness kLikenesses[] = {Likeness::Same, Likeness::SameName, Likeness::SameStem};

/// What rows must share, as one text.
std::string keyOf(const Run& run, const OpRow& row, Likeness likeness) {
  constexpr char kBetween = '\0';
  std::string key(likeness == Likeness::SameStem ? nameStem(nameOf(run, row))
                                                 : std::string(nameOf(run, row)));
  if (likeness != Likeness::SameName) {
    key += kBetween;
    key += shapesOf(run, row);
  }
  if (likeness == Likeness::Same) {
    key += kBetween;
    key += deviceOf(run, row);
  }
  return key;
}

/// Keys of the rows of both tables as numbers.
struct Keys {
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
};

class Matcher {
 public:
  Matcher(const Run& runA, const OpTable& a, const Run& runB, const OpTable& b)
      : m_runA(runA), m_runB(runB), m_a(a), m_b(b), m_ofA(a.rows.size()), m_ofB(b.rows.size()) {}

  std::vector<MatchedRows> byPosition() {
    for (const Likeness likeness : kLikenesses) {
      const Keys keys = keysOf(likeness);
      std::size_t beginA = 0;
      std::size_t beginB = 0;
      for (const auto& [endA, endB] : gapEnds()) {
        alignGap(keys, beginA, endA, beginB, endB);
        beginA = endA + 1;
        beginB = endB + 1;
      }
    }
    return inOrderOfBoth();
  }

  std::vector<MatchedRows> byName() {
    for (const Likeness likeness : kLikenesses) {
      const Keys keys = keysOf(likeness);
      std::unordered_map<std::uint32_t, std::vector<std::size_t>> leftA = unmatched(keys.a, m_ofA);
      std::unordered_map<std::uint32_t, std::vector<std::size_t>> leftB = unmatched(keys.b, m_ofB);
      for (const auto& [key, rowsA] : leftA) {
        const auto found = leftB.find(key);
        if (found == leftB.end()) continue;
        const std::vector<std::size_t>& rowsB = found->second;
        if (likeness != Likeness::Same && (rowsA.size() > 1 || rowsB.size() > 1)) continue;
        for (std::size_t i = 0; i < std::min(rowsA.size(), rowsB.size()); ++i) pair(rowsA[i], rowsB[i]);
      }
    }
    std::vector<MatchedRows> rows;
    for (std::size_t i = 0; i < m_ofB.size(); ++i) rows.push_back({m_ofB[i], i});
    for (std::size_t i = 0; i < m_ofA.size(); ++i) {
      if (!m_ofA[i]) rows.push_back({i, std::nullopt});
    }
    return rows;
  }

 private:
  Keys keysOf(Likeness likeness) const {
    std::vector<std::string> texts;
    Interner interner(texts);
    Keys keys;
    for (const OpRow& row : m_a.rows) keys.a.push_back(interner.idOf(keyOf(m_runA, row, likeness)));
    for (const OpRow& row : m_b.rows) keys.b.push_back(interner.idOf(keyOf(m_runB, row, likeness)));
    return keys;
  }

  /// Matched pairs so far, and the ends of both tables: gaps lie before each.
  IndexPairs gapEnds() const {
    IndexPairs ends;
    for (std::size_t i = 0; i < m_ofA.size(); ++i) {
      if (m_ofA[i]) ends.emplace_back(i, *m_ofA[i]);
    }
    ends.emplace_back(m_ofA.size(), m_ofB.size());
    return ends;
  }

  void alignGap(const Keys& keys, std::size_t beginA, std::size_t endA, std::size_t beginB,
                std::size_t endB) {
    const std::span<const std::uint32_t> a(keys.a.data() + beginA, endA - beginA);
    const std::span<const std::uint32_t> b(keys.b.data() + beginB, endB - beginB);
    if (a.empty() || b.empty()) return;
    for (const auto& [x, y] : alignSequences(a, b)) pair(beginA + x, beginB + y);
  }

  static std::unordered_map<std::uint32_t, std::vector<std::size_t>> unmatched(
      const std::vector<std::uint32_t>& keys, const std::vector<std::optional<std::size_t>>& other) {
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> rows;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!other[i]) rows[keys[i]].push_back(i);
    }
    return rows;
  }

  void pair(std::size_t rowA, std::size_t rowB) {
    m_ofA[rowA] = rowB;
    m_ofB[rowB] = rowA;
  }

  /// What is gone stands before what is new at the same place.
  std::vector<MatchedRows> inOrderOfBoth() const {
    std::vector<MatchedRows> rows;
    std::size_t nextB = 0;
    for (std::size_t i = 0; i <= m_ofA.size(); ++i) {
      if (i < m_ofA.size() && !m_ofA[i]) {
        rows.push_back({i, std::nullopt});
        continue;
      }
      const std::size_t endB = i < m_ofA.size() ? *m_ofA[i] : m_ofB.size();
      for (; nextB < endB; ++nextB) rows.push_back({std::nullopt, nextB});
      if (i == m_ofA.size()) break;
      rows.push_back({i, nextB++});
    }
    return rows;
  }

  const Run& m_runA;
  const Run& m_runB;
  const OpTable& m_a;
  const OpTable& m_b;
  std::vector<std::optional<std::size_t>> m_ofA;  ///< by row of a: its row of b
  std::vector<std::optional<std::size_t>> m_ofB;
};

}  // namespace

std::string_view matchingName(Matching matching) {
  return matching == Matching::ByPosition ? "position" : "name";
}

std::string nameStem(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  std::string stem;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('_', begin), name.size());
    const std::string_view word = name.substr(begin, end - begin);
    const std::size_t last = word.find_last_not_of(kDigits);
    stem += last == std::string_view::npos ? word : word.substr(0, last + 1);
    if (end < name.size()) stem += '_';
    begin = end + 1;
  }
  return stem;
}

std::vector<MatchedRows> matchRows(const Run& runA, const OpTable& a, const Run& runB, const OpTable& b,
                                   Matching matching) {
  Matcher matcher(runA, a, runB, b);
  return matching == Matching::ByPosition ? matcher.byPosition() : matcher.byName();
}

}  // namespace opscope::report
