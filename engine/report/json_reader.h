// SPDX-License-Identifier: Apache-2.0
// Reading of large JSON files with errors that name the place. One JsonFile belongs to one thread; elements
// live as long as their JsonFile. For sources of this module only: other headers do not show simdjson.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/metric.h"

namespace opscope::report {

using JsonElement = simdjson::dom::element;

/// Where in the file an element stands, as a chain on the reader's stack; text is made for errors only.
struct JsonPlace {
  const JsonPlace* parent = nullptr;
  std::string_view key;  ///< of an object's member
  std::size_t index = 0;
  bool isIndex = false;

  JsonPlace member(std::string_view name) const { return {this, name, 0, false}; }
  JsonPlace item(std::size_t position) const { return {this, {}, position, true}; }
  /// `calls[3]."Duration (us)"`; "the top level" for the root.
  std::string text() const;
};

/// Adds one step to a path, as JsonPlace::text writes it.
void appendJsonPath(std::string& path, std::string_view key);
void appendJsonPath(std::string& path, std::size_t index);

class JsonFile {
 public:
  /// Parses the whole text. Errors: Format with line, column and place; OutOfMemory. `kind` says what the
  /// file should be ("a TVM report").
  static base::Result<JsonFile> parse(std::string_view text, std::string_view fileForMessages,
                                      std::string_view kind);

  JsonElement root() const { return m_root; }

  base::Error error(const JsonPlace& place, std::string found, std::string_view expected) const;

  // Typed access; the errors name place, found and expected.
  base::Result<simdjson::dom::object> object(JsonElement element, const JsonPlace& place,
                                             std::string_view expected = "an object") const;
  base::Result<simdjson::dom::array> array(JsonElement element, const JsonPlace& place,
                                           std::string_view expected = "an array") const;
  base::Result<std::string_view> string(JsonElement element, const JsonPlace& place) const;
  base::Result<double> number(JsonElement element, const JsonPlace& place) const;
  base::Result<std::int64_t> integer(JsonElement element, const JsonPlace& place) const;
  base::Result<bool> boolean(JsonElement element, const JsonPlace& place) const;
  /// A non-negative integer below `limit`.
  base::Result<std::uint32_t> index(JsonElement element, const JsonPlace& place, std::size_t limit) const;

  /// The member `name`. Errors: Format when it is missing.
  base::Result<JsonElement> member(const simdjson::dom::object& object, std::string_view name,
                                   const JsonPlace& place) const;

  /// Named metrics, each an object with one typed value. Errors: other types (seed 004, parse_metrics), the
  /// same name twice, a known column with another type than TVM's, more than 256 metrics.
  base::Result<MetricMap> metrics(JsonElement element, const JsonPlace& place) const;

 private:
  JsonFile(std::string_view file, std::string_view kind) : m_file(file), m_kind(kind) {}
  base::Result<Metric> metric(JsonElement element, const JsonPlace& place) const;

  std::string m_file;
  std::string m_kind;
  std::unique_ptr<simdjson::dom::parser> m_parser;
  JsonElement m_root;
};

/// A value in words for errors: `a string "abc"`, "the number 3.5", "an object".
std::string describeJson(JsonElement element);

}  // namespace opscope::report
