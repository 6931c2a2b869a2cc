// SPDX-License-Identifier: Apache-2.0
#include "engine/report/json_syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/report/json_reader.h"

namespace opscope::report {

namespace {

constexpr std::size_t kMaxDepth = 1024;  // simdjson's own limit

/// Follows the parser to know where it is when it stops. The names of the callbacks are the library's.
class PathFinder {
 public:
  using Json = nlohmann::json;

  explicit PathFinder(std::string_view text) : m_text(text) {}

  bool null() { return value(); }
  bool boolean(bool) { return value(); }
  bool number_integer(Json::number_integer_t) { return value(); }
  bool number_unsigned(Json::number_unsigned_t) { return value(); }
  bool number_float(Json::number_float_t, const Json::string_t& digits) {
    value();
    // Integers that do not fit 64 bits arrive here as reals; the fast parser refuses them.
    if (digits.find_first_of(".eE") != std::string::npos) return true;
    m_detail = fmt::format("Found the integer {}, expected one that fits 64 bits.", shown(digits));
    return false;
  }
  bool string(const Json::string_t&) { return value(); }
  bool binary(const Json::binary_t&) { return value(); }
  bool start_object(std::size_t) { return enter(Level{false, 0, {}}); }
  bool key(const Json::string_t& name) {
    m_levels.back().key = name;
    return true;
  }
  bool end_object() { return leave(); }
  bool start_array(std::size_t) { return enter(Level{true, 0, {}}); }
  bool end_array() { return leave(); }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception& error) {
    m_position = position;
    m_hasPosition = true;
    if (const std::string_view word = numberWord(position); !word.empty()) {
      m_detail = fmt::format("Found {}, expected a value; JSON has no NaN or infinity.", word);
      return false;
    }
    if (error.id == 406) {
      m_detail = fmt::format("Found the number {}, expected one that fits 64 bits.", shown(token));
      return false;
    }
    // "[json.exception.parse_error.101] parse error at line 1, column 5: REASON"
    const std::string_view what = error.what();
    const std::size_t reason = what.find(": ");
    m_detail = fmt::format("The parser says: {}.",
                           reason == std::string_view::npos ? what : what.substr(reason + 2));
    return false;
  }

  SyntaxError result(const std::string& fallback) const {
    SyntaxError error;
    error.detail = m_detail.empty() ? fallback : m_detail;
    const std::string where = path();
    if (m_hasPosition) {
      const std::string_view read = m_text.substr(0, std::min(m_position, m_text.size()));
      const auto line = std::count(read.begin(), read.end(), '\n') + 1;
      const std::size_t lineStart = read.rfind('\n');
      const std::size_t column = read.size() - (lineStart == std::string_view::npos ? 0 : lineStart + 1);
      error.place = fmt::format("line {}, column {}", line, column);
    }
    if (!where.empty()) error.place += (error.place.empty() ? "" : ", in ") + where;
    if (error.place.empty()) error.place = "an unknown place";
    return error;
  }

 private:
  struct Level {
    bool isArray = false;
    std::size_t next = 0;
    std::string key;
  };

  static std::string_view shown(std::string_view token) { return token.substr(0, 40); }

  bool value() {
    if (!m_levels.empty() && m_levels.back().isArray) ++m_levels.back().next;
    return true;
  }
  bool enter(Level level) {
    if (m_levels.size() >= kMaxDepth) {
      m_detail = fmt::format("Found more than {} levels of brackets, expected fewer.", kMaxDepth);
      return false;
    }
    m_levels.push_back(std::move(level));
    return true;
  }
  bool leave() {
    m_levels.pop_back();
    return value();
  }

  /// The first levels; the rest of a deep nesting tells nothing.
  std::string path() const {
    constexpr std::size_t kShown = 6;
    std::string path;
    for (std::size_t depth = 0; depth < std::min(m_levels.size(), kShown); ++depth) {
      const Level& level = m_levels[depth];
      if (level.isArray) {
        appendJsonPath(path, level.next);
      } else if (!level.key.empty()) {
        appendJsonPath(path, level.key);
      }
    }
    return m_levels.size() > kShown ? path + "…" : path;
  }

  /// What C and Python print for numbers that are none, when the parser stopped in such a word.
  std::string_view numberWord(std::size_t position) const {
    const std::string_view read = m_text.substr(0, std::min(position, m_text.size()));
    const std::size_t before = read.find_last_not_of("-NaInfity");
    const std::string_view rest = m_text.substr(before == std::string_view::npos ? 0 : before + 1);
    for (const std::string_view word : {"NaN", "nan", "-nan", "Infinity", "-Infinity", "inf", "-inf"}) {
      if (rest.starts_with(word)) return word;
    }
    return {};
  }

  std::string_view m_text;
  std::vector<Level> m_levels;
  std::string m_detail;
  std::size_t m_position = 0;
  bool m_hasPosition = false;
};

}  // namespace

SyntaxError findSyntaxError(std::string_view text, const std::string& fallback) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return {"its start", "Found an empty file, expected a JSON object."};
  }
  PathFinder finder(text);
  nlohmann::json::sax_parse(text.begin(), text.end(), &finder);
  return finder.result(fallback);
}

}  // namespace opscope::report
