// SPDX-License-Identifier: Apache-2.0
#include "engine/report/counters_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "engine/report/json_text.h"
#include "engine/report/run_check.h"
#include "engine/report/run_report.h"

namespace opscope::report {

namespace {

using base::Result;
using simdjson::dom::array;
using simdjson::dom::object;

/// In the order of CounterColumn::Kind.
constexpr std::array<std::string_view, 5> kKinds = {"count", "ratio", "duration", "percent", "text"};

void appendValues(std::string& out, std::span<const double> values) {
  out += '[';
  for (const double value : values) {
    appendJsonComma(out);
    if (std::isfinite(value)) {
      appendJsonNumber(out, value);
    } else {
      out += "null";
    }
  }
  out += ']';
}

Result<> appendRead(const JsonFile& file, JsonElement element, const JsonPlace& place, std::size_t count,
                    std::vector<double>& out) {
  OPSCOPE_TRY_ASSIGN(const array items, file.array(element, place));
  if (items.size() != count) {
    return file.error(place, fmt::format("{} values", items.size()), fmt::format("{}", count));
  }
  std::size_t position = 0;
  for (const JsonElement item : items) {
    if (item.is_null()) {
      out.push_back(std::numeric_limits<double>::quiet_NaN());
      ++position;
      continue;
    }
    const JsonPlace itemPlace = place.item(position++);
    OPSCOPE_TRY_ASSIGN(const double value, file.number(item, itemPlace));
    if (std::abs(value) > kMostCounter) {
      return file.error(itemPlace, describeJson(item), "a number of at most 1e18");
    }
    out.push_back(value);
  }
  return {};
}

Result<std::string> textMember(const JsonFile& file, const object& fields, std::string_view key,
                               const JsonPlace& place) {
  OPSCOPE_TRY_ASSIGN(const JsonElement element, file.member(fields, key, place));
  OPSCOPE_TRY_ASSIGN(const std::string_view text, file.string(element, place.member(key)));
  return std::string(text);
}

/// Those that a column of texts points to.
Result<> readTexts(const JsonFile& file, const object& fields, const JsonPlace& place,
                   CounterColumn& column) {
  OPSCOPE_TRY_ASSIGN(const JsonElement element, file.member(fields, "texts", place));
  OPSCOPE_TRY_ASSIGN(const array items, file.array(element, place.member("texts")));
  for (const JsonElement item : items) {
    OPSCOPE_TRY_ASSIGN(const std::string_view text,
                       file.string(item, place.member("texts").item(column.texts.size())));
    column.texts.emplace_back(text);
  }
  for (std::size_t repeat = 0; repeat < column.totals.size(); ++repeat) {
    if (!isTextOf(column, column.totals[repeat])) {
      return file.error(place.member("totals").item(repeat), fmt::format("{}", column.totals[repeat]),
                        fmt::format("a position among {} texts", column.texts.size()));
    }
  }
  return {};
}

Result<CounterColumn> readColumn(const JsonFile& file, JsonElement element, const JsonPlace& place,
                                 std::uint32_t repeats) {
  OPSCOPE_TRY_ASSIGN(const object fields, file.object(element, place));
  CounterColumn column;
  OPSCOPE_TRY_ASSIGN(column.name, textMember(file, fields, "name", place));
  OPSCOPE_TRY_ASSIGN(column.unit, textMember(file, fields, "unit", place));
  OPSCOPE_TRY_ASSIGN(const std::string kind, textMember(file, fields, "kind", place));
  const auto known = std::find(kKinds.begin(), kKinds.end(), kind);
  if (known == kKinds.end()) {
    return file.error(place.member("kind"), fmt::format("the text \"{}\"", kind.substr(0, 40)),
                      "count, ratio, duration, percent or text");
  }
  column.kind = static_cast<CounterColumn::Kind>(known - kKinds.begin());
  OPSCOPE_TRY_ASSIGN(const JsonElement totals, file.member(fields, "totals", place));
  OPSCOPE_TRY_ASSIGN(const array items, file.array(totals, place.member("totals")));
  if (items.size() > 0) {
    OPSCOPE_TRY(appendRead(file, totals, place.member("totals"), repeats, column.totals));
  }
  if (column.kind == CounterColumn::Kind::Text) {
    OPSCOPE_TRY(readTexts(file, fields, place, column));
  }
  return column;
}

}  // namespace

void appendCounterColumns(std::string& out, const Run& run) {
  if (run.counters.empty()) {
    return;
  }
  appendJsonKey(out, "counters");
  out += '[';
  for (const CounterColumn& column : run.counters) {
    appendJsonComma(out);
    out += '{';
    appendTextMember(out, "name", column.name);
    appendTextMember(out, "unit", column.unit);
    appendTextMember(out, "kind", kKinds[static_cast<std::size_t>(column.kind)]);
    appendJsonKey(out, "totals");
    appendValues(out, column.totals);
    if (column.kind == CounterColumn::Kind::Text) {
      appendJsonKey(out, "texts");
      appendJsonStrings(out, column.texts);
    }
    out += '}';
  }
  out += ']';
}

Result<std::vector<CounterColumn>> counterColumnsFromJson(const JsonFile& file, JsonElement element,
                                                          const JsonPlace& place, std::uint32_t repeats) {
  constexpr std::size_t kMostColumns = 256;  // as of a report's metrics
  OPSCOPE_TRY_ASSIGN(const array items, file.array(element, place));
  if (items.size() > kMostColumns) {
    return file.error(place, fmt::format("{} columns", items.size()),
                      fmt::format("at most {}", kMostColumns));
  }
  std::vector<CounterColumn> columns;
  for (const JsonElement item : items) {
    const JsonPlace itemPlace = place.item(columns.size());
    OPSCOPE_TRY_ASSIGN(CounterColumn column, readColumn(file, item, itemPlace, repeats));
    if (isReportColumn(column.name)) {
      return file.error(itemPlace.member("name"), fmt::format("\"{}\"", column.name),
                        "a name that is none of the report's own columns");
    }
    if (std::ranges::find(columns, column.name, &CounterColumn::name) != columns.end()) {
      return file.error(itemPlace.member("name"), fmt::format("\"{}\" again", column.name), "each name once");
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

void appendCallCounters(std::string& out, const Run& run, const Call& call) {
  if (run.counters.empty()) {
    return;
  }
  appendJsonKey(out, "counters");
  out += '[';
  for (const CounterColumn& column : run.counters) {
    appendJsonComma(out);
    appendValues(out, std::span(column.values).subspan(call.firstSample, call.sampleCount));
  }
  out += ']';
}

Result<> readCallCounters(const JsonFile& file, const JsonElement* element, const JsonPlace& place,
                          std::uint32_t samples, std::vector<CounterColumn>& counters) {
  if (element == nullptr) {
    for (CounterColumn& column : counters) {
      column.values.resize(column.values.size() + samples, std::numeric_limits<double>::quiet_NaN());
    }
    return {};
  }
  OPSCOPE_TRY_ASSIGN(const array items, file.array(*element, place));
  if (items.size() != counters.size()) {
    return file.error(place, fmt::format("{} columns", items.size()), fmt::format("{}", counters.size()));
  }
  std::size_t position = 0;
  for (const JsonElement item : items) {
    OPSCOPE_TRY(appendRead(file, item, place.item(position), samples, counters[position].values));
    ++position;
  }
  return {};
}

}  // namespace opscope::report
