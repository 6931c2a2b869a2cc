// SPDX-License-Identifier: Apache-2.0
// Python's own json and csv read our files and find the same data.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/atomic_file.h"
#include "engine/report/csv.h"
#include "engine/report/exporters.h"
#include "engine/report/report_json.h"
#include "engine/report/run_report.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

namespace fs = std::filesystem;

/// What Python must find, one line each: column NUL value NUL ..., texts as they are.
std::string expectedRows(const Report& report) {
  std::string rows;
  for (const MetricMap& call : report.calls) {
    for (const auto& [name, metric] : call.entries()) {
      if (const std::string* text = std::get_if<std::string>(&metric)) rows += name + '\0' + *text + '\0';
    }
    rows += '\1';
    rows += '\0';
  }
  return rows;
}

TEST(Python, ReadsOurJsonAndCsvUnchanged) {
  std::string pattern = (fs::temp_directory_path() / "opscope-python-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern;
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    const Report report = randomReport(random);
    const std::string stem = std::to_string(round);
    ASSERT_TRUE(base::writeFileAtomically(folder / (stem + ".json"), toJson(report)));
    ASSERT_TRUE(base::writeFileAtomically(folder / (stem + ".csv"), toCsv(report)));
    ASSERT_TRUE(base::writeFileAtomically(folder / (stem + ".rows"), expectedRows(report)));
  }
  const Document document = makeDocument(shared(sampleRun()));
  for (const std::string_view id : {"samples", "trace"}) {
    ASSERT_TRUE(exportToFile(*findExporter(id), document, folder / ("x." + std::string(id))));
  }
  const std::string command =
      "python3 -B '" OPSCOPE_SOURCE_DIR "/tests/report/python_check.py' '" + folder.string() + "'";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace opscope::report
