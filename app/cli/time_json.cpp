// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "app/cli/time_output.h"
#include "app/cli/words.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kNsPerUs = 1e3;

Json optionsJson(const profile::TimeSettings& timing) {
  return {{"number", timing.number},
          {"repeat", timing.repeat},
          {"min_repeat_ms", timing.minRepeatMs},
          {"limit_zero_time_iterations", timing.limitZeroTimeIterations},
          {"cooldown_interval_ms", timing.cooldownIntervalMs},
          {"repeats_to_cooldown", timing.repeatsToCooldown},
          {"cache_flush_bytes", timing.cacheFlushBytes}};
}

/// null for a repeat that was too short.
Json repeatsJson(const session::TimeFinished& finished) {
  Json repeats = Json::array();
  for (const profile::RepeatTime& repeat : finished.repeats) {
    repeats.push_back({{"us", repeat.tooShort ? Json(nullptr) : Json(repeat.nsPerCall / kNsPerUs)},
                       {"calls", repeat.calls}});
  }
  return repeats;
}

Json inUs(std::optional<double> ns) {
  return ns ? Json(*ns / kNsPerUs) : Json(nullptr);
}

}  // namespace

std::string timeJson(const TimeOptions& options, const session::TimeFinished& finished,
                     const std::optional<base::Error>& failure) {
  const TimeSummary summary = summaryOf(finished);
  const report::Statistics& statistics = summary.statistics;
  const auto told = [&](double ns) { return summary.ns.empty() ? Json(nullptr) : Json(ns / kNsPerUs); };
  Json object;
  object["schema"] = "opscope.time/1";
  object["file"] = options.file;
  object["target"] = targetName(options.settings.target);
  object["function"] = finished.function;
  object["inputs"] = finished.inputs;
  object["device"] = finished.device;
  object["threads"] = finished.threads;
  object["options"] = optionsJson(options.timing);
  object["repeats"] = finished.repeats.size();
  object["repeats_wanted"] = finished.repeatsWanted;
  object["error"] =
      failure ? Json{{"message", failure->message}, {"detail", failure->detail}, {"hint", failure->hint}}
              : Json(nullptr);
  object["too_short"] = summary.tooShort;
  object["mean_us"] = told(statistics.mean);
  object["median_us"] = told(statistics.median);
  object["min_us"] = told(statistics.min);
  object["max_us"] = told(statistics.max);
  object["std_us"] = inUs(summary.standardDeviation);
  object["median_low_us"] = inUs(statistics.medianLow);
  object["median_high_us"] = inUs(statistics.medianHigh);
  object["drift"] = summary.trend ? Json{{"seen", summary.trend->isDrift()},
                                         {"change", summary.trend->change},
                                         {"probability", summary.trend->probability}}
                                  : Json(nullptr);
  object["results"] = repeatsJson(finished);
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opscope::cli
