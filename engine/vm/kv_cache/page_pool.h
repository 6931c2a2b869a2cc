// SPDX-License-Identifier: Apache-2.0
// The ids of the pages of a KV cache that no block holds. One thread, that of its cache.
#pragma once

#include <cstdint>
#include <vector>

namespace opscope::vm {

class PagePool {
 public:
  explicit PagePool(std::int32_t pageCount) : m_pageCount(pageCount) { reset(); }

  /// All pages are free again; the lowest id is given out first.
  void reset() {
    m_free.clear();
    for (std::int32_t page = m_pageCount; page-- > 0;) {
      m_free.push_back(page);
    }
  }
  std::int64_t available() const { return static_cast<std::int64_t>(m_free.size()); }
  std::int32_t pageCount() const { return m_pageCount; }

  /// Callers ask available() first: this expects a free page.
  std::int32_t take() {
    const std::int32_t page = m_free.back();
    m_free.pop_back();
    return page;
  }
  void give(std::int32_t page) { m_free.push_back(page); }

 private:
  std::int32_t m_pageCount;
  std::vector<std::int32_t> m_free;
};

}  // namespace opscope::vm
