// SPDX-License-Identifier: Apache-2.0
// The trace that we write: against a checker of its format, and what stands where.
#include "engine/report/file_names.h"
#include "engine/report/trace_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/report/exporters.h"
#include "engine/report/run_report.h"
#include "tests/report/checked_files.h"
#include "tests/report/sample_run.h"
#include "tests/report/trace_run.h"

namespace opscope::report {
namespace {

using nlohmann::json;

class TraceFiles : public CheckedFiles {
 protected:
  TraceFiles() : CheckedFiles("trace_check.py") {}
};

TEST_F(TraceFiles, AreValid) {
  std::mt19937 random(5);
  write("sample", toTraceJson(sampleRun()).value());
  write("rich", toTraceJson(richRun()).value());
  write("empty", toTraceJson(report::Run()).value());
  for (int round = 0; round < 20; ++round) {
    write("random" + std::to_string(round), toTraceJson(randomTraceRun(random)).value());
  }
  EXPECT_TRUE(valid());
}

TEST_F(TraceFiles, TheCheckerFindsMistakes) {
  const json good = json::parse(toTraceJson(sampleRun()).value());
  ASSERT_TRUE((write("good", good.dump()), valid()));
  const std::function<void(json&)> mistakes[] = {
      [](json& trace) { trace["displayTimeUnit"] = "us"; },
      [](json& trace) { trace.erase("traceEvents"); },
      [](json& trace) { trace["traceEvents"].back()["ph"] = "Z"; },
      [](json& trace) { trace["traceEvents"].back()["ts"] = -1; },
      [](json& trace) { trace["traceEvents"].back()["ts"] = "1"; },
      [](json& trace) { trace["traceEvents"].back().erase("dur"); },
      [](json& trace) { trace["traceEvents"].back()["dur"] = 1e9, trace["traceEvents"].back()["tid"] = 77; },
      [](json& trace) { trace["traceEvents"].back()["ts"] = 0; },
      [](json& trace) { trace["traceEvents"].back().erase("name"); },
      [](json& trace) { trace["traceEvents"].back()["pid"] = "one"; },
      [](json& trace) { trace["traceEvents"].erase(trace["traceEvents"].begin()); },
      [](json& trace) { trace["traceEvents"].back()["ph"] = "E"; },
      [](json& trace) { trace["traceEvents"].back()["ph"] = "B"; },
      [](json& trace) { trace["traceEvents"].back()["ph"] = "C", trace["traceEvents"].back().erase("args"); },
  };
  int number = 0;
  for (const auto& change : mistakes) {
    json wrong = good;
    change(wrong);
    write("good", wrong.dump());
    EXPECT_FALSE(valid()) << "mistake " << number;
    ++number;
  }
}

/// Complete events of one category.
std::vector<json> ofCategory(const json& trace, const std::string& category) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event.value("cat", "") == category) found.push_back(event);
  }
  return found;
}

TEST(Trace, HasOneCompleteEventForEachSpan) {
  const json trace = json::parse(toTraceJson(sampleRun()).value());
  const std::vector<json> kernels = ofCategory(trace, "kernel,op");
  ASSERT_EQ(kernels.size(), 6U);
  EXPECT_EQ(kernels[0]["name"], "fused_conv2d1_add");
  EXPECT_EQ(kernels[0]["ts"], 0.1);
  EXPECT_EQ(kernels[0]["dur"], 10.0);
  EXPECT_EQ(kernels[0]["args"]["shapes"], "float32[1, 3], float32[3]");
  EXPECT_EQ(kernels[0]["args"]["device"], "cpu0");
  EXPECT_EQ(kernels[1]["args"]["depth"], 1);
  EXPECT_EQ(kernels[0]["tid"], kernels[1]["tid"]) << "all calls stand on one track";
  EXPECT_EQ(ofCategory(trace, "vm").size(), 2U);
  EXPECT_EQ(ofCategory(trace, "device").size(), 6U) << "kernels stand on the track of their device too";
}

