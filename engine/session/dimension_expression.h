// SPDX-License-Identifier: Apache-2.0
// Arithmetic in the dimensions of a signature ("n * 2", "T.int64(4) * n", "(n + 3) // 4"). Any thread; no
// state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opscope::session {

/// Value of `text` with these sizes: whole numbers, names, + - * // % ( ), T.int64(..), T.min, T.max. Nothing
/// when it holds something else, an unknown name, or overflows.
std::optional<std::int64_t> evaluateDimension(std::string_view text,
                                              const std::map<std::string, std::int64_t>& sizes);

/// The names of dimensions in `text`, each once, in order.
std::vector<std::string> namesInDimension(std::string_view text);

}  // namespace opscope::session
