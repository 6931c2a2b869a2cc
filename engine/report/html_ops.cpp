// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/report/html_charts.h"
#include "engine/report/html_sections.h"
#include "engine/report/html_style.h"
#include "engine/report/html_text.h"
#include "engine/report/measuring_limit.h"
#include "engine/report/metrics.h"

namespace opscope::report {

namespace {

constexpr std::size_t kMostRows = 500;
constexpr std::size_t kNameLength = 90;
constexpr std::size_t kShapesLength = 200;
constexpr std::size_t kLongestTitle = 1000;
constexpr double kHundred = 100;
constexpr double kNsPerUs = 1e3;

/// Fused names break at their underscores first.
std::string breakable(const std::string& escaped) {
  std::string out;
  for (const char c : escaped) {
    out += c;
    if (c == '_') out += "<wbr>";
  }
  return out;
}

class OpsTable {
 public:
  OpsTable(const Run& run, const OpTable& table, std::span<const std::uint32_t> order)
      : m_run(run), m_table(table), m_order(order.first(std::min(order.size(), kMostRows))), m_all(order) {
    for (const std::uint32_t row : m_order) {
      m_hasShapes = m_hasShapes || !shapesOf(run, table.rows[row]).empty();
      m_hasPercent = m_hasPercent || table.rows[row].percent.has_value();
      m_mostUs = std::max(m_mostUs, table.rows[row].durationUs);
      m_severalDevices = m_severalDevices || table.rows[row].device != table.rows[m_order.front()].device;
    }
  }

  std::string write() {
    m_out = R"(<div class="scroll" id="opsbox"><table id="ops"><thead><tr>)";
    head("Name", false);
    m_out += R"(<th class="n" aria-sort="descending">Duration (µs)</th>)";
    if (m_hasPercent) head("Percent", true);
    m_out += "<th></th>";
    head("Count", true);
    if (!m_table.statistics.empty()) {
      for (const MetricColumn& column : metricColumns()) {
        if (column.shownFirst) headOf(column);
      }
    }
    for (const ExtraColumn& extra : m_table.extras) head(extra.title, extra.type != ExtraColumn::Type::Text);
    if (m_severalDevices) head("Device", false);
    if (m_hasShapes) head("Argument Shapes", false);
    m_out += "</tr></thead><tbody>\n";
    for (const std::uint32_t row : m_order) writeRow(row);
    m_out += "</tbody></table></div>";
    writeFoot();
    return std::move(m_out);
  }

 private:
  void head(std::string_view title, bool isNumber) {
    m_out += fmt::format("<th{}>{}</th>", isNumber ? " class=\"n\"" : "", htmlText(title));
  }

  void headOf(const MetricColumn& column) {
    const std::string_view unit = column.unit == MetricColumn::Unit::Microseconds ? " (µs)"
                                  : column.unit == MetricColumn::Unit::Part       ? " (%)"
                                                                                  : "";
    m_out += fmt::format(R"(<th class="n" title="{}">{}{}</th>)", htmlText(column.description),
                         htmlText(column.title), unit);
  }

  /// `value` sorts, `text` is read.
  void number(std::optional<double> value, std::string_view text) {
    if (value && std::isfinite(*value)) {
      fmt::format_to(std::back_inserter(m_out), R"(<td class="n" data-v="{:.7g}">{}</td>)", *value, text);
    } else {
      fmt::format_to(std::back_inserter(m_out), R"(<td class="n" data-v="">{}</td>)", kHtmlMissing);
    }
  }

  void writeRow(std::uint32_t index) {
    const OpRow& row = m_table.rows[index];
    m_out += "<tr>";
    writeText("name", nameOf(m_run, row), kNameLength,
              fmt::format(R"(<i class="swatch {}"></i>)", kindClass(row.kind)));
    const double us = std::max(row.durationUs, 0.0);
    const bool tooShort = isTooShort(m_run, us * kNsPerUs, row.count);
    number(us, tooShort ? std::string(kTooShort) : htmlNumber(us, 1));
    if (m_hasPercent) {
      const auto percent = row.percent ? std::optional(std::clamp(*row.percent, 0.0, kHundred)) : row.percent;
      number(percent, htmlNumber(percent.value_or(0), 2));
    }
    const double share = m_mostUs > 0 ? std::clamp(us / m_mostUs, 0.0, 1.0) * kHundred : 0;
    m_out += us > 0 ? fmt::format(R"(<td class="share"><i class="bar {}" style="width:{:.2f}%"></i></td>)",
                                  kindClass(row.kind), share)
                    : std::string("<td></td>");
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(row.count, 0));
    number(static_cast<double>(count), htmlCount(count));
    if (!m_table.statistics.empty()) writeStatistics(m_table.statistics[index]);
    for (const ExtraColumn& extra : m_table.extras) writeExtra(extra, index);
    if (m_severalDevices) writeText("", deviceOf(m_run, row), kNameLength, "");
    if (m_hasShapes) writeText("shapes", shapesOf(m_run, row), kShapesLength, "");
    m_out += "</tr>\n";
  }

