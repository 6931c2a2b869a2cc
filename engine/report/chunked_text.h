// SPDX-License-Identifier: Apache-2.0
// Text of large files, handed on in pieces while it is written, so that it need not be in memory whole. One
// thread; owns the piece that it fills.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/result.h"

namespace opscope::report {

/// Takes the next piece. After an error no more pieces come.
using TextSink = std::function<base::Result<>(std::string_view)>;

class ChunkedText {
 public:
  explicit ChunkedText(TextSink sink) : m_sink(std::move(sink)) {}

  void append(std::string_view text) { m_buffer.append(text.data(), text.data() + text.size()); }
  void append(char character) { m_buffer.push_back(character); }
  void appendInteger(std::int64_t value) {
    const fmt::format_int digits(value);
    m_buffer.append(digits.data(), digits.data() + digits.size());
  }
  template <class... Args>
  void format(fmt::format_string<Args...> pattern, Args&&... args) {
    fmt::format_to(std::back_inserter(m_buffer), pattern, std::forward<Args>(args)...);
  }

  /// Hands the piece on when it is large enough; call it between records.
  void passOn() {
    if (m_buffer.size() >= kChunkBytes) flush();
  }

  /// Hands on the rest. Errors: the sink's first.
  base::Result<> finish() {
    flush();
    return m_error ? base::Result<>(*m_error) : base::Result<>();
  }

 private:
  void flush() {
    if (!m_error) {
      if (auto taken = m_sink({m_buffer.data(), m_buffer.size()}); !taken) m_error = taken.error();
    }
    m_buffer.clear();
  }

  static constexpr std::size_t kChunkBytes = std::size_t{1} << 18;

  TextSink m_sink;
  fmt::memory_buffer m_buffer;
  std::optional<base::Error> m_error;
};

}  // namespace opscope::report
