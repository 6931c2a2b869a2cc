// SPDX-License-Identifier: Apache-2.0
// From JSON to plain structs; every key, type and reference is checked here.
#include "engine/session/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/near_match.h"
#include "engine/base/text_encoding.h"
#include "engine/session/content_hash.h"

namespace opscope::session {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using Json = nlohmann::json;

/// Scenarios are written by hand or by small scripts.
constexpr std::size_t kFileLimit = std::size_t{64} << 20;
constexpr int kTupleDepthLimit = 32;

/// A value cut short for a message. Bytes that are no text are replaced.
std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  constexpr std::size_t kShown = 60;
  if (text.size() > kShown) {
    std::size_t end = kShown;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
      --end;
    }
    text = text.substr(0, end) + "…";
  }
  return text;
}

class ScenarioReader {
 public:
  explicit ScenarioReader(std::string_view file) : m_file(file) {}

  Result<Scenario> read(const Json& root);

 private:
  Error wrong(const std::string& place, std::string_view needs, const Json& found) const {
    return wrongText(place, fmt::format("Needs {}. The file has {}.", needs, shown(found)));
  }
  Error wrongText(const std::string& place, std::string detail, std::string hint = {}) const {
    return {ErrorCode::Format, fmt::format("{}: the scenario is wrong at {}.", m_file, place),
            std::move(detail), std::move(hint)};
  }

  Result<> checkKeys(const Json& object, const std::string& place,
                     const std::vector<std::string>& known) const;
  Result<ScenarioStep> readStep(const Json& json, std::size_t number) const;
  Result<> readFunction(const Json& json, const std::string& place, ScenarioStep& step) const;
  Result<ScenarioArgument> readArgument(const Json& json, const std::string& place, std::size_t step,
                                        int depth) const;
  Result<ScenarioArgument> readValue(const std::string& kind, const Json& value, const std::string& place,
                                     std::size_t step, int depth) const;
  Result<ScenarioTuple> readTuple(const Json& value, const std::string& place, std::size_t step,
                                  int depth) const;
  Result<StepResult> readResult(const Json& json, const std::string& place, std::size_t step) const;
  Result<std::int64_t> readWhole(const Json& json, const std::string& place, std::int64_t least) const;
  Result<std::vector<std::int64_t>> readWholes(const Json& json, const std::string& place,
                                               std::int64_t least) const;
  Result<std::string> readText(const Json& json, const std::string& place, std::string_view what) const;

  std::string m_file;
};

Result<> ScenarioReader::checkKeys(const Json& object, const std::string& place,
                                   const std::vector<std::string>& known) const {
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::string near = base::nearMatch(key, known);
      return wrongText(
          place, fmt::format("The key {} is not known. Known are {}.", shown(key), base::joinNames(known)),
          near.empty() ? "" : fmt::format("Did you mean \"{}\"?", near));
    }
  }
  return {};
}

Result<Scenario> ScenarioReader::read(const Json& root) {
  if (!root.is_object()) {
    return wrong("the top", "an object with \"steps\"", root);
  }
  const auto steps = root.find("steps");
  if (steps == root.end()) {
    return wrongText("the top", "Needs the key \"steps\", a list of calls.");
  }
  if (!steps->is_array() || steps->empty()) {
    return wrong("steps", "a list with at least one call", *steps);
  }
  Scenario scenario;
  scenario.file = m_file;
  for (std::size_t i = 0; i < steps->size(); ++i) {
    OPSCOPE_TRY_ASSIGN(ScenarioStep step, readStep((*steps)[i], i));
    scenario.steps.push_back(std::move(step));
  }
  return scenario;
}

Result<ScenarioStep> ScenarioReader::readStep(const Json& json, std::size_t number) const {
  const std::string place = fmt::format("steps[{}]", number);
  if (!json.is_object()) {
    return wrong(place, "an object with \"func\" or \"global\"", json);
  }
  OPSCOPE_TRY(checkKeys(json, place, {"func", "global", "args", "only", "out"}));
  ScenarioStep step;
  OPSCOPE_TRY(readFunction(json, place, step));
  if (const auto arguments = json.find("args"); arguments != json.end()) {
    if (!arguments->is_array()) {
      return wrong(place + ".args", "a list", *arguments);
    }
    for (std::size_t i = 0; i < arguments->size(); ++i) {
      OPSCOPE_TRY_ASSIGN(ScenarioArgument argument,
                         readArgument((*arguments)[i], fmt::format("{}.args[{}]", place, i), number, 0));
      step.arguments.push_back(std::move(argument));
    }
  }
  if (const auto out = json.find("out"); out != json.end()) {
    OPSCOPE_TRY_ASSIGN(step.out, readText(*out, place + ".out", "a name for the result"));
  }
  if (const auto only = json.find("only"); only != json.end()) {
    OPSCOPE_TRY_ASSIGN(step.only, readWhole(*only, place + ".only", 0));
    if (step.out.empty()) {
      return wrongText(place, "\"only\" chooses what \"out\" saves, but there is no \"out\".");
    }
  }
  return step;
}

