// SPDX-License-Identifier: Apache-2.0
// What holds for every run and every format of the visible list: no number is nan, infinite or negative, no
// part is more than the whole.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "engine/report/csv_reader.h"
#include "engine/report/exporters.h"
#include "engine/report/op_table.h"
#include "engine/report/run_report.h"
#include "tests/report/sample_run.h"
#include "tests/report/trace_run.h"

namespace opscope::report {
namespace {

using nlohmann::json;

/// Runs at the edges of what a recorder can give. Names are letters, so that words can be looked for.
class RunMaker {
 public:
  explicit RunMaker(unsigned seed) : m_random(seed) {}

  report::Run make() {
    report::Run run;
    run.executablePath = "net.so";
    run.repeats = pick({0, 1, 1, 2, 7});
    run.repeatsWanted = run.repeats + pick({0, 0, 3});
    run.steps = {"main"};
    const std::uint32_t names = pick({1, 2, 40});
    for (std::uint32_t name = 0; name < names; ++name) {
      run.names.push_back(name == 0 && pick({0, 1}) == 0 ? "" : "op" + std::string(1 + name % 20, 'o'));
    }
    run.shapes = {"", "float[one]"};
    run.devices = {"cpu", "cuda"};
    const std::uint32_t calls = pick({0, 1, 3, 60});
    if (pick({0, 1}) == 0) {
      run.counters = {{"Misses", "", CounterColumn::Kind::Count, {}, {}, {}},
                      {"Busy", "", CounterColumn::Kind::Percent, {}, {}, {}}};
    }
    m_scale = std::vector<double>{0, 1, 1e3, 1e7, 1e16}[m_random() % 5];
    std::vector<std::vector<double>> sums(2, std::vector<double>(run.repeats));
    for (std::uint32_t call = 0; call < calls; ++call) addOne(run, sums);
    addTotals(run, sums);
    return run;
  }

 private:
  std::uint32_t pick(std::initializer_list<std::uint32_t> from) {
    return *(from.begin() + m_random() % from.size());
  }

  double time() {
    if (m_random() % 3 == 0) return 0;
    return m_scale * static_cast<double>(m_random()) / 4294967296.0;
  }

  void addOne(report::Run& run, std::vector<std::vector<double>>& sums) {
    Call call;
    call.name = static_cast<std::uint32_t>(m_random() % run.names.size());
    call.shapes = pick({kNone, 0, 1});
    call.device = pick({kNone, 0, 0, 1});
    call.inReport = m_random() % 4 != 0;
    call.kernel = m_random() % 2 == 0;
    call.firstSample = run.ownNs.size();
    for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat) {
      if (m_random() % 8 == 0) continue;
      double& end = sums[call.device == 1 ? 1 : 0][repeat];
      const double ns = time();
      run.spans.push_back({end, ns, static_cast<std::uint32_t>(run.calls.size()), repeat});
      end += ns;
      run.ownNs.push_back(ns);
      run.inclusiveNs.push_back(ns);
      run.sampleRepeat.push_back(repeat);
      for (CounterColumn& counter : run.counters) {
        counter.values.push_back(m_random() % 4 == 0 ? std::nan("") : static_cast<double>(m_random() % 100));
      }
      ++call.sampleCount;
    }
    run.calls.push_back(call);
  }

  void addTotals(report::Run& run, const std::vector<std::vector<double>>& sums) {
    std::ranges::stable_sort(run.spans, [](const Span& a, const Span& b) {
      return a.repeat != b.repeat ? a.repeat < b.repeat : a.startNs < b.startNs;
    });
    if (run.repeats == 0) return;
    // Devices overlap: the sum over both is more than each of the totals.
    for (std::size_t device = 0; device < sums.size(); ++device) {
      DeviceTotal total{run.devices[device], sums[device]};
      if (device == 0 && m_random() % 3 != 0) {
        for (double& ns : total.totalNs) ns += time();
      }
      run.totals.push_back(std::move(total));
    }
  }