  void writeText(std::string_view classes, std::string_view text, std::size_t length,
                 std::string_view before) {
    const std::string shown = cutInTheMiddle(text, length);
    m_out += classes.empty() ? std::string("<td") : fmt::format("<td class=\"{}\"", classes);
    if (shown.size() < text.size() || classes == "shapes") {
      m_out += fmt::format(" title=\"{}\"", htmlText(cutInTheMiddle(text, kLongestTitle)));
    }
    m_out +=
        fmt::format(">{}{}</td>", before, classes == "name" ? breakable(htmlText(shown)) : htmlText(shown));
  }

  void writeStatistics(const Statistics& statistics) {
    for (const MetricColumn& column : metricColumns()) {
      if (!column.shownFirst) continue;
      auto value = column.value(statistics);
      if (value && column.unit == MetricColumn::Unit::Part) *value *= kHundred;
      number(value, value ? htmlNumber(*value, 1) : std::string());
    }
  }

  void writeExtra(const ExtraColumn& extra, std::uint32_t row) {
    if (extra.type == ExtraColumn::Type::Text) {
      writeText("", extra.texts[row], kNameLength, "");
      return;
    }
    const auto value = extra.numbers[row];
    const bool isWhole = extra.type == ExtraColumn::Type::Count;
    // A count of 0 is a value, not one that is too small to tell.
    number(value, !value ? std::string() : *value == 0 ? "0" : htmlNumber(*value, isWhole ? 0 : 2));
  }

  void writeFoot() {
    m_out += R"(<p class="foot">)";
    if (m_all.size() > m_order.size()) {
      double us = 0;
      for (const std::uint32_t row : m_all.subspan(m_order.size())) us += m_table.rows[row].durationUs;
      const double whole = sumOfRowsUs(m_table);
      m_out += fmt::format(
          "The {} longest are shown. {} more take {} together{}. ", m_order.size(),
          htmlCount(m_all.size() - m_order.size()), htmlDurationText(us),
          whole > 0 ? fmt::format(", {} of all ops", htmlPercent(us / whole * kHundred, 1)) : std::string());
    }
    m_out +=
        fmt::format("{} {}, {} {}", htmlCount(m_all.size()), m_all.size() == 1 ? "group" : "groups",
                    htmlCount(static_cast<std::uint64_t>(std::max<std::int64_t>(m_table.totals.calls, 0))),
                    m_table.totals.calls == 1 ? "call" : "calls");
    if (!m_severalDevices && !m_order.empty()) {
      if (const std::string_view device = deviceOf(m_run, m_table.rows[m_order.front()]); !device.empty()) {
        m_out += fmt::format(", all on {}", htmlText(cutInTheMiddle(device, kNameLength)));
      }
    }
    if (m_table.statistics.empty()) m_out += ". 1 repeat: the noise of this run is unknown";
    m_out += ".</p>";
  }

  const Run& m_run;
  const OpTable& m_table;
  std::span<const std::uint32_t> m_order;
  std::span<const std::uint32_t> m_all;
  bool m_hasShapes = false;
  bool m_hasPercent = false;
  bool m_severalDevices = false;
  double m_mostUs = 0;
  std::string m_out;
};

}  // namespace

std::string opsPanel(const Run& run, const OpTable& table, std::span<const std::uint32_t> order) {
  if (order.empty()) return {};
  return htmlPanel("long", "Ops", "by name, argument shapes and device; times of one repeat, means",
                   OpsTable(run, table, order).write());
}

}  // namespace opscope::report
