// SPDX-License-Identifier: Apache-2.0
#include "app/cli/board_options.h"

#include "app/cli/option_builders.h"
#include "app/cli/option_checks.h"

namespace opscope::cli {

namespace {

void addTimeout(CLI::App& command, double& seconds) {
  command.add_option("--timeout", seconds, "Longest wait for each answer (default 10)")
      ->check(waitingTime())
      ->type_name("SECONDS");
}

}  // namespace

void addBoardsOptions(CLI::App& command, BoardsOptions& options) {
  command.add_option("TRACKER", options.tracker, "The tracker, HOST:PORT")
      ->required()
      ->check(trackerAddress())
      ->type_name("");
  addTimeout(command, options.timeoutSeconds);
  addFlag(command, "--json", options.json, "Print JSON (schema opscope.boards/1)");
}

void addCheckOptions(CLI::App& command, CheckBoardOptions& options) {
  command.add_option("TARGET", options.target, "rpc://HOST:PORT[/KEY] or tracker://HOST:PORT/KEY")
      ->required()
      ->check(target())
      ->type_name("");
  addTimeout(command, options.timeoutSeconds);
  command.add_option("--secret-file", options.secretFile, "File with the secret that opscope-server wants")
      ->check(notEmpty())
      ->type_name("FILE");
  addFlag(command, "--json", options.json, "Print JSON (schema opscope.check/1)");
}

}  // namespace opscope::cli
