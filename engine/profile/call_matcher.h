// SPDX-License-Identifier: Apache-2.0
// Finds for each record the call that it is a sample of: the same instruction, at the same depth, with the
// same shapes, met for the same time in its step. Repeats that take other branches keep their common calls
// together, and calls that only some repeats made stand where they were made. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/record.h"

namespace opscope::profile {

class CallMatcher {
 public:
  /// What tells calls apart. `occurrence` counts equal ones within a step of one repeat, from 0.
  struct Key {
    std::uint32_t step = 0;
    std::uint32_t instruction = 0;
    std::uint32_t function = 0;
    std::uint32_t shapes = 0;
    std::uint32_t depth = 0;
    std::uint32_t occurrence = 0;
    bool operator==(const Key&) const = default;
  };

  /// Adds one repeat: for each of its records, in order, the step it belongs to and the record. Returns the
  /// number of the call for each record, until the next repeat; numbers are in order of first sight.
  const std::vector<std::uint32_t>& addRepeat(std::span<const Key> records);

  /// All calls met so far by number.
  const std::vector<Key>& calls() const { return m_calls; }
  /// Numbers of all calls in order of execution.
  std::vector<std::uint32_t> order() const;

 private:
  static constexpr std::uint32_t kEnd = 0xFFFFFFFFu;

  /// Numbers by key, in one block: a million calls in a repeat would else be as many allocations.
  class Numbers {
   public:
    /// For `count` keys without growing.
    void reserve(std::size_t count);
    void clear();
    /// The number of a key, which is `value` when the key is new.
    std::uint32_t& place(const Key& key, std::uint32_t value);

   private:
    struct Slot {
      Key key;
      std::uint32_t value = kEnd;  // kEnd: free
    };
    std::size_t slotOf(const Key& key) const;

    std::vector<Slot> m_slots;  // a power of two
    std::size_t m_used = 0;
  };
  std::uint32_t numberOf(Key key, std::uint32_t previous);

  std::vector<Key> m_calls;
  std::vector<std::uint32_t> m_next;  // the call that follows in order of execution; kEnd after the last
  std::uint32_t m_first = kEnd;
  Numbers m_numbers;
  Numbers m_seen;  // occurrences in the repeat at hand
  std::vector<Key> m_lastRecords;
  std::vector<std::uint32_t> m_lastNumbers;
};

}  // namespace opscope::profile
