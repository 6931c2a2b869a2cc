// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/counters_text.h"
#include "app/cli/document_output.h"
#include "app/cli/exit_status.h"
#include "app/cli/fleet_command.h"
#include "app/cli/profile_options.h"
#include "app/cli/run_saving.h"
#include "app/cli/session_client.h"
#include "app/cli/words.h"
#include "engine/report/traffic.h"

namespace opscope::cli {

namespace {

constexpr std::string_view kStandardOutput = "-";

/// Where each format goes; the table to standard output where nothing else asks for it.
Destinations destinations(const ProfileOptions& options, bool quiet) {
  Destinations wanted;
  bool taken = false;
  for (const auto& [id, path] : options.outputs) {
    if (!path.empty()) {
      wanted[id] = path;
      taken = taken || path == kStandardOutput;
    }
  }
  if (!taken && !quiet && !wanted.contains("table")) {
    wanted.emplace("table", kStandardOutput);
  }
  return wanted;
}

int listCounters(const ProfileOptions& options, Console& console) {
  if (auto written = console.write(console.headed(countersText(session::listCounters(), console.width())));
      !written) {
    console.error(written.error());
    return kWorkFailed;
  }
  if (const std::string target = targetName(options.settings.target); target != "local") {
    console.note(fmt::format("these are this computer's; {} was not asked", target));
  }
  return kDone;
}

/// In which way a board was profiled, and what went over the wire.
void tellRemote(const report::Run& run, Console& console) {
  if (!run.remote) {
    return;
  }
  console.note(fmt::format("{}: {}", run.target, run.remote->words));
  if (run.traffic) {
    console.note(fmt::format("RPC: {}", report::trafficWords(*run.traffic)));
  }
}

}  // namespace

int profile(const ProfileOptions& options, Console& console, Interrupts& interrupts) {
  if (options.counters == kListCounters) {
    return listCounters(options, console);
  }
  const Destinations wanted = options.all ? Destinations() : destinations(options, console.quiet());
  if (auto writable = checkDestinations(wanted); !writable) {
    console.error(writable.error());
    return kWorkFailed;
  }
  if (auto possible = checkSaving(options.save); !possible) {
    console.error(possible.error());
    return kWorkFailed;
  }
  session::ProfileRequest request;
  request.path = options.file;
  request.plan = options.plan;
  request.settings = options.settings;
  request.warmup = options.warmup;
  request.repeats = options.repeats;
  request.overhead = options.overhead;
  request.recordMemory = options.memory;
  request.recordLanes = options.lanes;
  if (!options.counters.empty()) {
    request.collectors.push_back(session::counterCollector(options.counters));
  }
  if (options.all) {
    return profileAll(options, request, console, interrupts);
  }
  SessionClient client(console, interrupts);
  const Answer answer = client.profile(std::move(request));

  report::Document document;
  if (const auto* finished = std::get_if<session::ProfileFinished>(&answer)) {
    document = finished->document;
  } else if (const auto* failed = std::get_if<session::RequestFailed>(&answer)) {
    document = failed->partial;
  }
  bool allWritten = true;
  if (document.run) {
    const bool outputIsFree = std::ranges::none_of(
        wanted, [](const auto& destination) { return destination.second == kStandardOutput; });
    const bool saved = !options.save.wanted || saveRun(options.save, document, outputIsFree, console);
    allWritten = writeDocument(wanted, document, options.wide, console) && saved;
    tellRemote(*document.run, console);
    tellWarnings(*document.run, console);
  }
  if (!std::holds_alternative<session::ProfileFinished>(answer)) {
    return tellFailure(console, interrupts, answer);
  }
  if (document.run->repeats < document.run->repeatsWanted) {
    console.note(fmt::format("interrupted: {} of {} repeats were measured", document.run->repeats,
                             document.run->repeatsWanted));
    return kInterrupted;
  }
  return allWritten ? kDone : kWorkFailed;
}

}  // namespace opscope::cli
