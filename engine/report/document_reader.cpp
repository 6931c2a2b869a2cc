// SPDX-License-Identifier: Apache-2.0
#include "engine/report/document_reader.h"

#include <fmt/format.h>

#include "engine/base/atomic_file.h"
#include "engine/base/text_encoding.h"
#include "engine/report/csv_reader.h"
#include "engine/report/json_mending.h"
#include "engine/report/report_json.h"
#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"
#include "engine/report/trace_reader.h"
#include "engine/report/unknown_document.h"

namespace opscope::report {

namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

bool isTrace(std::string_view text) {
  return traceOutline(text).has_value();
}

Result<Document> readTrace(std::string_view text, std::string_view file) {
  return documentFromTraceJson(text, file);
}

/// Our files begin with their schema; a TVM report has no such key, and in our traces that of traces is
/// first.
bool looksLikeSamples(std::string_view text) {
  constexpr std::size_t kHead = 256;
  const std::string_view head = text.substr(0, kHead);
  return head.find("\"opscope.samples/") != std::string_view::npos &&
         head.find("\"opscope.trace/") == std::string_view::npos;
}

Result<Document> readCsv(std::string_view text, std::string_view file) {
  OPSCOPE_TRY_ASSIGN(CsvReport csv, reportFromCsv(text, file));
  std::vector<Warning> warnings;
  if (csv.mendedRows > 0) {
    warnings.push_back(
        {fmt::format("{} rows hold quotes that TVM did not escape; they are read all the same.",
                     csv.mendedRows),
         "Each of them can be taken apart in one way only."});
  }
  return importReport(std::move(csv.report), std::move(warnings));
}

/// What a compressed file begins with.
bool isGzip(std::string_view text) {
  return text.starts_with("\x1f\x8b");
}

Result<Document> refuseGzip(std::string_view, std::string_view file) {
  return Error{ErrorCode::Unsupported, fmt::format("{} is compressed", file),
               "It begins as files by gzip do.", "Unpack it first: gunzip FILE.gz"};
}

bool any(std::string_view) {
  return true;
}

Result<Document> readReport(std::string_view text, std::string_view file) {
  Result<Report> report = reportFromJson(text, file);
  if (report) return importReport(std::move(*report));
  const std::optional<MendedJson> mended =
      report.error().code == ErrorCode::Format ? mendReportJson(text) : std::nullopt;
  if (!mended) return unknownDocument(text, file, report.error());
  Result<Report> second = reportFromJson(mended->text, file);
  if (!second) return unknownDocument(text, file, report.error());
  return importReport(
      std::move(*second),
      {{fmt::format("{} texts hold quotes, backslashes or line ends that TVM did not escape; they are read "
                    "all the same.",
                    mended->mendedTexts),
        "A text was taken to end where the next metric begins."}});
}

constexpr DocumentReader kReaders[] = {
    {"gzip", "compressed file, which is refused", isGzip, refuseGzip},
    {"samples", "samples (JSON)", looksLikeSamples, documentFromSamplesJson},
    {"trace", "trace in Chrome's format (Opscope, PyTorch, TensorFlow, TVM and others)", isTrace, readTrace},
    {"csv", "calls of a TVM report (CSV)", looksLikeCsvReport, readCsv},
    {"json", "TVM report (JSON)", any, readReport},
};

}  // namespace

std::span<const DocumentReader> documentReaders() {
  return kReaders;
}

Result<Document> documentFromText(std::string_view text, std::string_view fileForMessages) {
  OPSCOPE_TRY_ASSIGN(text, base::utf8Text(text, fileForMessages));
  for (const DocumentReader& reader : kReaders) {
    if (reader.recognises(text)) return reader.read(text, fileForMessages);
  }
  return readReport(text, fileForMessages);
}

Result<Document> readDocument(const std::filesystem::path& path) {
  OPSCOPE_TRY_ASSIGN(const std::string text, base::readFile(path));
  return documentFromText(text, path.string());
}

}  // namespace opscope::report
