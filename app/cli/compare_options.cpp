// SPDX-License-Identifier: Apache-2.0
#include "app/cli/compare_options.h"

#include "app/cli/document_output.h"
#include "app/cli/option_builders.h"
#include "app/cli/option_checks.h"

namespace opscope::cli {

void addCompareOptions(CLI::App& command, CompareOptions& options) {
  addFile(command, "A", options.a, "Before: a report or samples, as JSON, or a saved run: run:3, run:last-1");
  addFile(command, "B", options.b, "After, likewise");
  command.add_option("--by", options.by, "Match ops by name (default) or call by call, by position")
      ->check(oneOf({"name", "position"}))
      ->type_name("name|position");
  command
      .add_option("--fail-above", options.failAbovePercent,
                  "Exit status 3 when the total or an op is slower by more than this")
      ->check(notNegative())
      ->type_name("PCT");
  command.add_option("--min-effect", options.minEffectPercent, "A smaller change counts as none (default 2)")
      ->check(notNegative())
      ->type_name("PCT");
  addFlag(command, "--json", options.json, "Print JSON (schema opscope.compare/1)");
  addFlag(command, "--wide", options.wide, kWideTableHelp);
  command.add_option("--junit", options.junit, "JUnit's XML for CI systems; - is standard output")
      ->check(notEmpty())
      ->type_name("FILE");
  command.add_option("--markdown", options.markdown, "Markdown for pull requests; - is standard output")
      ->check(notEmpty())
      ->type_name("FILE");
  addStore(command, options.store);
}

std::optional<base::Error> problemOf(const CompareOptions& options) {
  if (auto problem = conflictOfStreams(
          {{"json", options.json ? "-" : ""}, {"junit", options.junit}, {"markdown", options.markdown}})) {
    return problem;
  }
  return conflictOfPaths({{"--junit", options.junit}, {"--markdown", options.markdown}},
                         {{"A", options.a}, {"B", options.b}});
}

}  // namespace opscope::cli
