// SPDX-License-Identifier: Apache-2.0
// Broken reports: each has its message with place, found and expected; none crashes.
#include <gtest/gtest.h>

#include <random>

#include "engine/base/atomic_file.h"
#include "engine/report/document_reader.h"
#include "engine/report/report_json.h"

namespace opscope::report {
namespace {

struct BadCase {
  std::string name;
  std::string text;
  std::string message;
  std::string detail;
};

void PrintTo(const BadCase& bad, std::ostream* out) {
  *out << bad.name;
}

std::string inCall(const std::string& metrics) {
  return R"({"calls":[{},{)" + metrics + "}]}";
}

const std::string kTypes = "expected one of microseconds, percent, count, ratio, string.";
const std::vector<BadCase> kBadCases = {
    {"Empty", "", "r.json is not a TVM report: its JSON is broken at its start",
     "Found an empty file, expected a JSON object."},
    {"Blank", " \n", "r.json is not a TVM report: its JSON is broken at its start",
     "Found an empty file, expected a JSON object."},
    {"TopLevelArray", "[]", "r.json is not a TVM report: the top level is wrong",
     "Found an array, expected an object with the key \"calls\"."},
    {"NoCalls", R"({"configuration":{}})", "r.json is not a TVM report: calls is wrong",
     "Found nothing, expected an array of calls."},
    {"CallsTwice", R"({"calls":[],"calls":[]})", "r.json is not a TVM report: calls is wrong",
     "Found the same key twice, expected each key once."},
    {"CallsObject", R"({"calls":{}})", "r.json is not a TVM report: calls is wrong",
     "Found an object, expected an array."},
    {"CallNumber", R"({"calls":[3]})", "r.json is not a TVM report: calls[0] is wrong",
     "Found the number 3, expected an object."},
    {"MetricBare", inCall(R"j("Duration (us)":3.5)j"),
     R"j(r.json is not a TVM report: calls[1]."Duration (us)" is wrong)j",
     R"(Found the number 3.5, expected an object with a typed value, as {"count":1}.)"},
    {"MetricEmpty", inCall(R"("Name":{})"), "r.json is not a TVM report: calls[1].Name is wrong",
     "Found an object without a key, " + kTypes},
    {"MetricTwoKeys", inCall(R"("X":{"count":1,"ratio":2})"),
     "r.json is not a TVM report: calls[1].X is wrong", "Found an object with several keys, " + kTypes},
    {"MetricUnknownType", inCall(R"("X":{"watts":1})"), "r.json is not a TVM report: calls[1].X is wrong",
     "Found metric type \"watts\", " + kTypes},
    {"KnownColumnOfOtherType", inCall(R"j("Duration (us)":{"count":1})j"),
     R"j(r.json is not a TVM report: calls[1]."Duration (us)" is wrong)j",
     "Found metric type \"count\", expected microseconds."},
    {"NameOfOtherType", inCall(R"("Name":{"count":1})"), "r.json is not a TVM report: calls[1].Name is wrong",
     "Found metric type \"count\", expected string."},
    {"TextAsNumber", inCall(R"j("Duration (us)":{"microseconds":"fast"})j"),
     R"j(r.json is not a TVM report: calls[1]."Duration (us)".microseconds is wrong)j",
     "Found the text \"fast\", expected a number."},
    {"NullAsNumber", inCall(R"("X":{"ratio":null})"), "r.json is not a TVM report: calls[1].X.ratio is wrong",
     "Found null, expected a number."},
    {"NumberAsText", inCall(R"("X":{"string":true})"),
     "r.json is not a TVM report: calls[1].X.string is wrong", "Found true, expected a text."},
    {"FractionAsCount", inCall(R"("Count":{"count":1.5})"),
     "r.json is not a TVM report: calls[1].Count.count is wrong",
     "Found the number 1.5, expected an integer of 64 bits."},
    {"LargeCount", inCall(R"("Count":{"count":9223372036854775808})"),
     "r.json is not a TVM report: calls[1].Count.count is wrong",
     "Found the number 9223372036854775808, expected an integer of 64 bits."},
    {"HugeCount", inCall(R"("Count":{"count":123456789012345678901234567890})"),
     "r.json is not a TVM report: its JSON is broken at calls[1].Count.count",
     "Found the integer 123456789012345678901234567890, expected one that fits 64 bits."},
    {"HugeNumber", inCall(R"("X":{"ratio":1e999})"),
     "r.json is not a TVM report: its JSON is broken at line 1, column 32, in calls[1].X.ratio",
     "Found the number 1e999, expected one that fits 64 bits."},
    {"NotANumber", inCall(R"("X":{"ratio":NaN})"),
     "r.json is not a TVM report: its JSON is broken at line 1, column 28, in calls[1].X.ratio",
     "Found NaN, expected a value; JSON has no NaN or infinity."},
    {"MinusInfinity", inCall(R"("X":{"ratio":-inf})"),
     "r.json is not a TVM report: its JSON is broken at line 1, column 29, in calls[1].X.ratio",
     "Found -inf, expected a value; JSON has no NaN or infinity."},
    {"MetricTwice", inCall(R"("X":{"count":1},"X":{"count":2})"),
     "r.json is not a TVM report: calls[1].X is wrong", "Found the same key twice, expected each key once."},
    {"DeviceTwice", R"({"calls":[],"device_metrics":{"cpu0":{},"cpu0":{}}})",
     "r.json is not a TVM report: device_metrics.cpu0 is wrong",
     "Found the same key twice, expected each key once."},
    {"DeviceArray", R"({"calls":[],"device_metrics":{"cpu0":[]}})",
     "r.json is not a TVM report: device_metrics.cpu0 is wrong", "Found an array, expected an object."},
    {"ConfigurationBare", R"({"calls":[],"configuration":{"Executor":"VM"}})",
     "r.json is not a TVM report: configuration.Executor is wrong",
     R"(Found the text "VM", expected an object with a typed value, as {"count":1}.)"},
    {"CutOff", "{\n\"calls\":[{\"Name\":{\"stri",
     "r.json is not a TVM report: its JSON is broken at line 2, column 23, in calls[0].Name",
     "The parser says: syntax error while parsing object key - invalid string: missing closing quote; last "
     "read: "
     "'\"stri'; expected string literal."},
    {"UnescapedQuote", inCall(R"("Name":{"string":"a"b"})"),
     "r.json is not a TVM report: its JSON is broken at line 1, column 35, in calls[1].Name.string",
     "The parser says: syntax error while parsing object - invalid literal; last read: '\"a\"b'; expected "
     "'}'."},
    {"NotJson", "Name,Count\n", "r.json is not a TVM report: its JSON is broken at line 1, column 1",
     "The parser says: syntax error while parsing value - invalid literal; last read: 'N'."},
};

class BadReport : public testing::TestWithParam<BadCase> {};

TEST_P(BadReport, IsToldWithPlaceFoundAndExpected) {
  const auto report = reportFromJson(GetParam().text, "r.json");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, base::ErrorCode::Format);
  EXPECT_EQ(report.error().message, GetParam().message);
  EXPECT_EQ(report.error().detail, GetParam().detail);
}

