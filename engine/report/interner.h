// SPDX-License-Identifier: Apache-2.0
// Gives each different text one number. One thread; fills a table that the caller owns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace opscope::report {

class Interner {
 public:
  /// New texts are appended to `texts`; what stands there already is not looked at.
  explicit Interner(std::vector<std::string>& texts) : m_texts(texts) {}

  std::uint32_t idOf(std::string_view text) {
    const auto known = m_ids.find(text);
    if (known != m_ids.end()) return known->second;
    const auto id = static_cast<std::uint32_t>(m_texts.size());
    m_texts.emplace_back(text);
    m_ids.emplace(std::string(text), id);
    return id;
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::vector<std::string>& m_texts;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> m_ids;
};

}  // namespace opscope::report
