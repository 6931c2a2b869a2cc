// SPDX-License-Identifier: Apache-2.0
// The places in machine code from which calls were made, by return address, numbered in order of their first
// call. One thread. The usual path is one look at a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opscope::profile {

class CallSiteTable {
 public:
  struct Site {
    const void* returnAddress = nullptr;
    std::uint32_t number = 0;
    std::uint32_t function = 0;    ///< what is called there; the user's number
    const void* callee = nullptr;  ///< the user's, to see whether `function` still holds
  };

  CallSiteTable() : m_slots(kFirstSlots) {}

  /// Throws std::bad_alloc when it has to grow and cannot. The reference holds until the next call.
  Site& at(const void* returnAddress) {
    std::size_t place = placeOf(returnAddress);
    while (m_slots[place].returnAddress != returnAddress) {
      if (m_slots[place].returnAddress == nullptr) {
        return add(returnAddress, place);
      }
      place = (place + 1) & (m_slots.size() - 1);
    }
    return m_slots[place];
  }
  std::size_t size() const { return m_count; }

 private:
  static constexpr std::size_t kFirstSlots = 1024;  // a power of two, as always

  std::size_t placeOf(const void* returnAddress) const {
    const auto address = reinterpret_cast<std::uintptr_t>(returnAddress);
    return (address * 0x9E3779B97F4A7C15u >> 32) & (m_slots.size() - 1);
  }
  Site& add(const void* returnAddress, std::size_t place) {
    if (2 * (m_count + 1) > m_slots.size()) {
      grow();
      return at(returnAddress);
    }
    m_slots[place] = {returnAddress, m_count++, 0, nullptr};
    return m_slots[place];
  }
  void grow() {
    std::vector<Site> before(2 * m_slots.size());
    before.swap(m_slots);
    for (const Site& site : before) {
      if (site.returnAddress != nullptr) {
        std::size_t place = placeOf(site.returnAddress);
        while (m_slots[place].returnAddress != nullptr) {
          place = (place + 1) & (m_slots.size() - 1);
        }
        m_slots[place] = site;
      }
    }
  }

  std::vector<Site> m_slots;
  std::uint32_t m_count = 0;
};

}  // namespace opscope::profile
