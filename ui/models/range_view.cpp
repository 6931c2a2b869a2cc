// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/range_view.h"

#include <algorithm>

#include "engine/report/report.h"
#include "engine/report/run_report.h"
#include "ui/bridge/slow_work.h"
#include "ui/models/dispose.h"
#include "ui/models/format.h"
#include "ui/models/repeat_spans.h"
#include "ui/models/timeline_scale.h"

namespace opscope::ui {
namespace {

/// A call with its part of the range.
struct Part {
  report::Span span;  ///< clipped to the range
  double ownNs = 0;
};

std::vector<Part> partsWithin(const report::Run& run, const TimeRange& range) {
  const RepeatSpans repeat(run, range.repeat);
  std::vector<Part> parts;
  std::vector<std::size_t> open;  // parts around the current one
  const auto depthOf = [&run](const Part& part) { return run.calls[part.span.call].depth; };
  for (const report::Span& span : repeat.spans()) {
    if (span.startNs >= range.endNs) break;
    const double end = std::min(span.startNs + span.durationNs, range.endNs);
    if (end <= range.startNs) continue;
    const double start = std::max(span.startNs, range.startNs);
    parts.push_back({{start, end - start, span.call, 0}, end - start});
    if (!run.hasStartTimes) continue;
    while (!open.empty() && depthOf(parts[open.back()]) >= depthOf(parts.back())) open.pop_back();
    if (!open.empty()) parts[open.back()].ownNs -= end - start;
    open.push_back(parts.size() - 1);
  }
  for (Part& part : parts) part.ownNs = std::max(part.ownNs, 0.0);
  return parts;
}

std::shared_ptr<report::Run> runOf(const report::Run& whole, const TimeRange& range,
                                   const std::vector<Part>& parts) {
  auto run = std::make_shared<report::Run>();
  run->executablePath = whole.executablePath;
  run->executableHash = whole.executableHash;
  run->function = whole.function;
  run->target = whole.target;
  run->startedAt = whole.startedAt;
  run->inputs = whole.inputs;
  run->warmup = whole.warmup;
  run->repeats = run->repeatsWanted = 1;
  run->hasStartTimes = whole.hasStartTimes;
  run->names = whole.names;
  run->shapes = whole.shapes;
  run->devices = whole.devices;
  run->steps = whole.steps;
  run->calls = whole.calls;
  run->configuration = whole.configuration;
  run->environment = whole.environment;
  for (report::Call& call : run->calls) {
    call.firstSample = 0;
    call.sampleCount = 0;
    call.inReport = false;
  }
  for (const Part& part : parts) {
    report::Call& call = run->calls[part.span.call];
    call.inReport = whole.calls[part.span.call].inReport;
    call.firstSample = run->ownNs.size();
    call.sampleCount = 1;
    run->ownNs.push_back(part.ownNs);
    run->inclusiveNs.push_back(part.span.durationNs);
    run->sampleRepeat.push_back(0);
    run->spans.push_back(part.span);
  }
  const std::string device = whole.totals.empty() ? std::string() : whole.totals.front().device;
  run->totals.push_back({device, {range.endNs - range.startNs}});
  return run;
}

/// Rows of the whole report with the times of the range; further columns stay what they are in the report.
void fillReport(const report::Document& whole, report::Document& part, double lengthNs) {
  if (whole.report == nullptr) return;
  if (whole.report.isPlain()) {
    part = report::makeDocument(part.run);
    return;
  }
  auto report = std::make_shared<report::Report>();
  report->configuration = whole.report->configuration;
  const std::size_t rows = std::min(whole.reportCalls.size(), whole.report->calls.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const report::Call& call = part.run->calls[whole.reportCalls[row]];
    if (call.sampleCount == 0) continue;
    const double ownNs = part.run->ownNs[call.firstSample];
    report::MetricMap metrics = whole.report->calls[row];
    metrics.set(report::kDurationUs, report::Duration{ownNs / 1000});
    metrics.set(report::kPercent, report::Percent{std::clamp(ownNs / lengthNs * 100, 0.0, 100.0)});
    report->calls.push_back(std::move(metrics));
    part.reportCalls.push_back(whole.reportCalls[row]);
  }
  part.report = std::shared_ptr<const report::Report>(std::move(report));
}

}  // namespace

std::shared_ptr<const RunView> makeRangeView(const RunView& whole, const TimeRange& range) {
  const SlowWork work("a part of a run");
  report::Document part;
  part.run = runOf(whole.run(), range, partsWithin(whole.run(), range));
  fillReport(whole.document, part, range.endNs - range.startNs);
  auto view = std::make_unique<RunView>(*makeRunView(part));
  view->rangeText = rangeWords(whole, range);
  view->notes.clear();
  return shareLarge(std::move(view));
}

QString rangeWords(const RunView& whole, const TimeRange& range) {
  const QString times = rangeText(range.startNs, range.endNs);
  if (whole.run().repeats < 2) return times;
  return QStringLiteral("%1 of repeat %2").arg(times, format::integer(range.repeat + 1));
}

}  // namespace opscope::ui