Result<> ScenarioReader::readFunction(const Json& json, const std::string& place, ScenarioStep& step) const {
  step.isGlobal = json.contains("global");
  if (step.isGlobal == json.contains("func")) {
    return wrongText(place, step.isGlobal ? "It has \"func\" and \"global\". Needs one of them."
                                          : "Needs \"func\" or \"global\", the name of what is called.");
  }
  const char* key = step.isGlobal ? "global" : "func";
  OPSCOPE_TRY_ASSIGN(step.function, readText(json[key], place + "." + key, "the name of a function"));
  return {};
}

Result<ScenarioArgument> ScenarioReader::readArgument(const Json& json, const std::string& place,
                                                      std::size_t step, int depth) const {
  static const std::vector<std::string> kKinds = {"npz",    "shape", "int",   "float", "bool",
                                                  "string", "none",  "tuple", "ret"};
  if (!json.is_object() || json.empty()) {
    return wrong(place, fmt::format("an object with one of {}", base::joinNames(kKinds)), json);
  }
  const bool isResult = json.contains("ret");
  std::vector<std::string> known = kKinds;
  if (isResult) {
    known = {"ret", "index", "reshape"};
  }
  OPSCOPE_TRY(checkKeys(json, place, known));
  if (isResult) {
    OPSCOPE_TRY_ASSIGN(StepResult result, readResult(json, place, step));
    return ScenarioArgument{place, std::move(result)};
  }
  if (json.size() != 1) {
    return wrong(place, "one kind of argument", json);
  }
  return readValue(json.begin().key(), json.begin().value(), place, step, depth);
}

Result<ScenarioArgument> ScenarioReader::readValue(const std::string& kind, const Json& value,
                                                   const std::string& place, std::size_t step,
                                                   int depth) const {
  if (kind == "npz") {
    OPSCOPE_TRY_ASSIGN(std::string key, readText(value, place + ".npz", "the key of an array"));
    return ScenarioArgument{place, ArrayKey{std::move(key)}};
  }
  if (kind == "shape") {
    OPSCOPE_TRY_ASSIGN(auto sizes,
                       readWholes(value, place + ".shape", std::numeric_limits<std::int64_t>::min()));
    return ScenarioArgument{place, ShapeValue{std::move(sizes)}};
  }
  if (kind == "int") {
    OPSCOPE_TRY_ASSIGN(const std::int64_t whole,
                       readWhole(value, place + ".int", std::numeric_limits<std::int64_t>::min()));
    return ScenarioArgument{place, whole};
  }
  if (kind == "float") {
    return value.is_number() ? Result<ScenarioArgument>(ScenarioArgument{place, value.get<double>()})
                             : wrong(place + ".float", "a number", value);
  }
  if (kind == "bool") {
    return value.is_boolean() ? Result<ScenarioArgument>(ScenarioArgument{place, value.get<bool>()})
                              : wrong(place + ".bool", "true or false", value);
  }
  if (kind == "string") {
    return value.is_string() ? Result<ScenarioArgument>(ScenarioArgument{place, value.get<std::string>()})
                             : wrong(place + ".string", "a text", value);
  }
  if (kind == "none") {
    return value == Json(true) || value.is_null()
               ? Result<ScenarioArgument>(ScenarioArgument{place, NoneValue{}})
               : wrong(place + ".none", "true", value);
  }
  OPSCOPE_TRY_ASSIGN(ScenarioTuple tuple, readTuple(value, place + ".tuple", step, depth));
  return ScenarioArgument{place, std::move(tuple)};
}

Result<ScenarioTuple> ScenarioReader::readTuple(const Json& value, const std::string& place, std::size_t step,
                                                int depth) const {
  if (!value.is_array()) {
    return wrong(place, "a list of keys and arguments", value);
  }
  if (depth >= kTupleDepthLimit) {
    return wrongText(place, fmt::format("Tuples stand in each other more than {} deep.", kTupleDepthLimit));
  }
  ScenarioTuple tuple;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string memberPlace = fmt::format("{}[{}]", place, i);
    if (value[i].is_string()) {
      OPSCOPE_TRY_ASSIGN(std::string key, readText(value[i], memberPlace, "the key of an array"));
      tuple.members.push_back({memberPlace, ArrayKey{std::move(key)}});
      continue;
    }
    OPSCOPE_TRY_ASSIGN(ScenarioArgument member, readArgument(value[i], memberPlace, step, depth + 1));
    tuple.members.push_back(std::move(member));
  }
  return tuple;
}

