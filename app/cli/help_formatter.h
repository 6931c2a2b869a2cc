// SPDX-License-Identifier: Apache-2.0
// How --help looks: usage, what the command does, its options by group (those of all commands last),
// examples; 100 columns at most.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace opscope::cli {

/// Options of this group come last.
inline constexpr const char* kCommonGroup = "Common";

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool isPositional) const override;
};

/// `name` in a column of its own, `words` beside it, broken at blanks so that lines have at most 100 columns.
/// A line end in `words` stays one.
std::string helpEntry(std::string_view name, std::string_view words);

}  // namespace opscope::cli
