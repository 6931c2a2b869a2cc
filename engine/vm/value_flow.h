// SPDX-License-Identifier: Apache-2.0
// What the bytecode of one function tells about its arguments and its result, by following values through the
// registers without running anything. Part of inferSignature; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/vm/signature.h"

namespace opscope::vm {

/// Names that dimensions have here until inferSignature gives the final ones. No annotation spells a free
/// dimension so.
inline constexpr std::string_view kUnknownDimension = "?";
std::string slotDimension(std::int64_t slot);
/// The slot of the shape heap, when the name is one of slotDimension.
std::optional<std::int64_t> slotOf(const Dimension& dimension);

struct FlowResult {
  std::vector<Parameter> parameters;    ///< one for each argument; names and annotations are empty
  std::optional<Parameter> result;      ///< nothing when not known or when returns differ
  std::set<std::int64_t> matchedSlots;  ///< heap slots that are filled from arguments; others are computed
};

/// `function` is a bytecode function of `data`. Linear in its instructions. After branches join, only what
/// both tell is kept.
FlowResult followValues(const ExecutableData& data, std::int64_t function,
                        std::span<const KernelInfo> kernels);

}  // namespace opscope::vm