TEST(Trace, LaysRepeatsOneAfterAnother) {
  const json trace = json::parse(toTraceJson(sampleRun()).value());
  const std::vector<json> repeats = ofCategory(trace, "repeat");
  ASSERT_EQ(repeats.size(), 2U);
  EXPECT_EQ(repeats[0]["name"], "repeat 1 of 2");
  EXPECT_EQ(repeats[0]["dur"], 40.0);
  EXPECT_GT(repeats[1]["ts"], 40.0);
  const json second = ofCategory(trace, "kernel,op")[3];
  EXPECT_EQ(second["args"]["repeat"], 2);
  EXPECT_NEAR(double(second["ts"]) - double(repeats[1]["ts"]), 0.2, 1e-9);
}

TEST(Trace, HasStepsMemoryThreadsAndCounters) {
  const json trace = json::parse(toTraceJson(richRun()).value());
  EXPECT_EQ(ofCategory(trace, "step").size(), 4U);
  const std::vector<json> launches = ofCategory(trace, "launch");
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0]["args"]["kind"], "pool");
  const std::vector<json> tasks = ofCategory(trace, "task");
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[1]["name"], "fused_conv2d1_add");
  EXPECT_NE(tasks[0]["tid"], tasks[1]["tid"]);
  std::vector<std::int64_t> bytes;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "C") bytes.push_back(event["args"]["bytes"]);
  }
  EXPECT_EQ(bytes, (std::vector<std::int64_t>{0, 4096, 4096}));
  EXPECT_EQ(ofCategory(trace, "kernel,op")[0]["args"]["counters"]["Cache misses"], 1250.0);
  EXPECT_EQ(ofCategory(trace, "kernel,op")[1]["args"]["own_us"], nullptr) << "where it is the whole";
}

TEST(Trace, TellsTheFileWithoutItsFolder) {
  const std::string text = toTraceJson(sampleRun()).value();
  EXPECT_EQ(text.find("/models"), std::string::npos);
  EXPECT_NE(text.find("net"), std::string::npos);
}

TEST(Trace, TellsFilesOfInputsWithoutTheirFolders) {
  report::Run run = sampleRun();
  run.function = "/home/jane/chat.json";
  run.inputs = "x float32 [4] @/home/jane/my; files/x.npy; y float32 [2] @../jane/a.npz:in/ids";
  const std::string text = toTraceJson(run).value();
  EXPECT_EQ(text.find("jane"), std::string::npos);
  EXPECT_NE(text.find("\"chat.json"), std::string::npos);
  EXPECT_NE(text.find("x.npy; y float32 [2] @a.npz:in/ids"), std::string::npos) << text.substr(0, 2000);
}

TEST(Trace, NamesOfFilesAreLeftOfInputs) {
  EXPECT_EQ(withoutFolders("p (float32 [4], float32 [4]) @/a b/x.npy, @/c/y.npz and 3 more; n 4"),
            "p (float32 [4], float32 [4]) @x.npy, @y.npz and 3 more; n 4");
  EXPECT_EQ(withoutFolders("serving/in:0 float32 [4] random:0"), "serving/in:0 float32 [4] random:0");
  EXPECT_EQ(withoutFolders("in/weights.npz"), "weights.npz");
  EXPECT_EQ(withoutFolders(""), "");
}

TEST(Trace, IsWrittenInPieces) {
  report::Run run = sampleRun();
  run.names[0] = std::string(20000, 'n');
  std::vector<Span> spans;
  for (std::uint32_t repeat = 0; repeat < 100; ++repeat) {
    for (Span span : sampleRun().spans) {
      span.repeat += 2 * repeat;
      spans.push_back(span);
    }
  }
  run.repeats = 200;
  for (DeviceTotal& total : run.totals) total.totalNs.resize(200, 1);
  run.spans = std::move(spans);
  std::size_t pieces = 0;
  std::string whole;
  ASSERT_TRUE(writeTraceJson(run, [&](std::string_view piece) {
    ++pieces;
    whole += piece;
    return base::Result<>();
  }));
  EXPECT_GT(pieces, 10U);
  EXPECT_EQ(whole, toTraceJson(run).value());
  pieces = 0;
  const auto stopped = writeTraceJson(run, [&](std::string_view) -> base::Result<> {
    ++pieces;
    return base::Error{base::ErrorCode::Io, "The disk is full.", "", ""};
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "The disk is full.");
  EXPECT_EQ(pieces, 1U) << "nothing is handed on after an error";
}

}  // namespace
}  // namespace opscope::report
