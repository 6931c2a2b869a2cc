// SPDX-License-Identifier: Apache-2.0
// Pairs equal items of two sequences without changing their order. Any thread; pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace opscope::report {

using IndexPairs = std::vector<std::pair<std::size_t, std::size_t>>;

/// Ascending on both sides. The most pairs there can be (Myers' shortest edit script) while the sequences
/// differ in at most about a thousand places; beyond that as many as the order of equal occurrences allows,
/// in n log n.
IndexPairs alignSequences(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace opscope::report
