// SPDX-License-Identifier: Apache-2.0
// opscope-cli: parses the command line, builds the objects and hands them to a command.
#include <signal.h>

#include <new>
#include <string>
#include <system_error>
#include <variant>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/standard_streams.h"
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
  int operator()(const opscope::cli::TimeOptions& options) const {
    return time(options, console, interrupts);
  }
  int operator()(const opscope::cli::DivergeOptions& options) const {
    return diverge(options, console, interrupts);
  }
  int operator()(const opscope::cli::CompareOptions& options) const {
    return compare(options, console, interrupts);
  }
  int operator()(const opscope::cli::SweepOptions& options) const {
    return sweep(options, console, interrupts);
  }
  int operator()(const opscope::cli::ReportOptions& options) const {
    return report(options, console, interrupts);
  }
  int operator()(const opscope::cli::RunsOptions& options) const {
    return runs(options, console, interrupts);
  }
  int operator()(const opscope::cli::BoardsOptions& options) const {
    return boards(options, console, interrupts);
  }
  int operator()(const opscope::cli::CheckBoardOptions& options) const {
    return check(options, console, interrupts);
  }
  int operator()(const opscope::cli::ServeOptions& options) const { return serve(options); }
};

int work(int argc, const char* const* argv) {
  const opscope::cli::CommandLine line = opscope::cli::parseCommandLine(argc, argv);
  if (const auto* ended = std::get_if<opscope::cli::Ended>(&line.command)) {
    return ended->status;
  }
  if (const auto* served = std::get_if<opscope::cli::ServeOptions>(&line.command)) {
    return opscope::cli::serve(*served);  // before anything of this program is set up
  }
  opscope::base::configureLog(line.verbose);
  opscope::cli::Interrupts interrupts;
  opscope::session::initialiseEngine();
  opscope::cli::Console console(line.quiet);
  return std::visit(Dispatch{console, interrupts}, line.command);
}

/// What no module could turn into words of its own: threads or memory that the system does not give.
int tellLastResort(const std::string& why) {
  opscope::cli::writeStandardError(opscope::base::formatError(
      {opscope::base::ErrorCode::OutOfMemory, "This computer does not give what is needed: " + why + ".", "",
       "Close other programs, or raise the limits (ulimit)."}));
  return opscope::cli::kWorkFailed;
}

}  // namespace

int main(int argc, char** argv) {
  opscope::cli::fillMissingStreams();
  signal(SIGXFSZ, SIG_IGN);  // writing tells instead, and what was begun is removed
  try {
    return work(argc, argv);
  } catch (const std::bad_alloc&) {
    return tellLastResort("memory");
  } catch (const std::system_error& error) {
    return tellLastResort(error.code().message());
  }
}
