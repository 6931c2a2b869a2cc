// SPDX-License-Identifier: Apache-2.0
#include "engine/report/json_mending.h"

#include <array>

#include "engine/report/json_text.h"
#include "engine/report/trace_scan.h"

namespace opscope::report {

namespace {

/// Reads one piece of punctuation, blanks before it included; false when something else stands there.
bool take(std::string_view text, std::size_t& at, std::string_view piece) {
  const std::size_t begin = skipJsonBlanks(text, at);
  if (!text.substr(begin).starts_with(piece)) return false;
  at = begin + piece.size();
  return true;
}

/// Whether `"TYPE":` of a metric stands at `at`.
bool isMetricType(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 5> kTypes = {"\"string\"", "\"count\"", "\"microseconds\"",
                                                             "\"percent\"", "\"ratio\""};
  for (const std::string_view type : kTypes) {
    std::size_t behind = at;
    if (take(text, behind, type) && take(text, behind, ":")) return true;
  }
  return false;
}

/// Whether the quote at `at` ends a metric's text: behind its brace the row ends, or the next metric follows.
bool endsMetric(std::string_view text, std::size_t at) {
  ++at;
  if (!take(text, at, "}")) return false;
  std::size_t rowEnd = at;
  if (take(text, rowEnd, "}")) {
    std::size_t next = rowEnd;
    return take(text, next, ",") || take(text, rowEnd, "]") || take(text, rowEnd, "}") ||
           skipJsonBlanks(text, rowEnd) == text.size();
  }
  if (!take(text, at, ",") || !take(text, at, "\"")) return false;
  const std::size_t keyEnd = text.find('"', at);
  if (keyEnd == std::string_view::npos) return false;
  at = keyEnd + 1;
  return take(text, at, ":") && take(text, at, "{") && isMetricType(text, skipJsonBlanks(text, at));
}

/// Behind the opening quote of the next metric's text; npos when there is none.
std::size_t nextMetricText(std::string_view text, std::size_t from) {
  constexpr std::string_view kKey = "\"string\"";
  for (std::size_t at = text.find(kKey, from); at != std::string_view::npos; at = text.find(kKey, at + 1)) {
    std::size_t behind = at + kKey.size();
    if (take(text, behind, ":") && take(text, behind, "\"")) return behind;
  }
  return std::string_view::npos;
}

}  // namespace

std::optional<MendedJson> mendReportJson(std::string_view text) {
  MendedJson mended;
  std::size_t done = 0;
  for (std::size_t begin = nextMetricText(text, 0); begin != std::string_view::npos;
       begin = nextMetricText(text, done)) {
    std::size_t end = text.find('"', begin);
    while (end != std::string_view::npos && !endsMetric(text, end)) end = text.find('"', end + 1);
    if (end == std::string_view::npos) return std::nullopt;
    mended.text += text.substr(done, begin - 1 - done);
    std::string escaped;
    appendJsonString(escaped, text.substr(begin, end - begin));
    if (escaped.size() != end - begin + 2) ++mended.mendedTexts;
    mended.text += escaped;
    done = end + 1;
  }
  if (mended.mendedTexts == 0) return std::nullopt;
  mended.text += text.substr(done);
  return mended;
}

}  // namespace opscope::report
