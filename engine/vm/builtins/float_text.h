// SPDX-License-Identifier: Apache-2.0
// Floating-point numbers as the text that numpy 2.4 prints. Any thread.
#pragma once

#include <string>
#include <vector>

namespace opscope::vm {

/// How an element type prints: the float types differ in how many digits tell a value apart.
enum class FloatKind { Half, BFloat16, Single, Double };

/// One number by itself: "1.5", "1e+20", "nan".
std::string floatText(double value, FloatKind kind);

/// Numbers of one array, in one width: "1. ", "2.5" or "1.e-05".
class FloatColumn {
 public:
  FloatColumn(const std::vector<double>& values, FloatKind kind);
  std::string text(double value) const;

 private:
  FloatKind m_kind;
  bool m_exponents = false;
  std::size_t m_left = 0;   ///< characters before the point
  std::size_t m_right = 0;  ///< characters after it, the exponent with them
  std::size_t m_precision = 0;
  std::size_t m_exponentDigits = 0;
};

}  // namespace opscope::vm
