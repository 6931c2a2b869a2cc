// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/grid_text.h"
#include "app/cli/runs_output.h"
#include "app/cli/words.h"
#include "engine/base/printable.h"

namespace opscope::cli {

namespace {

using Json = nlohmann::ordered_json;

std::string hexOf(const std::string& bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02X}", byte);
  }
  return text;
}

/// A cell as a person reads it, in one line.
struct Shown {
  std::string operator()(std::monostate) const { return "NULL"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const { return base::printable(text); }
  std::string operator()(const store::Blob& blob) const {
    return fmt::format("({})", bytesText(blob.bytes.size()));
  }
};

/// A field of CSV: NULL is nothing, bytes are hexadecimal digits.
struct Field {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const store::Blob& blob) const { return hexOf(blob.bytes); }
  std::string operator()(const std::string& text) const {
    if (!text.empty() && text.find_first_of(",\"\r\n") == std::string::npos) {
      return text;
    }
    std::string quoted = "\"";
    for (const char letter : text) {
      quoted += letter == '"' ? std::string("\"\"") : std::string(1, letter);
    }
    return quoted + '"';
  }
};

struct Value {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(double number) const { return number; }
  Json operator()(const std::string& text) const { return text; }
  Json operator()(const store::Blob& blob) const { return hexOf(blob.bytes); }
};

bool isNumber(const store::Cell& cell) {
  return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

}  // namespace

std::string queryText(const store::QueryResult& result, std::optional<std::size_t> width) {
  Grid grid;
  for (std::size_t column = 0; column < result.columns.size(); ++column) {
    const bool number = !result.rows.empty() && isNumber(result.rows.front()[column]);
    grid.columns.push_back({base::printable(result.columns[column]), number});
  }
  for (const auto& row : result.rows) {
    std::vector<std::string> cells;
    for (const store::Cell& cell : row) {
      cells.push_back(std::visit(Shown(), cell));
    }
    grid.rows.push_back(std::move(cells));
  }
  const std::string text = toText(grid, width);
  return width && text != toText(grid, std::nullopt)
             ? text + fmt::format("\nCut to {} columns; a pipe and --csv show all.\n", *width)
             : text;
}

std::string queryCsv(const store::QueryResult& result) {
  std::string text;
  const auto addField = [&text](std::size_t column, const std::string& field) {
    text += column == 0 ? "" : ",";
    text += field;
  };
  for (std::size_t column = 0; column < result.columns.size(); ++column) {
    addField(column, Field()(result.columns[column]));
  }
  text += '\n';
  for (const auto& row : result.rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      addField(column, std::visit(Field(), row[column]));
    }
    text += '\n';
  }
  return text;
}

std::string queryJson(const store::QueryResult& result) {
  Json object = {{"schema", "opscope.runs/1"},
                 {"columns", result.columns},
                 {"rows", Json::array()},
                 {"cut", result.cut}};
  Json& rows = object["rows"];
  for (const auto& row : result.rows) {
    Json cells = Json::array();
    for (const store::Cell& cell : row) {
      cells.push_back(std::visit(Value(), cell));
    }
    rows.push_back(std::move(cells));
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opscope::cli
