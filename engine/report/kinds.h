// SPDX-License-Identifier: Apache-2.0
// The kind of an op, told from its name. Any thread; pure functions.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace opscope::report {

/// In the order in which the rules are tried: the first that fits is the op's kind.
enum class OpKind : std::uint8_t {
  Memory,
  Vm,
  Convolution,
  MatrixProduct,
  Attention,
  Normalisation,
  Pooling,
  Reduction,
  DataMovement,
  Elementwise,
  Other,
};

inline constexpr std::array kOpKinds = {
    OpKind::Memory,        OpKind::Vm,      OpKind::Convolution, OpKind::MatrixProduct, OpKind::Attention,
    OpKind::Normalisation, OpKind::Pooling, OpKind::Reduction,   OpKind::DataMovement,  OpKind::Elementwise,
    OpKind::Other,
};

/// Splits the name at '_', drops digits at the end of each word and looks whole words up (case does not
/// count).
OpKind kindOf(std::string_view opName);

/// "Matrix product", for people.
std::string_view kindName(OpKind kind);

}  // namespace opscope::report
