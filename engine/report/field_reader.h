// SPDX-License-Identifier: Apache-2.0
// Typed members of JSON objects, each checked, with errors that name the place. For readers of this module's
// sources only: it shows simdjson.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "engine/report/json_reader.h"
#include "engine/report/run_check.h"

namespace opscope::report {

class FieldReader {
 public:
  explicit FieldReader(const JsonFile& file) : m_file(file) {}

 protected:
  using object = simdjson::dom::object;
  using array = simdjson::dom::array;
  template <class T = void>
  using Result = base::Result<T>;

  Result<> readIndices(const object& fields, std::string_view key, const JsonPlace& parent, std::size_t limit,
                       std::vector<std::uint32_t>& out) {
    const JsonPlace place = parent.member(key);
    OPSCOPE_TRY_ASSIGN(const array items, list(fields, key, parent));
    for (const JsonElement item : items) {
      OPSCOPE_TRY_ASSIGN(const std::uint32_t value, m_file.index(item, place.item(out.size()), limit));
      out.push_back(value);
    }
    return {};
  }

  Result<> readTimes(const object& fields, std::string_view key, const JsonPlace& place, std::size_t count,
                     std::vector<double>& out) {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return appendTimes(element, place.member(key), count, out);
  }

  Result<> appendTimes(JsonElement element, const JsonPlace& place, std::size_t count,
                       std::vector<double>& out) {
    OPSCOPE_TRY_ASSIGN(const array items, m_file.array(element, place));
    std::size_t position = 0;
    for (const JsonElement item : items) {
      const JsonPlace itemPlace = place.item(position++);
      OPSCOPE_TRY_ASSIGN(const double ns, m_file.number(item, itemPlace));
      if (ns < 0 || ns > kMostNs)
        return m_file.error(itemPlace, describeJson(item), "nanoseconds from 0 to 1e18");
      out.push_back(ns);
    }
    if (position != count) return wrongLength(place, position, count);
    return {};
  }

  base::Error wrongLength(const JsonPlace& place, std::size_t found, std::size_t expected) const {
    return m_file.error(place, fmt::format("{} values", found), fmt::format("{}", expected));
  }

  Result<array> list(const object& fields, std::string_view key, const JsonPlace& place) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return m_file.array(element, place.member(key));
  }
  Result<std::string_view> text(const object& fields, std::string_view key, const JsonPlace& place) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return m_file.string(element, place.member(key));
  }
  Result<bool> flag(const object& fields, std::string_view key, const JsonPlace& place) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return m_file.boolean(element, place.member(key));
  }
  Result<std::uint32_t> index(const object& fields, std::string_view key, const JsonPlace& place,
                              std::size_t limit) const {
    OPSCOPE_TRY_ASSIGN(const JsonElement element, m_file.member(fields, key, place));
    return m_file.index(element, place.member(key), limit);
  }
  Result<std::uint32_t> optionalIndex(const object& fields, std::string_view key, const JsonPlace& place,
                                      std::size_t limit) const {
    JsonElement element;
    if (fields.at_key(key).get(element) != simdjson::SUCCESS) return kNone;
    return m_file.index(element, place.member(key), limit);
  }

  const JsonFile& m_file;
};

}  // namespace opscope::report
