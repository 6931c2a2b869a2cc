// SPDX-License-Identifier: Apache-2.0
#include "engine/vm/builtins/float_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace opscope::vm {

namespace {

constexpr std::size_t kPrecision = 8;  // numpy's default for arrays

// A number's digits: sign, d.ddd and a power of ten.
struct Digits {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

Digits parseScientific(std::string_view text) {
  Digits result;
  result.negative = text.starts_with('-');
  const std::size_t mark = text.find('e');
  for (const char byte : text.substr(0, mark)) {
    if (byte >= '0' && byte <= '9') {
      result.digits += byte;
    }
  }
  const std::string_view exponent = text.substr(mark + (text[mark + 1] == '+' ? 2 : 1));
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), result.exponent);
  while (result.digits.size() > 1 && result.digits.back() == '0') {
    result.digits.pop_back();
  }
  return result;
}

template <class T, class... Format>
std::string toChars(T value, Format... format) {
  std::array<char, 512> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return error == std::errc() ? std::string(buffer.data(), end) : std::string("0e+00");
}

int fractionBits(FloatKind kind) {
  return kind == FloatKind::Half ? 10 : 7;
}

// Fewest digits that lie nearer to `value` than to its neighbours; the standard library has no 16-bit types.
Digits shortestSmall(double value, FloatKind kind) {
  int exponent = 0;
  std::frexp(value, &exponent);
  const int least = kind == FloatKind::Half ? -13 : -125;  // subnormal numbers share one spacing
  const double halfGap = std::ldexp(1.0, std::max(exponent, least) - fractionBits(kind) - 2);
  for (int precision = 0; precision < 8; ++precision) {
    const std::string text = toChars(value, std::chars_format::scientific, precision);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (std::abs(back - value) < halfGap) {
      return parseScientific(text);
    }
  }
  return parseScientific(toChars(value, std::chars_format::scientific, 8));
}

Digits shortest(double value, FloatKind kind) {
  switch (kind) {
    case FloatKind::Double:
      return parseScientific(toChars(value, std::chars_format::scientific));
    case FloatKind::Single:
      return parseScientific(toChars(static_cast<float>(value), std::chars_format::scientific));
    default:
      return shortestSmall(value, kind);
  }
}

// "12", "5": the two sides of the point; the right one is empty for whole numbers.
struct Parts {
  std::string whole;
  std::string fraction;
};

Parts positional(double value, FloatKind kind, std::size_t precision) {
  const Digits digits = shortest(value, kind);
  const int fractionDigits = static_cast<int>(digits.digits.size()) - 1 - digits.exponent;
  Parts parts;
  if (fractionDigits > static_cast<int>(precision)) {
    const std::string text = toChars(value, std::chars_format::fixed, static_cast<int>(precision));
    const std::size_t point = text.find('.');
    parts.whole = text.substr(0, point);
    parts.fraction = point == std::string::npos ? "" : text.substr(point + 1);
    parts.fraction.erase(parts.fraction.find_last_not_of('0') + 1);
    return parts;
  }
  std::string all = digits.digits;
  if (digits.exponent < 0) {
    all.insert(0, static_cast<std::size_t>(-digits.exponent), '0');
  }
  const auto wholeSize = static_cast<std::size_t>(std::max(digits.exponent, 0) + 1);
  all.append(wholeSize > all.size() ? wholeSize - all.size() : 0, '0');
  parts.whole = (digits.negative ? "-" : "") + all.substr(0, wholeSize);
  parts.fraction = all.substr(wholeSize);
  if (parts.fraction.find_first_not_of('0') == std::string::npos) {
    parts.fraction.clear();
  }
  return parts;
}

struct ScientificParts {
  std::string whole;
  std::string fraction;
  int exponent = 0;
};

ScientificParts scientific(double value, FloatKind kind, std::size_t precision) {
  Digits digits = shortest(value, kind);
  if (digits.digits.size() - 1 > precision) {
    digits = parseScientific(toChars(value, std::chars_format::scientific, static_cast<int>(precision)));
  }
  return {(digits.negative ? "-" : "") + digits.digits.substr(0, 1), digits.digits.substr(1),
          digits.exponent};
}

