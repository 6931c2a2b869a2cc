// SPDX-License-Identifier: Apache-2.0
// Pieces of inline SVG for our HTML pages. One thread; plain text, made by the caller's calls.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace opscope::report {

/// Values on an axis: steps of 1, 2 or 5 times a power of ten, at most `most` of them, from `low` to `high`.
std::vector<double> axisTicks(double low, double high, std::size_t most);

/// An axis value with as many decimals as its step needs.
std::string axisLabel(double value, double step);

class Svg {
 public:
  /// `label` is read to those who cannot see; not escaped.
  Svg(double width, double height, std::string_view label);

  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  /// `title` (not escaped) is shown when the pointer rests; may be empty.
  void rect(double x, double y, double width, double height, std::string_view classes,
            std::string_view title = {});
  void circle(double x, double y, double radius, std::string_view classes, std::string_view title = {});
  /// `anchor`: start, middle or end. `text` is escaped already.
  void text(double x, double y, std::string_view anchor, std::string_view text,
            std::string_view classes = {});
  void path(std::string_view data, std::string_view classes);

  /// Everything that was drawn, with its end.
  std::string finish();

 private:
  template <class... Args>
  void format(fmt::format_string<Args...> pattern, Args&&... args) {
    fmt::format_to(std::back_inserter(m_out), pattern, std::forward<Args>(args)...);
  }
  void endWithTitle(std::string_view element, std::string_view title);

  std::string m_out;
};

}  // namespace opscope::report
