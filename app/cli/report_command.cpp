// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>

#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/report_view.h"
#include "app/cli/run_source.h"
#include "engine/report/exporters.h"
#include "engine/report/table.h"

namespace opscope::cli {

namespace {

base::Result<std::string> textOf(const ReportOptions& options, const report::Document& document,
                                 const Console& console) {
  if (options.format != "table") {
    OPSCOPE_TRY_ASSIGN(std::string text, report::findExporter(options.format)->write(document));
    if (!text.ends_with('\n')) {
      text += '\n';
    }
    return text;
  }
  const report::TableOptions table{!options.keepOrder, !options.everyCall, !options.noSums};
  const auto width = console.width();
  return width && !options.wide ? console.headed(reportView(document, table, *width))
                                : console.headed(report::toTable(*document.report, table));
}

}  // namespace

int writeOut(Console& console, std::string_view text) {
  if (auto written = console.write(text); !written) {
    console.error(written.error());
    return kWorkFailed;
  }
  return kDone;
}

int report(const ReportOptions& options, Console& console, Interrupts& interrupts) {
  // Nothing is written but to standard output, and reading may wait for the writer of a pipe.
  interrupts.onFirst([] { _exit(kInterrupted); });
  auto document = documentFrom(options.file, options.store);
  if (!document) {
    console.error(document.error());
    return kWorkFailed;
  }
  if (options.format == "html" && document->run->executablePath.empty()) {
    auto named = std::make_shared<report::Run>(*document->run);  // a page needs a title
    named->executablePath = options.file;
    document->run = std::move(named);
  }
  const auto text = textOf(options, *document, console);
  if (!text) {
    console.error(text.error());
    return kWorkFailed;
  }
  const int status = writeOut(console, *text);
  interrupts.onFirst({});
  for (const report::Warning& warning : document->run->warnings) {
    console.warning(warning.message, warning.hint);
  }
  return status;
}

}  // namespace opscope::cli
