// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/opened_file.h"

#include <algorithm>

#include "engine/base/atomic_file.h"
#include "engine/report/document_reader.h"
#include "engine/store/store_head.h"
#include "ui/bridge/run_store.h"
#include "ui/bridge/session_types.h"
#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"

namespace opscope::ui {
namespace {

enum class Content { Store, Report, Other };

/// They are written by hand or by small scripts; a large report need not be looked through for one.
constexpr std::size_t kScenarioAtMost = std::size_t{4} << 20;

/// Enough to tell "{" of a report, or "[" of a trace, from the head of an ELF file, without reading a large
/// library twice.
Content contentOf(const std::string& path) {
  // Of a pipe nothing is read yet, and for a file that cannot be read the session's words are better.
  const std::string text = store::readHead(path, 64).value_or(std::string());
  if (store::looksLikeStore(text)) return Content::Store;
  const std::size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  const QString name = QString::fromStdString(path);
  for (const char* end : {".json", ".csv", ".json.gz"}) {
    if (name.endsWith(QLatin1String(end), Qt::CaseInsensitive)) return Content::Report;
  }
  const bool isJson = start != std::string::npos && (text[start] == '{' || text[start] == '[');
  return isJson ? Content::Report : Content::Other;
}

QString formatOf(std::string_view text) {
  for (const report::DocumentReader& reader : report::documentReaders()) {
    if (reader.recognises(text)) return format::fromUtf8(reader.title).section(QStringLiteral(" in "), 0, 0);
  }
  return QStringLiteral("report");
}

/// No report has such a key, and none but the last reader takes what it does not know.
bool isScenario(std::string_view text) {
  if (text.size() > kScenarioAtMost || !session::looksLikeScenario(text)) return false;
  const auto readers = report::documentReaders();
  return std::none_of(readers.begin(), readers.end() - 1,
                      [&](const report::DocumentReader& reader) { return reader.recognises(text); });
}

OpenedFile opened(report::Document document, const QString& format, const std::string& path) {
  if (document.run->executablePath.empty()) {
    auto run = std::make_shared<report::Run>(*document.run);
    run->executablePath = path;
    document.run = run;
  }
  return OpenedRun{makeRunView(document), format};
}

}  // namespace

OpenedFile readOpenedFile(const std::string& path) {
  const SlowWork work("a file");
  const Content content = contentOf(path);
  if (content == Content::Other) return std::monostate();
  if (content == Content::Store) {
    auto document = readStoreFile(path);
    if (!document) return document.error();
    return opened(std::move(*document), QStringLiteral("session file"), path);
  }
  auto text = base::readFile(path);
  if (!text) return text.error();
  if (isScenario(*text)) return OpenedScenario();
  auto document = report::documentFromText(*text, path);
  if (!document) return document.error();
  return opened(std::move(*document), formatOf(*text), path);
}

}  // namespace opscope::ui
