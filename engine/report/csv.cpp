// SPDX-License-Identifier: Apache-2.0
#include "engine/report/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <set>

namespace opscope::report {

namespace {

void appendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char character : text) {
    if (character == '"') out += '"';
    out += character;
  }
  out += '"';
}

/// TVM prints with a stream's default: six significant digits.
void appendNumber(std::string& out, double value) {
  if (std::isfinite(value)) fmt::format_to(std::back_inserter(out), "{:g}", value);
}

struct CellWriter {
  std::string& out;
  void operator()(const Count& count) const { fmt::format_to(std::back_inserter(out), "{}", count.value); }
  void operator()(const Duration& duration) const { appendNumber(out, duration.microseconds); }
  void operator()(const Percent& percent) const { appendNumber(out, percent.percent); }
  void operator()(const Ratio& ratio) const { appendNumber(out, ratio.ratio); }
  void operator()(const std::string& text) const { appendQuoted(out, text); }
};

}  // namespace

std::string csvField(std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) return std::string(text);
  std::string out;
  appendQuoted(out, text);
  return out;
}

std::string toCsv(const Report& report) {
  std::set<std::string_view> titles;
  for (const MetricMap& call : report.calls) {
    for (const auto& entry : call.entries()) titles.insert(entry.first);
  }
  std::string out;
  for (const std::string_view title : titles) {
    if (title != *titles.begin()) out += ',';
    out += csvField(title);
  }
  out += '\n';
  for (const MetricMap& call : report.calls) {
    for (const std::string_view title : titles) {
      if (title != *titles.begin()) out += ',';
      if (const Metric* metric = call.find(title)) std::visit(CellWriter{out}, *metric);
    }
    out += '\n';
  }
  return out;
}

}  // namespace opscope::report
