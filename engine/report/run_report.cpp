// SPDX-License-Identifier: Apache-2.0
#include "engine/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "engine/report/import_check.h"
#include "engine/report/interner.h"
#include "engine/report/op_table.h"

namespace opscope::report {

namespace {

constexpr double kNsPerUs = 1e3;

std::uint32_t samplesInRepeats(const Run& run, const Call& call) {
  std::uint32_t count = 0;
  for (std::uint64_t sample = call.firstSample; sample < call.firstSample + call.sampleCount; ++sample) {
    if (run.sampleRepeat[sample] < run.repeats) ++count;
  }
  return count;
}

double ownSumNs(const Run& run, const Call& call) {
  double sum = 0;
  for (std::uint64_t sample = call.firstSample; sample < call.firstSample + call.sampleCount; ++sample) {
    if (run.sampleRepeat[sample] < run.repeats) sum += run.ownNs[sample];
  }
  return sum;
}

Metric metricOf(CounterColumn::Kind kind, double value) {
  constexpr double kMostCount = 9.2e18;  // of 64 bits
  switch (kind) {
    case CounterColumn::Kind::Count:
      return Count{std::llround(std::clamp(value, -kMostCount, kMostCount))};
    case CounterColumn::Kind::Ratio:
      return Ratio{value};
    case CounterColumn::Kind::Duration:
      return Duration{value};
    case CounterColumn::Kind::Percent:
      return Percent{value};
    case CounterColumn::Kind::Text:
      break;  // textMetric
  }
  return Ratio{value};
}

/// What a text was in all these: itself, or how many it was when they differ.
class ToldTexts {
 public:
  explicit ToldTexts(const CounterColumn& counter) : m_counter(counter) {}
  void add(double value) {
    if (std::isfinite(value)) m_told.push_back(static_cast<std::size_t>(value));
  }
  std::optional<Metric> metric() {
    if (m_told.empty()) return std::nullopt;
    std::sort(m_told.begin(), m_told.end());
    const auto end = std::unique(m_told.begin(), m_told.end());
    if (end - m_told.begin() == 1) return m_counter.texts[m_told.front()];
    return fmt::format("({} different)", end - m_told.begin());
  }

