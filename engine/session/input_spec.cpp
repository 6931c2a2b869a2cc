// SPDX-License-Identifier: Apache-2.0
// The grammar of one VALUE.
#include "engine/session/input_spec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace opscope::session {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

constexpr std::string_view kForms =
    "A value is random[:SEED[:LO:HI]], zeros, ones, range, const:NUMBER, @FILE.npy or @FILE.npz:KEY; a shape "
    "and "
    "a type may stand in front, as in 1x3x224x224:float32:random.";

Error wrongValue(std::string_view text, std::string detail) {
  return {ErrorCode::InvalidArgument, fmt::format("The value \"{}\" is not understood.", text),
          std::move(detail), std::string(kForms)};
}

bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

template <class T>
std::optional<T> wholeNumber(std::string_view text) {
  T value{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<Number> parseNumber(std::string_view text) {
  if (text == "true" || text == "false") {
    text = text == "true" ? "1" : "0";
  }
  Number number;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number.floating);
  if (failure != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  number.integer = wholeNumber<std::int64_t>(text);
  number.unsignedInteger = wholeNumber<std::uint64_t>(text);
  // 3.0 and 1e3 are whole too, as far as a double counts exactly.
  constexpr double kExact = 9007199254740992.0;
  if (!number.integer && !number.unsignedInteger && std::fabs(number.floating) <= kExact &&
      std::trunc(number.floating) == number.floating) {
    number.integer = static_cast<std::int64_t>(number.floating);
  }
  return number;
}

/// 1x3x224x224; nothing when it does not look like a shape at all.
std::optional<std::vector<std::int64_t>> parseShape(std::string_view text) {
  std::vector<std::int64_t> shape;
  if (text == "scalar") {
    return shape;
  }
  while (true) {
    const std::size_t end = text.find('x');
    const std::string_view word = text.substr(0, end);
    const auto size = isDigits(word) ? wholeNumber<std::int64_t>(word) : std::nullopt;
    if (!size) {
      return std::nullopt;
    }
    shape.push_back(*size);
    if (end == std::string_view::npos) {
      return shape;
    }
    text.remove_prefix(end + 1);
  }
}

/// Takes the word up to the next ":" off the front of `rest`.
std::string_view takeWord(std::string_view& rest) {
  const std::size_t end = rest.find(':');
  const std::string_view word = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return word;
}

Result<> parseFile(std::string_view rest, std::string_view text, InputSpec& spec) {
  spec.kind = InputSpec::Kind::File;
  rest.remove_prefix(1);
  constexpr std::string_view kArchive = ".npz:";
  const std::size_t archive = rest.find(kArchive);
  if (archive != std::string_view::npos) {
    spec.file = rest.substr(0, archive + kArchive.size() - 1);
    spec.key = rest.substr(archive + kArchive.size());
  } else {
    spec.file = rest;
  }
  if (spec.file.empty()) {
    return wrongValue(text, "After @ comes the name of a file.");
  }
  if (spec.file.ends_with(".npz") && spec.key.empty()) {
    return wrongValue(text, "An .npz file holds several arrays. Name one: @" + spec.file + ":KEY.");
  }
  return {};
}

Result<> parseRandom(std::string_view rest, bool more, std::string_view text, InputSpec& spec) {
  spec.kind = InputSpec::Kind::Random;
  if (!more) {
    return {};
  }
  const std::string_view seedWord = takeWord(rest);
  const auto seed = wholeNumber<std::uint64_t>(seedWord);
  if (!seed) {
    return wrongValue(text, fmt::format("The seed is a whole number from 0 on. Given is \"{}\".", seedWord));
  }
  spec.seed = *seed;
  if (rest.empty()) {
    return {};
  }
  const std::string_view lowWord = takeWord(rest);
  const auto low = parseNumber(lowWord);
  const auto high = parseNumber(rest);
  if (!low || !high || !std::isfinite(low->floating) || !std::isfinite(high->floating)) {
    return wrongValue(text, "LO and HI are two numbers, as in random:0:-1:1.");
  }
  if (low->floating > high->floating) {
    return wrongValue(text, fmt::format("LO ({}) is more than HI ({}).", lowWord, rest));
  }
  if (!std::isfinite(high->floating - low->floating)) {
    return wrongValue(text, "LO and HI are too far apart.");
  }
  spec.range = {*low, *high};
  return {};
}

Result<> parseKind(std::string_view rest, std::string_view text, InputSpec& spec) {
  spec.kindGiven = true;
  spec.words = rest == "random" ? "random:0" : std::string(rest);
  if (rest.starts_with('@')) {
    return parseFile(rest, text, spec);
  }
  const bool more = rest.find(':') != std::string_view::npos;
  const std::string_view word = takeWord(rest);
  if (word == "random") {
    return parseRandom(rest, more, text, spec);
  }
  if (word == "const") {
    const auto number = parseNumber(rest);
    if (!number) {
      return wrongValue(text, fmt::format("After const: comes a number. Given is \"{}\".", rest));
    }
    spec.kind = InputSpec::Kind::Constant;
    spec.constant = *number;
    return {};
  }
  spec.kind = word == "zeros"  ? InputSpec::Kind::Zeros
              : word == "ones" ? InputSpec::Kind::Ones
                               : InputSpec::Kind::Range;
  if (word != "zeros" && word != "ones" && word != "range") {
    return wrongValue(
        text, fmt::format("\"{}\" is neither a kind of value, nor a shape, nor an element type.", word));
  }
  if (more) {
    return wrongValue(text, fmt::format("Nothing may follow {}.", word));
  }
  return {};
}

}  // namespace

Result<InputSpec> parseInputSpec(std::string_view text) {
  InputSpec spec;
  std::string_view rest = text;
  std::string_view ahead = rest;
  if (auto shape = parseShape(takeWord(ahead))) {
    const auto size = arrays::elementCount(*shape);
    if (!size) {
      return wrongValue(text, size.error().message);
    }
    spec.shape = std::move(*shape);
    rest = ahead;
    if (rest.empty() && !text.ends_with(':')) {
      return spec;
    }
  }
  ahead = rest;
  if (const auto type = arrays::elementTypeFromName(takeWord(ahead))) {
    spec.type = *type;
    rest = ahead;
    if (rest.empty() && !text.ends_with(':')) {
      return spec;
    }
  }
  if (rest.empty()) {
    return wrongValue(text, "It says no value.");
  }
  OPSCOPE_TRY(parseKind(rest, text, spec));
  return spec;
}

Result<std::pair<std::string, std::string>> parseInputAssignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return Error{ErrorCode::InvalidArgument, fmt::format("\"{}\" is not an input.", text),
                 "An input is NAME=VALUE, with the parameter's name or position.", std::string(kForms)};
  }
  return std::pair{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

Result<std::pair<std::string, std::int64_t>> parseDimensionAssignment(std::string_view text) {
  const std::size_t equals = text.find('=');
  const auto size =
      equals == std::string_view::npos ? std::nullopt : wholeNumber<std::int64_t>(text.substr(equals + 1));
  if (!size || equals == 0) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("\"{}\" is not the size of a free dimension.", text),
                 "A size is NAME=NUMBER, for example n=8.",
                 {}};
  }
  if (*size < 1) {
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("{} must be at least 1.", text.substr(0, equals)),
                 fmt::format("Given is {}.", *size),
                 {}};
  }
  return std::pair{std::string(text.substr(0, equals)), *size};
}

}  // namespace opscope::session
