// SPDX-License-Identifier: Apache-2.0
// Lists of records in samples files as one array a field: four times smaller than an object a record. For
// sources of this module only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/report/index.h"
#include "engine/report/json_reader.h"
#include "engine/report/json_text.h"

namespace opscope::report {

/// Writes `"key":[...]`; `append(out, item)` writes one value.
template <class Items, class Append>
void appendJsonColumn(std::string& out, std::string_view key, const Items& items, Append&& append) {
  appendJsonKey(out, key);
  out += '[';
  for (const auto& item : items) {
    appendJsonComma(out);
    append(out, item);
  }
  out += ']';
}

/// A column of one integer field of each item, given as a pointer to the member.
template <class Items, class Field>
void appendJsonIntegers(std::string& out, std::string_view key, const Items& items, Field field) {
  appendJsonColumn(out, key, items, [field](std::string& text, const auto& item) {
    appendJsonInteger(text, static_cast<std::int64_t>(item.*field));
  });
}

/// Likewise of one field of type double.
template <class Items, class Field>
void appendJsonNumbers(std::string& out, std::string_view key, const Items& items, Field field) {
  appendJsonColumn(out, key, items,
                   [field](std::string& text, const auto& item) { appendJsonNumber(text, item.*field); });
}

/// Indices that may point to nothing are -1 then.
inline void appendJsonIndex(std::string& out, std::uint32_t index) {
  appendJsonInteger(out, index == kNone ? -1 : static_cast<std::int64_t>(index));
}

/// Reads an object of columns of equal length. Errors are JsonFile's.
class JsonColumns {
 public:
  /// The member `key` of `parent`; its first column, `lengthKey`, tells how many records there are. `place`
  /// is that of the member and outlives the reader.
  static base::Result<JsonColumns> open(const JsonFile& file, const simdjson::dom::object& parent,
                                        std::string_view key, std::string_view lengthKey,
                                        const JsonPlace& parentPlace, const JsonPlace& place);

  std::size_t length() const { return m_length; }

  /// Each value is at least `least` and at most 1e18.
  base::Result<> numbers(std::string_view key, double least, std::vector<double>& out) const;
  /// Each value lies in [least, limit).
  base::Result<> integers(std::string_view key, std::int64_t least, std::int64_t limit,
                          std::vector<std::int64_t>& out) const;
  /// As integers in [-1, limit), -1 as kNone.
  base::Result<> indices(std::string_view key, std::size_t limit, std::vector<std::uint32_t>& out) const;
  base::Result<> flags(std::string_view key, std::vector<bool>& out) const;

 private:
  JsonColumns(const JsonFile& file, const simdjson::dom::object& fields, const JsonPlace& place)
      : m_file(&file), m_fields(fields), m_place(&place) {}
  template <class Read>
  base::Result<> each(std::string_view key, Read&& read) const;

  const JsonFile* m_file;
  simdjson::dom::object m_fields;
  const JsonPlace* m_place;
  std::size_t m_length = 0;
};

/// An integer member in [least, limit).
base::Result<std::int64_t> jsonInteger(const JsonFile& file, const simdjson::dom::object& fields,
                                       std::string_view key, const JsonPlace& place, std::int64_t least,
                                       std::int64_t limit);

/// A number member of at least `least` and at most 1e18.
base::Result<double> jsonNumber(const JsonFile& file, const simdjson::dom::object& fields,
                                std::string_view key, const JsonPlace& place, double least);

/// Bytes and counts in files stay below this, so that sums do not overflow.
inline constexpr std::int64_t kMostJsonCount = std::int64_t{1} << 53;

}  // namespace opscope::report
