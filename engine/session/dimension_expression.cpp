// SPDX-License-Identifier: Apache-2.0
#include "engine/session/dimension_expression.h"

#include <algorithm>
#include <charconv>

#include "engine/base/text_cursor.h"

namespace opscope::session {

namespace {

bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isNamePart(char c) {
  return isNameStart(c) || (c >= '0' && c <= '9') || c == '.';
}

/// Functions that TVM's printer writes around and between numbers.
bool isFunction(std::string_view name) {
  return name.starts_with("T.") || name == "min" || name == "max";
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

/// Recursive descent; every function leaves m_failed set when the text makes no sense.
class Evaluator : private base::TextCursor {
 public:
  Evaluator(std::string_view text, const std::map<std::string, std::int64_t>& sizes)
      : TextCursor(text), m_sizes(sizes) {}

  std::optional<std::int64_t> run() {
    const std::int64_t value = sum();
    skipSpace();
    return m_failed || m_position != m_text.size() ? std::nullopt : std::optional(value);
  }

 private:
  /// Deeper brackets than this are not written by any compiler.
  static constexpr int kDepthLimit = 64;

  std::int64_t fail() {
    m_failed = true;
    return 0;
  }

  std::int64_t sum() {
    std::int64_t value = product();
    while (!m_failed) {
      const bool plus = take("+");
      if (!plus && !take("-")) {
        return value;
      }
      const std::int64_t right = product();
      if (plus ? __builtin_add_overflow(value, right, &value)
               : __builtin_sub_overflow(value, right, &value)) {
        return fail();
      }
    }
    return 0;
  }

  std::int64_t product() {
    std::int64_t value = atom();
    while (!m_failed) {
      const char op = take("//") ? '/' : take("*") ? '*' : take("%") ? '%' : '\0';
      if (op == '\0') {
        return value;
      }
      const std::int64_t right = atom();
      // TVM's floor division; divisors of dimensions are positive.
      if (op == '*' ? __builtin_mul_overflow(value, right, &value) : right <= 0) {
        return fail();
      }
      if (op != '*') {
        const std::int64_t quotient = floorDivide(value, right);
        value = op == '/' ? quotient : value - quotient * right;
      }
    }
    return 0;
  }

  std::int64_t atom() {
    if (++m_depth > kDepthLimit) {
      return fail();
    }
    const std::int64_t value = atomInside();
    --m_depth;
    return value;
  }

  std::int64_t atomInside() {
    if (take("(")) {
      const std::int64_t value = sum();
      return take(")") ? value : fail();
    }
    if (take("-")) {
      std::int64_t negative = 0;
      return __builtin_sub_overflow(std::int64_t{0}, atom(), &negative) ? fail() : negative;
    }
    skipSpace();
    const std::size_t begin = m_position;
    while (m_position < m_text.size() && isNamePart(m_text[m_position])) {
      ++m_position;
    }
    const std::string_view word = m_text.substr(begin, m_position - begin);
    if (word.empty()) {
      return fail();
    }
    if (!isNameStart(word[0])) {
      std::int64_t value = 0;
      const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
      return failure == std::errc() && end == word.data() + word.size() ? value : fail();
    }
    if (isFunction(word) && take("(")) {
      return call(word);
    }
    const auto size = m_sizes.find(std::string(word));
    return size == m_sizes.end() ? fail() : size->second;
  }

  std::int64_t call(std::string_view name) {
    std::int64_t value = sum();
    if (name == "T.int64" || name == "T.int32") {
      return take(")") ? value : fail();
    }
    if (!take(",")) {
      return fail();
    }
    const std::int64_t right = sum();
    if (!take(")")) {
      return fail();
    }
    if (name == "T.min" || name == "min") {
      return std::min(value, right);
    }
    return name == "T.max" || name == "max" ? std::max(value, right) : fail();
  }

  const std::map<std::string, std::int64_t>& m_sizes;
  int m_depth = 0;
  bool m_failed = false;
};

}  // namespace

std::optional<std::int64_t> evaluateDimension(std::string_view text,
                                              const std::map<std::string, std::int64_t>& sizes) {
  return Evaluator(text, sizes).run();
}

std::vector<std::string> namesInDimension(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < text.size();) {
    if (!isNamePart(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && isNamePart(text[i])) {
      ++i;
    }
    const std::string word(text.substr(begin, i - begin));
    if (isNameStart(word[0]) && !isFunction(word) &&
        std::find(names.begin(), names.end(), word) == names.end()) {
      names.push_back(word);
    }
  }
  return names;
}

}  // namespace opscope::session
