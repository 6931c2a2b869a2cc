// SPDX-License-Identifier: Apache-2.0
// Columns of numbers as the store keeps them: little-endian, one after the other, nothing else. For sources
// of this module only; pure functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace opscope::store {

static_assert(std::endian::native == std::endian::little, "columns are copied as they are");

template <class Number>
std::span<const std::byte> bytesOf(std::span<const Number> numbers) {
  return std::as_bytes(numbers);
}

/// The number at `position` of a column, which need not be aligned.
template <class Number>
Number numberAt(std::span<const std::byte> column, std::size_t position) {
  Number number;
  std::memcpy(&number, column.data() + position * sizeof(Number), sizeof(Number));
  return number;
}

/// Appends the column to `out`. False, and nothing is done, when its bytes are not `count` numbers.
template <class Number>
bool appendColumn(std::span<const std::byte> column, std::size_t count, std::vector<Number>& out) {
  if (column.size() % sizeof(Number) != 0 || column.size() / sizeof(Number) != count) {
    return false;
  }
  const std::size_t before = out.size();
  out.resize(before + count);
  if (count > 0) {
    std::memcpy(out.data() + before, column.data(), column.size());
  }
  return true;
}

/// Whether the numbers are 0, 1, 2 ...: such a column is not kept.
bool countsUp(std::span<const std::uint32_t> numbers);

}  // namespace opscope::store
