// SPDX-License-Identifier: Apache-2.0
// What an SQL query on the store gives. Plain values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace opscope::store {

/// Bytes that are no text.
struct Blob {
  std::string bytes;
  bool operator==(const Blob&) const = default;
};

/// monostate: NULL.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  ///< as many cells as columns
  bool cut = false;                     ///< there are more rows than asked for
};

struct QueryLimits {
  std::size_t rows = 10'000;
  std::size_t bytes = std::size_t{256} << 20;  ///< of all cells
};

}  // namespace opscope::store
