// SPDX-License-Identifier: Apache-2.0
#include "engine/report/trace_events.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "engine/report/json_syntax.h"
#include "engine/report/trace_scan.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
namespace ondemand = simdjson::ondemand;

constexpr std::size_t kBatchBytes = std::size_t{1} << 18;

std::string_view trimmed(std::string_view token) {
  const std::size_t end = token.find_last_not_of(" \t\r\n");
  return token.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::string_view unquoted(std::string_view token) {
  return token.size() >= 2 && token.front() == '"' && token.back() == '"' ? token.substr(1, token.size() - 2)
                                                                          : token;
}

/// Microseconds to whole nanoseconds by their digits, since times since 1970 have more of them than a double
/// holds. Nothing for what is no number or too large.
std::optional<std::int64_t> nanoseconds(std::string_view token) {
  constexpr std::int64_t kMostUs = std::int64_t{9} * 1'000'000'000'000'000;
  const std::string_view digits = unquoted(token);
  const bool isNegative = digits.starts_with('-');
  std::size_t at = isNegative ? 1 : 0;
  std::int64_t value = 0;
  const std::size_t first = at;
  for (; at < digits.size() && digits[at] >= '0' && digits[at] <= '9'; ++at) {
    if (value > kMostUs / 10) return std::nullopt;
    value = value * 10 + (digits[at] - '0');
  }
  if (at == first) return std::nullopt;
  value *= 1000;
  if (at < digits.size() && digits[at] == '.') {
    std::int64_t unit = 100;
    for (++at; at < digits.size() && digits[at] >= '0' && digits[at] <= '9'; ++at, unit /= 10) {
      if (unit == 0 && digits[at] >= '5') ++value;
      if (unit == 0) break;
      value += unit * (digits[at] - '0');
    }
    while (at < digits.size() && digits[at] >= '0' && digits[at] <= '9') ++at;
  }
  if (at == digits.size()) return isNegative ? -value : value;
  double real = 0;  // with an exponent
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), real);
  constexpr double kNsPerUs = 1e3;
  if (code != std::errc() || end != digits.data() + digits.size() || std::abs(real) > kMostUs) {
    return std::nullopt;
  }
  return std::llround(real * kNsPerUs);
}

std::optional<std::int64_t> integer(std::string_view token) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool isWhole = code == std::errc() && end == token.data() + token.size();
  return isWhole ? std::optional(value) : std::nullopt;
}

/// Reads members one after another; texts are unescaped into the parser's own memory.
class EventReader {
 public:
  simdjson::error_code read(ondemand::object object, TraceEvent& event) {
    for (auto field : object) {
      ondemand::raw_json_string key;
      ondemand::value value;
      if (const auto error = field.key().get(key)) return error;
      if (const auto error = field.value().get(value)) return error;
      if (const auto error = readMember(keyText(key), value, event)) return error;
    }
    return simdjson::SUCCESS;
  }

 private:
  static std::string_view keyText(ondemand::raw_json_string key) {
    // The longest key that is known; escapes are in none of them.
    const char* const begin = key.raw();
    std::size_t length = 0;
    while (length < kLongestKey && begin[length] != '"') ++length;
    return {begin, length};
  }

