// SPDX-License-Identifier: Apache-2.0
// The ids of the pages of a KV cache that no block holds. One thread, that of its cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

namespace opscope::vm {

class PagePool {
 public:
  explicit PagePool(std::int32_t pageCount) : m_pageCount(pageCount) { reset(); }

  /// All pages are free again.
  void reset() {
    m_free.resize(static_cast<std::size_t>(m_pageCount));
    std::iota(m_free.begin(), m_free.end(), 0);
  }
  std::int64_t available() const { return static_cast<std::int64_t>(m_free.size()); }
  std::int32_t pageCount() const { return m_pageCount; }

  /// The lowest free id: kernels take as long as the highest id that they are shown. Callers ask available()
  /// first: this expects a free page.
  std::int32_t take() {
    std::pop_heap(m_free.begin(), m_free.end(), std::greater<>());
    const std::int32_t page = m_free.back();
    m_free.pop_back();
    return page;
  }
  void give(std::int32_t page) {
    m_free.push_back(page);
    std::push_heap(m_free.begin(), m_free.end(), std::greater<>());
  }

 private:
  std::int32_t m_pageCount;
  std::vector<std::int32_t> m_free;  // a heap, lowest first
};

}  // namespace opscope::vm
