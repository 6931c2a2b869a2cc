// SPDX-License-Identifier: Apache-2.0
#include "engine/report/html_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/report/html_charts.h"
#include "engine/report/html_ops.h"
#include "engine/report/html_sections.h"
#include "engine/report/html_style.h"
#include "engine/report/html_text.h"
#include "engine/report/html_timeline.h"
#include "engine/report/run_report.h"

namespace opscope::report {

namespace {

constexpr double kNsPerUs = 1e3;
constexpr double kMostShare = 0.8;

std::vector<std::uint32_t> longestFirst(const OpTable& table) {
  std::vector<std::uint32_t> order(table.rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&table](std::uint32_t row) {
    const double us = table.rows[row].durationUs;
    return std::isfinite(us) ? us : 0.0;
  });
  return order;
}

/// "4 of 57 groups make 80 %".
std::string paretoWords(const OpTable& table, const std::vector<std::uint32_t>& order) {
  const double whole = sumOfRowsUs(table);
  double running = 0;
  std::size_t groups = 0;
  while (groups < order.size() && running < whole * kMostShare * (1 - 1e-12)) {
    running += std::max(table.rows[order[groups]].durationUs, 0.0);
    ++groups;
  }
  return fmt::format("{} of {} groups make 80\u00A0% of the ops’ time", htmlCount(groups),
                     htmlCount(order.size()));
}

std::string titleOf(const Run& run) {
  const std::string file = withoutPlaces(run.executablePath);
  if (!file.empty()) return file;
  return run.function.empty() ? "Opscope report" : withoutPlaces(run.function);
}

/// What was run, in a line.
std::string underTitle(const Run& run) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + htmlText(cutInTheMiddle(part, 100));
  };
  add(withoutPlaces(run.function));
  for (const DeviceTotal& total : run.totals) add(total.device);
  if (run.repeats > 0) add(fmt::format("{} {}", run.repeats, run.repeats == 1 ? "repeat" : "repeats"));
  add(run.startedAt);
  return text;
}

class Page {
 public:
  Page(const Document& document, const TextSink& sink)
      : m_document(document),
        m_run(*document.run),
        m_table(buildOpTable(document, Grouping::ByOp)),
        m_order(longestFirst(m_table)),
        m_out(sink) {}

  base::Result<> write() {
    writeHead();
    add(summaryCards(m_run, m_table));
    add(warningsPanel(m_run));
    add("<div class=\"two\">");
    writeCharts();
    add("</div>\n");
    writeTimeline();
    add(stepsPanel(m_run));
    add(opsPanel(m_run, m_table, m_order));
    add(memoryPanel(m_run));
    add(threadsPanel(m_run));
    add(factsPanels(m_document));
    add("<footer>Written by Opscope. Headlines are medians, sums are of means.</footer></main>\n<script>");
    add(htmlScript());
    add("</script></body></html>\n");
    return m_out.finish();
  }

 private:
  void add(std::string_view text) {
    m_out.append(text);
    m_out.passOn();
  }

  void writeHead() {
    const std::string title = htmlText(cutInTheMiddle(titleOf(m_run), 200));
    add("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    // Whatever stands in a name: nothing is fetched, nothing is sent.
    add(R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">)");
    add(R"(<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="referrer" content="no-referrer">)");
    add("\n<title>" + title + " – Opscope</title><style>");
    add(htmlStyle());
    add("</style></head><body><main>\n<h1>" + title + "</h1><p class=\"under\">" + underTitle(m_run) +
        "</p>\n");
  }

  void writeCharts() {
    const std::string pareto = paretoChart(m_run, m_table, m_order);
    std::vector<double> totals;
    if (const DeviceTotal* total = largestTotal(m_run)) {
      for (const double ns : total->totalNs) totals.push_back(ns / kNsPerUs);
    }
    const std::string repeats = repeatsChart(totals);
    const std::string spread = spreadChart(totals);
    const auto chart = [this](std::string_view classes, std::string_view title, std::string_view under,
                              const std::string& svg) {
      if (!svg.empty()) add(htmlPanel(classes, title, under, "<div class=\"chart\">" + svg + "</div>"));
    };
    const std::string words = pareto.empty() ? std::string() : paretoWords(m_table, m_order);
    constexpr std::size_t kManyBars = 10;  // as high as the two charts beside them
    const bool isTall = m_order.size() >= kManyBars && !spread.empty();
    chart(isTall ? "tall" : "", "Time by op", words, pareto);
    chart("", "Total of each repeat", "", repeats);
    chart("", "Spread of the totals", "", spread);
    add(kindsPanel(m_table, repeats.empty() ? "" : "wide"));
  }

  void writeTimeline() {
    const std::uint32_t repeat = typicalRepeat(m_run);
    const HtmlTimeline timeline = timelineChart(m_run, repeat);
    if (timeline.svg.empty()) return;
    std::string under = m_run.repeats > 1 ? fmt::format("repeat {}, whose total is nearest to the median",
                                                        htmlCount(repeat + 1))
                                          : std::string();
    if (timeline.hiddenLanes > 0) {
      under += fmt::format("{}{} more lanes are not shown", under.empty() ? "" : "; ",
                           htmlCount(timeline.hiddenLanes));
    }
    add(htmlPanel("timeline", "Timeline", under, "<div class=\"chart\">" + timeline.svg + "</div>"));
  }

  const Document& m_document;
  const Run& m_run;
  OpTable m_table;
  std::vector<std::uint32_t> m_order;
  ChunkedText m_out;
};

}  // namespace

base::Result<> writeHtml(const Document& document, const TextSink& sink) {
  return Page(document, sink).write();
}

std::string toHtml(const Document& document) {
  std::string text;
  // A sink in memory has no errors.
  (void)writeHtml(document, [&text](std::string_view piece) {
    text += piece;
    return base::Result<>();
  });
  return text;
}

}  // namespace opscope::report