  static simdjson::error_code text(ondemand::value value, std::string_view& out) {
    ondemand::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type == ondemand::json_type::string) return value.get_string().get(out);
    return simdjson::SUCCESS;  // other types stand for no text
  }

  /// A scalar as it stands; nothing for objects and arrays.
  static simdjson::error_code token(ondemand::value value, std::string_view& out) {
    ondemand::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type != ondemand::json_type::object && type != ondemand::json_type::array) {
      out = trimmed(value.raw_json_token());
    }
    return simdjson::SUCCESS;
  }

  static simdjson::error_code number(ondemand::value value, std::optional<std::int64_t>& out,
                                     std::optional<std::int64_t> (*parse)(std::string_view)) {
    std::string_view digits;
    if (const auto error = token(value, digits)) return error;
    out = parse(digits);
    return simdjson::SUCCESS;
  }

  simdjson::error_code readMember(std::string_view key, ondemand::value value, TraceEvent& event) {
    if (key == "ph") {
      std::string_view phase;
      const auto error = text(value, phase);
      event.phase = phase.size() == 1 ? phase.front() : '?';
      return error;
    }
    if (key == "ts") return number(value, event.startNs, nanoseconds);
    if (key == "dur") return number(value, event.durationNs, nanoseconds);
    if (key == "name") return text(value, event.name);
    if (key == "cat") return text(value, event.category);
    if (key == "pid") return token(value, event.process);
    if (key == "tid") return token(value, event.thread);
    if (key == "args") {
      ondemand::json_type type{};
      if (const auto error = value.type().get(type)) return error;
      if (type == ondemand::json_type::object) return readArguments(value, event.args);
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code readArguments(ondemand::value value, TraceArguments& args) {
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    for (auto field : object) {
      ondemand::raw_json_string key;
      ondemand::value member;
      if (const auto error = field.key().get(key)) return error;
      if (const auto error = field.value().get(member)) return error;
      if (const auto error = readArgument(keyText(key), member, args)) return error;
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code readArgument(std::string_view key, ondemand::value value, TraceArguments& args) {
    struct Text {
      std::string_view key;
      std::string_view TraceArguments::*member;
    };
    struct Number {
      std::string_view key;
      std::optional<std::int64_t> TraceArguments::*member;
      std::optional<std::int64_t> (*parse)(std::string_view);
    };
    static constexpr Number kNumbers[] = {{"call", &TraceArguments::call, integer},
                                          {"repeat", &TraceArguments::repeat, integer},
                                          {"instruction", &TraceArguments::instruction, integer},
                                          {"depth", &TraceArguments::depth, integer},
                                          {"own_us", &TraceArguments::ownNs, nanoseconds},
                                          {"step", &TraceArguments::step, integer},
                                          {"launch", &TraceArguments::launch, integer},
                                          {"task", &TraceArguments::task, integer},
                                          {"lane", &TraceArguments::lane, integer},
                                          {"cpu_us", &TraceArguments::cpuNs, nanoseconds},
                                          {"tasks", &TraceArguments::tasks, integer},
                                          {"bytes", &TraceArguments::bytes, integer}};
    static constexpr Text kTexts[] = {{"shapes", &TraceArguments::shapes},
                                      {"device", &TraceArguments::device},
                                      {"name", &TraceArguments::name},
                                      {"kind", &TraceArguments::kind}};
    for (const Text& each : kTexts) {
      if (each.key == key) return text(value, args.*each.member);
    }
    for (const Number& each : kNumbers) {
      if (each.key == key) return number(value, args.*each.member, each.parse);
    }
    if (key == "failed") {
      std::string_view word;
      const auto error = token(value, word);
      args.failed = word == "true";
      return error;
    }
    if (key == "Input Dims") return raw(value, args.inputDims);
    if (key == "Input type") return raw(value, args.inputTypes);
    if (key == "counters") return readCounters(value, args);
    return simdjson::SUCCESS;
  }

  static simdjson::error_code raw(ondemand::value value, std::string_view& out) {
    ondemand::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type != ondemand::json_type::array) return simdjson::SUCCESS;
    ondemand::array array;
    if (const auto error = value.get_array().get(array)) return error;
    return array.raw_json().get(out);
  }

  static simdjson::error_code readCounters(ondemand::value value, TraceArguments& args) {
    ondemand::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type != ondemand::json_type::object) return simdjson::SUCCESS;
    ondemand::object object;
    if (const auto error = value.get_object().get(object)) return error;
    for (auto field : object) {
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return error;
      ondemand::value told;
      if (const auto error = field.value().get(told)) return error;
      double amount = 0;
      std::string_view text;
      if (told.get_double().get(amount) == simdjson::SUCCESS) {
        args.counters.emplace_back(key, amount);
      } else if (told.get_string().get(text) == simdjson::SUCCESS) {
        args.counterTexts.emplace_back(key, text);
      }
    }
    return simdjson::SUCCESS;
  }

  static constexpr std::size_t kLongestKey = 16;
};

/// Cuts the array into batches of whole events, and each batch into events.
class BatchReader {
 public:
  BatchReader(std::string_view text, const TraceOutline& outline, std::string_view file,
              const TraceLimits& limits, TraceVisitor& visitor)
      : m_text(text),
        m_outline(outline),
        m_file(file),
        m_limits(limits),
        m_visitor(visitor),
        m_at(outline.eventsBegin) {}

  Result<TraceEnd> read() {
    while (!m_isDone) {
      OPSCOPE_TRY_ASSIGN(const std::string_view batch, nextBatch());
      if (!batch.empty()) OPSCOPE_TRY(readBatch(batch));
    }
    return m_end;
  }

 private:
  /// Events with the commas between them, from m_at on.
  Result<std::string_view> nextBatch() {
    const std::size_t begin = skipSeparators(m_at);
    std::size_t end = begin;
    for (std::size_t at = begin; end - begin < kBatchBytes; at = skipSeparators(end)) {
      if (at >= m_text.size() || m_text[at] == ']') {
        m_isDone = true;
        // Chrome leaves out the bracket at the end of an array, not the end of an object.
        m_end.isCutOff = at >= m_text.size() && m_outline.isObject;
        break;
      }
      if (m_text[at] != '{') return wrongEvent(at);
      const std::size_t behind = endOfJsonBrackets(m_text, at);
      if (behind == kNoEnd) {
        m_isDone = m_end.isCutOff = true;
        break;
      }
      end = behind;
    }
    m_at = end;
    return m_text.substr(begin, end - begin);
  }

  std::size_t skipSeparators(std::size_t at) const {
    at = skipJsonBlanks(m_text, at);
    while (at < m_text.size() && m_text[at] == ',') at = skipJsonBlanks(m_text, at + 1);
    return at;
  }

  Result<> readBatch(std::string_view batch) {
    m_buffer.assign("[");
    m_buffer += batch;
    m_buffer += ']';
    const std::size_t size = m_buffer.size();
    m_buffer.resize(size + simdjson::SIMDJSON_PADDING);
    ondemand::document document;
    ondemand::array events;
    auto error = m_parser.iterate(m_buffer.data(), size, m_buffer.size()).get(document);
    if (!error) error = document.get_array().get(events);
    if (error) return wrongBatch(batch, error);
    for (auto item : events) {
      ondemand::object object;
      TraceEvent event;
      error = item.get_object().get(object);
      if (!error) error = m_reader.read(object, event);
      if (error) return wrongBatch(batch, error);
      if (++m_end.events > m_limits.events) return tooMany();
      OPSCOPE_TRY(m_visitor.visit(event));
    }
    return {};
  }

  Error wrongEvent(std::size_t at) const {
    return {ErrorCode::Format,
            fmt::format("{} is not a trace: what follows event {} is wrong", m_file, m_end.events),
            fmt::format("Found {}, expected an event in braces or the end of the array.",
                        fmt::format("\"{}\"", m_text.substr(at, 20))),
            ""};
  }

  Error wrongBatch(std::string_view batch, simdjson::error_code error) const {
    if (error == simdjson::MEMALLOC) {
      return {ErrorCode::OutOfMemory, fmt::format("Not enough memory to read {}", m_file), "", ""};
    }
    std::string list = "[";
    list += batch;
    list += ']';
    const SyntaxError syntax = findSyntaxError(list, simdjson::error_message(error));
    const auto line = std::count(m_text.begin(), m_text.begin() + (batch.data() - m_text.data()), '\n') + 1;
    return {ErrorCode::Format,
            fmt::format("{} is not a trace: its JSON is broken after event {}, counted from line {} at {}",
                        m_file, m_end.events, line, syntax.place),
            syntax.detail, "The file may be damaged or edited; write it again."};
  }

  Error tooMany() const {
    return {ErrorCode::Unsupported, fmt::format("{} holds more than {} events", m_file, m_limits.events),
            "Each of them takes about 1 kB of memory here.", "Record less, or cut the trace."};
  }

  std::string_view m_text;
  const TraceOutline& m_outline;
  std::string_view m_file;
  const TraceLimits& m_limits;
  TraceVisitor& m_visitor;
  ondemand::parser m_parser;
  EventReader m_reader;
  std::string m_buffer;
  std::size_t m_at;
  bool m_isDone = false;
  TraceEnd m_end;
};

/// Whether the array at `at` begins with an object that has the key "ph", as events do. An empty array is
/// none.
bool beginsWithEvent(std::string_view text, std::size_t at) {
  std::size_t next = skipJsonBlanks(text, at + 1);
  if (next >= text.size() || text[next] != '{') return false;
  next = skipJsonBlanks(text, next + 1);
  while (next < text.size() && text[next] == '"') {
    const std::size_t keyEnd = endOfJsonText(text, next);
    if (keyEnd == kNoEnd) return false;
    if (text.substr(next, keyEnd - next) == "\"ph\"") return true;
    next = skipJsonBlanks(text, keyEnd);
    if (next >= text.size() || text[next] != ':') return false;
    next = endOfJsonValue(text, skipJsonBlanks(text, next + 1));
    if (next == kNoEnd) return false;
    next = skipJsonBlanks(text, next);
    if (next < text.size() && text[next] == ',') next = skipJsonBlanks(text, next + 1);
  }
  return false;
}

}  // namespace

