// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/diverge_output.h"
#include "app/cli/exit_status.h"
#include "app/cli/session_client.h"

namespace opscope::cli {

int diverge(const DivergeOptions& options, Console& console, Interrupts& interrupts) {
  session::DivergeRequest request;
  request.pathA = options.fileA;
  request.pathB = options.fileB;
  request.plan = options.plan;
  request.settings = options.settings;
  request.targetA = options.targetA;
  request.targetB = options.targetB;
  request.secretFileB = options.secretFileB;
  request.rtol = options.rtol;
  request.atol = options.atol;
  SessionClient client(console, interrupts);
  const Answer answer = client.diverge(std::move(request));
  const auto* finished = std::get_if<session::DivergeFinished>(&answer);
  if (finished == nullptr) {
    return tellFailure(console, interrupts, answer);
  }
  const session::Divergence& found = finished->divergence;
  if (found.calls.empty()) {
    console.warning("No calls were compared, only results.",
                    found.onlyA.empty() && found.onlyB.empty()
                        ? "Neither showed any."
                        : "Calls are paired by name and output shapes, and none fit.");
  }
  int status = kDone;
  if (options.json) {
    status = writeOut(console, divergeJson(options, found));
  } else if (!console.quiet()) {
    status = writeOut(console, divergeText(options, found, console));
  }
  return status != kDone ? status : found.differs() ? kCheckFailed : kDone;
}

}  // namespace opscope::cli
