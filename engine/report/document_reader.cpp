// SPDX-License-Identifier: Apache-2.0
#include "engine/report/document_reader.h"

#include "engine/base/atomic_file.h"
#include "engine/report/report_json.h"
#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"

namespace opscope::report {

namespace {

/// Our files begin with their schema; a TVM report has no such key.
bool looksLikeSamples(std::string_view text) {
  constexpr std::size_t kHead = 256;
  return text.substr(0, kHead).find("\"opscope.samples/") != std::string_view::npos;
}

}  // namespace

base::Result<Document> documentFromJson(std::string_view text, std::string_view fileForMessages) {
  if (looksLikeSamples(text)) {
    return documentFromSamplesJson(text, fileForMessages);
  }
  OPSCOPE_TRY_ASSIGN(Report report, reportFromJson(text, fileForMessages));
  return importReport(std::move(report));
}

base::Result<Document> readDocument(const std::filesystem::path& path) {
  OPSCOPE_TRY_ASSIGN(const std::string text, base::readFile(path));
  return documentFromJson(text, path.string());
}

}  // namespace opscope::report
