// SPDX-License-Identifier: Apache-2.0
// `check`: the way to a board, step by step.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "engine/base/printable.h"
#include "engine/session/board_check.h"
#include "engine/session/secret_file.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;
using session::CheckStep;

const char* wordOf(CheckStep::Outcome outcome) {
  return outcome == CheckStep::Outcome::Passed  ? "ok"
         : outcome == CheckStep::Outcome::Noted ? "note"
                                                : "FAILED";
}

std::string asJson(const session::BoardCheck& check) {
  Json object = {{"schema", "opscope.check/1"}, {"target", check.target}, {"passed", check.passed()}};
  object["steps"] = Json::array();
  for (const CheckStep& step : check.steps) {
    object["steps"].push_back({{"id", step.id},
                               {"title", step.title},
                               {"outcome", wordOf(step.outcome)},
                               {"words", step.words},
                               {"ms", step.ms}});
  }
  if (check.failure) {
    object["failure"] = {{"code", base::errorCodeName(check.failure->code)},
                         {"message", check.failure->message},
                         {"detail", check.failure->detail},
                         {"hint", check.failure->hint}};
  } else {
    object["profiles"] = check.way;
  }
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string lineOf(const CheckStep& step) {
  return fmt::format("{:<6}  {:<20}  {}\n", wordOf(step.outcome), step.title, base::printable(step.words));
}

}  // namespace

int check(const CheckBoardOptions& options, Console& console, Interrupts& interrupts) {
  const auto target = session::parseTarget(options.target);
  const auto secret = session::readSecretFile(options.secretFile);
  if (!target || !secret) {
    console.error(target ? secret.error() : target.error());
    return kWorkFailed;
  }
  using Kind = session::Target::Kind;
  const bool isBoard = target->kind != Kind::Local && target->kind != Kind::Isolated;
  std::stop_source stop;
  interrupts.onFirst([&stop] { stop.request_stop(); });
  session::CheckOptions how;
  how.timeoutSeconds = options.timeoutSeconds;
  how.secret = *secret;
  how.stop = stop.get_token();
  bool written = true;
  if (!options.json && !console.quiet()) {
    how.onStep = [&](const CheckStep& step) {
      written = written && writeOut(console, lineOf(step)) == kDone;
    };
  }
  const session::BoardCheck result = session::checkBoard(*target, how);
  interrupts.onFirst({});
  if (options.json) {
    written = writeOut(console, asJson(result)) == kDone;
  }
  if (result.failure) {
    if (result.failure->code == base::ErrorCode::Cancelled && interrupts.seen()) {
      return kInterrupted;
    }
    console.error(*result.failure);
    return isBoard ? kWorkFailed : kWrongUsage;
  }
  return written ? kDone : kWorkFailed;
}

}  // namespace opscope::cli
