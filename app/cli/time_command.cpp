// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/document_output.h"
#include "app/cli/exit_status.h"
#include "app/cli/session_client.h"
#include "app/cli/time_output.h"

namespace opscope::cli {

namespace {

int tellTimes(const TimeOptions& options, const session::TimeFinished& finished,
              const std::optional<base::Error>& failure, Console& console) {
  tellWarnings(finished.warnings, console);
  if (options.json) {
    return writeOut(console, timeJson(options, finished, failure));
  }
  return console.quiet() ? kDone : writeOut(console, timeText(options, finished, console));
}

}  // namespace

int time(const TimeOptions& options, Console& console, Interrupts& interrupts) {
  session::TimeRequest request;
  request.path = options.file;
  request.plan = options.plan;
  request.settings = options.settings;
  request.timing = options.timing;
  SessionClient client(console, interrupts);
  const Answer answer = client.time(std::move(request));
  if (const auto* failed = std::get_if<session::RequestFailed>(&answer); failed && failed->partialTime) {
    const session::TimeFinished& kept = *failed->partialTime;
    tellTimes(options, kept, failed->error, console);
    const int status = tellFailure(console, interrupts, answer);
    console.note(
        fmt::format("{} of {} repeats were measured before that", kept.repeats.size(), kept.repeatsWanted));
    return status;
  }
  const auto* finished = std::get_if<session::TimeFinished>(&answer);
  if (finished == nullptr) {
    return tellFailure(console, interrupts, answer);
  }
  const int status = tellTimes(options, *finished, std::nullopt, console);
  if (static_cast<std::int64_t>(finished->repeats.size()) < finished->repeatsWanted) {
    console.note(fmt::format("interrupted: {} of {} repeats were measured", finished->repeats.size(),
                             finished->repeatsWanted));
    return kInterrupted;
  }
  return status;
}

}  // namespace opscope::cli
