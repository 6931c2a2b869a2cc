// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/call_matcher.h"

#include <algorithm>

namespace opscope::profile {

std::size_t CallMatcher::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (const std::uint32_t word :
       {key.step, key.instruction, key.function, key.shapes, key.depth, key.occurrence}) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  return hash;
}

const std::vector<std::uint32_t>& CallMatcher::addRepeat(std::span<const Key> records) {
  // Nearly always a repeat makes the calls of the one before.
  if (!m_lastRecords.empty() && std::ranges::equal(records, m_lastRecords)) {
    return m_lastNumbers;
  }
  m_lastNumbers.clear();
  m_lastNumbers.reserve(records.size());
  m_seen.clear();
  std::uint32_t previous = kEnd;
  for (Key key : records) {
    key.occurrence = m_seen[key]++;
    previous = numberOf(key, previous);
    m_lastNumbers.push_back(previous);
  }
  m_lastRecords.assign(records.begin(), records.end());
  return m_lastNumbers;
}

std::uint32_t CallMatcher::numberOf(Key key, std::uint32_t previous) {
  const auto [place, isNew] = m_numbers.try_emplace(key, static_cast<std::uint32_t>(m_calls.size()));
  if (isNew) {
    m_calls.push_back(key);
    std::uint32_t& link = previous == kEnd ? m_first : m_next[previous];
    const std::uint32_t following = link;
    link = place->second;
    m_next.push_back(following);
  }
  return place->second;
}

std::vector<std::uint32_t> CallMatcher::order() const {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(m_calls.size());
  for (std::uint32_t number = m_first; number != kEnd; number = m_next[number]) {
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace opscope::profile
