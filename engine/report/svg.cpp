// SPDX-License-Identifier: Apache-2.0
#include "engine/report/svg.h"

#include <algorithm>

#include "engine/report/html_text.h"

namespace opscope::report {

std::vector<double> axisTicks(double low, double high, std::size_t most) {
  std::vector<double> ticks;
  if (!(high > low) || !std::isfinite(low) || !std::isfinite(high)) return {low};
  const double raw = (high - low) / static_cast<double>(std::max<std::size_t>(most, 2));
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = power;
  for (const double part : {1.0, 2.0, 5.0, 10.0}) {
    step = power * part;
    if (step >= raw) break;
  }
  constexpr std::size_t kNeverMore = 100;
  const double first = std::ceil(low / step - 1e-9);
  for (double at = first; at * step <= high * (1 + 1e-12) && ticks.size() < kNeverMore; ++at) {
    ticks.push_back(at * step);
  }
  return ticks.empty() ? std::vector<double>{low} : ticks;
}

std::string axisLabel(double value, double step) {
  if (value <= 0) return "0";
  const int decimals =
      step > 0 ? static_cast<int>(std::clamp(std::ceil(-std::log10(step) - 1e-9), 0.0, 6.0)) : 0;
  return htmlNumber(value, decimals);
}

Svg::Svg(double width, double height, std::string_view label) {
  format(R"(<svg viewBox="0 0 {:.6g} {:.6g}" role="img" aria-label="{}">)", width, height, label);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  format(R"(<line x1="{:.5g}" y1="{:.5g}" x2="{:.5g}" y2="{:.5g}" class="{}"/>)", x1, y1, x2, y2, classes);
}

void Svg::endWithTitle(std::string_view element, std::string_view title) {
  if (title.empty()) {
    m_out += "/>";
  } else {
    format("><title>{}</title></{}>", title, element);
  }
}

void Svg::rect(double x, double y, double width, double height, std::string_view classes,
               std::string_view title) {
  format(R"(<rect x="{:.5g}" y="{:.5g}" width="{:.5g}" height="{:.5g}" class="{}")", x, y,
         std::max(width, 0.0), std::max(height, 0.0), classes);
  endWithTitle("rect", title);
}

void Svg::circle(double x, double y, double radius, std::string_view classes, std::string_view title) {
  format(R"(<circle cx="{:.5g}" cy="{:.5g}" r="{:.5g}" class="{}")", x, y, radius, classes);
  endWithTitle("circle", title);
}

void Svg::text(double x, double y, std::string_view anchor, std::string_view text, std::string_view classes) {
  format(R"(<text x="{:.5g}" y="{:.5g}" text-anchor="{}" class="{}">{}</text>)", x, y, anchor, classes, text);
}

void Svg::path(std::string_view data, std::string_view classes) {
  format(R"(<path d="{}" class="{}"/>)", data, classes);
}

std::string Svg::finish() {
  m_out += "</svg>";
  return std::move(m_out);
}

}  // namespace opscope::report
