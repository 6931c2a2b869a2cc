// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_view.h"

#include <QRegularExpression>
#include <algorithm>

#include "ui/bridge/slow_work.h"
#include "ui/models/dispose.h"
#include "ui/models/format.h"
#include "ui/models/window_words.h"

namespace opscope::ui {
namespace {

/// Totals of each repeat, of the device with the largest sum.
std::vector<double> totalsOf(const report::Run& run) {
  const report::DeviceTotal* largest = nullptr;
  double largestSum = -1;
  for (const report::DeviceTotal& total : run.totals) {
    double sum = 0;
    for (const double ns : total.totalNs) sum += ns;
    if (sum > largestSum) {
      largestSum = sum;
      largest = &total;
    }
  }
  std::vector<double> result;
  if (largest != nullptr) {
    for (const double ns : largest->totalNs) result.push_back(ns / 1000);
  }
  return result;
}

std::optional<double> kernelMedian(const report::Document& document, const report::OpTable& table) {
  std::vector<std::uint32_t> calls;
  for (const report::OpRow& row : table.rows) {
    if (!row.kernel) continue;
    const auto own = table.callsOf(row);
    calls.insert(calls.end(), own.begin(), own.end());
  }
  if (calls.empty()) return std::nullopt;
  const report::Statistics statistics = report::computeStatistics(report::samplesOf(*document.run, calls));
  if (statistics.count == 0) return std::nullopt;
  return statistics.median;
}

/// Two medians of the same time may differ so much.
constexpr double kSameTime = 0.005;

RunFigures figuresOf(const report::Document& document, const report::OpTable& table) {
  RunFigures figures;
  figures.totalsUs = totalsOf(*document.run);
  const report::Statistics total = report::computeStatistics(figures.totalsUs);
  figures.totalUs = total.count > 0 ? total.median : table.totals.totalUs;
  figures.minUs = total.min;
  figures.maxUs = total.max;
  if (total.noise) figures.noisePercent = *total.noise * 100;
  figures.kernelsUs = kernelMedian(document, table);
  figures.opsOverlap =
      figures.kernelsUs && figures.totalUs > 0 && *figures.kernelsUs > figures.totalUs * (1 + kSameTime);
  if (figures.kernelsUs && figures.totalUs > 0 && !figures.opsOverlap) {
    const double kernels = std::min(*figures.kernelsUs, figures.totalUs);
    figures.kernelsUs = kernels;
    figures.kernelsPercent = kernels / figures.totalUs * 100;
    figures.betweenUs = figures.totalUs - kernels;
    figures.betweenPercent = 100 - *figures.kernelsPercent;
  }
  return figures;
}

std::vector<RunNote> notesOf(const report::Run& run) {
  std::vector<RunNote> notes;
  // A run that was measured here says these things among its warnings.
  const bool imported = run.warnings.empty();
  if (imported && (run.repeats < run.repeatsWanted || !run.failure.empty())) {
    notes.push_back(
        {true, QStringLiteral("%1 of %2 repeats were measured").arg(run.repeats).arg(run.repeatsWanted),
         run.failure.empty() ? QStringLiteral("The run was stopped. All numbers are of the finished repeats.")
                             : format::fromUtf8(run.failure)});
  }
  for (const report::Warning& warning : run.warnings) {
    notes.push_back({true, format::fromUtf8(warning.message), windowWords(warning.hint)});
  }
  if (imported && run.repeats == 1) {
    notes.push_back({false, QStringLiteral("1 repeat: the noise of this run is unknown"),
                     QStringLiteral("Run with more repeats to see how much the times vary.")});
  }
  if (!run.hasStartTimes) {
    notes.push_back(
        {false, QStringLiteral("This report holds durations only"),
         QStringLiteral("Timeline places the calls one after the other, in the order of the report.")});
  }
  return notes;
}

RunNote overlapNote(const RunFigures& figures) {
  return {
      true, QStringLiteral("Times of ops overlap"),
      QStringLiteral("Together they take %1, more than the total of %2: calls nest in each other or run at "
                     "the same time on several threads, and each counts whole.")
          .arg(format::duration(*figures.kernelsUs).text(), format::duration(figures.totalUs).text())};
}

int elementBits(const QString& type) {
  static const QRegularExpression digits(QStringLiteral("^[a-z]*?(\\d+)"));
  if (type == QLatin1String("bool")) return 8;
  const auto match = digits.match(type);
  return match.hasMatch() ? match.captured(1).toInt() : 0;
}

}  // namespace

QString RunView::repeatsText() const {
  const QString done = format::integer(run().repeats);
  return isPartial() ? QStringLiteral("%1 of %2").arg(done, format::integer(run().repeatsWanted)) : done;
}

QString RunView::fileName() const {
  return format::fromUtf8(run().executablePath).section(QLatin1Char('/'), -1);
}

std::shared_ptr<const RunView> makeRunView(const report::Document& document) {
  const SlowWork work("a run's view");
  auto view = std::make_unique<RunView>();
  view->document = document;
  view->document.run = disposedElsewhere(document.run);
  view->byOp = report::buildOpTable(document, report::Grouping::ByOp);
  view->figures = figuresOf(document, view->byOp);
  view->notes = notesOf(*document.run);
  if (view->figures.opsOverlap) view->notes.push_back(overlapNote(view->figures));
  return shareLarge(std::move(view));
}

std::shared_ptr<const OpDetails> detailsOf(const RunView& view, const OpId& op) {
  if (view.lastDetails != nullptr && view.lastDetails->op == op) return view.lastDetails;
  const auto& rows = view.byOp.rows;
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const report::OpRow& row) {
    return OpId{row.name, row.shapes, row.device} == op;
  });
  if (op.isNull() || found == rows.end()) return nullptr;
  auto made = std::make_shared<OpDetails>();
  OpDetails& details = *made;
  details.op = op;
  details.name = format::fromUtf8(report::nameOf(view.run(), *found));
  details.device = format::fromUtf8(report::deviceOf(view.run(), *found));
  details.shapes = format::fromUtf8(report::shapesOf(view.run(), *found));
  details.kind = found->kind;
  details.kernel = found->kernel;
  details.count = found->count;
  details.durationUs = found->durationUs;
  details.percent = found->percent;
  const auto calls = view.byOp.callsOf(*found);
  details.calls.assign(calls.begin(), calls.end());
  details.samplesUs = report::samplesOf(view.run(), calls);
  details.statistics = report::computeStatistics(details.samplesUs);
  for (const std::uint32_t call : calls) {
    const auto own = report::ownSamples(view.run(), view.run().calls[call]);
    double sum = 0;
    for (const double ns : own) sum += ns;
    details.callsUs.push_back(own.empty() ? 0 : sum / double(own.size()) / 1000);
  }
  details.reportCalls = view.document.reportCalls.size();
  view.lastDetails = std::move(made);
  return view.lastDetails;
}

std::vector<ArgumentText> argumentsOf(const QString& shapes) {
  static const QRegularExpression argument(QStringLiteral("([A-Za-z][A-Za-z0-9_]*)\\[([^\\]]*)\\]"));
  std::vector<ArgumentText> result;
  auto matches = argument.globalMatch(shapes);
  while (matches.hasNext()) {
    const auto match = matches.next();
    double elements = 1;
    bool known = true;
    const QStringList sizes = match.captured(2).split(QLatin1Char(','), Qt::SkipEmptyParts);
    for (const QString& size : sizes) {
      bool ok = false;
      elements *= size.trimmed().toDouble(&ok);
      known = known && ok;
    }
    const int bits = elementBits(match.captured(1));
    const QString text = QStringLiteral("%1 [%2]").arg(match.captured(1), match.captured(2).simplified());
    result.push_back({text, known && bits > 0 ? elements * bits / 8 : 0});
  }
  return result;
}

}  // namespace opscope::ui