std::string exponentText(int exponent, std::size_t digits) {
  return fmt::format("e{}{:0{}}", exponent < 0 ? '-' : '+', std::abs(exponent), digits);
}

std::string nonFinite(double value) {
  return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
}

std::string padLeft(std::string text, std::size_t width) {
  text.insert(0, width > text.size() ? width - text.size() : 0, ' ');
  return text;
}

// From here on arrays and single numbers of the type are written with exponents.
double arrayCutoff(FloatKind kind) {
  return kind == FloatKind::Double   ? 1e8
         : kind == FloatKind::Single ? 1e6
         : kind == FloatKind::Half   ? 1e3
                                     : 1e2;
}
double scalarCutoff(FloatKind kind) {
  return kind == FloatKind::Double ? 1e16 : arrayCutoff(kind);
}

// 0.0001 as the type itself holds it.
double smallest(FloatKind kind) {
  return kind == FloatKind::Double   ? 1e-4
         : kind == FloatKind::Single ? static_cast<double>(1e-4F)
         : kind == FloatKind::Half   ? 0.00010001659393310547
                                     : 0.00010013580322265625;
}

}  // namespace

std::string floatText(double value, FloatKind kind) {
  if (!std::isfinite(value)) {
    return nonFinite(value);
  }
  const double magnitude = std::abs(value);
  if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < scalarCutoff(kind))) {
    const Parts parts = positional(value, kind, 400);
    return parts.whole + "." + (parts.fraction.empty() ? "0" : parts.fraction);
  }
  const ScientificParts parts = scientific(value, kind, 400);
  return parts.whole + (parts.fraction.empty() ? "" : "." + parts.fraction) + exponentText(parts.exponent, 2);
}

FloatColumn::FloatColumn(const std::vector<double>& values, FloatKind kind) : m_kind(kind) {
  double largest = 0;
  double least = 0;
  for (const double value : values) {
    const double magnitude = std::isfinite(value) ? std::abs(value) : 0;
    largest = std::max(largest, magnitude);
    least = magnitude != 0 && (least == 0 || magnitude < least) ? magnitude : least;
  }
  m_exponents =
      least != 0 && (largest >= arrayCutoff(kind) || least < smallest(kind) || largest / least > 1000.0);
  bool allFinite = true;
  bool negativeInfinity = false;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      allFinite = false;
      negativeInfinity = negativeInfinity || (std::isinf(value) && value < 0);
    } else if (m_exponents) {
      const ScientificParts parts = scientific(value, kind, kPrecision);
      m_left = std::max(m_left, parts.whole.size());
      m_precision = std::max(m_precision, parts.fraction.size());
      m_exponentDigits = std::max(m_exponentDigits, exponentText(parts.exponent, 2).size() - 2);
    } else {
      const Parts parts = positional(value, kind, kPrecision);
      m_left = std::max(m_left, parts.whole.size());
      m_right = std::max(m_right, parts.fraction.size());
    }
  }
  if (m_exponents) {
    m_right = m_exponentDigits + 2 + m_precision;
  }
  if (!allFinite) {
    const std::size_t after = m_right + 1;
    const std::size_t needed = 3 + (negativeInfinity ? 1 : 0);
    m_left = std::max(m_left, needed > after ? needed - after : 0);
  }
}

std::string FloatColumn::text(double value) const {
  if (!std::isfinite(value)) {
    return padLeft(nonFinite(value), m_left + m_right + 1);
  }
  if (m_exponents) {
    // Digits that fill the column are those of the exact value, not zeros.
    const std::string exact = toChars(value, std::chars_format::scientific, static_cast<int>(m_precision));
    const std::size_t mark = exact.find('e');
    const std::string mantissa = exact.substr(0, mark) + (m_precision == 0 ? "." : "");
    return padLeft(mantissa, m_left + 1 + m_precision) +
           exponentText(parseScientific(exact).exponent, m_exponentDigits);
  }
  Parts parts = positional(value, m_kind, kPrecision);
  parts.fraction.resize(m_right, ' ');
  return padLeft(parts.whole, m_left) + "." + parts.fraction;
}

}  // namespace opscope::vm