 private:
  const CounterColumn& m_counter;
  std::vector<std::size_t> m_told;
};

std::optional<Metric> textMetric(const Run& run, const CounterColumn& counter, const Call& call) {
  ToldTexts told(counter);
  for (std::uint64_t sample = call.firstSample; sample < call.firstSample + call.sampleCount; ++sample) {
    if (run.sampleRepeat[sample] < run.repeats) told.add(counter.values[sample]);
  }
  return told.metric();
}

/// As times: the sum over the repeats / their number; of ratios the mean of those that there are.
std::optional<Metric> counterMetric(const Run& run, const CounterColumn& counter, const Call& call) {
  if (counter.kind == CounterColumn::Kind::Text) return textMetric(run, counter, call);
  double sum = 0;
  std::uint32_t told = 0;
  for (std::uint64_t sample = call.firstSample; sample < call.firstSample + call.sampleCount; ++sample) {
    const double value = counter.values[sample];
    if (run.sampleRepeat[sample] >= run.repeats || !std::isfinite(value)) continue;
    sum += value;
    ++told;
  }
  if (told == 0) return std::nullopt;
  const bool isRatio = counter.kind == CounterColumn::Kind::Ratio;
  return metricOf(counter.kind, sum / (isRatio ? told : run.repeats));
}

std::optional<Metric> counterTotal(const CounterColumn& counter) {
  if (counter.kind == CounterColumn::Kind::Text) {
    ToldTexts texts(counter);
    for (const double value : counter.totals) texts.add(value);
    return texts.metric();
  }
  double sum = 0;
  std::size_t told = 0;
  for (const double value : counter.totals) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++told;
  }
  if (told == 0) return std::nullopt;
  return metricOf(counter.kind, sum / static_cast<double>(told));
}

MetricMap reportRow(const Run& run, const Call& call, double totalNs, bool withSamples) {
  const double meanNs = run.repeats > 0 ? ownSumNs(run, call) / run.repeats : 0;
  constexpr std::size_t kColumns = 7;
  MetricMap row;
  row.reserve(kColumns + run.counters.size());
  row.append(std::string(kName), run.names[call.name]);
  row.append(std::string(kDurationUs), Duration{meanNs / kNsPerUs});
  if (totalNs > 0) row.append(std::string(kPercent), Percent{std::min(meanNs / totalNs, 1.0) * 100});
  if (call.device != kNone) row.append(std::string(kDevice), run.devices[call.device]);
  row.append(std::string(kCount), Count{1});
  if (call.shapes != kNone) row.append(std::string(kArgumentShapes), run.shapes[call.shapes]);
  if (withSamples) row.append(std::string(kSamples), Count{samplesInRepeats(run, call)});
  for (const CounterColumn& counter : run.counters) {
    if (const auto metric = counterMetric(run, counter, call)) row.set(counter.name, *metric);
  }
  return row;
}

MetricMap totalRow(const DeviceTotal& total) {
  MetricMap row;
  row.append(std::string(kName), std::string("Total"));
  row.append(std::string(kDurationUs), Duration{meanTotalNs(total) / kNsPerUs});
  row.append(std::string(kDevice), total.device);
  row.append(std::string(kCount), Count{1});
  return row;
}

std::string textOf(const MetricMap& row, std::string_view column) {
  const Metric* metric = row.find(column);
  const std::string* text = metric != nullptr ? std::get_if<std::string>(metric) : nullptr;
  return text != nullptr ? *text : std::string();
}

/// Turns the rows of a report into calls with one sample each.
class Importer {
 public:
  explicit Importer(Run& run) : m_run(run) {}

  void addRow(const MetricMap& row) {
    Call call;
    call.name = m_names.idOf(textOf(row, kName));
    call.shapes = optionalId(m_shapes, row, kArgumentShapes);
    call.device = optionalId(m_devices, row, kDevice);
    call.firstSample = m_run.ownNs.size();
    call.inReport = true;
    call.kernel = !m_run.names[call.name].starts_with("vm.builtin.");
    if (const auto durationNs = duration(row)) {
      call.sampleCount = 1;
      m_run.ownNs.push_back(*durationNs);
      m_run.inclusiveNs.push_back(*durationNs);
      m_run.sampleRepeat.push_back(0);
    }
    m_run.calls.push_back(call);
  }

  void addTotal(const std::string& device, const MetricMap& metrics) {
    if (const auto durationNs = duration(metrics)) m_run.totals.push_back({device, {*durationNs}});
  }

  void finish() {
    if (m_run.totals.empty()) {
      const double sum = std::accumulate(m_run.ownNs.begin(), m_run.ownNs.end(), 0.0);
      m_run.totals.push_back({m_run.devices.empty() ? std::string() : m_run.devices.front(), {sum}});
      m_run.warnings.push_back({"The report tells no total by device; the sum of its ops stands for it.",
                                "Time between ops is not known."});
    }
  }

 private:
  static std::uint32_t optionalId(Interner& interner, const MetricMap& row, std::string_view column) {
    return row.find(column) != nullptr ? interner.idOf(textOf(row, column)) : kNone;
  }

  std::optional<double> duration(const MetricMap& row) {
    const Metric* metric = row.find(kDurationUs);
    const Duration* duration = metric != nullptr ? std::get_if<Duration>(metric) : nullptr;
    if (duration == nullptr || std::isnan(duration->microseconds)) return std::nullopt;
    const double ns = duration->microseconds * kNsPerUs;
    return std::clamp(ns, 0.0, kMostImportedNs);
  }

  Run& m_run;
  Interner m_names{m_run.names};
  Interner m_shapes{m_run.shapes};
  Interner m_devices{m_run.devices};
};

}  // namespace

