// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/session_client.h"
#include "app/cli/time_output.h"

namespace opscope::cli {

int time(const TimeOptions& options, Console& console, Interrupts& interrupts) {
  session::TimeRequest request;
  request.path = options.file;
  request.plan = options.plan;
  request.settings = options.settings;
  request.timing = options.timing;
  SessionClient client(console, interrupts);
  const Answer answer = client.time(std::move(request));
  const auto* finished = std::get_if<session::TimeFinished>(&answer);
  if (finished == nullptr) {
    return tellFailure(console, interrupts, answer);
  }
  int status = kDone;
  if (options.json) {
    status = writeOut(console, timeJson(options, *finished));
  } else if (!console.quiet()) {
    status = writeOut(console, timeText(options, *finished, console));
  }
  if (static_cast<std::int64_t>(finished->repeats.size()) < finished->repeatsWanted) {
    console.note(fmt::format("interrupted: {} of {} repeats were measured", finished->repeats.size(),
                             finished->repeatsWanted));
    return kInterrupted;
  }
  return status;
}

}  // namespace opscope::cli