Result<StepResult> ScenarioReader::readResult(const Json& json, const std::string& place,
                                              std::size_t step) const {
  StepResult result;
  OPSCOPE_TRY_ASSIGN(const std::int64_t target, readWhole(json["ret"], place + ".ret", 0));
  if (static_cast<std::uint64_t>(target) >= step) {
    return wrongText(place + ".ret",
                     step == 0
                         ? std::string("The first step has no earlier step to take a result from.")
                         : fmt::format("Needs an earlier step, 0 to {}. The file has {}.", step - 1, target));
  }
  result.step = static_cast<std::size_t>(target);
  if (const auto index = json.find("index"); index != json.end()) {
    if (index->is_array()) {
      OPSCOPE_TRY_ASSIGN(result.index, readWholes(*index, place + ".index", 0));
    } else {
      OPSCOPE_TRY_ASSIGN(const std::int64_t member, readWhole(*index, place + ".index", 0));
      result.index = {member};
    }
  }
  if (const auto shape = json.find("reshape"); shape != json.end()) {
    OPSCOPE_TRY_ASSIGN(result.shape, readWholes(*shape, place + ".reshape", 0));
    result.reshaped = true;
    if (const auto size = arrays::elementCount(result.shape); !size) {
      return wrongText(place + ".reshape", size.error().message);
    }
  }
  return result;
}

Result<std::int64_t> ScenarioReader::readWhole(const Json& json, const std::string& place,
                                               std::int64_t least) const {
  const bool tooLarge =
      json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max();
  if (!json.is_number_integer() || tooLarge || json.get<std::int64_t>() < least) {
    return wrong(place, least == 0 ? "a whole number from 0 on" : "a whole number", json);
  }
  return json.get<std::int64_t>();
}

Result<std::vector<std::int64_t>> ScenarioReader::readWholes(const Json& json, const std::string& place,
                                                             std::int64_t least) const {
  if (!json.is_array()) {
    return wrong(place, "a list of whole numbers", json);
  }
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < json.size(); ++i) {
    OPSCOPE_TRY_ASSIGN(const std::int64_t value, readWhole(json[i], fmt::format("{}[{}]", place, i), least));
    values.push_back(value);
  }
  return values;
}

Result<std::string> ScenarioReader::readText(const Json& json, const std::string& place,
                                             std::string_view what) const {
  if (!json.is_string() || json.get_ref<const std::string&>().empty()) {
    return wrong(place, what, json);
  }
  return json.get<std::string>();
}

/// The parser's own recursion is bounded by this, so that brackets alone cannot exhaust the stack.
bool nestedTooDeep(std::string_view json) {
  constexpr int kLimit = 200;
  int depth = 0;
  bool inText = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (inText) {
      i += c == '\\' ? 1 : 0;
      inText = c != '"';
    } else if (c == '"') {
      inText = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kLimit) {
        return true;
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

/// Line and column of a byte, for people.
std::string linePlace(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n');
  return fmt::format("line {}, column {}", line,
                     before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1);
}

}  // namespace

Result<Scenario> parseScenario(std::string_view json, std::string_view fileForMessages) {
  const auto invalid = [&](std::string detail) {
    return Error{
        ErrorCode::Format, fmt::format("{}: not valid JSON.", fileForMessages), std::move(detail), {}};
  };
  if (json.empty()) {
    return invalid("The file is empty.");
  }
  if (nestedTooDeep(json)) {
    return invalid("Its brackets are nested too deep.");
  }
  Json root;
  try {
    root = Json::parse(json);
  } catch (const Json::parse_error& error) {
    // The library's position counts from 1 and names the last byte that it read.
    return invalid(
        fmt::format("The first mistake is at {}.", linePlace(json, error.byte > 0 ? error.byte - 1 : 0)));
  }
  return ScenarioReader(fileForMessages).read(root);
}

Result<Scenario> readScenario(const std::filesystem::path& path, std::string* hash) {
  OPSCOPE_TRY_ASSIGN(const std::string content, base::readFile(path, kFileLimit));
  OPSCOPE_TRY_ASSIGN(const std::string_view text, base::utf8Text(content, path.string()));
  OPSCOPE_TRY_ASSIGN(Scenario scenario, parseScenario(text, path.string()));
  if (hash != nullptr) {
    *hash = contentHash(content);
  }
  return scenario;
}

}  // namespace opscope::session