bool isReportColumn(std::string_view name) {
  static constexpr std::array kColumns = {kName,  kDurationUs,     kPercent, kDevice,
                                          kCount, kArgumentShapes, kSamples};
  return std::ranges::find(kColumns, name) != kColumns.end();
}

double meanTotalNs(const DeviceTotal& total) {
  if (total.totalNs.empty()) return 0;
  const double sum = std::accumulate(total.totalNs.begin(), total.totalNs.end(), 0.0);
  return sum / static_cast<double>(total.totalNs.size());
}

const DeviceTotal* largestTotal(const Run& run) {
  const auto largest = std::max_element(
      run.totals.begin(), run.totals.end(),
      [](const DeviceTotal& a, const DeviceTotal& b) { return meanTotalNs(a) < meanTotalNs(b); });
  return largest == run.totals.end() ? nullptr : &*largest;
}

bool someRepeatLacksACall(const Run& run) {
  return std::any_of(run.calls.begin(), run.calls.end(), [&run](const Call& call) {
    return call.inReport && samplesInRepeats(run, call) != run.repeats;
  });
}

MetricMap reportConfiguration(const Run& run) {
  MetricMap configuration = run.configuration;
  if (run.repeats < run.repeatsWanted) {  // in words, so that no reader takes the report for complete
    configuration.set(kRepeats, fmt::format("{} of {}", run.repeats, run.repeatsWanted));
  } else {
    configuration.set(kRepeats, Count{run.repeats});
  }
  configuration.set(kWarmup, Count{run.warmup});
  return configuration;
}

Report makeReport(const Run& run) {
  Report report;
  const DeviceTotal* largest = largestTotal(run);
  const double totalNs = largest != nullptr ? meanTotalNs(*largest) : 0;
  const bool withSamples = someRepeatLacksACall(run);
  for (const Call& call : run.calls) {
    if (call.inReport) report.calls.push_back(reportRow(run, call, totalNs, withSamples));
  }
  for (const DeviceTotal& total : run.totals) {
    MetricMap row = totalRow(total);
    for (const CounterColumn& counter : run.counters) {
      const auto metric = &total == &run.totals.front() ? counterTotal(counter) : std::nullopt;
      if (metric) row.set(counter.name, *metric);
    }
    report.deviceMetrics.emplace_back(total.device, std::move(row));
  }
  report.configuration = reportConfiguration(run);
  return report;
}

Document makeDocument(std::shared_ptr<const Run> run) {
  Document document;
  for (std::size_t index = 0; index < run->calls.size(); ++index) {
    if (run->calls[index].inReport) document.reportCalls.push_back(static_cast<std::uint32_t>(index));
  }
  document.report = ReportSource::ofRun(run);
  document.run = std::move(run);
  return document;
}

Document importReport(Report report, std::vector<Warning> warnings) {
  auto run = std::make_shared<Run>();
  run->warnings = std::move(warnings);
  run->repeatsWanted = 1;
  run->repeats = 1;
  run->hasStartTimes = false;
  run->steps.emplace_back();
  run->configuration = report.configuration;
  if (const Metric* warmup = report.configuration.find(kWarmup)) {
    const Count* count = std::get_if<Count>(warmup);
    if (count != nullptr)
      run->warmup = static_cast<std::uint32_t>(std::clamp<std::int64_t>(count->value, 0, kNone));
  }
  Importer importer(*run);
  for (const MetricMap& row : report.calls) importer.addRow(row);
  for (const auto& [device, metrics] : report.deviceMetrics) importer.addTotal(device, metrics);
  importer.finish();
  for (Warning& warning : impossibleValues(report)) run->warnings.push_back(std::move(warning));
  Document document;
  document.reportCalls.resize(report.calls.size());
  std::iota(document.reportCalls.begin(), document.reportCalls.end(), 0u);
  document.run = std::move(run);
  document.report = std::make_shared<const Report>(std::move(report));
  return document;
}

}  // namespace opscope::report
