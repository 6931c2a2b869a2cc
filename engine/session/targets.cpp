// SPDX-License-Identifier: Apache-2.0
#include "engine/session/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/rpc/address.h"

namespace opscope::session {

namespace {

base::Error wrong(std::string found, std::string_view form, std::string hint = {}) {
  return {base::ErrorCode::InvalidArgument, std::move(found), fmt::format("Expected {}.", form),
          std::move(hint)};
}

base::Result<Target> parseLocal(std::string_view rest) {
  if (!rest.empty()) {
    return wrong(fmt::format("\"{}\" follows local.", rest), "local");
  }
  return Target{};
}

base::Result<Target> parseIsolated(std::string_view rest) {
  if (!rest.empty()) {
    return wrong(fmt::format("\"{}\" follows isolated.", rest), "isolated");
  }
  Target target;
  target.kind = Target::Kind::Isolated;
  return target;
}

/// Splits "HOST:PORT" off the front of `rest`; what follows stays.
base::Result<> takeAddress(std::string_view& rest, std::string_view form, Target& target) {
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view address = rest.substr(0, end);
  rest.remove_prefix(end);
  auto parsed = rpc::parseAddress(address);
  if (!parsed) {
    base::Error error = std::move(parsed).error();
    return wrong(std::move(error.message), form, std::move(error.hint));
  }
  target.host = std::move(parsed->host);
  target.port = std::move(parsed->port);
  return {};
}

base::Result<> checkKey(const std::string& key, std::string_view form) {
  const auto bad = std::ranges::find_if(key, [](unsigned char c) { return c <= ' ' || c == 0x7F; });
  if (bad != key.end()) {
    return wrong("A key of boards must not contain blanks.", form);
  }
  return {};
}

constexpr std::string_view kServerForm = "rpc://HOST:PORT[/KEY]";
constexpr std::string_view kTrackerForm = "tracker://HOST:PORT/KEY[?priority=N&timeout=S]";

base::Result<Target> parseServer(std::string_view rest) {
  Target target;
  target.kind = Target::Kind::Server;
  OPSCOPE_TRY(takeAddress(rest, kServerForm, target));
  if (rest.starts_with('?')) {
    return wrong("Only targets of a tracker have options.", kServerForm);
  }
  target.key = rest.empty() ? std::string() : std::string(rest.substr(1));
  OPSCOPE_TRY(checkKey(target.key, kServerForm));
  return target;
}

base::Result<> applyOption(std::string_view option, Target& target) {
  const std::size_t equals = option.find('=');
  const std::string_view name = option.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : option.substr(equals + 1);
  const char* const end = value.data() + value.size();
  if (name == "priority") {
    const auto [stop, code] = std::from_chars(value.data(), end, target.priority);
    if (code != std::errc() || stop != end) {
      return wrong(fmt::format("\"{}\" is no priority.", value), "priority=N with a whole number");
    }
    return {};
  }
  if (name == "timeout") {
    double seconds = 0;
    const auto [stop, code] = std::from_chars(value.data(), end, seconds);
    if (code != std::errc() || stop != end || !std::isfinite(seconds) || seconds < 0 || seconds > 1e7) {
      return wrong(fmt::format("\"{}\" is no time.", value), "timeout=S with seconds from 0 on");
    }
    target.waitSeconds = seconds;
    return {};
  }
  return wrong(fmt::format("A tracker's target has no option \"{}\".", name), "priority=N or timeout=S");
}

base::Result<Target> parseTrackerAt(std::string_view rest, std::string_view form) {
  Target target;
  target.kind = Target::Kind::Tracker;
  OPSCOPE_TRY(takeAddress(rest, form, target));
  const std::size_t question = std::min(rest.find('?'), rest.size());
  std::string_view options = rest.substr(question);
  const std::string_view path = rest.substr(0, question);
  target.key = path.empty() ? std::string() : std::string(path.substr(1));
  OPSCOPE_TRY(checkKey(target.key, form));
  while (!options.empty()) {
    options.remove_prefix(1);  // ? or &
    const std::size_t end = std::min(options.find('&'), options.size());
    OPSCOPE_TRY(applyOption(options.substr(0, end), target));
    options.remove_prefix(end);
  }
  return target;
}

base::Result<Target> parseTrackerTarget(std::string_view rest) {
  return parseTrackerAt(rest, kTrackerForm);
}

constexpr TargetKind kKinds[] = {
    {"local", "local", "In this program.", parseLocal},
    {"isolated", "isolated", "On this computer, in a process of its own.", parseIsolated},
    {"rpc://", kServerForm, "On the server at this address.", parseServer},
    {"tracker://", kTrackerForm, "On a free board with this key, which a tracker gives.", parseTrackerTarget},
};

std::string formsText() {
  std::string text;
  for (const TargetKind& kind : kKinds) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", kind.form);
  }
  return text;
}

}  // namespace

std::chrono::milliseconds millisecondsOf(double seconds) {
  constexpr double kMostSeconds = 1e9;
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(seconds, 0.0, kMostSeconds) * 1e3));
}

std::span<const TargetKind> targetKinds() {
  return kKinds;
}

base::Result<Target> parseTarget(std::string_view text) {
  if (text.empty()) {
    return Target{};
  }
  for (const TargetKind& kind : kKinds) {
    if (text.starts_with(kind.prefix)) {
      OPSCOPE_TRY_ASSIGN(Target target, kind.parse(text.substr(kind.prefix.size())));
      if (target.kind == Target::Kind::Tracker && target.key.empty()) {
        return wrong(
            fmt::format("\"{}\" names no key.", text), kTrackerForm,
            "The key says which boards are wanted; \"opscope-cli boards\" lists those of a tracker.");
      }
      target.text = text;
      return target;
    }
  }
  return wrong(fmt::format("\"{}\" is no target.", text), "one of: " + formsText(),
               text.find(':') != std::string_view::npos && text.find("//") == std::string_view::npos
                   ? fmt::format("Did you mean rpc://{}?", text)
                   : std::string());
}

base::Result<Target> parseTracker(std::string_view text) {
  constexpr std::string_view kPrefix = "tracker://";
  const std::string_view rest = text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
  OPSCOPE_TRY_ASSIGN(Target target, parseTrackerAt(rest, "HOST:PORT"));
  target.text = text;
  return target;
}

}  // namespace opscope::session
