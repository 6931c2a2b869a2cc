// SPDX-License-Identifier: Apache-2.0
// Reports read from CSV, and reports whose texts TVM did not escape.
#include "engine/report/csv_reader.h"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/atomic_file.h"
#include "engine/report/csv.h"
#include "engine/report/document_reader.h"
#include "engine/report/json_mending.h"
#include "engine/report/report_json.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

const std::vector<std::string> kCases = {"00", "02", "04", "06", "08", "10",
                                         "12", "14", "16", "18", "20", "22"};

/// CSV has six digits.
void expectAlike(const Metric& read, const Metric& original, const std::string& where) {
  ASSERT_EQ(read.index(), original.index()) << where;
  const auto near = [&](double a, double b) { EXPECT_NEAR(a, b, 5e-6 * std::abs(b)) << where; };
  if (const auto* duration = std::get_if<Duration>(&original)) {
    near(std::get<Duration>(read).microseconds, duration->microseconds);
  } else if (const auto* percent = std::get_if<Percent>(&original)) {
    near(std::get<Percent>(read).percent, percent->percent);
  } else if (const auto* ratio = std::get_if<Ratio>(&original)) {
    near(std::get<Ratio>(read).ratio, ratio->ratio);
  } else {
    EXPECT_EQ(read, original) << where;
  }
}

void expectAlike(const Report& read, const Report& original, const std::string& where) {
  ASSERT_EQ(read.calls.size(), original.calls.size()) << where;
  for (std::size_t row = 0; row < read.calls.size(); ++row) {
    for (const auto& [name, metric] : original.calls[row].entries()) {
      const Metric* found = read.calls[row].find(name);
      ASSERT_NE(found, nullptr) << where << " " << name;
      expectAlike(*found, metric, where + " " + name);
    }
  }
}

TEST(CsvReader, ReadsTvmsFiles) {
  for (const std::string& number : kCases) {
    const std::string folder = OPSCOPE_TEST_DATA "/reports/report-" + number;
    const std::string csv = base::readFile(folder + "/report.csv").value();
    const Report original = reportFromJson(base::readFile(folder + "/report.json").value(), "json").value();
    if (original.calls.empty()) continue;
    ASSERT_TRUE(looksLikeCsvReport(csv)) << number;
    const auto document = documentFromText(csv, "r.csv");
    ASSERT_TRUE(document) << base::formatError(document.error());
    expectAlike(*document->report, original, number);
    ASSERT_EQ(document->run->warnings.size(), 1U) << "the total is not told, nothing had to be mended";
  }
}

TEST(CsvReader, ReadsOursWithAnyText) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const Report report = randomReport(random);
    const auto read = reportFromCsv(toCsv(report), "r.csv");
    if (report.calls.empty()) continue;
    ASSERT_TRUE(read) << base::formatError(read.error()) << toCsv(report);
    EXPECT_EQ(read->mendedRows, 0U);
    ASSERT_EQ(read->report.calls.size(), report.calls.size()) << toCsv(report);
    for (std::size_t row = 0; row < report.calls.size(); ++row) {
      for (const std::string_view column : {kName, kDurationUs, kCount, kArgumentShapes, kDevice}) {
        const Metric* original = report.calls[row].find(column);
        if (original == nullptr) continue;
        const Metric* found = read->report.calls[row].find(column);
        ASSERT_NE(found, nullptr) << column;
        expectAlike(*found, *original, std::string(column));
      }
    }
  }
}

const std::string kTitles = "Argument Shapes,Count,Device,Duration (us),Name,Percent\n";

TEST(CsvReader, MendsQuotesThatTvmLeaves) {
  const auto document = documentFromText(
      kTitles +
          "\"float32[1, 2], int64[]\",1,\"cpu0\",25.5,\"say \"hi\", you\",50\n\"\",2,\"cpu0\",1,\"b\",1\n",
      "r.csv");
  ASSERT_TRUE(document) << base::formatError(document.error());
  ASSERT_EQ(document->report->calls.size(), 2U);
  EXPECT_EQ(std::get<std::string>(*document->report->calls[0].find(kName)), "say \"hi\", you");
  EXPECT_EQ(document->run->shapes[0], "float32[1, 2], int64[]");
  ASSERT_FALSE(document->run->warnings.empty());
  EXPECT_EQ(document->run->warnings[0].message,
            "1 rows hold quotes that TVM did not escape; they are read all the same.");
}

