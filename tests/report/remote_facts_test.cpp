// SPDX-License-Identifier: Apache-2.0
// Where and in which way a run on another computer was recorded, out and in.
#include <gtest/gtest.h>

#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"
#include "tests/report/sample_run.h"

namespace opscope::report {
namespace {

TEST(RemoteFacts, SurviveSamplesFiles) {
  report::Run run = sampleRun();
  run.target = "rpc://10.0.0.7:9090";
  run.remote =
      RemoteFacts{"probe", "Recorded by our probe.", {{"Board", "10.0.0.7:9090"}, {"Round trip", "80 µs"}}};
  const auto again = documentFromSamplesJson(toSamplesJson(makeDocument(shared(run))), "a.json");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again->run, run);
}

TEST(RemoteFacts, LocalRunsHaveNone) {
  const std::string text = toSamplesJson(makeDocument(shared(sampleRun())));
  EXPECT_EQ(text.find("\"remote\""), std::string::npos);
}

TEST(RemoteFacts, WrongOnesAreRefused) {
  report::Run run = sampleRun();
  run.remote = RemoteFacts{"probe", "", {}};
  std::string text = toSamplesJson(makeDocument(shared(run)));
  const std::string way = "\"way\":\"probe\"";
  ASSERT_NE(text.find(way), std::string::npos);
  text.replace(text.find(way), way.size(), "\"way\":7");
  const auto again = documentFromSamplesJson(text, "a.json");
  ASSERT_FALSE(again);
  EXPECT_NE((again.error().message + again.error().detail).find("remote.way"), std::string::npos);
}

}  // namespace
}  // namespace opscope::report
