// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline page by mouse and keyboard, with what it tells others. With the environment variable
// OPSCOPE_PICTURES naming a folder its pictures are kept there to be looked at.
#include <QAccessible>
#include <QLabel>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <cmath>
#include <ctime>
#include <set>

#include "tests/ui/support/fake_session.h"
#include "tests/ui/support/find_button.h"
#include "tests/ui/support/nested_run.h"
#include "tests/ui/support/synthetic_run.h"
#include "tests/ui/support/timeline_stage.h"
#include "ui/shell/application.h"
#include "ui/shell/main_window.h"
#include "ui/shell/status_line.h"
#include "ui/views/timeline/range_panel.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui {

using Stage = testing::TimelineStage;

namespace {

report::Document largeDocument(std::uint32_t calls) {
  auto run = std::make_shared<report::Run>();
  run->function = "main";
  run->repeats = run->repeatsWanted = 1;
  run->devices = {"cpu0"};
  run->steps = {"main"};
  for (int i = 0; i < 40; ++i) run->names.push_back((i % 3 == 0 ? "conv2d" : "relu_") + std::to_string(i));
  run->shapes = {"float32[1, 16]"};
  std::mt19937 random(2);
  double now = 0;
  for (std::uint32_t i = 0; i < calls; ++i) {
    report::Call call;
    call.name = random() % 40;
    call.shapes = call.device = 0;
    call.kernel = true;
    call.firstSample = i;
    call.sampleCount = 1;
    const double ns = 200 + random() % (random() % 50 == 0 ? 90000 : 900);
    run->calls.push_back(call);
    run->ownNs.push_back(ns);
    run->spans.push_back({now, ns, i, 0});
    now += ns + 60;
  }
  run->inclusiveNs = run->ownNs;
  run->sampleRepeat.assign(calls, 0);
  run->totals.push_back({"cpu0", {now}});
  report::Document document;
  document.run = run;
  return document;
}

}  // namespace

class TimelineTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keysZoomAndMove() {
    Stage stage(testing::nestedDocument());
    QTRY_VERIFY(stage.isReady());
    const double total = stage.view()->timeline()->totalNs();
    QCOMPARE(stage.scene().scale.spanNs(), total);
    stage.key(Qt::Key_W);
    QVERIFY(std::abs(stage.scene().scale.spanNs() - total / 1.5) < 1);
    const double start = stage.scene().scale.startNs;
    stage.key(Qt::Key_D);
    QVERIFY(stage.scene().scale.startNs > start);
    stage.key(Qt::Key_A);
    QVERIFY(std::abs(stage.scene().scale.startNs - start) < 1);
    stage.key(Qt::Key_S);
    QVERIFY(std::abs(stage.scene().scale.spanNs() - total) < 1);
    for (int i = 0; i < 80; ++i) stage.key(Qt::Key_W);
    QVERIFY(stage.scene().scale.spanNs() >= kShortestViewNs * 0.999);
    stage.key(Qt::Key_F);
    QVERIFY(std::abs(stage.scene().scale.spanNs() - total) < 1);
  }

  void zoomsCanBeUndone() {
    Stage stage(testing::nestedDocument());
    QTRY_VERIFY(stage.isReady());
    const double total = stage.scene().scale.spanNs();
    stage.key(Qt::Key_W);
    QTRY_VERIFY(stage.view()->standsStill() && stage.view()->undoStep() != 0);
    stage.key(Qt::Key_W);
    stage.key(Qt::Key_W);
    // Two zooms in one go are one step, also when it has not stood still yet.
    stage.view()->undoZoom();
    QVERIFY(std::abs(stage.scene().scale.spanNs() - total / 1.5) < 1);
    stage.view()->undoZoom();
    QVERIFY(std::abs(stage.scene().scale.spanNs() - total) < 1);
    stage.view()->redoZoom();
    QVERIFY(std::abs(stage.scene().scale.spanNs() - total / 1.5) < 1);
  }

  void arrowsReachEveryBlock() {
    Stage stage(testing::nestedDocument({120, 1, 3, true}));
    QTRY_VERIFY(stage.isReady());
    stage.key(Qt::Key_Right);
    QVERIFY(stage.selection.call().has_value());
    stage.key(Qt::Key_Home);
    for (int i = 0; i < 300; ++i) stage.key(Qt::Key_Left);
    const int row = stage.scene().currentRow;
    QVERIFY(row >= 0);
    std::set<std::uint32_t> seen{*stage.selection.call()};
    const std::size_t count = stage.scene().rows[std::size_t(row)].lane->size();
    for (std::size_t i = 1; i < count; ++i) {
      stage.key(Qt::Key_Right);
      seen.insert(*stage.selection.call());
      QCOMPARE(stage.scene().currentRow, row);
    }
    QCOMPARE(seen.size(), count);
    std::set<int> rows;
    for (int i = 0; i < 20; ++i) {
      stage.key(Qt::Key_Up);
      rows.insert(stage.scene().currentRow);
    }
    stage.key(Qt::Key_Down);
    QVERIFY(rows.size() >= 2);
  }

  void stepsThroughCallsOfAnOpAndOfASearch() {
    Stage stage(testing::nestedDocument());
    QTRY_VERIFY(stage.isReady());
    const report::Run& run = stage.view()->timeline()->run();
    stage.selection.setOp({0, 0, 0});
    stage.view()->fitAll();
    const auto calls =
        stage.view()->timeline()->ops().callsOf(stage.view()->timeline()->ops().find({0, 0, 0}));
    std::vector<std::uint32_t> seen;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      stage.key(Qt::Key_Period);
      seen.push_back(*stage.selection.call());
    }
    QCOMPARE(seen, std::vector<std::uint32_t>(calls.begin(), calls.end()));
    stage.key(Qt::Key_Comma);
    QCOMPARE(*stage.selection.call(), calls[calls.size() - 2]);
    stage.selection.setFilter({QStringLiteral("batch"), false});
    for (int i = 0; i < 5; ++i) {
      stage.key(Qt::Key_Comma);
      QCOMPARE(run.names[run.calls[*stage.selection.call()].name], std::string("batch_norm5"));
    }
  }

  void pinAndMark() {
    Stage stage(testing::nestedDocument());
    QTRY_VERIFY(stage.isReady());
    stage.selection.setOp({0, 0, 0});
    stage.key(Qt::Key_P);
    QCOMPARE(stage.scene().rows.front().kind, SceneRow::Kind::PinnedOp);
    const auto& ops = stage.view()->timeline()->ops();
    QCOMPARE(stage.scene().rows.front().lane->size(), ops.callsOf(ops.find({0, 0, 0})).size());
    stage.key(Qt::Key_Period);
    stage.key(Qt::Key_M);
    QVERIFY(stage.selection.range().has_value());
    const auto span = stage.view()->timeline()->spans()[stage.scene().span];
    QCOMPARE(stage.selection.range()->startNs, span.startNs);
    stage.key(Qt::Key_P);
    QVERIFY(stage.scene().rows.front().kind != SceneRow::Kind::PinnedOp);
  }

  void dragMeasuresAndShiftDragMakesARange() {
    Stage stage(testing::syntheticDocument());
    QTRY_VERIFY(stage.isReady());
    const int row = stage.rowOfKernels();
    const QPoint point = stage.blockPoint(row);
    stage.drag(point - QPoint(60, 0), point + QPoint(80, 0));
    QVERIFY(!stage.selection.range());
    QVERIFY(!stage.scene().measure);
    const TimelineLane& lane = *stage.scene().rows[std::size_t(row)].lane;
    const std::uint32_t block = lane.nearest(stage.scene().timeAt(point.x()));
    const int left = stage.scene().xOf(lane.startNs(block)), right = stage.scene().xOf(lane.endNs(block));
    stage.drag(QPoint(left + 2, point.y()), QPoint(right - 2, point.y()), Qt::ShiftModifier);
    QVERIFY(stage.selection.range().has_value());
    QCOMPARE(stage.selection.range()->startNs, lane.startNs(block));
    QCOMPARE(stage.selection.range()->endNs, lane.endNs(block));
    QTRY_COMPARE(stage.page->rangePanel()->model()->rowCount(), 1);
    QVERIFY(stage.page->rangePanel()->isVisible());
    QVERIFY(stage.page->rangePanel()->summary().contains(QStringLiteral("1\u00A0call")));
    QVERIFY(!stage.page->rangePanel()->isOfView());
    QVERIFY(stage.selection.clearOne());
    QTRY_VERIFY(!stage.page->rangePanel()->isVisible() || stage.page->rangePanel()->isOfView());
  }

  void withoutARangeThePanelTellsWhatIsInView() {
    Stage stage(testing::syntheticDocument());
    stage.page->resize(1200, 900);
    QTRY_VERIFY(stage.isReady());
    RangePanel* panel = stage.page->rangePanel();
    QTRY_VERIFY(panel->isVisible() && panel->isOfView() && panel->model()->totals().calls == 216);
    const double all = panel->model()->totals().opsNs;
    stage.key(Qt::Key_W);
    stage.key(Qt::Key_W);
    QTRY_VERIFY(stage.view()->standsStill());
    QTRY_VERIFY(panel->model()->totals().opsNs < all && panel->model()->totals().opsNs > 0);
    const TimeScale& scale = stage.scene().scale;
    const RangeTotals expected = rangeTotals(*stage.view()->timeline(), scale.startNs, scale.endNs);
    QTRY_COMPARE(panel->model()->totals().opsNs, expected.opsNs);
    QVERIFY(!stage.selection.range());
    QPushButton* choose = testing::buttonOf(stage.page.get(), QStringLiteral("Make it the range"));
    QVERIFY(choose != nullptr && choose->isVisible());
    QTest::mouseClick(choose, Qt::LeftButton);
    QVERIFY(stage.selection.range().has_value());
    QCOMPARE(stage.selection.range()->startNs, scale.startNs);
    QTRY_VERIFY(!panel->isOfView());
    // Where the lanes need the room, they have it.
    stage.selection.setRange(std::nullopt);
    stage.page->resize(1200, 260);
    QTRY_VERIFY(!panel->isVisible());
  }

  void clickChoosesAndHoverTells() {
    Stage stage(testing::syntheticDocument());
    QTRY_VERIFY(stage.isReady());
    const int row = stage.rowOfKernels();
    const QPoint point = stage.blockPoint(row);
    QTest::mouseClick(stage.view()->viewport(), Qt::LeftButton, Qt::NoModifier, point);
    QVERIFY(stage.selection.call().has_value());
    QCOMPARE(stage.scene().currentRow, row);
    QMouseEvent move(QEvent::MouseMove, point, stage.view()->viewport()->mapToGlobal(point), Qt::NoButton,
                     Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(stage.view()->viewport(), &move);
    auto* tip = stage.view()->viewport()->findChild<TimelineTip*>();
    QTRY_VERIFY(tip->isVisible());
    QVERIFY(stage.view()->viewport()->rect().contains(tip->geometry()));
    QCOMPARE(tip->text().rows.size(), std::size_t(4));
    QCOMPARE(tip->text().rows.back().first, QStringLiteral("Instruction"));
    QVERIFY(tip->text().about.contains(QStringLiteral("of main")));
    QCOMPARE(tip->text().shapes.size(), 3);
    keep(stage, QStringLiteral("timeline-hover"));
  }

  void wheelZoomsAtTheCursor() {
    Stage stage(testing::syntheticDocument());
    QTRY_VERIFY(stage.isReady());
    const QPoint point(700, 200);
    const double at = stage.scene().timeAt(point.x()), length = stage.scene().scale.spanNs();
    QWheelEvent wheel(point, stage.view()->viewport()->mapToGlobal(point), {}, {0, 240}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(stage.view()->viewport(), &wheel);
    QVERIFY(stage.scene().scale.spanNs() < length);
    QVERIFY(std::abs(stage.scene().timeAt(point.x()) - at) < 2 * stage.scene().scale.nsPerPixel());
  }

  void stripMovesAndSizesTheView() {
    Stage stage(testing::syntheticDocument());
    QTRY_VERIFY(stage.isReady());
    const double total = stage.view()->timeline()->totalNs();
    const QRect strip = stage.scene().strip();
    const int y = strip.center().y();
    stage.drag({strip.right() - 1, y}, {strip.center().x(), y});
    QVERIFY(std::abs(stage.scene().scale.endNs - total / 2) < total * 0.01);
    stage.drag({strip.left() + strip.width() / 4, y}, {strip.left() + strip.width() / 2, y});
    QVERIFY(std::abs(stage.scene().scale.startNs - total / 4) < total * 0.01);
    QVERIFY(std::abs(stage.scene().scale.spanNs() - total / 2) < total * 0.01);
  }

  void selectionFromElsewhereIsBroughtIntoView() {
    Stage stage(testing::nestedDocument({4000, 1, 3, true}));
    QTRY_VERIFY(stage.isReady());
    stage.view()->showTimes(0, 5000, 0);
    const report::Run& run = stage.view()->timeline()->run();
    std::uint32_t wanted = std::uint32_t(run.calls.size()) - 1;
    while (!run.calls[wanted].kernel) --wanted;
    stage.selection.setCall(run, wanted);
    const report::Span& span =
        stage.view()->timeline()->spans()[stage.view()->timeline()->spanOfCall(wanted)];
    QVERIFY(stage.scene().scale.startNs <= span.startNs);
    QVERIFY(stage.scene().scale.endNs >= span.startNs + span.durationNs);
    QVERIFY(span.durationNs / stage.scene().scale.nsPerPixel() >= 8);
  }

  void groupsFold() {
    Stage stage(testing::nestedDocument());
    QTRY_VERIFY(stage.isReady());
    const int before = stage.scene().contentHeight();
    const QPoint title(40, stage.scene().rowRect(stage.scene().rows.front()).center().y());
    QTest::mouseClick(stage.view()->viewport(), Qt::LeftButton, Qt::NoModifier, title);
    QVERIFY(stage.scene().contentHeight() < before);
    stage.key(Qt::Key_Plus);
    QCOMPARE(stage.scene().contentHeight(), before);
  }

  void repeatsArePages() {
    Stage stage(testing::nestedDocument({300, 3, 3, true}));
    QTRY_VERIFY(stage.isReady());
    stage.selection.setRange(TimeRange{1000, 90000, 0});
    stage.view()->showTimes(1000, 90000, 0.1);
    const TimeScale before = stage.scene().scale;
    stage.page->showRepeat(2);
    QTRY_VERIFY(stage.isReady(2));
    QVERIFY(stage.scene().scale.sameView(before));
    QTRY_COMPARE(stage.selection.range()->repeat, 2U);
    QTRY_VERIFY(stage.page->rangePanel()->model()->rowCount() > 0);
    stage.page->showRepeat(7);
    QVERIFY(stage.isReady(2));
    stage.page->setRun(nullptr);
    QVERIFY(stage.view()->timeline() == nullptr);
  }

  void readersHearTheBlock() {
    Stage stage(testing::nestedDocument());
    QTRY_VERIFY(stage.isReady());
    QAccessibleInterface* list = QAccessible::queryAccessibleInterface(stage.view());
    QVERIFY(list != nullptr);
    QCOMPARE(list->childCount(), 0);
    stage.selection.setOp({0, 0, 0});
    stage.key(Qt::Key_Period);
    QCOMPARE(list->childCount(), 1);
    const QString text = list->child(0)->text(QAccessible::Name);
    QVERIFY2(text.startsWith(QStringLiteral("conv2d8, ")) &&
                 text.contains(QStringLiteral("µs, starts at ")) && text.endsWith(QStringLiteral("ms")),
             qPrintable(text));
    QVERIFY(!list->child(0)->rect().isEmpty());
  }

  void reportsWithoutTimesSaySo() {
    Stage stage(testing::nestedDocument({100, 1, 3, false}));
    QTRY_VERIFY(stage.isReady());
    QVERIFY(stage.page->note().contains(QStringLiteral("placed")));
    keep(stage, QStringLiteral("timeline-placed"));
  }

  void statusBarTellsTheView() {
    Theme look;
    dressApplication(&look, ThemeChoice::Light);
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("opscope.ini")));
    testing::FakeSessionState fake;
    Workspace workspace(testing::fakeSessionFactory(fake), &settings);
    MainWindow window(&look, &workspace, {});
    window.resize(1440, 900);
    window.show();
    workspace.openFile(QStringLiteral("/models/shufflenet.so"));
    QTRY_COMPARE(fake.opens.size(), std::size_t(1));
    fake.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(workspace.executable() != nullptr);
    workspace.profile();
    fake.post(session::ProfileFinished{testing::syntheticDocument()});
    QTRY_VERIFY(workspace.run() != nullptr);
    QVERIFY(window.showPageById(QStringLiteral("timeline")));
    auto* page = qobject_cast<TimelinePage*>(window.currentPage());
    QTRY_VERIFY(page->view()->timeline() != nullptr);
    const auto shown = [&]() {
      for (const QLabel* label : window.findChild<StatusLine*>()->findChildren<QLabel*>()) {
        if (label->text() == page->note() && label->isVisible() && label->width() > 40) return true;
      }
      return false;
    };
    QVERIFY(page->note().startsWith(QStringLiteral("View ")));
    QTRY_VERIFY(shown());
    QVERIFY(window.showPageById(QStringLiteral("summary")));
    QTRY_VERIFY(!shown());
  }

  void emptyRunsAreShown() {
    auto run = std::make_shared<report::Run>();
    run->repeats = 1;
    run->totals.push_back({"cpu0", {0}});
    report::Document document;
    document.run = run;
    Stage stage(document);
    // The page says that there are no calls; keys of the lanes do no harm.
    QTRY_VERIFY(!stage.view()->isVisible());
    for (const int key : {Qt::Key_W, Qt::Key_S, Qt::Key_D, Qt::Key_Right, Qt::Key_Down, Qt::Key_Period,
                          Qt::Key_P, Qt::Key_M, Qt::Key_F}) {
      stage.key(key);
    }
    QVERIFY(!stage.page->grab().isNull());
  }

  void pictures_data() {
    QTest::addColumn<int>("theme");
    QTest::newRow("light") << int(ThemeChoice::Light);
    QTest::newRow("dark") << int(ThemeChoice::Dark);
    QTest::newRow("contrast") << int(ThemeChoice::HighContrast);
  }

  void pictures() {
    QFETCH(int, theme);
    Stage stage(testing::syntheticDocument(), {1110, 750}, ThemeChoice(theme));
    QTRY_VERIFY(stage.isReady());
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    keep(stage, QStringLiteral("timeline-whole-") + name);
    const double total = stage.view()->timeline()->totalNs();
    stage.selection.setOp({0, 0, 0});
    stage.key(Qt::Key_Period);
    stage.view()->togglePin();
    stage.key(Qt::Key_Period);
    stage.view()->showTimes(total * 0.3, total * 0.5, 0);
    stage.selection.setRange(TimeRange{total * 0.34, total * 0.42, 0});
    QTRY_VERIFY(stage.page->rangePanel()->model()->rowCount() > 0);
    const QPoint point = stage.blockPoint(stage.rowOfKernels());
    stage.send(QEvent::MouseMove, point);
    QTest::qWait(120);
    const QImage image = stage.page->grab().toImage();
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3) {
      for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
    }
    QVERIFY2(colours.size() > 16, "hardly anything was painted");
    keep(stage, QStringLiteral("timeline-range-") + name);
    stage.selection.setRange(std::nullopt);
    stage.selection.setFilter({QStringLiteral("norm"), false});
    stage.view()->fitAll();
    QTest::qWait(20);
    keep(stage, QStringLiteral("timeline-search-") + name);
    Stage nested(testing::nestedDocument({700, 2, 5, true}), {1110, 500}, ThemeChoice(theme));
    QTRY_VERIFY(nested.isReady());
    keep(nested, QStringLiteral("timeline-nested-") + name);
  }

  void millionsOfCalls() {
    constexpr std::uint32_t kCalls = 2000000;
    const report::Document document = largeDocument(kCalls);
    const auto view = makeRunView(document);
    // Time of the processor, so that other work on the machine does not count.
    std::clock_t begin = std::clock();
    const auto milliseconds = [&begin]() { return double(std::clock() - begin) * 1e3 / CLOCKS_PER_SEC; };
    const auto timeline = std::make_shared<Timeline>(view, buildTimelineOps(view->run(), {}), 0);
    qInfo("%u calls: built in %.0f ms, %.1f bytes a call", kCalls, milliseconds(),
          double(timeline->bytes()) / kCalls);
    QVERIFY(double(timeline->bytes()) / kCalls < 100);
    Theme look;
    dressApplication(&look, ThemeChoice::Light);
    Selection selection;
    TimelineView widget(&look, &selection);
    widget.setAnimated(false);
    widget.resize(1600, 700);
    widget.show();
    widget.setTimeline(timeline);
    begin = std::clock();
    QVERIFY(!widget.grab().isNull());
    qInfo("the first frame, with fonts and the picture of the whole: %.1f ms", milliseconds());
    std::vector<double> frames;
    for (double length = timeline->totalNs(); length > 1000; length /= 2.3) {
      widget.showTimes(timeline->totalNs() * 0.41, timeline->totalNs() * 0.41 + length, 0);
      begin = std::clock();
      const QImage image = widget.grab().toImage();
      frames.push_back(milliseconds());
      QVERIFY(!image.isNull());
    }
    std::sort(frames.begin(), frames.end());
    qInfo("%d frames: median %.1f ms, longest %.1f ms", int(frames.size()), frames[frames.size() / 2],
          frames.back());
    begin = std::clock();
    const RangeTotals totals = rangeTotals(*timeline, 0, timeline->totalNs());
    qInfo("totals of the whole in %.0f ms", milliseconds());
    QCOMPARE(totals.calls, std::int64_t(kCalls));
  }

 private:
  void keep(Stage& stage, const QString& name) {
    const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (!folder.isEmpty()) QVERIFY(stage.page->grab().save(QStringLiteral("%1/%2.png").arg(folder, name)));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TimelineTest)
#include "timeline_test.moc"
