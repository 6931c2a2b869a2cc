// SPDX-License-Identifier: Apache-2.0
// Which op of one run is which of another. Any thread; pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/report/op_table.h"

namespace opscope::report {

enum class Matching {
  ByPosition,  ///< each call, in the order of execution; inserted and removed calls do not disturb the others
  ByName,      ///< ops: calls with the same name, shapes and device put together
};

/// "position", "name".
std::string_view matchingName(Matching matching);

/// Rows of the two tables that are the same op; one side is empty for what the other run does not have.
struct MatchedRows {
  std::optional<std::size_t> a;
  std::optional<std::size_t> b;
};

/// The name without digits at the end of its words, which TVM counts up within one executable:
/// "fused_matmul3_add1" is "fused_matmul_add".
std::string nameStem(std::string_view name);

/// Same name, shapes and device first. What is left over then is paired by name alone (other shapes), then by
/// stem and shapes (TVM numbers kernels anew when a model changes): by position only between matched
/// neighbours, by name only where it is the one such op on either side. By position in the order of
/// execution, by name in the order of `b`, with what is gone at the end. The tables are EachCall for
/// ByPosition, ByOp for ByName.
std::vector<MatchedRows> matchRows(const Run& runA, const OpTable& a, const Run& runB, const OpTable& b,
                                   Matching matching);

}  // namespace opscope::report
