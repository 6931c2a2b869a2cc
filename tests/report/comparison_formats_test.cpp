// SPDX-License-Identifier: Apache-2.0
// Python's json and xml.etree read comparisons and find the same data.
#include "engine/report/comparison_formats.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/atomic_file.h"
#include "tests/report/comparison_runs.h"

namespace opscope::report {
namespace {

namespace fs = std::filesystem;

/// Reports with nasty texts on both sides, some of them shared.
std::pair<Document, Document> nastyPair(std::mt19937& random) {
  Report a = randomReport(random);
  Report b = randomReport(random);
  for (const MetricMap& call : a.calls) {
    if (random() % 2 == 0) b.calls.push_back(call);
  }
  return {importReport(std::move(a)), importReport(std::move(b))};
}

TEST(ComparisonFormats, AreReadByPython) {
  std::string pattern = (fs::temp_directory_path() / "opscope-compare-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern;
  std::mt19937 random(12);
  for (int round = 0; round < 30; ++round) {
    auto [a, b] = nastyPair(random);
    if (round >= 20) {
      a = madeDocument({{"conv\xff\x01]]>", 1e4}, {"relu<&\"'", 2e3}, {"\xEF\xBF\xBF", 10}}, 20, 0.01, 1);
      b = madeDocument({{"conv\xff\x01]]>", 2e4}, {"relu<&\"'", 2e3}, {"softmax|`*", 10}}, 20, 0.01, 2);
    }
    CompareOptions options;
    options.matching = round % 2 == 0 ? Matching::ByName : Matching::ByPosition;
    const auto comparison = compareDocuments(a, b, options);
    const ComparisonContext context{"/home/me/a<b>.json", "run:3",
                                    round % 3 == 0 ? std::nullopt : std::optional(5.0)};
    const std::string stem = std::to_string(round);
    ASSERT_TRUE(base::writeFileAtomically(folder / (stem + ".json"), toComparisonJson(*comparison, context)));
    ASSERT_TRUE(base::writeFileAtomically(folder / (stem + ".xml"), toJUnit(*comparison, context)));
    ASSERT_TRUE(base::writeFileAtomically(folder / (stem + ".md"), toMarkdown(*comparison, context)));
  }
  const std::string command = "python3 -B '" OPSCOPE_SOURCE_DIR
                              "/tests/report/comparison_formats_check.py' '" +
                              folder.string() + "'";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  fs::remove_all(folder);
}

TEST(ComparisonFormats, MarkdownNamesNoFolderAndNobody) {
  Document a = madeDocument({{"conv", 1e4}, {"@everyone", 100}}, 20, 0.01, 1);
  Document b = madeDocument({{"conv", 2e4}, {"@everyone", 100}}, 20, 0.01, 2);
  report::Run runA = *a.run;
  runA.executablePath = "/home/me/new/mlp.so";
  runA.executableHash = "1";
  runA.inputs = "x float32 [4] @/home/me/x.npy";
  report::Run runB = runA;
  runB.executablePath = "/home/me/old/mlp.so";
  runB.executableHash = "2";
  runB.inputs = "x float32 [4] @/home/me/y/y.npy";
  runB.ownNs = b.run->ownNs, runB.inclusiveNs = b.run->inclusiveNs, runB.totals = b.run->totals;
  a.run = std::make_shared<const report::Run>(runA);
  b.run = std::make_shared<const report::Run>(runB);
  const std::string text =
      toMarkdown(*compareDocuments(a, b, {}), {"/home/me/a.json", "/home/me/b.json", {}});
  EXPECT_EQ(text.find("/home"), std::string::npos) << text;
  EXPECT_EQ(text.find('@'), std::string::npos) << text;
  EXPECT_NE(text.find("mlp.so is another in A than in B"), std::string::npos) << text;
  EXPECT_NE(text.find("x.npy in A, x float32"), std::string::npos) << text;
  EXPECT_NE(text.find("| conv | "), std::string::npos) << text;
  EXPECT_NE(text.find("**slower**"), std::string::npos) << text;
}

}  // namespace
}  // namespace opscope::report
