// SPDX-License-Identifier: Apache-2.0
#include "engine/session/remote_timing.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "engine/base/clock.h"
#include "engine/profile/time_evaluator.h"
#include "engine/session/probe_library.h"
#include "engine/session/probe_records.h"

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

class FunctionStopwatch final : public RemoteStopwatch {
 public:
  FunctionStopwatch(rpc::Client& client, Timed timed, std::int64_t cacheFlushBytes)
      : m_client(client), m_timed(std::move(timed)) {
    m_settings.repeat = 1;
    m_settings.cacheFlushBytes = cacheFlushBytes;
  }

  base::Result<double> time(std::int64_t number) override {
    m_settings.number = number;
    OPSCOPE_TRY_ASSIGN(const std::vector<double> ns, evaluateOnBoard(m_client, m_timed, m_settings));
    return ns.front() * static_cast<double>(number);
  }

 private:
  rpc::Client& m_client;
  Timed m_timed;
  profile::TimeSettings m_settings;
};

class StepStopwatch final : public RemoteStopwatch {
 public:
  StepStopwatch(rpc::Client& client, RemoteSequence& sequence, ProbeLibrary probe,
                std::function<base::Result<>()> checkStop)
      : m_client(client),
        m_sequence(sequence),
        m_probe(std::move(probe)),
        m_checkStop(std::move(checkStop)) {}
  ~StepStopwatch() override {
    if (!m_stop.empty() && !m_client.failure()) {
      (void)m_stop({});  // nothing stays behind
    }
  }

  base::Result<> begin(DLDevice device) {
    OPSCOPE_TRY_ASSIGN(const rpc::RemoteFunction start, m_probe.function("start"));
    OPSCOPE_TRY_ASSIGN(m_step, m_probe.function("step"));
    OPSCOPE_TRY_ASSIGN(m_report, m_probe.function("report"));
    OPSCOPE_TRY_ASSIGN(m_clear, m_probe.function("clear"));
    OPSCOPE_TRY_ASSIGN(m_stop, m_probe.function("stop"));
    OPSCOPE_TRY(start({std::int64_t{1}, std::int64_t{device.device_type}, std::int64_t{device.device_id}}));
    OPSCOPE_TRY(time(1));
    return {};
  }

  base::Result<double> time(std::int64_t number) override {
    double totalNs = 0;
    for (std::int64_t i = 0; i < number; ++i) {
      OPSCOPE_TRY(m_checkStop());
      OPSCOPE_TRY(m_clear({}));
      StepDriver driver(m_client, m_step.get());
      OPSCOPE_TRY(m_sequence.runOnce(driver));
      OPSCOPE_TRY_ASSIGN(const rpc::CallResult reported, m_report({}));
      OPSCOPE_TRY_ASSIGN(const ProbeReport report,
                         readProbeReport(reported.bytes().value_or(std::string_view())));
      if (report.marks.size() != m_sequence.sequence().steps().size()) {
        return base::Error{base::ErrorCode::Unsupported, "The scenario has too many steps for the probe.",
                           fmt::format("It has {}, {} were timed.", m_sequence.sequence().steps().size(),
                                       report.marks.size()),
                           "Profile a part of it."};
      }
      totalNs += markedNs(report);
    }
    return totalNs;
  }

 private:
  rpc::Client& m_client;
  RemoteSequence& m_sequence;
  ProbeLibrary m_probe;
  std::function<base::Result<>()> m_checkStop;
  rpc::RemoteFunction m_step;
  rpc::RemoteFunction m_report;
  rpc::RemoteFunction m_clear;
  rpc::RemoteFunction m_stop;
};

base::Error stopped() {
  return {base::ErrorCode::Cancelled, "Stopped.", "", ""};
}

/// One repeat with as many calls as it takes.
base::Result<profile::RepeatTime> timeOnce(RemoteStopwatch& stopwatch, const profile::TimeSettings& settings,
                                           std::int64_t& number, const TimeWatch& watch) {
  const double minNs = static_cast<double>(settings.minRepeatMs) * 1e6;
  std::int64_t zeros = 0;
  for (;;) {
    if (watch.stopRequested && watch.stopRequested()) {
      return stopped();
    }
    OPSCOPE_TRY_ASSIGN(const double totalNs, stopwatch.time(number));
    zeros += totalNs > 0 ? 0 : 1;
    const bool longEnough = totalNs >= minNs || number >= profile::kMostCalls;
    if (longEnough || zeros >= settings.limitZeroTimeIterations) {
      return profile::RepeatTime{totalNs / static_cast<double>(number), number,
                                 static_cast<std::int64_t>(totalNs), !(totalNs > 0)};
    }
    number = profile::grownNumber(number, totalNs, minNs);
  }
}

}  // namespace

base::Result<std::unique_ptr<RemoteStopwatch>> timeFunction(RemoteProgram& program, RemoteSequence& sequence,
                                                            const profile::TimeSettings& settings) {
  constexpr const char* kSaved = "opscope_timed";
  rpc::Client& client = program.board().client();
  OPSCOPE_TRY_ASSIGN(const rpc::FunctionHandle save, program.function("save_function"));
  std::vector<rpc::Value> values = {sequence.sequence().steps().front().function, std::string(kSaved),
                                    std::int64_t{0}};
  values.insert(values.end(), sequence.arguments(0).begin(), sequence.arguments(0).end());
  OPSCOPE_TRY(client.call(save, values));
  return std::unique_ptr<RemoteStopwatch>(std::make_unique<FunctionStopwatch>(
      client, Timed{program.machine(), kSaved, {}, program.device()}, settings.cacheFlushBytes));
}

base::Result<std::unique_ptr<RemoteStopwatch>> timeSteps(RemoteProgram& program, RemoteSequence& sequence,
                                                         const OpenedExecutable& file,
                                                         const profile::TimeSettings& settings,
                                                         std::function<base::Result<>()> checkStop) {
  if (settings.cacheFlushBytes > 0) {
    return base::Error{base::ErrorCode::Unsupported, "Caches cannot be flushed before a scenario on a board.",
                       "", "Leave out --cache-flush-bytes, or take the time of one function."};
  }
  OPSCOPE_TRY_ASSIGN(ProbeLibrary probe, ProbeLibrary::load(program.board(), file.info->architecture));
  auto stopwatch = std::make_unique<StepStopwatch>(program.board().client(), sequence, std::move(probe),
                                                   std::move(checkStop));
  OPSCOPE_TRY(stopwatch->begin(program.device()));
  return std::unique_ptr<RemoteStopwatch>(std::move(stopwatch));
}

profile::Timing timeOnBoard(RemoteStopwatch& stopwatch, const profile::TimeSettings& settings,
                            const TimeWatch& watch) {
  profile::Timing timing;
  std::int64_t number = settings.number;
  const std::int64_t begin = base::monotonicNs();
  for (std::int64_t done = 0; done < settings.repeat; ++done) {
    if (watch.progress) {
      watch.progress(done, static_cast<double>(base::monotonicNs() - begin));
    }
    auto repeat = timeOnce(stopwatch, settings, number, watch);
    if (!repeat) {
      timing.error = std::move(repeat).error();
      return timing;
    }
    timing.repeats.push_back(*repeat);
    const bool isLast = done + 1 == settings.repeat;  // nothing is measured after it
    if (!isLast && settings.cooldownIntervalMs > 0 && done % settings.repeatsToCooldown == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(settings.cooldownIntervalMs));
    }
  }
  return timing;
}

}  // namespace opscope::session
