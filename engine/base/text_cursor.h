// SPDX-License-Identifier: Apache-2.0
// A place in a text for small parsers, which build on it. One thread; the text outlives it.
#pragma once

#include <cstddef>
#include <string_view>

namespace opscope::base {

class TextCursor {
 protected:
  explicit TextCursor(std::string_view text) : m_text(text) {}

  /// Blanks, tabs and line ends.
  void skipSpace() {
    m_position = m_text.find_first_not_of(" \t\r\n", m_position);
    if (m_position == std::string_view::npos) {
      m_position = m_text.size();
    }
  }
  /// Passes over `token` when it comes next, after blanks.
  bool take(std::string_view token) {
    skipSpace();
    if (!m_text.substr(m_position).starts_with(token)) {
      return false;
    }
    m_position += token.size();
    return true;
  }

  std::string_view m_text;
  std::size_t m_position = 0;
};

}  // namespace opscope::base
