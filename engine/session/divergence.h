// SPDX-License-Identifier: Apache-2.0
// How the same calls of two executables differ. Plain serialisable values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace opscope::session {

/// One tensor that both gave. A is the reference: b agrees with a when |b - a| <= atol + rtol * |a|; NaN
/// agrees with NaN, Inf with the same Inf.
struct TensorDifference {
  std::string place;         ///< "arg2", "ret"; of results "out", "out/0"
  std::string descriptionA;  ///< "float32 [1, 16]"; empty: only B has it
  std::string descriptionB;
  bool isLeftOut = false;  ///< the elements of one side were not kept, so that nothing was compared
  bool comparable = true;  ///< false: shapes differ, or only one side has it
  std::uint64_t elements = 0;
  std::uint64_t beyond = 0;  ///< elements that do not agree
  double maxAbsolute = 0;    ///< of all elements that are finite on both sides
  double maxRelative = 0;    ///< |b - a| / |a|, of those where a is not zero
  std::string position;      ///< of the first element that does not agree: "[0, 5]"
  std::string valueA;        ///< there
  std::string valueB;
  bool differs() const { return !isLeftOut && (!comparable || beyond > 0); }
};

/// Where a call stands in one executable's run.
struct CallPlace {
  std::uint64_t sequence = 0;  ///< counts all calls from 0
  std::string name;
  std::string function;
  std::uint32_t instruction = 0;
  bool isPlaced = true;  ///< false: function and instruction are not known
};

struct ComparedCall {
  CallPlace a;
  CallPlace b;
  std::vector<TensorDifference> outputs;
  bool differs() const;
};

struct UnmatchedCall {
  CallPlace call;
  std::string outputs;  ///< "float32 [1, 16]"
};

/// How calls were paired: one after the other where all names are equal, else the longest common
/// subsequence of names (without the numbers at the end of words) and output shapes.
enum class CallMatching { ByOrder, ByNames };

struct Divergence {
  std::string function;           ///< or the scenario's file
  std::string targetA = "local";  ///< where it ran
  std::string targetB = "local";
  std::vector<std::string>
      notes;  ///< what is not known, in words: "B: 2 outputs of calls are not compared: …"
  double rtol = 0;
  double atol = 0;
  CallMatching matching = CallMatching::ByOrder;
  std::vector<ComparedCall> calls;  ///< in the order of A
  std::vector<UnmatchedCall> onlyA;
  std::vector<UnmatchedCall> onlyB;
  std::vector<TensorDifference> results;
  std::uint64_t keptBytes = 0;  ///< of outputs, in a temporary file while they were compared

  /// The first of `calls` that differs.
  std::optional<std::size_t> first() const;
  std::size_t differingCalls() const;
  /// A matched call or a result differs. Calls without a partner do not count.
  bool differs() const;
};

}  // namespace opscope::session
