// SPDX-License-Identifier: Apache-2.0
// Traces read back: ours as the run that they were written from, those of other programs as far as they tell.
#include "engine/report/trace_reader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/report/document_reader.h"
#include "engine/report/exporters.h"
#include "engine/report/op_table.h"
#include "engine/report/run_report.h"
#include "engine/report/trace_foreign.h"
#include "engine/report/trace_json.h"
#include "tests/report/sample_run.h"
#include "tests/report/trace_run.h"

namespace opscope::report {
namespace {

using nlohmann::json;

/// What a trace does not tell of memory, and quantities that are always 0.
report::Run asATraceTells(report::Run run) {
  if (run.memory) {
    MemoryTrack memory;
    if (run.memory->storage.peakBytes > 0) memory.storage = run.memory->storage;
    if (run.memory->tensors.peakBytes > 0) memory.tensors = run.memory->tensors;
    run.memory = memory;
  }
  return run;
}

std::shared_ptr<const report::Run> readBack(const std::string& text) {
  const auto document = documentFromText(text, "t.json");
  EXPECT_TRUE(document) << base::formatError(document.error());
  return document ? document->run : nullptr;
}

TEST(TraceReader, OursComeBackAsTheSameRun) {
  std::mt19937 random(17);
  for (int round = 0; round < 200; ++round) {
    const report::Run run = asATraceTells(randomTraceRun(random));
    const std::string text = toTraceJson(run).value();
    const auto read = readBack(text);
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->calls, run.calls);
    EXPECT_EQ(read->spans, run.spans);
    EXPECT_EQ(read->lanes, run.lanes);
    EXPECT_EQ(read->memory, run.memory);
    ASSERT_EQ(*read, run) << "round " << round;
    EXPECT_EQ(toTraceJson(*read).value(), text);
  }
}

TEST(TraceReader, PartsOfNanosecondsAreRounded) {
  report::Run run = richRun();
  run.executablePath = "net.so";
  const auto read = readBack(toTraceJson(run).value());
  ASSERT_NE(read, nullptr);
  ASSERT_EQ(read->calls, run.calls);
  for (std::size_t span = 0; span < run.spans.size(); ++span) {
    EXPECT_NEAR(read->spans[span].startNs, run.spans[span].startNs, 0.5);
    EXPECT_NEAR(read->spans[span].durationNs, run.spans[span].durationNs, 1);
  }
  EXPECT_EQ(read->counters, run.counters);
  EXPECT_EQ(read->stepNs, run.stepNs);
  EXPECT_EQ(read->environment, run.environment);
  EXPECT_EQ(read->warnings, run.warnings);
  EXPECT_EQ(read->failure, run.failure);
  EXPECT_EQ(read->lanes->threads, 2U);
}

TEST(TraceReader, ACutFileGivesWhatStandsBeforeTheCut) {
  const report::Run run = sampleRun();
  const std::string text = toTraceJson(run).value();
  const std::size_t firstSpan = text.find("\"cat\":\"vm\"");
  std::size_t most = 0;
  const std::size_t end = text.rfind("\n]}");
  for (std::size_t length = firstSpan; length <= end; length += 1) {
    const auto document = documentFromText(text.substr(0, length), "cut.json");
    ASSERT_TRUE(document) << base::formatError(document.error());
    EXPECT_GE(document->run->spans.size(), most);
    most = document->run->spans.size();
    EXPECT_EQ(document->run->warnings.size(), 2U);
    EXPECT_NE(document->run->warnings.back().message.find("cut off"), std::string::npos);
  }
  EXPECT_EQ(most, run.spans.size());
}

TEST(TraceReader, ANewerVersionIsRefusedInWords) {
  std::string text = toTraceJson(sampleRun()).value();
  text.replace(text.find("opscope.trace/1"), 15, "opscope.trace/7");
  const auto document = documentFromText(text, "t.json");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, base::ErrorCode::Unsupported);
  EXPECT_EQ(document.error().message,
            "t.json: the trace is of a newer version (7) than this program reads (1)");
}

