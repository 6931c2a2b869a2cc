// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_timing.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "engine/base/clock.h"
#include "engine/profile/time_evaluator.h"

namespace opscope::session {

base::Result<std::vector<double>> evaluateOnBoard(rpc::Client& client, const Timed& timed,
                                                  const profile::TimeSettings& settings) {
  const rpc::Value module = timed.module ? rpc::Value(*timed.module) : rpc::Value();
  OPSCOPE_TRY_ASSIGN(
      rpc::CallResult made,
      client.callGlobal("runtime.RPCTimeEvaluator",
                        {module, timed.name, std::int64_t{timed.device.device_type},
                         std::int64_t{timed.device.device_id}, settings.number, settings.repeat,
                         settings.minRepeatMs, settings.limitZeroTimeIterations, settings.cooldownIntervalMs,
                         settings.repeatsToCooldown, settings.cacheFlushBytes, std::string()}));
  OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction evaluator,
                     rpc::functionOf(client, std::move(made), "the board's time evaluator"));
  OPSCOPE_TRY_ASSIGN(const rpc::CallResult result, evaluator(std::span(timed.arguments)));
  const auto bytes = result.bytes();
  const auto count = static_cast<std::size_t>(settings.repeat);
  if (!bytes || bytes->size() != count * sizeof(double)) {
    return base::Error{base::ErrorCode::Format, "The board's time evaluator answers with something else.",
                       fmt::format("Expected {} times in {} bytes, got {}.", count, count * sizeof(double),
                                   bytes ? fmt::format("{} bytes", bytes->size()) : "no bytes"),
                       ""};
  }
  std::vector<double> times(count);
  std::memcpy(times.data(), bytes->data(), bytes->size());
  for (double& time : times) {
    if (!std::isfinite(time) || time < 0) {
      return base::Error{base::ErrorCode::Format, "The board's time evaluator gives times that cannot be.",
                         fmt::format("One of them is {}.", time), ""};
    }
    time *= 1e9;
  }
  return times;
}

namespace {

base::Error stopped() {
  return {base::ErrorCode::Cancelled, "Stopped.", "", ""};
}

/// One repeat with as many calls as it takes.
base::Result<profile::RepeatTime> timeOnce(rpc::Client& client, const Timed& timed,
                                           const profile::TimeSettings& settings, std::int64_t& number,
                                           const TimeWatch& watch) {
  std::int64_t zeros = 0;
  for (;;) {
    if (watch.stopRequested && watch.stopRequested()) {
      return stopped();
    }
    profile::TimeSettings one;
    one.number = number;
    one.repeat = 1;
    one.cacheFlushBytes = settings.cacheFlushBytes;
    OPSCOPE_TRY_ASSIGN(const std::vector<double> ns, evaluateOnBoard(client, timed, one));
    const double totalNs = ns.front() * static_cast<double>(number);
    zeros += ns.front() > 0 ? 0 : 1;
    const bool longEnough = totalNs >= static_cast<double>(settings.minRepeatMs) * 1e6;
    const bool givenUp = zeros > settings.limitZeroTimeIterations || number >= profile::kMostCalls;
    if (longEnough || givenUp) {
      return profile::RepeatTime{ns.front(), number, static_cast<std::int64_t>(totalNs), !(ns.front() > 0)};
    }
    number = profile::grownNumber(number, totalNs, static_cast<double>(settings.minRepeatMs) * 1e6);
  }
}

}  // namespace

BoardTiming timeOnBoard(rpc::Client& client, const Timed& timed, const profile::TimeSettings& settings,
                        const TimeWatch& watch) {
  BoardTiming timing;
  std::int64_t number = settings.number;
  const std::int64_t begin = base::monotonicNs();
  for (std::int64_t done = 0; done < settings.repeat; ++done) {
    if (watch.progress) {
      watch.progress(done, static_cast<double>(base::monotonicNs() - begin));
    }
    auto repeat = timeOnce(client, timed, settings, number, watch);
    if (!repeat) {
      timing.error = std::move(repeat).error();
      return timing;
    }
    timing.repeats.push_back(*repeat);
    if (settings.cooldownIntervalMs > 0 && done % settings.repeatsToCooldown == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(settings.cooldownIntervalMs));
    }
  }
  return timing;
}

}  // namespace opscope::session
