// SPDX-License-Identifier: Apache-2.0
// The connection doctor: goes the way to a board step by step, and says at which one it ends and what to do.
// Plain values. On any thread that may wait; several may run at once.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/session/targets.h"

namespace opscope::session {

struct CheckStep {
  enum class Outcome { Passed, Noted, Failed };  ///< Noted: it works, with less than there could be
  std::string id;                                ///< "tcp"
  std::string title;                             ///< "TCP connection"
  Outcome outcome = Outcome::Passed;
  std::string words;
  double ms = 0;
};

struct BoardCheck {
  std::string target;
  std::vector<CheckStep> steps;
  std::optional<base::Error> failure;  ///< of the last step: what went wrong and what to do
  std::vector<std::string> devices;    ///< that the server tells of: "cpu:0"
  bool isOurServer = false;            ///< opscope-server, which can be told and tells more than TVM's own
  std::string way;                     ///< in which a profile would be recorded; empty after a failure
  bool passed() const { return !failure.has_value(); }
};

struct CheckOptions {
  double timeoutSeconds = 10;  ///< for each step, and for a free board; 0: as without it
  std::string secret;
  std::stop_token stop;
  std::function<void(const CheckStep&)> onStep;  ///< told as soon as it is over; may be empty
};

BoardCheck checkBoard(const Target& target, const CheckOptions& options);

}  // namespace opscope::session
