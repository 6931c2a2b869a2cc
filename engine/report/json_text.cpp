// SPDX-License-Identifier: Apache-2.0
#include "engine/report/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace opscope::report {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes of the UTF-8 character that `text` begins with, 0 when it begins with none (overlong forms,
/// surrogates and values above U+10FFFF are none).
std::size_t utf8Length(std::string_view text) {
  const auto byte = [text](std::size_t index) -> unsigned {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0u;
  };
  const auto continues = [&byte](std::size_t index) { return (byte(index) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool tooLarge = first == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !tooLarge ? 4 : 0;
  }
  return 0;
}

void appendAscii(std::string& out, char character) {
  switch (character) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(character);
  if (byte < 0x20 || byte == 0x7F) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
  } else {
    out += character;
  }
}

bool finite(const Metric& metric) {
  struct Check {
    bool operator()(const Duration& duration) const { return std::isfinite(duration.microseconds); }
    bool operator()(const Percent& percent) const { return std::isfinite(percent.percent); }
    bool operator()(const Ratio& ratio) const { return std::isfinite(ratio.ratio); }
    bool operator()(const Count&) const { return true; }
    bool operator()(const std::string&) const { return true; }
  };
  return std::visit(Check(), metric);
}

struct MetricWriter {
  std::string& out;
  void operator()(const Count& count) const {
    out += "{\"count\":";
    appendJsonInteger(out, count.value);
    out += '}';
  }
  void operator()(const Duration& duration) const { number("microseconds", duration.microseconds); }
  void operator()(const Percent& percent) const { number("percent", percent.percent); }
  void operator()(const Ratio& ratio) const { number("ratio", ratio.ratio); }
  void operator()(const std::string& text) const {
    out += "{\"string\":";
    appendJsonString(out, text);
    out += '}';
  }
  void number(std::string_view type, double value) const {
    out += "{\"";
    out += type;
    out += "\":";
    appendJsonNumber(out, value);
    out += '}';
  }
};

}  // namespace

void appendJsonString(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    if (length == 1) {
      appendAscii(out, text.front());
    } else {
      out += length == 0 ? kReplacement : text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

std::string wellFormed(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8Length(text);
    out += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

void appendJsonNumber(std::string& out, double value) {
  const std::size_t begin = out.size();
  fmt::format_to(std::back_inserter(out), "{}", std::isfinite(value) ? value : 0.0);
  if (out.find_first_of(".e", begin) == std::string::npos) out += ".0";
}

void appendJsonInteger(std::string& out, std::int64_t value) {
  fmt::format_to(std::back_inserter(out), "{}", value);
}

void appendJsonComma(std::string& out) {
  if (!out.empty() && out.back() != '{' && out.back() != '[') out += ',';
}

void appendJsonKey(std::string& out, std::string_view name) {
  appendJsonComma(out);
  appendJsonString(out, name);
  out += ':';
}

void appendTextMember(std::string& out, std::string_view key, std::string_view text) {
  appendJsonKey(out, key);
  appendJsonString(out, text);
}

void appendIntegerMember(std::string& out, std::string_view key, std::int64_t value) {
  appendJsonKey(out, key);
  appendJsonInteger(out, value);
}

void appendFlagMember(std::string& out, std::string_view key, bool value) {
  appendJsonKey(out, key);
  out += value ? "true" : "false";
}

void appendJsonNumbers(std::string& out, std::span<const double> values) {
  out += '[';
  for (const double value : values) {
    appendJsonComma(out);
    appendJsonNumber(out, value);
  }
  out += ']';
}

void appendJsonStrings(std::string& out, const std::vector<std::string>& texts) {
  out += '[';
  for (const std::string& text : texts) {
    appendJsonComma(out);
    appendJsonString(out, text);
  }
  out += ']';
}

void appendJsonMetrics(std::string& out, std::span<const MetricMap::Entry* const> entries) {
  out += '{';
  for (const MetricMap::Entry* entry : entries) {
    if (!finite(entry->second)) continue;
    appendJsonKey(out, entry->first);
    std::visit(MetricWriter{out}, entry->second);
  }
  out += '}';
}

void appendJsonMetrics(std::string& out, const MetricMap& metrics) {
  std::vector<const MetricMap::Entry*> entries;
  for (const MetricMap::Entry& entry : metrics.entries()) entries.push_back(&entry);
  appendJsonMetrics(out, entries);
}

}  // namespace opscope::report
