// SPDX-License-Identifier: Apache-2.0
// What TVM's own Report made of twelve reports, byte for byte.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/report/csv.h"
#include "engine/report/report_json.h"
#include "engine/report/table.h"

namespace opscope::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string contentOf(const fs::path& path) {
  auto content = base::readFile(path);
  EXPECT_TRUE(content) << path;
  return content.value_or(std::string());
}

std::vector<fs::path> caseFolders() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(fs::path(OPSCOPE_TEST_DATA) / "reports")) {
    folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

class TvmCase : public testing::TestWithParam<fs::path> {
 protected:
  Report read(std::string_view file = "report.json") const {
    const fs::path path = GetParam() / file;
    auto report = reportFromJson(contentOf(path), path.string());
    EXPECT_TRUE(report) << base::formatError(report.error());
    return report.value_or(Report());
  }
};

TEST_P(TvmCase, TableIsTvms) {
  const Report report = read();
  int tables = 0;
  for (const bool sort : {false, true}) {
    for (const bool aggregate : {false, true}) {
      for (const bool sums : {false, true}) {
        const fs::path path =
            GetParam() / ("table-sort" + std::to_string(sort) + "-aggregate" + std::to_string(aggregate) +
                          "-sums" + std::to_string(sums) + ".txt");
        if (!fs::exists(path)) continue;
        ++tables;
        EXPECT_EQ(toTable(report, {sort, aggregate, sums}), contentOf(path)) << path;
      }
    }
  }
  EXPECT_EQ(tables, 6);
}

TEST_P(TvmCase, CsvIsTvms) {
  EXPECT_EQ(toCsv(read()), contentOf(GetParam() / "report.csv"));
}

void expectSame(const json& ours, const json& theirs, const std::string& place) {
  if (theirs.is_number()) {
    ASSERT_TRUE(ours.is_number()) << place;
    const double expected = theirs.get<double>();
    EXPECT_LE(std::fabs(ours.get<double>() - expected), 1e-12 * std::fabs(expected)) << place;
    return;
  }
  ASSERT_EQ(ours.type(), theirs.type()) << place;
  if (!theirs.is_structured()) {
    EXPECT_EQ(ours, theirs) << place;
    return;
  }
  ASSERT_EQ(ours.size(), theirs.size()) << place;
  for (const auto& item : theirs.items()) {
    if (theirs.is_array()) {
      expectSame(ours.at(std::stoul(item.key())), item.value(), place + "[" + item.key() + "]");
    } else {
      ASSERT_TRUE(ours.contains(item.key())) << place << "." << item.key();
      expectSame(ours.at(item.key()), item.value(), place + "." + item.key());
    }
  }
}

TEST_P(TvmCase, JsonIsTvmsAsData) {
  expectSame(json::parse(toJson(read())), json::parse(contentOf(GetParam() / "roundtrip.json")), "");
}

TEST_P(TvmCase, JsonReadsBackEqual) {
  const std::string text = toJson(read());
  const auto again = reportFromJson(text, "again");
  ASSERT_TRUE(again);
  EXPECT_EQ(toJson(*again), text);
  EXPECT_EQ(toCsv(*again), toCsv(read()));
}

INSTANTIATE_TEST_SUITE_P(All, TvmCase, testing::ValuesIn(caseFolders()), [](const auto& parameter) {
  std::string name = parameter.param.filename().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(TvmCases, AllTwelveAreThere) {
  EXPECT_EQ(caseFolders().size(), 12u);
}

}  // namespace
}  // namespace opscope::report
