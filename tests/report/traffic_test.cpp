// SPDX-License-Identifier: Apache-2.0
// What went over the wire: kept with the run, in files, in traces, and in words.
#include "engine/report/traffic.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/report/document_reader.h"
#include "engine/report/run_report.h"
#include "engine/report/samples_json.h"
#include "engine/report/trace_json.h"
#include "engine/report/trace_reader.h"
#include "tests/report/checked_files.h"
#include "tests/report/traffic_run.h"

namespace opscope::report {
namespace {

using nlohmann::json;

std::string samplesOf(const Run& run) {
  return toSamplesJson(makeDocument(shared(run)));
}

std::vector<json> requestsOf(const json& trace) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") == "rpc") found.push_back(event);
  }
  return found;
}

TEST(TrafficOfARun, SurvivesSamplesFilesAsAMemberOfItsOwn) {
  const report::Run run = remoteRun();
  const std::string text = samplesOf(run);
  const auto again = documentFromSamplesJson(text, "a.json");
  ASSERT_TRUE(again) << again.error().message << again.error().detail;
  EXPECT_EQ(*again->run, run);
  const json file = json::parse(text);
  EXPECT_EQ(file["traffic"]["events"]["kind"][1], "upload");
  EXPECT_EQ(file["traffic"]["events"]["bytesOut"][1], 1048576);
  EXPECT_EQ(file["remote"]["board"].size(), 1u);
}

TEST(TrafficOfARun, FilesWithoutItAreReadAsBefore) {
  json file = json::parse(samplesOf(remoteRun()));
  file.erase("traffic");
  const auto again = documentFromSamplesJson(file.dump(), "a.json");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->run->traffic);
}

TEST(TrafficOfARun, WrongOnesAreRefusedWithTheirPlace) {
  const std::pair<const char*, std::function<void(json&)>> mistakes[] = {
      {"traffic.events.kind[0]", [](json& traffic) { traffic["events"]["kind"][0] = "singing"; }},
      {"traffic.events.phase[2]", [](json& traffic) { traffic["events"]["phase"][2] = 4; }},
      {"traffic.events.name[1]", [](json& traffic) { traffic["events"]["name"][1] = 6; }},
      {"traffic.events.bytesOut[0]", [](json& traffic) { traffic["events"]["bytesOut"][0] = -1; }},
      {"traffic.events.startNs[1]", [](json& traffic) { traffic["events"]["startNs"][0] = 3000; }},
      {"traffic.events.durationNs", [](json& traffic) { traffic["events"]["durationNs"].erase(0); }},
      {"traffic.wallNs", [](json& traffic) { traffic["wallNs"] = "long"; }},
      {"traffic.repeats", [](json& traffic) {
         for (auto& column : traffic["repeats"]) column.insert(column.end(), 99, 1e6);
       }}};
  const json good = json::parse(samplesOf(remoteRun()));
  for (const auto& [place, change] : mistakes) {
    json wrong = good;
    change(wrong["traffic"]);
    const auto read = documentFromSamplesJson(wrong.dump(), "a.json");
    ASSERT_FALSE(read) << place;
    EXPECT_NE((read.error().message + read.error().detail).find(place), std::string::npos)
        << place << ": " << read.error().message << read.error().detail;
  }
}

TEST(TrafficOfARun, ItsWordsTellTheWhole) {
  TrafficTrack track = handMadeTraffic(1);
  track.bytesOut = 5 * 1048576;
  track.bytesIn = 812;
  track.wallNs = 2e9;
  track.transferNs = 5e8;
  track.notKept = 0;
  EXPECT_EQ(trafficWords(track), "5.0 MiB out, 812 bytes in, 25.0 % of 2.00 s in transfers");
  track.notKept = 7;
  EXPECT_EQ(trafficWords(track),
            "5.0 MiB out, 812 bytes in, 25.0 % of 2.00 s in transfers; 7 more requests not kept one by one");
  track.wallNs = 0;
  EXPECT_EQ(trafficWords(track).find('%'), std::string::npos);
}

TEST(TrafficOfARun, LabelsTellWhatAndHowMuch) {
  const TrafficTrack track = handMadeTraffic(1);
  std::vector<std::string> labels;
  for (const TrafficEvent& event : track.events) labels.push_back(trafficLabel(track, event));
  EXPECT_EQ(labels, (std::vector<std::string>{"connect", "upload 1.0 MiB", "copy to board 4.0 KiB",
                                              "free 3 objects", "call step main", "call end"}));
}

class TrafficTraces : public CheckedFiles {
 protected:
  TrafficTraces() : CheckedFiles("trace_check.py") {}
};

TEST_F(TrafficTraces, HaveATrackOfTheirOwnBesideTheCalls) {
  const report::Run run = remoteRun();
  const std::string text = toTraceJson(run).value();
  write("remote", text);
  EXPECT_TRUE(valid());
  const json trace = json::parse(text);
  const auto requests = requestsOf(trace);
  const TrafficTrack track = handMadeTraffic(run.repeats);
  ASSERT_EQ(requests.size(), track.events.size());
  EXPECT_EQ(requests[1]["name"], "upload 1.0 MiB");
  EXPECT_EQ(requests[1]["args"]["bytes_out"], 1048576);
  EXPECT_EQ(requests[1]["args"]["phase"], "loading");
  // Copy and frees overlap, so they stand on two tracks.
  EXPECT_NE(requests[2]["tid"], requests[3]["tid"]);
  // A repeat begins where its step does, in the middle of the slack.
  double repeatUs = -1;
  for (const json& event : trace["traceEvents"]) {
    if (event.value("cat", "") == "repeat" && repeatUs < 0) repeatUs = event["ts"].get<double>();
  }
  EXPECT_DOUBLE_EQ(repeatUs, track.repeats[0].zeroNs / 1e3);
  EXPECT_DOUBLE_EQ(requests[4]["ts"].get<double>(), track.events[4].startNs / 1e3);
}

TEST_F(TrafficTraces, AreReadWithTheirTraffic) {
  const report::Run run = remoteRun();
  const auto again = documentFromTraceJson(toTraceJson(run).value(), "a.json");
  ASSERT_TRUE(again) << again.error().message << again.error().detail;
  EXPECT_EQ(again->run->traffic, run.traffic);
  EXPECT_EQ(again->run->spans, documentFromTraceJson(toTraceJson(sampleRun()).value(), "b.json")->run->spans);
}

TEST_F(TrafficTraces, SayWhenTheClocksAreNotKnownToFit) {
  report::Run run = remoteRun();
  TrafficTrack track = handMadeTraffic(run.repeats);
  for (TrafficRepeat& place : track.repeats) place = {place.startNs, -1, 0};
  run.traffic = track;
  const std::string text = toTraceJson(run).value();
  write("apart", text);
  EXPECT_TRUE(valid());
  EXPECT_NE(text.find("RPC (its own clock, not set beside the calls)"), std::string::npos);
  EXPECT_EQ(requestsOf(json::parse(text)).size(), track.events.size());
}

}  // namespace
}  // namespace opscope::report
