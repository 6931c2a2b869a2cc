// SPDX-License-Identifier: Apache-2.0
#include "engine/report/unknown_document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/printable.h"
#include "engine/report/json_reader.h"
#include "engine/report/report.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;

constexpr const char* kExpected =
    "Expected a report of TVM (JSON or CSV), samples, a trace, or a session file.";
constexpr const char* kHowToMake =
    "opscope-cli profile writes files that can be read: --json, --csv, --samples, --trace.";

/// Files of other kinds, by what they begin with.
struct Kind {
  std::string_view magic;
  const char* words;
  const char* hint;
};
constexpr Kind kKinds[] = {
    {"\x7f"
     "ELF",
     "a library or program (ELF)", "opscope FILE opens an executable, opscope-cli profile FILE measures it."},
    {"SQLite format 3", "a session file or a store of runs",
     "opscope FILE opens a session file, opscope-cli report FILE reads it; opscope-cli runs list --store "
     "FILE "
     "lists what a store holds."},
    {"PK\x03\x04", "a zip archive, as .npz files are",
     "Arrays go to opscope-cli run and profile: --inputs FILE."},
    {"\x89PNG", "a picture", kHowToMake},
    {"%PDF", "a PDF document", kHowToMake},
    {"<!DOCTYPE", "a web page",
     "A page by report --format html cannot be read back; keep the samples instead."},
    {"<?xml", "XML", kHowToMake},
};

Error unknown(std::string_view file, std::string_view words, std::string found, std::string_view hint) {
  return {ErrorCode::Format, fmt::format("{} is {}, not a file of measurements", file, words),
          fmt::format("{}{}{}", found, found.empty() ? "" : " ", kExpected), std::string(hint)};
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  const std::string_view shown = text.substr(0, kShown);
  return fmt::format("\"{}{}\"", base::printable(shown), shown.size() < text.size() ? "…" : "");
}

Error unknownJson(std::string_view text, std::string_view file, const Error& asReport) {
  const auto json = JsonFile::parse(text, file, "a TVM report");
  if (!json) {
    return {asReport.code,
            fmt::format("{} cannot be read: {}", file,
                        asReport.message.substr(
                            std::min(asReport.message.find("its JSON"), asReport.message.size()))),
            asReport.detail, asReport.hint};
  }
  if (!json->root().is_object()) {
    return unknown(file, "JSON", fmt::format("At its top it has {}.", describeJson(json->root())),
                   kHowToMake);
  }
  const simdjson::dom::object fields = json->root().get_object().value_unsafe();
  JsonElement calls;
  if (fields.at_key("calls").get(calls) == simdjson::SUCCESS && calls.is_array()) return asReport;
  JsonElement schema;
  if (fields.at_key("schema").get(schema) == simdjson::SUCCESS && schema.is_string()) {
    return unknown(file, "JSON of another kind",
                   fmt::format("It says that it is {}.", quoted(schema.get_string().value_unsafe())),
                   kHowToMake);
  }
  constexpr std::size_t kMostKeys = 5;
  std::vector<std::string> keys;
  for (const auto& field : fields) {
    if (keys.size() < kMostKeys) keys.push_back(quoted(field.key));
  }
  return unknown(file, "JSON of another kind",
                 keys.empty()
                     ? std::string("It holds nothing.")
                     : fmt::format("Its keys are {}{}; a report of TVM has an array \"calls\".",
                                   fmt::join(keys, ", "), fields.size() > keys.size() ? " and others" : ""),
                 kHowToMake);
}

Error unknownText(std::string_view text, std::string_view file) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (std::ranges::count(line, ',') == 0) {
    return unknown(file, "text", fmt::format("It begins with {}.", quoted(line)), kHowToMake);
  }
  if (end == std::string_view::npos) {
    return {ErrorCode::Format, fmt::format("{} seems to be CSV that is cut off", file),
            "It ends within its first line, before any call.", "Write it or copy it again."};
  }
  return {ErrorCode::Format, fmt::format("{} seems to be CSV, but not of a TVM report", file),
          fmt::format("Its first line is {}, expected titles of columns, among them {} and {} or {}.",
                      quoted(line), kName, kDurationUs, kCount),
          "opscope-cli profile --csv FILE writes such a file, as Report.csv() of TVM does."};
}

}  // namespace

Error unknownDocument(std::string_view text, std::string_view file, const Error& asReport) {
  if (asReport.code != ErrorCode::Format) return asReport;
  for (const Kind& kind : kKinds) {
    if (text.starts_with(kind.magic)) return unknown(file, kind.words, {}, kind.hint);
  }
  constexpr std::size_t kHead = 512;
  if (text.substr(0, kHead).find('\0') != std::string_view::npos) {
    return unknown(file, "binary data", {}, kHowToMake);
  }
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) {
    return {ErrorCode::Format, fmt::format("{} is empty", file), kExpected, "Write it or copy it again."};
  }
  const bool isJson = text[begin] == '{' || text[begin] == '[';
  return isJson ? unknownJson(text, file, asReport) : unknownText(text.substr(begin), file);
}

}  // namespace opscope::report
