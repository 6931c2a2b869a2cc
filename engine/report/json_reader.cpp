// SPDX-License-Identifier: Apache-2.0
#include "engine/report/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "engine/base/text_encoding.h"
#include "engine/report/json_syntax.h"
#include "engine/report/report.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using simdjson::dom::element_type;

constexpr std::size_t kMaxMetrics = 256;
constexpr std::string_view kMetricTypes = "one of microseconds, percent, count, ratio, string";

std::string shortened(std::string_view text) {
  constexpr std::size_t kShown = 40;
  return text.size() <= kShown ? fmt::format("\"{}\"", text) : fmt::format("\"{}…\"", text.substr(0, kShown));
}

/// The type that TVM gives a column that readers rely on, empty for other columns.
std::string_view typeOfKnownColumn(std::string_view name) {
  if (name == kDurationUs) return "microseconds";
  if (name == kPercent) return "percent";
  if (name == kCount) return "count";
  const bool text = name == kName || name == kDevice || name == kArgumentShapes || name == "Hash";
  return text ? std::string_view("string") : std::string_view();
}

}  // namespace

void appendJsonPath(std::string& path, std::string_view key) {
  const bool plain = !key.empty() && std::all_of(key.begin(), key.end(), [](char character) {
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_';
  });
  if (!path.empty()) path += '.';
  path += plain ? std::string(key) : shortened(key);
}

void appendJsonPath(std::string& path, std::size_t index) {
  path += fmt::format("[{}]", index);
}

std::string JsonPlace::text() const {
  std::vector<const JsonPlace*> chain;
  for (const JsonPlace* place = this; place->parent != nullptr; place = place->parent) chain.push_back(place);
  std::string path;
  for (auto place = chain.rbegin(); place != chain.rend(); ++place) {
    if ((*place)->isIndex) {
      appendJsonPath(path, (*place)->index);
    } else {
      appendJsonPath(path, (*place)->key);
    }
  }
  return path.empty() ? "the top level" : path;
}

std::string describeJson(JsonElement element) {
  switch (element.type()) {
    case element_type::ARRAY:
      return "an array";
    case element_type::OBJECT:
      return "an object";
    case element_type::INT64:
      return fmt::format("the number {}", std::int64_t(element));
    case element_type::UINT64:
      return fmt::format("the number {}", std::uint64_t(element));
    case element_type::DOUBLE:
      return fmt::format("the number {}", double(element));
    case element_type::STRING:
      return "the text " + shortened(std::string_view(element));
    case element_type::BOOL:
      return bool(element) ? "true" : "false";
    case element_type::NULL_VALUE:
      return "null";
  }
  return "an unknown value";
}

Result<JsonFile> JsonFile::parse(std::string_view text, std::string_view fileForMessages,
                                 std::string_view kind) {
  OPSCOPE_TRY_ASSIGN(text, base::utf8Text(text, fileForMessages));
  JsonFile file(fileForMessages, kind);
  file.m_parser = std::make_unique<simdjson::dom::parser>();
  const simdjson::error_code failure = file.m_parser->parse(text.data(), text.size()).get(file.m_root);
  if (failure == simdjson::SUCCESS) return file;
  if (failure == simdjson::MEMALLOC) {
    return Error{
        ErrorCode::OutOfMemory, fmt::format("Not enough memory to read {}", fileForMessages), {}, {}};
  }
  const std::string fallback = simdjson::error_message(failure);
  const SyntaxError syntax = findSyntaxError(text, fallback);
  return Error{ErrorCode::Format,
               fmt::format("{} is not {}: its JSON is broken at {}", fileForMessages, kind, syntax.place),
               syntax.detail, "The file may be cut off or edited; write it again."};
}

Error JsonFile::error(const JsonPlace& place, std::string found, std::string_view expected) const {
  return Error{ErrorCode::Format,
               fmt::format("{} is not {}: {} is wrong", m_file, m_kind, place.text()),
               fmt::format("Found {}, expected {}.", found, expected),
               {}};
}

Result<simdjson::dom::object> JsonFile::object(JsonElement element, const JsonPlace& place,
                                               std::string_view expected) const {
  if (!element.is_object()) return error(place, describeJson(element), expected);
  return element.get_object().value_unsafe();
}

