// SPDX-License-Identifier: Apache-2.0
#include "engine/report/json_columns.h"

#include <fmt/format.h>

namespace opscope::report {

namespace {

using base::Result;
using simdjson::dom::array;
using simdjson::dom::object;

constexpr double kMostNumber = 1e18;

Result<double> numberFrom(const JsonFile& file, JsonElement element, const JsonPlace& place, double least) {
  OPSCOPE_TRY_ASSIGN(const double value, file.number(element, place));
  if (value < least || value > kMostNumber) {
    return file.error(place, describeJson(element), fmt::format("a number from {} to 1e18", least));
  }
  return value;
}

Result<std::int64_t> integerFrom(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                 std::int64_t least, std::int64_t limit) {
  OPSCOPE_TRY_ASSIGN(const std::int64_t value, file.integer(element, place));
  if (value < least || value >= limit) {
    return file.error(place, describeJson(element),
                      fmt::format("an integer from {} to below {}", least, limit));
  }
  return value;
}

}  // namespace

Result<JsonColumns> JsonColumns::open(const JsonFile& file, const object& parent, std::string_view key,
                                      std::string_view lengthKey, const JsonPlace& parentPlace,
                                      const JsonPlace& place) {
  OPSCOPE_TRY_ASSIGN(const JsonElement element, file.member(parent, key, parentPlace));
  OPSCOPE_TRY_ASSIGN(const object fields, file.object(element, place));
  JsonColumns columns(file, fields, place);
  OPSCOPE_TRY_ASSIGN(const JsonElement first, file.member(fields, lengthKey, place));
  OPSCOPE_TRY_ASSIGN(const array values, file.array(first, place.member(lengthKey)));
  // Counted one by one: simdjson's own count stops at 16 777 215.
  for (const JsonElement value : values) {
    (void)value;
    ++columns.m_length;
  }
  return columns;
}

template <class Read>
Result<> JsonColumns::each(std::string_view key, Read&& read) const {
  const JsonPlace place = m_place->member(key);
  OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file->member(m_fields, key, *m_place));
  OPSCOPE_TRY_ASSIGN(const array values, m_file->array(element, place));
  std::size_t position = 0;
  for (const JsonElement value : values) {
    OPSCOPE_TRY(read(value, place.item(position++)));
  }
  if (position != m_length) {
    return m_file->error(place, fmt::format("{} values", position), fmt::format("{}", m_length));
  }
  return {};
}

Result<> JsonColumns::numbers(std::string_view key, double least, std::vector<double>& out) const {
  out.reserve(m_length);
  return each(key, [&](JsonElement element, const JsonPlace& place) -> Result<> {
    OPSCOPE_TRY_ASSIGN(const double value, numberFrom(*m_file, element, place, least));
    out.push_back(value);
    return {};
  });
}

Result<> JsonColumns::integers(std::string_view key, std::int64_t least, std::int64_t limit,
                               std::vector<std::int64_t>& out) const {
  out.reserve(m_length);
  return each(key, [&](JsonElement element, const JsonPlace& place) -> Result<> {
    OPSCOPE_TRY_ASSIGN(const std::int64_t value, integerFrom(*m_file, element, place, least, limit));
    out.push_back(value);
    return {};
  });
}

Result<> JsonColumns::indices(std::string_view key, std::size_t limit,
                              std::vector<std::uint32_t>& out) const {
  out.reserve(m_length);
  return each(key, [&](JsonElement element, const JsonPlace& place) -> Result<> {
    OPSCOPE_TRY_ASSIGN(const std::int64_t value,
                       integerFrom(*m_file, element, place, -1, static_cast<std::int64_t>(limit)));
    out.push_back(value < 0 ? kNone : static_cast<std::uint32_t>(value));
    return {};
  });
}

Result<> JsonColumns::flags(std::string_view key, std::vector<bool>& out) const {
  out.reserve(m_length);
  return each(key, [&](JsonElement element, const JsonPlace& place) -> Result<> {
    OPSCOPE_TRY_ASSIGN(const bool value, m_file->boolean(element, place));
    out.push_back(value);
    return {};
  });
}

Result<std::int64_t> jsonInteger(const JsonFile& file, const object& fields, std::string_view key,
                                 const JsonPlace& place, std::int64_t least, std::int64_t limit) {
  OPSCOPE_TRY_ASSIGN(const JsonElement element, file.member(fields, key, place));
  return integerFrom(file, element, place.member(key), least, limit);
}

Result<double> jsonNumber(const JsonFile& file, const object& fields, std::string_view key,
                          const JsonPlace& place, double least) {
  OPSCOPE_TRY_ASSIGN(const JsonElement element, file.member(fields, key, place));
  return numberFrom(file, element, place.member(key), least);
}

}  // namespace opscope::report