std::optional<TraceOutline> traceOutline(std::string_view text) {
  std::size_t at = skipJsonBlanks(text, 0);
  if (at >= text.size()) return std::nullopt;
  if (text[at] == '[') {
    return beginsWithEvent(text, at) ? std::optional(TraceOutline{{}, at + 1, false}) : std::nullopt;
  }
  if (text[at] != '{') return std::nullopt;
  TraceOutline outline{{}, 0, true};
  for (at = skipJsonBlanks(text, at + 1); at < text.size() && text[at] == '"';) {
    const std::size_t keyEnd = endOfJsonText(text, at);
    if (keyEnd == kNoEnd) return std::nullopt;
    const std::string_view key = text.substr(at, keyEnd - at);
    const std::size_t colon = skipJsonBlanks(text, keyEnd);
    if (colon >= text.size() || text[colon] != ':') return std::nullopt;
    at = skipJsonBlanks(text, colon + 1);
    if (key == "\"traceEvents\"" && at < text.size() && text[at] == '[') {
      outline.eventsBegin = at + 1;
      return outline;
    }
    const std::size_t end = endOfJsonValue(text, at);
    if (end == kNoEnd) return std::nullopt;
    if (key == "\"otherData\"") outline.otherData = text.substr(at, end - at);
    at = skipJsonBlanks(text, end);
    if (at < text.size() && text[at] == ',') at = skipJsonBlanks(text, at + 1);
  }
  return std::nullopt;
}

Result<TraceEnd> readTraceEvents(std::string_view text, const TraceOutline& outline,
                                 std::string_view fileForMessages, const TraceLimits& limits,
                                 TraceVisitor& visitor) {
  if (text.size() > limits.bytes) {
    return Error{ErrorCode::Unsupported,
                 fmt::format("{} is too large: {} MB", fileForMessages, text.size() / 1'000'000),
                 fmt::format("Traces of up to {} MB are read, which takes several times as much memory.",
                             limits.bytes / 1'000'000),
                 "Record less, or cut the trace."};
  }
  return BatchReader(text, outline, fileForMessages, limits, visitor).read();
}

}  // namespace opscope::report
