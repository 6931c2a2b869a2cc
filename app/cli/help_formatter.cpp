// SPDX-License-Identifier: Apache-2.0
#include "app/cli/help_formatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

namespace opscope::cli {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kWordsAt = 30;

std::vector<std::string> broken(std::string_view words, std::size_t width) {
  std::vector<std::string> lines;
  std::istringstream given{std::string(words)};
  for (std::string givenLine; std::getline(given, givenLine);) {
    std::istringstream stream(givenLine);
    std::string line;
    for (std::string word; stream >> word;) {
      if (!line.empty() && line.size() + 1 + word.size() > width) {
        lines.push_back(std::move(line));
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

/// "-f,--function NAME", "--pin on|off", "--json".
std::string optionName(const CLI::Option* option, bool isPositional) {
  std::string name = option->get_name(isPositional, !isPositional);
  if (const std::size_t brace = name.find('{'); brace != std::string::npos) {
    name.erase(brace);  // the value of a flag, "--no-sort{false}"
  }
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    name.insert(comma + 1, " ");
  }
  if (isPositional || option->get_type_size() == 0) {
    return name;
  }
  // "N:INT in [1 - 1024]", "TEXT:{on,off}": the type, then what a check adds.
  const std::string type = option->get_type_name();
  const std::size_t colon = type.find(':');
  std::string value = type.substr(0, colon);
  if (value == "TEXT" && type.find('{') != std::string::npos) {
    value = type.substr(type.find('{') + 1);
    value.erase(value.find('}'));
    std::replace(value.begin(), value.end(), ',', '|');
  }
  return name + " " + value;
}

}  // namespace

std::string helpEntry(std::string_view name, std::string_view words) {
  std::string text = fmt::format("  {}", name);
  const std::string indent(kWordsAt, ' ');
  bool first = true;
  for (const std::string& line : broken(words, kWidth - kWordsAt)) {
    const bool besideTheName = first && text.size() + 2 <= kWordsAt;
    text += besideTheName ? std::string(kWordsAt - text.size(), ' ') : "\n" + indent;
    text += line;
    first = false;
  }
  return text + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool isPositional) const {
  return helpEntry(optionName(option, isPositional), option->get_description());
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  std::string usage = name.empty() ? app->get_name() : name;
  std::string positionals;
  for (const CLI::Option* option :
       app->get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    usage += " " + option->get_name(true);
    positionals += make_option(option, true);
  }
  std::string commands;
  for (const CLI::App* command : app->get_subcommands([](const CLI::App*) { return true; })) {
    commands += helpEntry(command->get_name(), command->get_description());
  }
  std::string text = fmt::format("{}.\n\nUsage: {}{} [OPTIONS]\n", app->get_description(), usage,
                                 commands.empty() ? "" : " COMMAND");
  if (!positionals.empty()) {
    text += "\n" + positionals;
  }
  if (!commands.empty()) {
    text += "\nCommands:\n" + commands;
  }
  std::vector<std::string> groups = app->get_groups();
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != kCommonGroup; });
  for (const std::string& group : groups) {
    std::string entries;
    for (const CLI::Option* option : app->get_options([&group](const CLI::Option* each) {
           return each->get_group() == group && each->nonpositional();
         })) {
      entries += make_option(option, false);
    }
    if (!entries.empty()) {
      text += fmt::format("\n{}:\n{}", group, entries);
    }
  }
  return text + "\n" + app->get_footer() + "\n";
}

}  // namespace opscope::cli