Result<simdjson::dom::array> JsonFile::array(JsonElement element, const JsonPlace& place,
                                             std::string_view expected) const {
  if (!element.is_array()) return error(place, describeJson(element), expected);
  return element.get_array().value_unsafe();
}

Result<std::string_view> JsonFile::string(JsonElement element, const JsonPlace& place) const {
  if (!element.is_string()) return error(place, describeJson(element), "a text");
  return element.get_string().value_unsafe();
}

Result<double> JsonFile::number(JsonElement element, const JsonPlace& place) const {
  double value = 0;
  if (element.get_double().get(value) != simdjson::SUCCESS) {
    return error(place, describeJson(element), "a number");
  }
  return value;
}

Result<std::int64_t> JsonFile::integer(JsonElement element, const JsonPlace& place) const {
  std::int64_t value = 0;
  if (element.get_int64().get(value) == simdjson::SUCCESS) return value;
  // Other tools write 1.0 for 1.
  constexpr double kExact = 9007199254740992.0;
  double real = 0;
  const bool isReal = element.is_double() && element.get_double().get(real) == simdjson::SUCCESS;
  if (isReal && real == std::floor(real) && std::fabs(real) <= kExact) return static_cast<std::int64_t>(real);
  return error(place, describeJson(element), "an integer of 64 bits");
}

Result<bool> JsonFile::boolean(JsonElement element, const JsonPlace& place) const {
  if (!element.is_bool()) return error(place, describeJson(element), "true or false");
  return element.get_bool().value_unsafe();
}

Result<std::uint32_t> JsonFile::index(JsonElement element, const JsonPlace& place, std::size_t limit) const {
  std::uint64_t value = 0;
  if (element.get_uint64().get(value) != simdjson::SUCCESS || value >= limit) {
    return error(place, describeJson(element), fmt::format("an integer from 0 to below {}", limit));
  }
  return static_cast<std::uint32_t>(value);
}

Result<JsonElement> JsonFile::member(const simdjson::dom::object& object, std::string_view name,
                                     const JsonPlace& place) const {
  JsonElement element;
  if (object.at_key(name).get(element) != simdjson::SUCCESS) {
    return error(place.member(name), "nothing", "this key");
  }
  return element;
}

Result<Metric> JsonFile::metric(JsonElement element, const JsonPlace& place) const {
  OPSCOPE_TRY_ASSIGN(const simdjson::dom::object typed,
                     object(element, place, "an object with a typed value, as {\"count\":1}"));
  auto field = typed.begin();
  if (field == typed.end()) return error(place, "an object without a key", kMetricTypes);
  const std::string_view type = field.key();
  const JsonElement value = field.value();
  if (++field != typed.end()) return error(place, "an object with several keys", kMetricTypes);
  const std::string_view wanted = typeOfKnownColumn(place.key);
  if (!wanted.empty() && type != wanted) return error(place, "metric type " + shortened(type), wanted);
  const JsonPlace valuePlace = place.member(type);
  if (type == "count") {
    OPSCOPE_TRY_ASSIGN(const std::int64_t count, integer(value, valuePlace));
    return Metric(Count{count});
  }
  if (type == "string") {
    OPSCOPE_TRY_ASSIGN(const std::string_view text, string(value, valuePlace));
    return Metric(std::string(text));
  }
  if (type != "microseconds" && type != "percent" && type != "ratio") {
    return error(place, "metric type " + shortened(type), kMetricTypes);
  }
  OPSCOPE_TRY_ASSIGN(const double real, number(value, valuePlace));
  if (type == "microseconds") return Metric(Duration{real});
  return type == "percent" ? Metric(Percent{real}) : Metric(Ratio{real});
}

Result<MetricMap> JsonFile::metrics(JsonElement element, const JsonPlace& place) const {
  OPSCOPE_TRY_ASSIGN(const simdjson::dom::object fields, object(element, place));
  MetricMap metrics;
  for (const auto& [name, value] : fields) {
    const JsonPlace metricPlace = place.member(name);
    if (metrics.find(name) != nullptr) return error(metricPlace, "the same key twice", "each key once");
    if (metrics.entries().size() == kMaxMetrics) {
      return error(place, "more metrics", fmt::format("at most {}", kMaxMetrics));
    }
    OPSCOPE_TRY_ASSIGN(Metric read, metric(value, metricPlace));
    metrics.append(std::string(name), std::move(read));
  }
  return metrics;
}

}  // namespace opscope::report
