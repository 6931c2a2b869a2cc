// SPDX-License-Identifier: Apache-2.0
// The visible list of formats in which a run leaves the program: a new one is one line in exporters.cpp. Any
// thread; constant data.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/report/chunked_text.h"
#include "engine/report/run.h"

namespace opscope::report {

struct Exporter {
  std::string_view id;         ///< "json", as in the command line's options
  std::string_view title;      ///< "TVM report (JSON)"
  std::string_view extension;  ///< ".json"
  bool needsStartTimes = false;
  base::Result<std::string> (*write)(const Document&) = nullptr;
  /// Of formats that grow large: the same piece by piece. Null for the others.
  base::Result<> (*stream)(const Document&, const TextSink&) = nullptr;
};

/// In the order of a menu: json, csv, table, samples, trace, html.
std::span<const Exporter> exporters();

/// Null when there is no such id.
const Exporter* findExporter(std::string_view id);

/// Makes the text, piece by piece where it can be large, and writes it as base::writeFileAtomically does.
/// Errors: as the writer's, NotFound, Io.
base::Result<> exportToFile(const Exporter& exporter, const Document& document,
                            const std::filesystem::path& path);

}  // namespace opscope::report
