// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/collecting_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/clock.h"
#include "engine/report/run_report.h"

namespace opscope::profile {

namespace {

using Kind = report::CounterColumn::Kind;

constexpr double kNotTold = std::numeric_limits<double>::quiet_NaN();

/// Sums over calls; the others stay as they are told.
bool adds(Kind kind) {
  return kind == Kind::Count || kind == Kind::Duration;
}

struct NumberOf {
  double operator()(const report::Count& count) const { return static_cast<double>(count.value); }
  double operator()(const report::Duration& duration) const { return duration.microseconds; }
  double operator()(const report::Percent& percent) const { return percent.percent; }
  double operator()(const report::Ratio& ratio) const { return ratio.ratio; }
  double operator()(const std::string&) const { return kNotTold; }
};

/// In the order of report::Metric's kinds.
constexpr Kind kKinds[] = {Kind::Count, Kind::Duration, Kind::Percent, Kind::Ratio, Kind::Text};
static_assert(std::size(kKinds) == std::variant_size_v<report::Metric>);

/// Of one column; whoever tells another text each time would fill the memory.
constexpr std::size_t kMostTexts = 65'536;
constexpr std::size_t kLongestText = 4096;

}  // namespace

CollectingRecorder::CollectingRecorder(Recorder& recorder, std::vector<MetricCollector*> collectors,
                                       DLDevice device)
    : m_recorder(recorder), m_collectors(std::move(collectors)), m_device(device) {}

CollectingRecorder::~CollectingRecorder() {
  closeFrames();
}

void CollectingRecorder::beginCall(const vm::CallSite& site, const TVMFFIAny* args, std::int32_t count) {
  m_recorder.beginCall(site, args, count);
  const std::size_t record = m_recorder.records().size() - 1;
  const std::uint32_t shapes = m_recorder.records().at(record).shapes;
  if (shapes == base::kNoShapes) {
    return;
  }
  Frame& frame = m_frames.emplace_back();
  frame.record = record;
  frame.instruction = site.instruction;
  frame.depth = site.depth;
  start(frame, m_recorder.shapes().dlDevice(shapes));
  m_recorder.restartClock();
}

void CollectingRecorder::endCall(const vm::CallSite& site, const TVMFFIAny& result) {
  m_recorder.endCall(site, result);
  const auto open = std::find_if(m_frames.rbegin(), m_frames.rend(), [&site](const Frame& frame) {
    return frame.instruction == site.instruction && frame.depth == site.depth;
  });
  if (open == m_frames.rend()) {
    return;  // no tensor stood among its arguments
  }
  // Calls that failed inside of this one, which caught their error.
  while (&m_frames.back() != &*open) {
    stop(m_frames.back());
    m_frames.pop_back();
  }
  Frame frame = std::move(m_frames.back());
  m_frames.pop_back();
  const Values told = stop(frame);
  Values* callees = m_frames.empty() ? nullptr : &m_frames.back().callees;
  if (callees != nullptr && callees->size() < told.size()) {
    callees->resize(told.size(), 0);
  }
  for (std::uint32_t column = 0; column < told.size(); ++column) {
    if (std::isnan(told[column])) {
      continue;
    }
    double own = told[column];
    if (adds(m_columns[column].kind)) {
      own = std::max(0.0, own - (column < frame.callees.size() ? frame.callees[column] : 0));
      if (callees != nullptr) {
        (*callees)[column] += told[column];
      }
    }
    m_values.push_back({frame.record, column, own});
  }
}

void CollectingRecorder::start(Frame& frame, DLDevice device) {
  for (MetricCollector* collector : m_collectors) {
    auto started = collector->start(device);
    if (!started) {
      problem(
          fmt::format("The collector \"{}\" did not start: {}", collector->name(), started.error().message),
          started.error().hint);
    }
    frame.started.push_back(started ? *std::move(started) : nullptr);
  }
}

CollectingRecorder::Values CollectingRecorder::stop(Frame& frame) {
  Values values(m_columns.size(), kNotTold);
  for (std::size_t i = frame.started.size(); i-- > 0;) {
    if (frame.started[i] == nullptr) {
      continue;
    }
    MetricCollector& collector = *m_collectors[i];
    auto metrics = collector.stop(std::move(frame.started[i]));
    if (!metrics) {
      problem(fmt::format("The collector \"{}\" told nothing: {}", collector.name(), metrics.error().message),
              metrics.error().hint);
      continue;
    }
    for (const auto& [name, metric] : metrics->entries()) {
      note(values, name, metric, collector);
    }
  }
  return values;
}

void CollectingRecorder::note(Values& values, const std::string& name, const report::Metric& metric,
                              const MetricCollector& collector) {
  const auto* text = std::get_if<std::string>(&metric);
  double value = std::visit(NumberOf(), metric);
  if (text == nullptr && !std::isfinite(value)) {
    return;
  }
  if (const auto column = columnOf(name, metric.index(), collector)) {
    if (text != nullptr) {
      value = positionOf(*text, m_columns[*column]);
    }
    values.resize(std::max(values.size(), m_columns.size()), kNotTold);
    values[*column] = value;
  }
}

double CollectingRecorder::positionOf(const std::string& text, Column& column) {
  if (text.size() > kLongestText) {
    problem(fmt::format("A text of \"{}\" is too long and left out.", column.name),
            fmt::format("A text may have {} bytes.", kLongestText));
    return kNotTold;
  }
  const auto known = column.positions.find(text);
  if (known != column.positions.end()) {
    return static_cast<double>(known->second);
  }
  if (column.positions.size() >= kMostTexts) {
    problem(fmt::format("\"{}\" told more than {} different texts; those after them are left out.",
                        column.name, kMostTexts),
            "A text of a collector should be one of few.");
    return kNotTold;
  }
  const std::size_t position = column.positions.size();
  column.positions.emplace(text, position);
  return static_cast<double>(position);
}

std::optional<std::uint32_t> CollectingRecorder::columnOf(const std::string& name, std::size_t kind,
                                                          const MetricCollector& collector) {
  const auto known = std::ranges::find(m_columns, name, &Column::name);
  if (known == m_columns.end()) {
    m_columns.push_back({name, collector.unitOf(name), kKinds[kind], {}});
    return static_cast<std::uint32_t>(m_columns.size() - 1);
  }
  if (known->kind != kKinds[kind]) {
    problem(fmt::format("\"{}\" of the collector \"{}\" is of another kind than before and left out.", name,
                        collector.name()),
            "A metric should be of the same kind each time.");
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(known - m_columns.begin());
}

void CollectingRecorder::problem(std::string message, std::string hint) {
  constexpr std::size_t kMost = 20;
  if (m_problems.size() < kMost &&
      std::ranges::find(m_problems, message, &report::Warning::message) == m_problems.end()) {
    m_problems.push_back({std::move(message), std::move(hint)});
  }
}

void CollectingRecorder::closeFrames() {
  for (; !m_frames.empty(); m_frames.pop_back()) {
    stop(m_frames.back());
  }
  if (m_step) {
    stop(*m_step);
    m_step.reset();
  }
}

void CollectingRecorder::beginStep() {
  start(m_step.emplace(), m_device);
}

void CollectingRecorder::endStep() {
  for (; !m_frames.empty(); m_frames.pop_back()) {
    stop(m_frames.back());
  }
  if (m_step) {
    m_steps.push_back(stop(*m_step));
    m_step.reset();
  }
}

void CollectingRecorder::truncate(std::size_t from) {
  closeFrames();
  m_steps.clear();
  std::erase_if(m_values, [from](const Collected& value) { return value.record >= from; });
}

void CollectingRecorder::endRepeat() {
  Values sums(m_columns.size(), kNotTold);
  for (const Values& step : m_steps) {
    for (std::size_t column = 0; column < step.size(); ++column) {
      if (std::isnan(sums[column])) {
        sums[column] = step[column];
      } else if (adds(m_columns[column].kind) && !std::isnan(step[column])) {
        sums[column] += step[column];
      } else {
        sums[column] = kNotTold;  // ratios of several steps do not make one
      }
    }
  }
  m_steps.clear();
  m_repeats.push_back(std::move(sums));
}

void CollectingRecorder::addColumns(const std::vector<RepeatMarks>& repeats, const RunPlaces& places,
                                    report::Run& run) const {
  std::vector<std::uint32_t> repeatOfRecord(places.callOfRecord.size(), report::kNone);
  for (std::uint32_t repeat = 0; repeat < repeats.size(); ++repeat) {
    for (const StepMark& mark : repeats[repeat]) {
      std::fill(repeatOfRecord.begin() + static_cast<std::ptrdiff_t>(mark.firstRecord),
                repeatOfRecord.begin() + static_cast<std::ptrdiff_t>(mark.endRecord), repeat);
    }
  }
  for (std::size_t index = 0; index < m_columns.size(); ++index) {
    const Column& column = m_columns[index];
    const bool isTaken = report::isReportColumn(column.name);
    report::CounterColumn made{isTaken ? column.name + " (collector)" : column.name,
                               column.unit,
                               column.kind,
                               std::vector<double>(run.ownNs.size(), kNotTold),
                               {},
                               std::vector<std::string>(column.positions.size())};
    for (const auto& [text, position] : column.positions) {
      made.texts[position] = text;
    }
    for (const Values& totals : m_repeats) {
      made.totals.push_back(index < totals.size() ? totals[index] : kNotTold);
    }
    run.counters.push_back(std::move(made));
  }
  for (const Collected& value : m_values) {
    const std::uint32_t call = places.callOfRecord[value.record];
    if (call == report::kNone) {
      continue;
    }
    const auto first = run.sampleRepeat.begin() + static_cast<std::ptrdiff_t>(run.calls[call].firstSample);
    const auto last = first + run.calls[call].sampleCount;
    const auto sample = std::lower_bound(first, last, repeatOfRecord[value.record]);
    if (sample != last && *sample == repeatOfRecord[value.record]) {
      run.counters[value.column].values[static_cast<std::size_t>(sample - run.sampleRepeat.begin())] =
          value.value;
    }
  }
  run.warnings.insert(run.warnings.end(), m_problems.begin(), m_problems.end());
  for (const MetricCollector* collector : m_collectors) {
    const std::vector<report::Warning> notes = collector->notes();
    run.warnings.insert(run.warnings.end(), notes.begin(), notes.end());
  }
}

double CollectingRecorder::measureCostNs() {
  constexpr int kTries = 256;
  Frame frame;
  const std::int64_t begin = base::monotonicNs();
  for (int i = 0; i < kTries; ++i) {
    start(frame, m_device);
    stop(frame);
    frame.started.clear();
  }
  return static_cast<double>(base::monotonicNs() - begin) / kTries;
}

}  // namespace opscope::profile
