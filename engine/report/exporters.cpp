// SPDX-License-Identifier: Apache-2.0
#include "engine/report/exporters.h"

#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/report/csv.h"
#include "engine/report/html_report.h"
#include "engine/report/report_json.h"
#include "engine/report/samples_json.h"
#include "engine/report/table.h"
#include "engine/report/trace_json.h"

namespace opscope::report {

namespace {

using Text = base::Result<std::string>;

constexpr Exporter kExporters[] = {
    {"json", "TVM report (JSON)", ".json", false, [](const Document& d) { return Text(toJson(*d.report)); }},
    {"csv", "Calls (CSV)", ".csv", false, [](const Document& d) { return Text(toCsv(*d.report)); }},
    {"table", "Table (text)", ".txt", false, [](const Document& d) { return Text(toTable(*d.report)); }},
    {"samples", "All samples (JSON)", ".json", false,
     [](const Document& d) { return Text(toSamplesJson(d)); }},
    {"trace", "Trace for Perfetto (JSON)", ".json", true,
     [](const Document& d) { return toTraceJson(*d.run); },
     [](const Document& d, const TextSink& sink) { return writeTraceJson(*d.run, sink); }},
    {"html", "Page to read (HTML)", ".html", false, [](const Document& d) { return Text(toHtml(d)); },
     writeHtml},
};

}  // namespace

std::span<const Exporter> exporters() {
  return kExporters;
}

const Exporter* findExporter(std::string_view id) {
  const auto found = std::find_if(std::begin(kExporters), std::end(kExporters),
                                  [id](const Exporter& exporter) { return exporter.id == id; });
  return found == std::end(kExporters) ? nullptr : found;
}

base::Result<> exportToFile(const Exporter& exporter, const Document& document,
                            const std::filesystem::path& path) {
  if (exporter.stream != nullptr) {
    OPSCOPE_TRY_ASSIGN(base::AtomicFileWriter file, base::AtomicFileWriter::create(path));
    OPSCOPE_TRY(exporter.stream(document, [&file](std::string_view piece) { return file.write(piece); }));
    return file.commit();
  }
  OPSCOPE_TRY_ASSIGN(const std::string text, exporter.write(document));
  return base::writeFileAtomically(path, text);
}

}  // namespace opscope::report
