// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <set>
#include <string>

#include "app/cli/commands.h"
#include "app/cli/compare_output.h"
#include "app/cli/document_output.h"
#include "app/cli/exit_status.h"
#include "app/cli/run_source.h"
#include "engine/base/atomic_file.h"

namespace opscope::cli {

namespace {

constexpr std::string_view kStandardOutput = "-";

base::Result<std::shared_ptr<const report::Comparison>> compared(const CompareOptions& options) {
  OPSCOPE_TRY_ASSIGN(const report::Document a, documentFrom(options.a, options.store));
  OPSCOPE_TRY_ASSIGN(const report::Document b, documentFrom(options.b, options.store));
  constexpr double kPercent = 100;
  report::CompareOptions how;
  how.matching = options.by == "name" ? report::Matching::ByName : report::Matching::ByPosition;
  how.minimumEffect = options.minEffectPercent / kPercent;
  return report::compareDocuments(a, b, how);
}

/// Writes one format where it was asked for. False, and told, when it could not be written.
bool writeFormat(const std::string& path, const std::string& text, Console& console) {
  if (path == kStandardOutput) {
    return writeOut(console, text) == kDone;
  }
  if (auto written = base::writeFileAtomically(path, text); !written) {
    console.error(written.error());
    return false;
  }
  return true;
}

bool writeAll(const CompareOptions& options, const report::Comparison& comparison,
              const report::ComparisonContext& context, Console& console) {
  bool done = true;
  if (!options.junit.empty()) {
    done = writeFormat(options.junit, report::toJUnit(comparison, context), console) && done;
  }
  if (!options.markdown.empty()) {
    done = writeFormat(options.markdown, report::toMarkdown(comparison, context), console) && done;
  }
  if (options.json) {
    done = writeFormat("-", report::toComparisonJson(comparison, context), console) && done;
  }
  const bool taken = options.json || options.junit == kStandardOutput || options.markdown == kStandardOutput;
  if (!taken && !console.quiet()) {
    const auto width = options.wide ? std::nullopt : console.width();
    done = writeFormat("-", compareText(comparison, context, console, width), console) && done;
  }
  return done;
}

/// The same times to the last bit are no coincidence.
bool isSameRun(const report::Run& a, const report::Run& b) {
  return a.startedAt == b.startedAt && a.executableHash == b.executableHash && !a.ownNs.empty() &&
         a.ownNs == b.ownNs;
}

}  // namespace

int compare(const CompareOptions& options, Console& console, Interrupts& interrupts) {
  // Reading may wait for the writer of a pipe; files are written whole or not at all.
  interrupts.onFirst([] { _exit(kInterrupted); });
  const auto comparison = compared(options);
  if (!comparison) {
    console.error(comparison.error());
    return kWorkFailed;
  }
  const report::ComparisonContext context{options.a, options.b, options.failAbovePercent};
  const bool written = writeAll(options, **comparison, context, console);
  interrupts.onFirst({});
  std::set<std::string> told;  // one hint may belong to many ops
  for (const report::Warning& warning : (*comparison)->warnings) {
    console.warning(warning.message, told.insert(warning.hint).second ? warning.hint : "");
  }
  if (isSameRun(*(*comparison)->runA, *(*comparison)->runB)) {
    console.warning("A and B are the same run.", "What differs is chance.");
  }
  if (!written) {
    return kWorkFailed;
  }
  if (options.failAbovePercent) {
    const auto failures = report::failuresAbove(**comparison, *options.failAbovePercent);
    if (!failures.empty()) {
      console.error({base::ErrorCode::Internal, failureText(failures, *options.failAbovePercent), "", ""});
      return kCheckFailed;
    }
  }
  return kDone;
}

}  // namespace opscope::cli
