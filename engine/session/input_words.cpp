// SPDX-License-Identifier: Apache-2.0
// From a plan back to the words of a command line ("Copy as command").
#include <algorithm>
#include <string_view>

#include "engine/base/printable.h"
#include "engine/session/input_spec.h"

namespace opscope::session {

namespace {

/// Letters that no shell treats specially within a word.
bool isSafe(char c) {
  constexpr std::string_view kSafe = "@%+=:,./-_";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kSafe.find(c) != std::string_view::npos;
}

std::string dollarQuoted(const std::string& word) {
  std::string out = "$'";
  for (const char c : word) {
    out += c == '\'' || c == '\\' ? std::string{'\\', c} : base::printable({&c, 1});
  }
  return out + "'";
}

std::string quoted(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), isSafe)) {
    return word;
  }
  // Only $'...' can hold a line end or an escape without doing what it says.
  const std::string shown = base::printable(word);
  if (shown != word && std::none_of(word.begin(), word.end(), [](char c) { return (c & 0x80) != 0; })) {
    return dollarQuoted(word);
  }
  std::string out = "'";
  for (const char c : word) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

}  // namespace

std::vector<std::string> commandLineWords(const InputPlan& plan) {
  std::vector<std::string> words;
  for (const auto& [name, size] : plan.dimensions) {
    words.insert(words.end(), {"--dim", name + "=" + std::to_string(size)});
  }
  if (!plan.arraysFile.empty()) {
    words.insert(words.end(), {"--inputs", plan.arraysFile});
  }
  for (const auto& [name, value] : plan.values) {
    words.insert(words.end(), {"--input", name + "=" + value});
  }
  return words;
}

std::vector<std::string> commandLineWords(const CallPlan& plan) {
  std::vector<std::string> words;
  if (!plan.scenarioFile.empty()) {
    words = {"--scenario", plan.scenarioFile};
    if (!plan.inputs.arraysFile.empty()) {
      words.insert(words.end(), {"--inputs", plan.inputs.arraysFile});
    }
    return words;
  }
  if (!plan.function.empty()) {
    words = {"-f", plan.function};
  }
  const std::vector<std::string> inputs = commandLineWords(plan.inputs);
  words.insert(words.end(), inputs.begin(), inputs.end());
  return words;
}

std::string shellCommand(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : " ") + quoted(word);
  }
  return line;
}

}  // namespace opscope::session
