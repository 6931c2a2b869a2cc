// SPDX-License-Identifier: GPL-3.0-or-later
// What the Timeline is drawn from, against counting by hand: view and ruler, lanes at every zoom, totals.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/ui/support/nested_run.h"
#include "ui/models/range_view.h"
#include "ui/models/timeline_data.h"

namespace opscope::ui {
namespace {

std::vector<report::Span> randomSpans(std::uint32_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<report::Span> spans;
  double now = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const double length = random() % 20 == 0 ? 0 : std::pow(10.0, double(random() % 1000) / 200);
    now += random() % 3 == 0 ? 0 : std::pow(10.0, double(random() % 1000) / 300);
    spans.push_back({now, length, i, 0});
    now += length;
  }
  return spans;
}

TimelineLane laneOf(const std::vector<report::Span>& spans) {
  TimelineLane lane;
  for (std::uint32_t i = 0; i < spans.size(); ++i) lane.append(i);
  lane.build(spans);
  return lane;
}

/// For each pixel the longest duration it holds; below 0: none.
std::vector<double> heldByHand(const std::vector<report::Span>& spans, const TimeScale& scale) {
  const int width = int(scale.width);
  std::vector<double> held(std::size_t(width), -1);
  for (const report::Span& span : spans) {
    const double x0 = scale.toPixel(span.startNs), x1 = scale.toPixel(span.startNs + span.durationNs);
    int first = int(std::floor((x0 + x1) / 2)), end = first + 1;
    if (x1 - x0 >= 1) {
      first = int(std::ceil(std::clamp(x0, -1.0, width + 1.0) - 0.5));
      end = int(std::ceil(std::clamp(x1, -1.0, width + 1.0) - 0.5));
    }
    for (int x = std::max(first, 0); x < std::min(end, width); ++x) {
      held[std::size_t(x)] = std::max(held[std::size_t(x)], span.durationNs);
    }
  }
  return held;
}

/// Own time within [start, end], op by op, each span against all others.
std::vector<double> ownByHand(const Timeline& timeline, double start, double end) {
  const auto spans = timeline.spans();
  std::vector<double> result(timeline.ops().ops.size(), 0);
  const auto within = [&](const report::Span& span) {
    return std::max(0.0, std::min(span.startNs + span.durationNs, end) - std::max(span.startNs, start));
  };
  for (const report::Span& span : spans) {
    double own = within(span);
    const std::uint32_t depth = timeline.callOf(span).depth;
    for (const report::Span& other : spans) {
      const bool inside = other.startNs >= span.startNs &&
                          other.startNs + other.durationNs <= span.startNs + span.durationNs + 1e-6;
      if (inside && timeline.callOf(other).depth == depth + 1) own -= within(other);
    }
    result[timeline.opOf(span)] += own;
  }
  return result;
}

std::shared_ptr<const Timeline> timelineOf(const report::Document& document, std::uint32_t repeat = 0) {
  const auto view = makeRunView(document);
  return std::make_shared<Timeline>(view, buildTimelineOps(view->run(), {}), repeat);
}

}  // namespace

class TimelineModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void zoomKeepsTheTimeUnderTheCursor() {
    TimeScale scale{1000, 9000, 800};
    for (const double pixel : {0.0, 123.0, 400.0, 799.0}) {
      const double at = scale.toTime(pixel);
      const TimeScale closer = zoomView(scale, 1.5, pixel, 10000);
      QVERIFY(std::abs(closer.toPixel(at) - pixel) < 1e-6);
      QVERIFY(std::abs(closer.spanNs() - 8000 / 1.5) < 1e-6);
      const TimeScale halfway = betweenViews(scale, closer, 0.5);
      QVERIFY(std::abs(halfway.toPixel(at) - pixel) < 1e-6);
    }
    QVERIFY(betweenViews(scale, {5, 10, 800}, 1).sameView({5, 10, 800}));
  }

  void viewsStayWithinTheRun() {
    TimeScale scale{0, 100, 500};
    QVERIFY(panView(scale, -1000, 5000).sameView({0, 100, 500}));
    QVERIFY(panView(scale, 1e9, 5000).sameView({4900, 5000, 500}));
    QVERIFY(zoomView(scale, 1e-9, 100, 5000).sameView({0, 5000, 500}));
    QCOMPARE(zoomView(scale, 1e9, 100, 5000).spanNs(), kShortestViewNs);
    QVERIFY(fitView(scale, 1000, 2000, 0.1, 5000).sameView({900, 2100, 500}));
    QVERIFY(fitView(scale, 0, 5000, 0.1, 5000).sameView({0, 5000, 500}));
    QCOMPARE(fitView(scale, 700, 700, 0, 5000).spanNs(), kShortestViewNs);
    QVERIFY(clampView({0, 0, 1}, 1).spanNs() > 0);
  }

  void rulerHasRoundSteps() {
    for (double length = 10; length < 1e13; length *= 1.7) {
      const TimeScale scale{length * 0.37, length * 1.37, 1200};
      const Ruler ruler = rulerOf(scale);
      const double power = std::pow(10.0, std::floor(std::log10(ruler.stepNs) + 1e-9));
      const double factor = ruler.stepNs / power;
      QVERIFY(std::abs(factor - 1) < 1e-6 || std::abs(factor - 2) < 1e-6 || std::abs(factor - 5) < 1e-6);
      QVERIFY(ruler.stepNs / scale.nsPerPixel() >= 90 - 1e-6);
      QVERIFY(ruler.ticksNs.size() >= 4 && ruler.ticksNs.size() <= 14);
      QSet<QString> labels;
      for (const double tick : ruler.ticksNs) labels.insert(ruler.label(tick));
      QCOMPARE(std::size_t(labels.size()), ruler.ticksNs.size());
    }
    QCOMPARE(rulerOf({27.6e6, 47.4e6, 900}).label(28e6), QStringLiteral("28\u00A0ms"));
  }

  void timesAreWritten() {
    QCOMPARE(timeText(43924000, 10000), QStringLiteral("43.92\u00A0ms"));
    QCOMPARE(timeText(43924000, 1000), QStringLiteral("43.924\u00A0ms"));
    QCOMPARE(timeText(0, 1000), QStringLiteral("0.0\u00A0ns"));
    QCOMPARE(rangeText(32032000, 39154000), QStringLiteral("32.032 \u2013 39.154\u00A0ms"));
  }

  void lanesLoseNothing() {
    for (std::uint32_t round = 0; round < 60; ++round) {
      const auto spans = randomSpans(1 + round * round * 3, round);
      const TimelineLane lane = laneOf(spans);
      const double total = spans.back().startNs + spans.back().durationNs + 1;
      std::mt19937 random(round);
      for (int view = 0; view < 12; ++view) {
        const double length = std::max(20.0, total * std::pow(10.0, -double(random() % 4000) / 1000));
        const double start = (total - length) * double(random() % 1000) / 1000;
        const TimeScale scale{std::max(0.0, start), std::max(0.0, start) + length,
                              double(50 + random() % 900)};
        checkLayout(spans, lane, scale);
        if (QTest::currentTestFailed()) return;
      }
    }
  }

  void drawingIsCheapAtAnyZoom() {
    const auto spans = randomSpans(400000, 5);
    const TimelineLane lane = laneOf(spans);
    const double total = spans.back().startNs + spans.back().durationNs;
    for (double length = total; length > 100; length /= 3) {
      const LaneLayout layout = lane.layout({total * 0.3, std::min(total, total * 0.3 + length), 1500});
      QVERIFY(layout.pieces.size() <= 1500);
      QVERIFY2(layout.visited < 1500 * 60, qPrintable(QString::number(layout.visited)));
    }
    QVERIFY2(lane.bytes() < spans.size() * 17, qPrintable(QString::number(lane.bytes())));
  }

  void sumsAndPlacesAreThoseByHand() {
    const auto spans = randomSpans(3001, 9);
    const TimelineLane lane = laneOf(spans);
    std::mt19937 random(3);
    for (int i = 0; i < 400; ++i) {
      const std::uint32_t first = random() % 3001, end = first + random() % (3002 - first);
      double sum = 0;
      for (std::uint32_t k = first; k < end; ++k) sum += spans[k].durationNs;
      QVERIFY(std::abs(lane.sumNs(first, end) - sum) <= 1e-9 * std::max(1.0, sum));
      const double ns = spans.back().startNs * double(random() % 10000) / 9000;
      const auto after = std::find_if(spans.begin(), spans.end(), [&](const report::Span& span) {
        return span.startNs + span.durationNs > ns;
      });
      QCOMPARE(lane.firstEndingAfter(ns), std::uint32_t(after - spans.begin()));
      double best = 1e300;
      for (const report::Span& span : spans) {
        best = std::min({best, std::abs(span.startNs - ns), std::abs(span.startNs + span.durationNs - ns)});
      }
      QVERIFY(std::abs(std::abs(lane.nearestEdge(ns) - ns) - best) < 1e-6);
    }
  }

  void rowsHoldEveryCall() {
    const auto timeline = timelineOf(testing::nestedDocument({1200, 3, 4, true}), 1);
    std::size_t vm = 0, kernels = 0, expected = 0;
    for (const TimelineRow& row : timeline->rows()) {
      (row.group == TimelineRow::Group::Vm ? vm : kernels) += row.lane.size();
      for (std::uint32_t i = 1; i < row.lane.size(); ++i) {
        QVERIFY(row.lane.endNs(i - 1) <= row.lane.startNs(i) + 1);
        QVERIFY(timeline->callOf(row.lane.span(i)).depth == row.key ||
                row.group == TimelineRow::Group::Kernels);
      }
    }
    for (const report::Call& call : timeline->run().calls) expected += call.kernel ? 1 : 0;
    QCOMPARE(vm, timeline->run().calls.size());
    QCOMPARE(kernels, expected);
    for (std::uint32_t call = 0; call < timeline->run().calls.size(); ++call) {
      const std::uint32_t span = timeline->spanOfCall(call);
      QCOMPARE(timeline->spans()[span].call, call);
      QVERIFY(timeline->blockOf(timeline->homeRow(span), span) != report::kNone);
    }
  }

  void unsortedSpansAreSorted() {
    auto document = testing::nestedDocument({300, 1, 8, true});
    auto run = std::make_shared<report::Run>(*document.run);
    std::reverse(run->spans.begin(), run->spans.end());
    run->spans[7].durationNs = std::nan("");
    document.run = run;
    const auto timeline = timelineOf(document);
    QCOMPARE(timeline->spans().size(), std::size_t(run->spans.size() - 1));
    for (std::size_t i = 1; i < timeline->spans().size(); ++i) {
      QVERIFY(timeline->spans()[i - 1].startNs <= timeline->spans()[i].startNs);
    }
  }

  void reportsWithoutTimesArePlaced() {
    const auto timeline = timelineOf(testing::nestedDocument({200, 2, 6, false}), 1);
    QVERIFY(!timeline->hasStartTimes());
    const auto spans = timeline->spans();
    QCOMPARE(spans.size(), timeline->run().calls.size());
    const double gap = spans[0].startNs;
    QVERIFY(gap > 0);
    for (std::size_t i = 1; i < spans.size(); ++i) {
      const double before = spans[i - 1].startNs + spans[i - 1].durationNs;
      QVERIFY(std::abs(spans[i].startNs - before - gap) < 1e-3);
    }
    QVERIFY(spans.back().startNs + spans.back().durationNs <= timeline->totalNs() + 1e-3);
    QCOMPARE(timeline->rows()[0].lane.size(), spans.size());
  }

  void rangeTotalsAreThoseByHand() {
    for (std::uint32_t seed = 1; seed < 9; ++seed) {
      const auto timeline = timelineOf(testing::nestedDocument({250, 1, seed, true}));
      std::mt19937 random(seed);
      for (int i = 0; i < 12; ++i) {
        const double a = timeline->totalNs() * double(random() % 1000) / 1000;
        const double b = a + timeline->totalNs() * double(random() % 1000) / 2000;
        const RangeTotals totals = rangeTotals(*timeline, a, b);
        const auto expected = ownByHand(*timeline, a, b);
        std::vector<double> got(expected.size(), 0);
        std::int64_t calls = 0;
        for (const RangeTotals::Row& row : totals.rows) got[row.op] = row.durationNs;
        for (const report::Span& span : timeline->spans()) {
          calls += span.startNs < b && span.startNs + span.durationNs > a ? 1 : 0;
        }
        QCOMPARE(totals.calls, calls);
        for (std::size_t op = 0; op < got.size(); ++op) {
          QVERIFY2(std::abs(got[op] - expected[op]) < 1e-2,
                   qPrintable(QStringLiteral("%1 %2 %3").arg(op).arg(got[op]).arg(expected[op])));
        }
        QVERIFY(totals.opsNs >= 0 && totals.betweenNs >= 0);
        QVERIFY(std::abs(totals.opsNs + totals.betweenNs - std::max(0.0, b - a)) < 1e-3);
      }
    }
  }

  void theMedianOfAnOpIsOverAllRepeats() {
    const report::Document document = testing::nestedDocument({250, 5, 3, true});
    const auto timeline = timelineOf(document, 2);
    for (std::uint32_t op = 0; op < timeline->ops().ops.size(); ++op) {
      std::vector<double> durations;
      for (const report::Span& span : document.run->spans) {
        const auto calls = timeline->ops().callsOf(op);
        if (std::find(calls.begin(), calls.end(), span.call) != calls.end())
          durations.push_back(span.durationNs);
      }
      std::sort(durations.begin(), durations.end());
      const std::size_t n = durations.size();
      QVERIFY(n >= 5);
      QCOMPARE(medianNsOf(*timeline, op), (durations[(n - 1) / 2] + durations[n / 2]) / 2);
    }
  }

  void aRangeHasTheSumsOfOps() {
    const auto timeline = timelineOf(testing::nestedDocument({250, 1, 5, true}));
    const double length = timeline->totalNs();
    for (const auto& [from, to] : {std::pair(0.1, 0.6), std::pair(0.3, 0.31), std::pair(0.0, 1.0)}) {
      const RangeTotals totals = rangeTotals(*timeline, from * length, to * length);
      const auto view = makeRangeView(*timeline->view(), {from * length, to * length, 0});
      QCOMPARE(totals.reportCalls, view->byOp.totals.calls);
      QVERIFY(std::abs(totals.opsNs / 1000 - view->byOp.totals.opsUs) < 1e-3);
      QVERIFY(totals.reportCalls <= totals.calls);
    }
  }

  void coverageIsThatOfTheLeaves() {
    const auto timeline = timelineOf(testing::nestedDocument({500, 1, 3, true}));
    double leaves = 0, covered = 0;
    for (const report::Span& span : timeline->spans()) {
      if (timeline->run().names[timeline->callOf(span).name].rfind("block", 0) != 0)
        leaves += span.durationNs;
    }
    for (const auto& bin : timeline->coverage(TimelineColour::Kind)) {
      double sum = 0;
      for (const float part : bin) sum += double(part);
      QVERIFY(sum <= 1.001);
      covered += sum;
    }
    covered *= timeline->totalNs() / double(Timeline::kBins);
    QVERIFY2(std::abs(covered - leaves) < 0.001 * leaves, qPrintable(QString::number(covered / leaves)));
  }

  void searchFitsNamesShapesAndDevices() {
    const auto timeline = timelineOf(testing::nestedDocument());
    const auto count = [&](const QString& text, bool regex) {
      const auto fits = matchingOps(*timeline, {text, regex});
      return std::count(fits.begin(), fits.end(), 1);
    };
    QVERIFY(count(QStringLiteral("CONV"), false) > 0);
    QVERIFY(count(QStringLiteral("272"), false) > 0);
    QVERIFY(count(QStringLiteral("cuda0"), false) > 0);
    QCOMPARE(count(QStringLiteral("no such op"), false), 0);
    QCOMPARE(count(QStringLiteral("conv2d8$"), true), count(QStringLiteral("conv2d8"), false));
    QVERIFY(matchingOps(*timeline, {QStringLiteral("("), true}).empty());
    QCOMPARE(count(QStringLiteral("("), false), 0);
    // The words of Ops' filter.
    QVERIFY(count(QStringLiteral("kind:conv"), false) > 0);
    QCOMPARE(count(QStringLiteral("kind:cuda"), false), 0);
    QVERIFY(count(QStringLiteral("name:conv"), false) > 0);
    QCOMPARE(count(QStringLiteral("name:cuda0"), false), 0);
    QVERIFY(count(QStringLiteral("depth:0"), false) > 0);
    QCOMPARE(count(QStringLiteral("depth:900"), false), 0);
  }

 private:
  void checkLayout(const std::vector<report::Span>& spans, const TimelineLane& lane, const TimeScale& scale) {
    const LaneLayout layout = lane.layout(scale);
    const auto held = heldByHand(spans, scale);
    std::vector<const LanePiece*> drawn(held.size(), nullptr);
    int last = 0;
    for (const LanePiece& piece : layout.pieces) {
      QVERIFY(piece.x0 >= last && piece.x1 > piece.x0 && piece.x1 <= int(held.size()));
      last = piece.x1;
      for (int x = piece.x0; x < piece.x1; ++x) drawn[std::size_t(x)] = &piece;
    }
    for (std::size_t x = 0; x < held.size(); ++x) {
      if (held[x] < 0) {
        // Only merged pieces may fill a pixel between them.
        QVERIFY(drawn[x] == nullptr || drawn[x]->merged);
        continue;
      }
      QVERIFY2(drawn[x] != nullptr, "a call was lost");
      QCOMPARE(spans[drawn[x]->block].durationNs, held[x]);
    }
    for (std::size_t i = 1; i < layout.runs.size(); ++i) {
      QVERIFY(layout.runs[i - 1].x1 <= layout.runs[i].x0);
      QVERIFY(layout.runs[i - 1].endBlock <= layout.runs[i].firstBlock);
    }
  }
};

}  // namespace opscope::ui

QTEST_GUILESS_MAIN(opscope::ui::TimelineModelsTest)
#include "timeline_models_test.moc"