  std::mt19937 m_random;
  double m_scale = 1;
};

/// Finds what is no number for people; `path` tells where.
void checkJson(const json& value, const std::string& path) {
  if (value.is_object() || value.is_array()) {
    for (const auto& [key, member] : value.items()) checkJson(member, path + "." + key);
    return;
  }
  if (!value.is_number()) return;
  const double number = value;
  EXPECT_TRUE(std::isfinite(number)) << path;
  EXPECT_GE(number, 0) << path;
  if (path.ends_with(".percent")) {
    EXPECT_LE(number, 100 * (1 + 1e-12)) << path;
  }
}

void checkWords(const std::string& text, const std::string& where) {
  static const std::regex kNoNumber("(^|[^a-zA-Z_])-?(nan|inf|infinity)($|[^a-zA-Z_])", std::regex::icase);
  EXPECT_FALSE(std::regex_search(text, kNoNumber)) << where << "\n" << text;
}

/// Cells of the table's Percent column, and all that is no text.
void checkTable(const std::string& text) {
  static const std::regex kNegative("(^|\\s)-[0-9]");
  EXPECT_FALSE(std::regex_search(text, kNegative)) << text;
  const std::size_t column = text.find("Percent") + 7;
  for (std::size_t line = text.find('\n'); line != std::string::npos; line = text.find('\n', line + 1)) {
    const std::size_t end = line + 1 + column;
    if (end > text.size()) break;
    const std::string cell = text.substr(end - 9, 9);
    const double percent = std::strtod(cell.c_str(), nullptr);
    EXPECT_LE(percent, 100) << text;
  }
}

void checkCsv(const std::string& text) {
  const auto read = reportFromCsv(text, "r.csv");
  if (text == "\n") return;  // no calls
  ASSERT_TRUE(read) << base::formatError(read.error());
  for (const MetricMap& call : read->report.calls) {
    for (const auto& [name, metric] : call.entries()) {
      if (const auto* percent = std::get_if<Percent>(&metric)) {
        EXPECT_LE(percent->percent, 100) << text;
        EXPECT_GE(percent->percent, 0) << text;
      }
      if (const auto* duration = std::get_if<Duration>(&metric)) {
        EXPECT_GE(duration->microseconds, 0);
      }
    }
  }
}

/// Percentages of the page, which stand before a no-break space and the sign.
void checkPage(const std::string& text) {
  const std::string page = text.substr(text.find("</style>"), text.find("<script>") - text.find("</style>"));
  static const std::regex kPercent("([−-]?[0-9.]+)\u00A0%");
  for (auto at = std::sregex_iterator(page.begin(), page.end(), kPercent); at != std::sregex_iterator();
       ++at) {
    const double percent = std::stod((*at)[1].str());
    EXPECT_GE(percent, 0);
    EXPECT_LE(percent, 100) << (*at)[0];
  }
  static const std::regex kNegative("[\">]-[0-9]");
  EXPECT_FALSE(std::regex_search(page, kNegative));
}

class Property : public testing::TestWithParam<unsigned> {};

TEST_P(Property, EveryFormatHoldsNumbersForPeople) {
  for (unsigned seed = GetParam() * 40; seed < (GetParam() + 1) * 40; ++seed) {
    SCOPED_TRACE(seed);
    const Document document = makeDocument(shared(RunMaker(seed).make()));
    for (const Exporter& exporter : exporters()) {
      SCOPED_TRACE(std::string(exporter.id));
      const auto text = exporter.write(document);
      ASSERT_TRUE(text) << base::formatError(text.error());
      checkWords(*text, std::string(exporter.id));
      if (exporter.extension == ".json") checkJson(json::parse(*text), std::string(exporter.id));
      if (exporter.id == "table") checkTable(*text);
      if (exporter.id == "csv") checkCsv(*text);
      if (exporter.id == "html") checkPage(*text);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Runs, Property, testing::Range(0U, 6U));

TEST(Properties, TablesOfOpsStayWithinTheWhole) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Document document = makeDocument(shared(RunMaker(seed).make()));
    for (const Grouping grouping : {Grouping::EachCall, Grouping::ByOp}) {
      const OpTable table = buildOpTable(document, grouping);
      for (const OpRow& row : table.rows) {
        EXPECT_GE(row.durationUs, 0);
        EXPECT_LE(row.percent.value_or(0), 100 * (1 + 1e-12)) << seed;
      }
      EXPECT_LE(table.totals.opsPercent.value_or(0), 100);
      EXPECT_GE(table.totals.betweenUs, 0);
    }
  }
}

}  // namespace
}  // namespace opscope::report