TEST(CsvReader, DoesNotGuess) {
  const auto message = [](const std::string& text) {
    const auto read = reportFromCsv(text, "r.csv");
    return read ? std::string("read") : read.error().message + " " + read.error().detail;
  };
  // Either the device or the name may hold the comma.
  EXPECT_EQ(message("Device,Name,Count\n\"a\",\"b\",\"c\",1\n"),
            "r.csv is not a report in CSV: line 2 is wrong Found 4 cells, expected 3, as there are titles.");
  EXPECT_EQ(
      message("Name,Name\n"),
      "r.csv is not a report in CSV: line 1 is wrong Found the title \"Name\" twice, expected each title "
      "once.");
  EXPECT_EQ(message("Name,Count\n\"a\",x\n"),
            "r.csv is not a report in CSV: line 2 is wrong Found quotes out of place, or text where a number "
            "belongs, expected a row that can be taken apart in one way.");
  EXPECT_EQ(message("Name,Count\n\"a\",1.5\n"),
            "r.csv is not a report in CSV: Count of line 2 is wrong Found \"1.5\", expected a whole number.");
  EXPECT_TRUE(
      message("Name,Count\n\"a\",inf\n").starts_with("r.csv is not a report in CSV: line 2 is wrong"));
}

TEST(CsvReader, IsNotAskedForOtherText) {
  EXPECT_FALSE(looksLikeCsvReport(""));
  EXPECT_FALSE(looksLikeCsvReport("{\"calls\":[]}"));
  EXPECT_FALSE(looksLikeCsvReport("name,count\n"));
  EXPECT_TRUE(looksLikeCsvReport("\xEF\xBB\xBFName,Duration (us)\r\n\"a\",1\r\n"));
  EXPECT_TRUE(reportFromCsv("\xEF\xBB\xBFName,Duration (us)\r\n\"a\",1\r\n", "r.csv"));
}

TEST(CsvReader, DamagedFilesAreReadOrRefused) {
  const std::string original = base::readFile(OPSCOPE_TEST_DATA "/reports/report-16/report.csv").value();
  std::mt19937 random(29);
  for (int round = 0; round < 3000; ++round) {
    std::string changed = original.substr(0, random() % original.size());
    if (!changed.empty()) changed[random() % changed.size()] = "\",\n\r1x"[random() % 6];
    (void)reportFromCsv(changed, "changed");
  }
}

/// As TVM writes it, texts as they are.
std::string tvmJson(const std::string& name, const std::string& device) {
  return R"j({"calls":[{"Argument Shapes":{"string":"float32[1]"},"Name":{"string":")j" + name +
         R"j("},"Count":{"count":1},"Duration (us)":{"microseconds":12.5}},{"Name":{"string":")j" + name +
         R"j("}}],"device_metrics":{"cpu0":{"Duration (us)":{"microseconds":20},"Device":{"string":")j" +
         device + R"j("}}},"configuration":{"Executor":{"string":"VM"}}})j";
}

TEST(MendedJson, TextsThatTvmDoesNotEscapeAreRead) {
  for (const std::string name : {"a \"quoted\" name", "\"", "C:\\path\\d", "two\nlines", "tab\there",
                                 "brace\"} end", "x\",\"y", "{\"string\":\"z"}) {
    const auto document = documentFromText(tvmJson(name, name), "r.json");
    ASSERT_TRUE(document) << name << base::formatError(document.error());
    ASSERT_EQ(document->report->calls.size(), 2U);
    EXPECT_EQ(std::get<std::string>(*document->report->calls[0].find(kName)), name);
    EXPECT_EQ(std::get<std::string>(*document->report->calls[1].find(kName)), name);
    EXPECT_EQ(std::get<std::string>(*document->report->deviceMetrics[0].second.find(kDevice)), name);
    ASSERT_FALSE(document->run->warnings.empty());
    EXPECT_TRUE(document->run->warnings[0].message.starts_with("3 texts hold quotes"))
        << document->run->warnings[0].message;
  }
}

TEST(MendedJson, WholeFilesAreLeftAlone) {
  const auto document = documentFromText(tvmJson("plain", "cpu0"), "r.json");
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->run->warnings.empty());
  EXPECT_FALSE(mendReportJson(tvmJson("plain", "cpu0")));
}

TEST(MendedJson, OtherMistakesKeepTheirMessage) {
  std::string text = tvmJson("a \"quoted\" name", "cpu0");
  text.replace(text.find("12.5"), 4, "nope");
  const auto document = documentFromText(text, "r.json");
  ASSERT_FALSE(document);
  EXPECT_NE(document.error().message.find("its JSON is broken"), std::string::npos);
}

TEST(MendedJson, TheCasesOfTvmWithoutTheirEscapes) {
  for (const std::string& number : kCases) {
    const std::string text =
        base::readFile(OPSCOPE_TEST_DATA "/reports/report-" + number + "/report.json").value();
    Report report = reportFromJson(text, "json").value();
    for (MetricMap& call : report.calls) call.set(kName, std::string("a \"q\" b"));
    std::string unescaped = toJson(report);
    for (std::size_t at = unescaped.find('\\'); at != std::string::npos; at = unescaped.find('\\', at)) {
      unescaped.erase(at, 1);
    }
    const auto document = documentFromText(unescaped, "r.json");
    ASSERT_TRUE(document) << number << base::formatError(document.error());
    EXPECT_EQ(toJson(*document->report), toJson(report));
  }
}

}  // namespace
}  // namespace opscope::report
