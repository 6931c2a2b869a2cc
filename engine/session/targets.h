// SPDX-License-Identifier: Apache-2.0
// Where a request runs: the words of --target, taken apart. Plain values; any thread.
//
//   local | isolated | rpc://HOST:PORT[/KEY] | tracker://HOST:PORT/KEY[?priority=N&timeout=S]
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace opscope::session {

struct Target {
  enum class Kind { Local, Isolated, Server, Tracker };
  Kind kind = Kind::Local;
  std::string host;  ///< a name, an IPv4 address, or an IPv6 address without brackets
  std::string port;
  std::string key;                    ///< of the boards wanted, or the server's; may be empty for a server
  std::int64_t priority = 1;          ///< of a request to a tracker; higher ones are served first
  std::optional<double> waitSeconds;  ///< for a free board; nothing: the caller's default
  std::string text = "local";         ///< as it was written
  bool isRemote() const { return kind != Kind::Local; }
};

/// One kind of target.
struct TargetKind {
  std::string_view prefix;                               ///< "rpc://"
  std::string_view form;                                 ///< for messages and help
  std::string_view description;                          ///< one sentence
  base::Result<Target> (*parse)(std::string_view rest);  ///< what stands after the prefix
};

/// All kinds that there are, local first.
std::span<const TargetKind> targetKinds();

/// Seconds of an option; more than a thousand million, thirty years, are as many.
std::chrono::milliseconds millisecondsOf(double seconds);

/// True for every target but this program itself, also for one that is wrong.
inline bool isElsewhere(std::string_view target) {
  return !target.empty() && target != "local";
}

/// Empty text is local. Errors: InvalidArgument naming what was found and what may stand there.
base::Result<Target> parseTarget(std::string_view text);

/// "HOST:PORT" of a tracker, with or without tracker:// before it and a key behind. Errors: as parseTarget.
base::Result<Target> parseTracker(std::string_view text);

}  // namespace opscope::session
