// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/inspect_output.h"
#include "app/cli/session_client.h"

namespace opscope::cli {

int inspect(const InspectOptions& options, Console& console, Interrupts& interrupts) {
  SessionClient client(console, interrupts);
  const Answer answer = client.open({options.file});
  const auto* opened = std::get_if<session::ExecutableOpened>(&answer);
  if (opened == nullptr) {
    return tellFailure(console, interrupts, answer);
  }
  return writeOut(
      console, options.json
                   ? inspectJson(*opened->info, options.bytecode)
                   : inspectText(*opened->info,
                                 {options.bytecode, options.all ? std::nullopt : console.width()}, console));
}

}  // namespace opscope::cli
