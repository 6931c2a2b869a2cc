// SPDX-License-Identifier: Apache-2.0
#include "app/cli/document_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/lanes_view.h"
#include "app/cli/memory_view.h"
#include "app/cli/option_checks.h"
#include "app/cli/report_view.h"
#include "engine/base/atomic_file.h"
#include "engine/report/exporters.h"

namespace opscope::cli {

namespace {

constexpr std::string_view kStandardOutput = "-";

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

/// What was recorded beside times goes to standard output too, unless that is taken by something for
/// programs.
bool writeSections(const Destinations& wanted, const report::Run& run, bool wide, Console& console) {
  const auto toStandardOutput = std::ranges::find(wanted, kStandardOutput, &Destinations::value_type::second);
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

}  // namespace

std::optional<base::Error> conflictOfStreams(const std::map<std::string, std::string>& outputs) {
  std::vector<std::string> toStandardOutput;
  for (const auto& [id, path] : outputs) {
    if (path == kStandardOutput) {
      toStandardOutput.push_back("--" + id);
    }
  }
  if (toStandardOutput.size() < 2) {
    return std::nullopt;
  }
  return base::Error{
      base::ErrorCode::InvalidArgument,
      fmt::format("{} cannot all go to standard output.", fmt::join(toStandardOutput, " and ")),
      "\"-\" stands for standard output, which takes one of them.", "Name files for the others."};
}

std::optional<base::Error> conflictOfOutputs(const std::map<std::string, std::string>& outputs) {
  std::vector<NamedPath> named;
  for (const auto& [id, path] : outputs) {
    if (!path.empty()) {
      named.emplace_back("--" + id, path);
    }
  }
  if (named.empty()) {
    return base::Error{base::ErrorCode::InvalidArgument, "No format is asked for.", "",
                       "For example --json FILE, or --samples FILE for everything that was measured."};
  }
  auto problem = conflictOfStreams(outputs);
  return problem ? problem : conflictOfPaths(named, {});
}

base::Result<> checkDestinations(const Destinations& wanted) {
  for (const auto& [id, path] : wanted) {
    if (path != kStandardOutput) {
      OPSCOPE_TRY(base::checkWritable(path));
    }
  }
  return {};
}

bool writeFormats(const Destinations& wanted, const report::Document& document, bool wide, Console& console) {
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

bool writeDocument(const Destinations& wanted, const report::Document& document, bool wide,
                   Console& console) {
  const bool formats = writeFormats(wanted, document, wide, console);
  return writeSections(wanted, *document.run, wide, console) && formats;
}

void tellWarnings(const report::Run& run, Console& console) {
  tellWarnings(run.warnings, console);
}

void tellWarnings(const std::vector<report::Warning>& warnings, Console& console) {
  for (const report::Warning& warning : warnings) {
    console.warning(warning.message, warning.hint);
  }
}

}  // namespace opscope::cli
