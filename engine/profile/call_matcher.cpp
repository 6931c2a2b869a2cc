// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/call_matcher.h"

#include <algorithm>
#include <bit>

namespace opscope::profile {

namespace {

std::size_t hashOf(const CallMatcher::Key& key) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (const std::uint32_t word :
       {key.step, key.instruction, key.function, key.shapes, key.depth, key.occurrence}) {
    hash = (hash ^ word) * 0xD6E8FEB86659FD93u;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

void CallMatcher::Numbers::reserve(std::size_t count) {
  constexpr std::size_t kLeast = 64;
  const std::size_t wanted = std::bit_ceil(std::max(kLeast, count + count / 2));
  if (wanted <= m_slots.size()) {
    return;
  }
  std::vector<Slot> old(wanted);
  old.swap(m_slots);
  for (const Slot& slot : old) {
    if (slot.value != kEnd) {
      m_slots[slotOf(slot.key)] = slot;
    }
  }
}

void CallMatcher::Numbers::clear() {
  std::ranges::fill(m_slots, Slot());
  m_used = 0;
}

std::size_t CallMatcher::Numbers::slotOf(const Key& key) const {
  const std::size_t mask = m_slots.size() - 1;
  std::size_t at = hashOf(key) & mask;
  while (m_slots[at].value != kEnd && m_slots[at].key != key) {
    at = (at + 1) & mask;
  }
  return at;
}

std::uint32_t& CallMatcher::Numbers::place(const Key& key, std::uint32_t value) {
  reserve(m_used + 1);
  Slot& slot = m_slots[slotOf(key)];
  if (slot.value == kEnd) {
    slot = {key, value};
    ++m_used;
  }
  return slot.value;
}

const std::vector<std::uint32_t>& CallMatcher::addRepeat(std::span<const Key> records) {
  // Nearly always a repeat makes the calls of the one before.
  if (!m_lastRecords.empty() && std::ranges::equal(records, m_lastRecords)) {
    return m_lastNumbers;
  }
  m_lastNumbers.clear();
  m_lastNumbers.reserve(records.size());
  m_seen.clear();
  m_seen.reserve(records.size());
  m_numbers.reserve(records.size());
  std::uint32_t previous = kEnd;
  for (Key key : records) {
    key.occurrence = m_seen.place(key, 0)++;
    previous = numberOf(key, previous);
    m_lastNumbers.push_back(previous);
  }
  m_lastRecords.assign(records.begin(), records.end());
  return m_lastNumbers;
}

std::uint32_t CallMatcher::numberOf(Key key, std::uint32_t previous) {
  const auto next = static_cast<std::uint32_t>(m_calls.size());
  const std::uint32_t number = m_numbers.place(key, next);
  if (number == next) {
    m_calls.push_back(key);
    std::uint32_t& link = previous == kEnd ? m_first : m_next[previous];
    const std::uint32_t following = link;
    link = number;
    m_next.push_back(following);
  }
  return number;
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
