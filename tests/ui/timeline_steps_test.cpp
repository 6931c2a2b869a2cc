// SPDX-License-Identifier: GPL-3.0-or-later
// Steps of a scenario on the Timeline: where they lie, by mouse and by keys. OPSCOPE_PICTURES keeps the
// pictures.
#include <QMenu>
#include <QtTest>

#include "tests/ui/support/nested_run.h"
#include "tests/ui/support/timeline_stage.h"
#include "ui/models/format.h"

namespace opscope::ui {

using testing::TimelineStage;
using Group = TimelineRow::Group;

namespace {

/// Four steps; with `times` the run tells how long each took: all its calls and 50 ns behind them.
report::Document document(bool times) {
  const report::Document made = testing::nestedDocument({.steps = 4});
  if (!times) return made;
  auto run = std::make_shared<report::Run>(*made.run);
  run->stepNs.assign(4, std::vector<double>(run->repeats, 0));
  for (std::uint32_t repeat = 0; repeat < run->repeats; ++repeat) {
    double before = 0;
    for (std::uint32_t step = 0; step < 4; ++step) {
      double end = before;
      for (const report::Span& span : run->spans) {
        if (span.repeat == repeat && run->calls[span.call].step == step)
          end = std::max(end, span.startNs + span.durationNs + 50);
      }
      run->stepNs[step][repeat] = end - before;
      before = end;
    }
  }
  report::Document result;
  result.run = run;
  return result;
}

QPoint middleOf(TimelineStage& stage, int row, std::uint32_t block) {
  return stage.scene().blockRect(stage.scene().rows[std::size_t(row)], block).center().toPoint();
}

}  // namespace

class TimelineStepsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void eachStepIsFromItsFirstCallToItsLast() {
    const report::Document about = document(false);
    const report::Run& run = *about.run;
    for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat) {
      const RepeatSpans calls(run, repeat);
      const TimelineSteps steps(run, repeat, calls.spans());
      QCOMPARE(steps.spans().size(), std::size_t(4));
      for (const report::Span& span : steps.spans()) {
        double start = 1e30, end = 0;
        for (const report::Span& call : run.spans) {
          if (call.repeat != repeat || run.calls[call.call].step != steps.stepOf(span)) continue;
          start = std::min(start, call.startNs);
          end = std::max(end, call.startNs + call.durationNs);
        }
        QCOMPARE(span.startNs, start);
        QCOMPARE(span.startNs + span.durationNs, end);
      }
    }
    // A step without a call in this repeat has no block.
    auto three = std::make_shared<report::Run>(run);
    std::erase_if(three->spans, [&](const report::Span& span) { return run.calls[span.call].step == 2; });
    const RepeatSpans left(*three, 0);
    const TimelineSteps steps(*three, 0, left.spans());
    QCOMPARE(steps.spans().size(), std::size_t(3));
    QCOMPARE(steps.stepOf(steps.spans()[2]), 3U);
  }

  void theRunsTimesComeBeforeThoseOfCalls() {
    const report::Document about = document(true);
    const report::Run& run = *about.run;
    const RepeatSpans calls(run, 1);
    const TimelineSteps steps(run, 1, calls.spans());
    QCOMPARE(steps.spans().size(), std::size_t(4));
    double start = 0;
    for (std::uint32_t step = 0; step < 4; ++step) {
      QCOMPARE(steps.stepOf(steps.spans()[step]), step);
      QCOMPARE(steps.spans()[step].startNs, start);
      QCOMPARE(steps.spans()[step].durationNs, run.stepNs[step][1]);
      start += run.stepNs[step][1];
    }
    // One that cannot be is not believed.
    auto wrong = std::make_shared<report::Run>(run);
    wrong->stepNs[2][1] = std::numeric_limits<double>::quiet_NaN();
    QCOMPARE(TimelineSteps(*wrong, 1, calls.spans()).spans().size(), std::size_t(4));
    QVERIFY(TimelineSteps(*wrong, 1, calls.spans()).spans()[0].startNs > 0);
    // A single step is the whole run, which has its bar already.
    const report::Document single = testing::nestedDocument();
    QVERIFY(TimelineSteps(*single.run, 0, RepeatSpans(*single.run, 0).spans()).spans().empty());
  }

  void aStepIsChosenMarkedAndLeft() {
    TimelineStage stage(document(true));
    QTRY_VERIFY(stage.isReady());
    const int row = stage.rowOf(Group::Steps);
    QVERIFY(row >= 0);
    const SceneRow& shown = stage.scene().rows[std::size_t(row)];
    QCOMPARE(shown.title, QStringLiteral("steps"));
    QCOMPARE(shown.detail, QStringLiteral("4"));
    QCOMPARE(stage.scene().rows[std::size_t(row - 1)].kind, SceneRow::Kind::Frame);
    QCOMPARE(stage.scene().rows[std::size_t(row + 1)].title, QStringLiteral("instructions"));
    // Under the mouse, with a card.
    auto* tip = stage.view()->viewport()->findChild<TimelineTip*>();
    stage.send(QEvent::MouseMove, middleOf(stage, row, 2));
    QTRY_VERIFY(tip->isVisible());
    QCOMPARE(tip->text().name.join(QString()), QStringLiteral("decode #2"));
    QVERIFY2(tip->text().about.startsWith(QStringLiteral("Step 3 of 4 · ")), qPrintable(tip->text().about));
    const auto& run = stage.view()->timeline()->run();
    const auto isOfStep = [&](const report::Span& span) {
      return span.repeat == 0 && run.calls[span.call].step == 2;
    };
    QCOMPARE(tip->text().rows[2].second, format::integer(std::ranges::count_if(run.spans, isOfStep)));
    // A click chooses it, M makes it the range.
    QTest::mouseClick(stage.view()->viewport(), Qt::LeftButton, {}, middleOf(stage, row, 1));
    QVERIFY2(stage.view()->currentText().startsWith(QStringLiteral("decode #1, ")),
             qPrintable(stage.view()->currentText()));
    QCOMPARE(stage.scene().currentBlock(row), 1U);
    QMenu menu;
    stage.view()->fillMenu(&menu, row);
    QVERIFY(std::ranges::any_of(menu.actions(), [](const QAction* action) {
      return action->isEnabled() && action->text().startsWith(QStringLiteral("Mark the step as range"));
    }));
    stage.key(Qt::Key_M);
    QVERIFY(stage.selection.range().has_value());
    const report::Span& second = stage.view()->timeline()->steps().spans()[1];
    QCOMPARE(stage.selection.range()->startNs, second.startNs);
    QCOMPARE(stage.selection.range()->endNs, second.startNs + second.durationNs);
    stage.keep(QStringLiteral("steps-chosen"));
    // By keys: to the sides, down to the calls within it, up again, and Esc.
    stage.key(Qt::Key_Right);
    QVERIFY(stage.view()->currentText().startsWith(QStringLiteral("decode #2, ")));
    stage.key(Qt::Key_Down);
    QVERIFY(!stage.scene().other && stage.selection.call().has_value());
    QCOMPARE(run.calls[*stage.selection.call()].step, 2U);
    stage.key(Qt::Key_Up);
    QVERIFY(stage.view()->currentText().startsWith(QStringLiteral("decode #2, ")));
    stage.key(Qt::Key_Minus);  // folds the calls, and the steps among them
    QCOMPARE(stage.rowOf(Group::Steps), -1);
    stage.key(Qt::Key_Plus);
    stage.key(Qt::Key_Escape);
    QVERIFY(!stage.scene().other);
    // A double click comes close.
    const int again = stage.rowOf(Group::Steps);
    stage.view()->fitAll();
    QTest::mouseDClick(stage.view()->viewport(), Qt::LeftButton, {}, middleOf(stage, again, 2));
    const report::Span& third = stage.view()->timeline()->steps().spans()[2];
    QVERIFY(stage.scene().scale.spanNs() < 2 * third.durationNs);
    QVERIFY(stage.scene().scale.startNs < third.startNs);
  }

  void theLanePinsAndIsInPictures() {
    TimelineStage stage(document(true));
    QTRY_VERIFY(stage.isReady());
    stage.view()->togglePin(LaneId{Group::Steps, 0, 0});
    QVERIFY(stage.scene().rows.front().pinned);
    QCOMPARE(stage.scene().rows.front().group, Group::Steps);
    const QByteArray svg = stage.view()->picture(PictureFormat::Svg).bytes;
    for (const char* step : {"prefill", "decode #1", "decode #2", "decode #3"})
      QVERIFY2(svg.contains(step), step);
    stage.keep(QStringLiteral("steps-pinned"));
  }

  void manyStepsAreMerged() {
    TimelineStage stage(testing::nestedDocument({.calls = 60000, .repeats = 1, .steps = 5000}));
    QTRY_VERIFY(stage.isReady());
    const int row = stage.rowOf(Group::Steps);
    const SceneRow& shown = stage.scene().rows[std::size_t(row)];
    QVERIFY2(shown.lane->size() > 100, qPrintable(QString::number(shown.lane->size())));
    const LaneLayout layout = shown.lane->layout(stage.scene().scale);
    QVERIFY(!layout.runs.empty());
    stage.send(QEvent::MouseMove, {stage.scene().titleWidth() + layout.runs.front().x0,
                                   stage.scene().rowRect(shown).center().y()});
    auto* tip = stage.view()->viewport()->findChild<TimelineTip*>();
    QTRY_VERIFY(tip->isVisible());
    QVERIFY2(tip->text().name.join(QString()).contains(QStringLiteral("short step")) ||
                 tip->text().about.startsWith(QStringLiteral("Step ")),
             qPrintable(tip->text().name.join(QString())));
    stage.keep(QStringLiteral("steps-many"));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TimelineStepsTest)
#include "timeline_steps_test.moc"