INSTANTIATE_TEST_SUITE_P(All, BadReport, testing::ValuesIn(kBadCases),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(BadReports, DeepNestingIsRefused) {
  for (const std::string bracket : {"[", "{\"a\":"}) {
    std::string deep = "{\"calls\":";
    for (int level = 0; level < 100000; ++level) deep += bracket;
    const auto report = reportFromJson(deep, "r.json");
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().detail, "Found more than 1024 levels of brackets, expected fewer.");
    EXPECT_LT(report.error().message.size(), 200u);
  }
}

TEST(BadReports, TooManyMetricsAreRefused) {
  std::string text = "{\"calls\":[{";
  for (int metric = 0; metric < 300; ++metric) {
    text += (metric == 0 ? "\"m" : ",\"m") + std::to_string(metric) + "\":{\"count\":1}";
  }
  const auto report = reportFromJson(text + "}]}", "r.json");
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().detail, "Found more metrics, expected at most 256.");
}

TEST(BadReports, InvalidUtf8IsToldWithItsPlace) {
  const auto report = reportFromJson("{\"calls\":[{\"Name\":{\"string\":\"\xff\"}}]}", "r.json");
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("calls[0].Name.string"), std::string::npos) << report.error().message;
}

TEST(BadReports, EveryCutAndChangedByteIsReadOrRefused) {
  const auto original = base::readFile(OPSCOPE_TEST_DATA "/reports/report-16/report.json");
  ASSERT_TRUE(original);
  for (std::size_t length = 0; length + 1 < original->size(); ++length) {
    const auto report = documentFromText(original->substr(0, length), "cut");
    const bool blankTail = original->find_first_not_of(" \n", length) == std::string::npos;
    EXPECT_EQ(report.has_value(), blankTail) << length;
  }
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string changed = *original;
    for (int change = 0; change < 3; ++change)
      changed[random() % changed.size()] = static_cast<char>(random());
    const auto document = documentFromText(changed, "changed");
    if (!document) {
      EXPECT_FALSE(document.error().message.empty() || document.error().detail.empty());
    }
  }
}

TEST(Reports, OlderAndOtherWritersAreRead) {
  // Without configuration (TVM before 0.10), with further keys, a byte order mark, and reals for integers.
  const auto old = reportFromJson(
      "\xEF\xBB\xBF{\"version\":[1,{}],\"calls\":[{\"Count\":{\"count\":2.0},"
      "\"Duration (us)\":{\"microseconds\":5}}],\"device_metrics\":{}}",
      "old.json");
  ASSERT_TRUE(old) << base::formatError(old.error());
  EXPECT_EQ(*old->calls[0].find(kCount), Metric(Count{2}));
  EXPECT_EQ(*old->calls[0].find(kDurationUs), Metric(Duration{5}));
  EXPECT_TRUE(old->configuration.entries().empty());
}

}  // namespace
}  // namespace opscope::report
