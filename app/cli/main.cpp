// SPDX-License-Identifier: Apache-2.0
// opscope-cli: parses the command line, builds the objects and hands them to a command.
#include <variant>

#include "app/cli/commands.h"
#include "engine/base/log.h"
#include "engine/session/session.h"

namespace {

/// Picks the command by the type of its options.
struct Dispatch {
  opscope::cli::Console& console;
  opscope::cli::Interrupts& interrupts;

  int operator()(const opscope::cli::Ended& ended) const { return ended.status; }
  int operator()(const opscope::cli::InspectOptions& options) const {
    return inspect(options, console, interrupts);
  }
  int operator()(const opscope::cli::RunOptions& options) const { return run(options, console, interrupts); }
  int operator()(const opscope::cli::ProfileOptions& options) const {
    return profile(options, console, interrupts);
  }
  int operator()(const opscope::cli::ReportOptions& options) const { return report(options, console); }
};

}  // namespace

int main(int argc, char** argv) {
  const opscope::cli::CommandLine line = opscope::cli::parseCommandLine(argc, argv);
  if (const auto* ended = std::get_if<opscope::cli::Ended>(&line.command)) {
    return ended->status;
  }
  opscope::base::configureLog(line.verbose);
  opscope::cli::Interrupts interrupts;
  opscope::session::initialiseEngine();
  opscope::cli::Console console(line.quiet);
  return std::visit(Dispatch{console, interrupts}, line.command);
}
