// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/run_facts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>

#include "engine/base/clock.h"
#include "engine/profile/metric_collector.h"
#include "engine/runtime/lane_log.h"
#include "opscope/version.h"

namespace opscope::profile {

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::vector<report::Fact> findingFacts(const report::Run& run) {
  std::vector<report::Fact> facts;
  if (run.noise) {
    facts.push_back({"Noise grade", report::noiseWords(*run.noise)});
  }
  if (const std::string words = report::overheadWords(run); !words.empty()) {
    facts.push_back({"Profiling", words});
  }
  if (const std::string words = report::vmShareWords(run); !words.empty()) {
    facts.push_back({"Outside of kernels", words});
  }
  return facts;
}

std::vector<report::Fact> runFacts(const ProfileSettings& settings, const Recording& recording) {
  std::vector<report::Fact> facts;
  const runtime::RuntimeOptions& options = settings.runtime;
  facts.push_back({"Threads", std::to_string(settings.threads)});
  facts.push_back({"Threads pinned", options.pin ? "yes" : "no"});
  facts.push_back({"Threads spin", fmt::format("{} µs", options.spinUs)});
  facts.push_back({"Allocator", options.allocator == runtime::AllocatorKind::Pooled ? "pooled" : "naive"});
  if (settings.overhead != OverheadCheck::Auto) {
    facts.push_back({"Overhead check", settings.overhead == OverheadCheck::Off ? "off" : "full"});
  }
  facts.push_back({"Timer", fmt::format("{}, {:.2f} ns a tick", base::tickClockName(recording.useCounter),
                                        base::measuredNsPerTick())});
  facts.push_back({"Recording", fmt::format("adds about {:.0f} ns to a call", recording.costNs)});
  if (settings.recordLanes) {
    facts.push_back({"Recording of lanes", fmt::format("adds about {:.0f} ns to a task of a parallel part",
                                                       runtime::measureLaneCostNs(recording.useCounter))});
  }
  if (!settings.collectors.empty()) {
    std::vector<std::string> names;
    for (const MetricCollector* collector : settings.collectors) {
      names.push_back(collector->name());
    }
    facts.push_back({"Collectors", fmt::format("{}; about {:.0f} ns a call, in the time of what encloses it",
                                               fmt::join(names, ", "), recording.collectingCostNs)});
  }
  facts.push_back({"Opscope", OPSCOPE_VERSION});
  if (!recording.tvmVersion.empty()) {
    facts.push_back({"Compiled by TVM", recording.tvmVersion});
  }
  return facts;
}

}  // namespace opscope::profile