TEST(TraceReader, DamagedFilesOfOursAreReadOrRefused) {
  const std::string original = toTraceJson(richRun()).value();
  std::mt19937 random(23);
  for (int round = 0; round < 3000; ++round) {
    std::string changed = original;
    for (int change = 0; change < 2; ++change) {
      changed[random() % changed.size()] = "0123456789[]{},\":-eX"[random() % 20];
    }
    const auto document = documentFromText(changed, "changed");
    if (!document) continue;
    for (const Exporter& exporter : exporters()) {
      EXPECT_TRUE(exporter.write(*document) || !document->run->hasStartTimes);
    }
  }
}

Document foreign(const std::string& text) {
  auto document = documentFromText(text, "foreign.json");
  EXPECT_TRUE(document) << base::formatError(document.error());
  return document ? *document : Document{};
}

std::string warningsOf(const Document& document) {
  std::string all;
  for (const Warning& warning : document.run->warnings) all += warning.message + "\n";
  return all;
}

/// Times since 1970 with parts of microseconds, texts as threads, shapes as lists, kinds that have no
/// duration.
TEST(TraceReader, ReadsPyTorch) {
  const Document document = foreign(base::readFile(OPSCOPE_TEST_DATA "/traces/pytorch.json").value());
  const report::Run& run = *document.run;
  ASSERT_EQ(run.calls.size(), 4U);
  EXPECT_EQ(run.names[run.calls[1].name], "aten::linear");
  EXPECT_EQ(run.shapes[run.calls[1].shapes], "float32[8, 3], int64[4, 3]");
  EXPECT_EQ(run.calls[2].depth, 1U);
  EXPECT_EQ(run.ownNs, (std::vector<double>{200000, 39500, 60500, 40000}));
  EXPECT_EQ(run.spans[1].startNs, 250);
  EXPECT_EQ(run.spans[2].startNs, 10251) << "nanoseconds survive times since 1970";
  EXPECT_EQ(run.devices[run.calls[1].device], "python: thread 311");
  EXPECT_EQ(run.devices[run.calls[3].device], "GPU 0: stream 7");
  EXPECT_EQ(run.devices[run.calls[0].device], "Spans: PyTorch Profiler");
  EXPECT_NE(warningsOf(document).find("Not shown: 1 flows, 1 instants."), std::string::npos);
  EXPECT_EQ(document.report->calls.size(), 4U);
}

/// The array form with pairs of begin and end, as TVM's debug executor writes in an object; Chrome leaves out
/// the bracket at the end.
TEST(TraceReader, ReadsPairsOfBeginAndEnd) {
  const std::string events = R"([{"ph":"B","ts":10,"name":"fused_conv2d","pid":1,"tid":1,"args":{}},
{"ph":"B","ts":12.5,"name":"inner","pid":1,"tid":1},
{"ph":"E","ts":13,"name":"inner","pid":1,"tid":1},
{"ph":"E","ts":20,"name":"fused_conv2d","pid":1,"tid":1},
{"ph":"E","ts":21,"pid":1,"tid":1},
{"ph":"B","ts":30,"name":"relu","pid":1,"tid":1},
{"ph":"C","ts":31,"name":"heap","pid":1,"tid":1,"args":{"a":1}},)";
  for (const std::string& text :
       {events, events + "]", events + "{}]", "{\"traceEvents\":" + events + "]}"}) {
    const Document document = foreign(text);
    const report::Run& run = *document.run;
    ASSERT_EQ(run.calls.size(), 3U);
    EXPECT_EQ(run.names[run.calls[0].name], "fused_conv2d");
    EXPECT_EQ(run.ownNs, (std::vector<double>{9500, 500, 0}));
    EXPECT_EQ(run.devices, std::vector<std::string>{"thread 1"});
    EXPECT_NE(warningsOf(document).find("2 events begin without an end"), std::string::npos);
    EXPECT_EQ(warningsOf(document).find("cut off"), std::string::npos);
  }
  const Document cut = foreign(events + R"({"ph":"X","ts":40,"na)");
  EXPECT_EQ(cut.run->calls.size(), 3U);
  EXPECT_NE(warningsOf(cut).find("cut off"), std::string::npos);
}

