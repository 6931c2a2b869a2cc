// SPDX-License-Identifier: Apache-2.0
// Takes rows of CSV apart. Any thread; pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opscope::report {

struct CsvCell {
  std::string text;
  bool isQuoted = false;
};

using CsvRow = std::vector<CsvCell>;

/// By RFC 4180: quotes within quotes are doubled, line ends may stand there. Moves `at` behind the row and
/// its line end. Nothing for a row that breaks these rules; `at` stays.
std::optional<CsvRow> strictCsvRow(std::string_view text, std::size_t& at);

/// A line whose texts are in quotes that are not doubled within them, as TVM writes them: quoted cells, bare
/// numbers, empty cells, `cells` of them. Nothing when there is no way to take it apart, or more than one.
std::optional<CsvRow> looseCsvRow(std::string_view line, std::size_t cells);

}  // namespace opscope::report
