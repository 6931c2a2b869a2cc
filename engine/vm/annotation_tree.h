// SPDX-License-Identifier: Apache-2.0
// Syntax tree of an annotation: calls, sequences, strings and plain text. Views into the text. Any thread.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace opscope::vm {

struct AnnotationNode {
  enum class Kind { Text, String, Call, Sequence };
  Kind kind = Kind::Text;
  std::string_view text;    ///< the whole source text
  std::string_view callee;  ///< Call: "R.Tensor"
  std::string_view key;     ///< of a keyword argument ("dtype"), or of a kernel's parameter ("a: ...")
  std::vector<AnnotationNode> items;
};

/// Separator between a key and its value: '=' in annotations, ':' in kernel signatures.
std::optional<AnnotationNode> parseAnnotationTree(std::string_view text, char keySeparator);

}  // namespace opscope::vm
