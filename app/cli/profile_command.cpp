// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/lanes_view.h"
#include "app/cli/memory_view.h"
#include "app/cli/report_view.h"
#include "app/cli/session_client.h"
#include "engine/base/atomic_file.h"
#include "engine/report/exporters.h"

namespace opscope::cli {

namespace {

constexpr std::string_view kStandardOutput = "-";

/// Where each format goes; the table to standard output where nothing else asks for it.
std::map<std::string, std::string> destinations(const ProfileOptions& options, bool quiet) {
  std::map<std::string, std::string> wanted;
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

base::Result<> checkDestinations(const std::map<std::string, std::string>& wanted) {
  for (const auto& [id, path] : wanted) {
    if (path != kStandardOutput) {
      OPSCOPE_TRY(base::checkWritable(path));
    }
  }
  return {};
}

base::Result<> writeOne(const report::Exporter& exporter, const report::Document& document,
                        const std::string& path, bool wide, Console& console) {
  if (path != kStandardOutput) {
    return report::exportToFile(exporter, document, path);
  }
  const auto width = console.width();
  if (exporter.id == "table" && width && !wide) {
    return console.write(console.headed(reportView(document, {}, *width)));
  }
  OPSCOPE_TRY_ASSIGN(std::string text, exporter.write(document));
  if (exporter.id == "table") {
    return console.write(console.headed(text));
  }
  if (!text.ends_with('\n')) {
    text += '\n';
  }
  return console.write(text);
}

/// Files first, then standard output. False when one could not be written; the others are written all the
/// same.
bool writeAll(const std::map<std::string, std::string>& wanted, const report::Document& document, bool wide,
              Console& console) {
  bool allWritten = true;
  for (const bool toFile : {true, false}) {
    for (const auto& [id, path] : wanted) {
      if ((path != kStandardOutput) != toFile) {
        continue;
      }
      if (auto written = writeOne(*report::findExporter(id), document, path, wide, console); !written) {
        console.error(written.error());
        allWritten = false;
      }
    }
  }
  return allWritten;
}

/// What was recorded beside times goes to standard output too, unless that is taken by something for
/// programs.
bool writeSections(const std::map<std::string, std::string>& wanted, const report::Run& run, bool wide,
                   Console& console) {
  const auto toStandardOutput =
      std::ranges::find(wanted, kStandardOutput, &std::pair<const std::string, std::string>::second);
  const bool isTaken = toStandardOutput != wanted.end() && toStandardOutput->first != "table";
  if (console.quiet() || isTaken || (!run.memory && !run.lanes)) {
    return true;
  }
  const auto width = wide ? std::nullopt : console.width();
  std::string text = toStandardOutput == wanted.end() ? "" : "\n";
  if (run.memory) {
    text += console.headed(memoryView(run, width));
  }
  if (run.lanes) {
    text += (run.memory ? "\n" : "") + console.headed(lanesView(run, width));
  }
  auto written = console.write(text);
  if (!written) {
    console.error(written.error());
  }
  return written.has_value();
}

void tellWarnings(const report::Run& run, Console& console) {
  for (const report::Warning& warning : run.warnings) {
    console.warning(warning.message, warning.hint);
  }
}

}  // namespace

int profile(const ProfileOptions& options, Console& console, Interrupts& interrupts) {
  const std::map<std::string, std::string> wanted = destinations(options, console.quiet());
  if (auto writable = checkDestinations(wanted); !writable) {
    console.error(writable.error());
    return kWorkFailed;
  }
  session::ProfileRequest request;
  request.path = options.file;
  request.plan = options.plan;
  request.settings = options.settings;
  request.warmup = options.warmup;
  request.repeats = options.repeats;
  request.recordMemory = options.memory;
  request.recordLanes = options.lanes;
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
    allWritten = writeAll(wanted, document, options.wide, console);
    allWritten = writeSections(wanted, *document.run, options.wide, console) && allWritten;
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