TEST(TraceReader, SharesStayWithinTheWhole) {
  std::string text = "[";
  for (int thread = 0; thread < 3; ++thread) {
    for (int event = 0; event < 10; ++event) {
      text += (text.size() > 1 ? "," : "") + std::string(R"({"ph":"X","name":"op","pid":1,"tid":)") +
              std::to_string(thread) + R"(,"ts":)" + std::to_string(event * 10) + R"(,"dur":12})";
    }
  }
  const Document document = foreign(text + "]");
  EXPECT_NE(warningsOf(document).find("end after the event of their thread"), std::string::npos);
  const OpTable table = buildOpTable(document, Grouping::ByOp);
  ASSERT_EQ(table.rows.size(), 3U) << "one a thread";
  for (const OpRow& row : table.rows) EXPECT_LE(row.percent.value_or(0), 100);
  EXPECT_LE(table.totals.opsPercent.value_or(0), 100);
  EXPECT_EQ(table.totals.totalUs, 102);
}

TEST(TraceReader, StrangeEventsDoNotHarm) {
  const Document document = foreign(R"({"traceEvents":[
    {"ph":"X","name":5,"pid":null,"tid":[1],"ts":"7.5","dur":1e0,"args":[1]},
    {"ph":"X","name":"\u00fc\n","pid":-1,"tid":1.5,"ts":-3,"dur":-2,"args":{"name":{"a":[]},"call":"x"}},
    {"ph":"X","name":"no time"},
    {"ph":"X","name":"huge","ts":99999999999999999999999,"dur":1},
    {"ph":17,"name":"?"}, {"ph":"XX"}, {}],
    "otherData":{"schema":"opscope.trace/9"}})");
  EXPECT_EQ(document.run->calls.size(), 2U);
  EXPECT_EQ(document.run->names[document.run->calls[0].name], "ü\n");
  EXPECT_NE(warningsOf(document).find("3 events have no start time"), std::string::npos);
}

TEST(TraceReader, WhatIsNoTraceIsRefused) {
  const auto refused = [](const std::string& text) {
    const auto document = documentFromText(text, "t.json");
    return document ? std::string("read") : document.error().message;
  };
  EXPECT_EQ(refused(R"([{"ph":"M","name":"x"}])"), "t.json holds no event with a duration");
  EXPECT_EQ(refused(R"({"traceEvents":[]})"), "t.json holds no event with a duration");
  EXPECT_EQ(refused(R"([{"ph":"X","ts":1}, 5])"), "t.json is not a trace: what follows event 0 is wrong");
  EXPECT_TRUE(refused("[{\"ph\":\"X\",\"ts\":1},\n{\"ph\" \"X\"}]")
                  .starts_with("t.json is not a trace: its JSON is broken after event 1"));
  EXPECT_EQ(refused(R"([{"ph":"X","ts":-4000000000000000},{"ph":"X","ts":4000000000000000}])"),
            "t.json: its events lie more than 31 years apart");
  EXPECT_EQ(refused("\x1f\x8b\x08"), "t.json is compressed");
}

TEST(TraceReader, LargeFilesAreRefusedBeforeTheyAreRead) {
  const std::string text = R"([{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","name":"b","ts":3,"dur":1}])";
  EXPECT_TRUE(documentFromTraceJson(text, "t.json", {1000, 2}));
  const auto bytes = documentFromTraceJson(text, "t.json", {10, 2});
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, base::ErrorCode::Unsupported);
  const auto events = documentFromTraceJson(text, "t.json", {1000, 1});
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().message, "t.json holds more than 1 events");
}

TEST(TraceReader, ShapesOfTensors) {
  EXPECT_EQ(tensorShapesText("[[1,3],[]]", R"(["float","Scalar"])"), "float32[1, 3]");
  EXPECT_EQ(tensorShapesText("[[]]", R"(["double"])"), "float64[]");
  EXPECT_EQ(tensorShapesText("[[2],[]]", ""), "[2]");
  EXPECT_EQ(tensorShapesText("[[[1,2],[3]]]", R"(["TensorList"])"), "");
  EXPECT_EQ(tensorShapesText("nonsense", ""), "");
}

}  // namespace
}  // namespace opscope::report
