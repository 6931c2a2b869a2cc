// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "engine/report/sample_warnings.h"
#include "engine/report/statistics.h"

namespace opscope::profile {

namespace {

/// "key\t: value" of /proc/cpuinfo.
bool splitCpuinfo(const std::string& line, std::string& key, std::string& value) {
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) {
    return false;
  }
  key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
  const std::size_t start = line.find_first_not_of(" \t", colon + 1);
  value = start == std::string::npos ? std::string() : line.substr(start);
  return true;
}

void readCpuinfo(Environment& environment) {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::set<std::pair<std::string, std::string>> cores;
  std::string line;
  std::string key;
  std::string value;
  std::string package;
  while (std::getline(cpuinfo, line)) {
    if (!splitCpuinfo(line, key, value)) {
      continue;
    }
    if ((key == "model name" || key == "Model") && environment.cpuModel.empty()) {
      environment.cpuModel = value;
    } else if (key == "physical id") {
      package = value;
    } else if (key == "core id") {
      cores.emplace(package, value);
    }
  }
  environment.physicalCores = static_cast<int>(cores.size());
}

}  // namespace

Environment readEnvironment() {
  Environment environment;
  readCpuinfo(environment);
  environment.logicalCores = static_cast<int>(std::thread::hardware_concurrency());
  double load = 0;
  if (getloadavg(&load, 1) == 1) {
    environment.load = load;
  }
  utsname names{};
  if (uname(&names) == 0) {
    environment.kernel = fmt::format("{} {}", names.sysname, names.release);
  }
  return environment;
}

std::vector<report::Fact> environmentFacts(const Environment& environment) {
  std::vector<report::Fact> facts;
  const auto add = [&facts](const char* name, std::string value) {
    if (!value.empty()) {
      facts.push_back({name, std::move(value)});
    }
  };
  add("CPU", environment.cpuModel);
  if (environment.physicalCores > 0) {
    add("Cores", fmt::format("{} ({} logical)", environment.physicalCores, environment.logicalCores));
  } else if (environment.logicalCores > 0) {
    add("Cores", fmt::format("{} logical", environment.logicalCores));
  }
  add("Governor", environment.governor);
  if (environment.load >= 0) {
    add("Load at start", fmt::format("{:.2f}", environment.load));
  }
  add("Kernel", environment.kernel);
  return facts;
}

std::vector<report::Warning> environmentWarnings(const Environment& environment, int threads) {
  std::vector<report::Warning> warnings;
  if (environment.logicalCores > 0 && threads > environment.logicalCores) {
    warnings.push_back({fmt::format("{} threads share {} logical cores.", threads, environment.logicalCores),
                        "Use at most as many threads as there are cores."});
  }
  return warnings;
}

namespace {

double medianOwnNs(const report::Run& run, const report::Call& call) {
  const auto first = run.ownNs.begin() + static_cast<std::ptrdiff_t>(call.firstSample);
  std::vector<double> samples(first, first + call.sampleCount);
  return report::medianInPlace(samples);
}

}  // namespace

std::vector<report::Warning> compiledWarnings(const report::Run& run, const RunFindings& findings) {
  std::vector<report::Warning> warnings;
  if (!findings.unmetCalls.empty()) {
    warnings.push_back(
        {fmt::format("Calls inside compiled functions are not all recorded: {}.", findings.unmetCalls),
         findings.unmetHint});
  }
  constexpr double kBiasedBelowNs = 500;
  std::size_t kernels = 0;
  std::size_t biased = 0;
  for (const report::Call& call : run.calls) {
    if (call.kernel && call.sampleCount > 0) {
      ++kernels;
      biased += medianOwnNs(run, call) < kBiasedBelowNs ? 1 : 0;
    }
  }
  if (biased > 0) {
    warnings.push_back(
        {fmt::format("{} of {} kernel calls in compiled functions take less than 0.5 µs: recording, which "
                     "adds about {:.0f} ns to a call, makes them look slower than they are.",
                     biased, kernels, findings.callCostNs),
         "Compare such calls with each other only, not with longer ones."});
  }
  return warnings;
}

std::vector<report::Warning> runWarnings(const report::Run& run, const RunFindings& findings) {
  std::vector<report::Warning> warnings = report::countWarnings(run);
  if (findings.compiledMode) {
    std::ranges::move(compiledWarnings(run, findings), std::back_inserter(warnings));
  }
  if (findings.tooShortSamples > 0) {
    warnings.push_back({fmt::format("{} samples were too short for the clock and count as one tick.",
                                    findings.tooShortSamples),
                        ""});
  }
  return warnings;
}

}  // namespace opscope::profile
