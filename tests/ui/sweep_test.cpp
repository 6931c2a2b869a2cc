// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps: their numbers, saved ones, and a new one from the window; held against plain sums. OPSCOPE_PICTURES
// keeps the pictures.
#include <QSvgRenderer>
#include <QtTest>
#include <cmath>

#include "engine/report/run_report.h"
#include "tests/ui/support/swept_run.h"
#include "tests/ui/support/window_stage.h"
#include "ui/models/format.h"
#include "ui/models/sweep_view.h"
#include "ui/shell/sweep_desk.h"
#include "ui/views/charts/growth_chart.h"
#include "ui/views/charts/sweep_bar.h"
#include "ui/views/charts/sweep_chart.h"
#include "ui/views/charts_page.h"

namespace opscope::ui {

using testing::Stage;
using testing::sweptDocument;

namespace {

double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

store::StoredRun storedRun(store::RunId id, const char* note, const char* hash = "aa") {
  store::StoredRun run;
  run.id = id;
  run.note = note;
  run.hash = hash;
  run.executable = "encoder.so";
  run.function = "main";
  run.target = "local";
  run.medianUs = 5;
  return run;
}

}  // namespace

class SweepTest : public QObject {
  Q_OBJECT

 private:
  ChartsPage* pageOf(Stage& stage) {
    stage.window->showPageById(QStringLiteral("charts"));
    return qobject_cast<ChartsPage*>(stage.window->currentPage());
  }
  template <class T>
  T* chartOf(ChartsPage* page, const char* id) {
    return qobject_cast<T*>(page->frame(QString::fromLatin1(id))->chart());
  }
  void keep(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (!folder.isEmpty()) QVERIFY(widget.grab().save(QStringLiteral("%1/%2.png").arg(folder, name)));
  }

 private Q_SLOTS:
  void valuesAreRead() {
    QString problem;
    using Values = std::vector<std::int64_t>;
    QCOMPARE(sweepValues(QStringLiteral("1, 2, 4..8"), &problem), (Values{1, 2, 4, 5, 6, 7, 8}));
    QVERIFY(problem.isEmpty());
    QCOMPARE(sweepValues(QStringLiteral("8,2,2, 4"), &problem), (Values{2, 4, 8}));
    for (const char* wrong :
         {"", "5", "0, 1", "a, 2", "3..1", "1..100000", "-1, 2", "1, 2.5", "99999999999999999999, 1"}) {
      QVERIFY2(sweepValues(QString::fromLatin1(wrong), &problem).empty() && !problem.isEmpty(), wrong);
    }
  }

  void notesTellValues() {
    QCOMPARE(sweptValueOf(noteOfSwept(QStringLiteral("n"), 16))->value, std::int64_t(16));
    QCOMPARE(sweptValueOf(QStringLiteral("scaling of today, threads=4"))->over, QStringLiteral("threads"));
    QVERIFY(!sweptValueOf(QStringLiteral("baseline")) && !sweptValueOf(QStringLiteral("n=4, then more")));
  }

  void savedSweepsAreFound() {
    // Newest first, as the store lists them: two sweeps of one file, one of another, and other runs between.
    const std::vector<store::StoredRun> runs = {storedRun(9, "n=4"),         storedRun(8, "n=2"),
                                                storedRun(7, "n=1"),         storedRun(6, "baseline"),
                                                storedRun(5, "n=8", "bb"),   storedRun(4, "n=2"),
                                                storedRun(3, "tagged, n=1"), storedRun(2, "threads=2", "bb"),
                                                storedRun(1, "n=2", "bb")};
    const auto sweeps = savedSweeps(runs);
    QCOMPARE(sweeps.size(), std::size_t(3));
    QCOMPARE(sweeps[0].points.size(), std::size_t(3));
    QCOMPARE(sweeps[0].points.front().id, store::RunId(7));
    QCOMPARE(sweeps[0].words, QStringLiteral("n = 1, 2, 4 · encoder.so · main"));
    for (const SavedSweep& sweep : sweeps) {
      for (std::size_t i = 1; i < sweep.points.size(); ++i)
        QVERIFY(sweep.points[i - 1].value < sweep.points[i].value);
    }
    QVERIFY(savedSweeps({}).empty());
  }

  void numbersAreThoseByHand() {
    const std::vector<std::int64_t> values = {4, 1, 2};
    const auto points = testing::sweptPoints(values);
    const auto view = makeSweepView(QStringLiteral("n"), points);
    QCOMPARE(view->scaling.values, (std::vector<std::int64_t>{1, 2, 4}));
    for (std::size_t i = 0; i < 3; ++i) {
      const report::Run& run = *points[i == 0 ? 1 : i == 1 ? 2 : 0].document.run;
      std::vector<double> totals(run.totals[0].totalNs);
      for (double& ns : totals) ns /= 1000;
      QVERIFY(std::abs(*view->scaling.total.us[i] - medianOf(totals)) < 1e-6);
      std::vector<double> samples(run.repeats, 0);
      for (const report::Call& call : run.calls) {
        if (run.names[call.name] != "fused_conv2d_add_relu") continue;
        for (std::uint64_t s = call.firstSample; s < call.firstSample + call.sampleCount; ++s)
          samples[run.sampleRepeat[s]] += run.ownNs[s] / 1000;
      }
      for (const report::ScalingRow& row : view->scaling.rows) {
        if (row.name == "fused_conv2d_add_relu") QVERIFY(std::abs(*row.us[i] - medianOf(samples)) < 1e-6);
      }
    }
    for (const report::ScalingRow& row : view->scaling.rows) {
      QVERIFY(row.fit.has_value());
      QVERIFY(std::abs(row.fit->exponent - (row.name == "fused_conv2d_add_relu" ? 2 : 1)) < 1e-6);
    }
  }

  void aSweepFromTheWindow() {
    Stage stage;
    testing::openExecutable(stage);
    QVERIFY(stage.command("run.sweep") != nullptr);
    stage.command("run.sweep")->trigger();
    auto* page = pageOf(stage);
    SweepBar* bar = page->sweepBar();
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->variable()->itemText(0), QStringLiteral("n"));
    QCOMPARE(bar->variable()->itemText(1), QStringLiteral("threads"));
    QTest::qWait(60);
    keep(*stage.window, QStringLiteral("sweep-empty"));
    bar->values()->selectAll();
    QTest::keyClicks(bar->values(), QStringLiteral("1, x"));
    QTest::mouseClick(bar->startButton(), Qt::LeftButton);
    QVERIFY(stage.session.sweeps.empty());
    QVERIFY(bar->problem().contains(QStringLiteral("“x”")));
    bar->values()->selectAll();
    QTest::keyClicks(bar->values(), QStringLiteral("1, 2, 4"));
    QTest::mouseClick(bar->startButton(), Qt::LeftButton);
    QCOMPARE(stage.session.sweeps.size(), std::size_t(1));
    const session::SweepRequest request = stage.session.sweeps.front();
    QCOMPARE(request.over, std::string("n"));
    QCOMPARE(request.values, (std::vector<std::int64_t>{1, 2, 4}));
    QVERIFY(!request.profile.recordMemory && !request.profile.recordLanes);
    QCOMPARE(request.profile.repeats, std::uint32_t(stage.workspace->choices().repeats));
    // Nothing else runs beside it, and it can be stopped.
    QVERIFY(!stage.workspace->canRun());
    stage.session.post(session::Progress{session::State::Measuring, 12, 90, 3});
    QTRY_VERIFY(bar->problem().startsWith(QLatin1String("12 of 90 repeats")));
    keep(*stage.window, QStringLiteral("sweep-running"));
    QTest::mouseClick(bar->startButton(), Qt::LeftButton);
    QCOMPARE(stage.session.stops, 1);
    std::vector<session::SweepPoint> points;
    for (const std::int64_t value : {1, 2, 4}) points.push_back({value, sweptDocument(value), std::nullopt});
    points.push_back({8, {}, base::Error{base::ErrorCode::OutOfMemory, "there is no memory for it", {}, {}}});
    stage.session.post(session::SweepFinished{"n", points});
    auto* chart = chartOf<SweepChart>(page, "sweep");
    QTRY_VERIFY(chart->sweep() != nullptr);
    QVERIFY(stage.workspace->canRun());
    QVERIFY(bar->problem().contains(QLatin1String("n = 8: there is no memory")));
    // The run of the last value that was measured is shown, and all are saved with their value.
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(3));
    QTRY_COMPARE(bar->saved()->count(), 1);
    QVERIFY(bar->saved()->itemText(0).startsWith(QLatin1String("n = 1, 2, 4")));
    QCOMPARE(bar->saved()->currentIndex(), 0);  // it is the one that is shown
    QCOMPARE(stage.store->runs()->front().tags, std::vector<std::string>{"sweep"});
    QTest::qWait(50);
    keep(*stage.window, QStringLiteral("sweep-window"));
  }

  void failuresAreTold() {
    Stage stage;
    testing::openExecutable(stage);
    auto* page = pageOf(stage);
    page->showSegment(ChartSegment::Sweep);
    QTest::mouseClick(page->sweepBar()->startButton(), Qt::LeftButton);
    QCOMPARE(stage.session.sweeps.size(), std::size_t(1));
    stage.session.post(session::RequestFailed{{base::ErrorCode::Io, "the file is gone", {}, {}}, {}, {}});
    QTRY_COMPARE(page->sweepBar()->problem(), QStringLiteral("the file is gone"));
    QVERIFY(stage.workspace->canRun());
    QVERIFY(chartOf<SweepChart>(page, "sweep")->sweep() == nullptr);
  }

  void aSavedSweepIsShown() {
    Stage stage;
    for (const std::int64_t value : {1, 2, 4, 8})
      stage.store->save(sweptDocument(value), {"n=" + std::to_string(value), {}});
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(4));
    auto* page = pageOf(stage);
    page->showSegment(ChartSegment::Sweep);
    SweepBar* bar = page->sweepBar();
    QTRY_COMPARE(bar->saved()->count(), 1);
    // Nothing is open: it can be shown all the same, but none can be started.
    QVERIFY(!bar->startButton()->isEnabled());
    Q_EMIT bar->saved()->activated(0);
    auto* chart = chartOf<SweepChart>(page, "sweep");
    QTRY_VERIFY(chart->sweep() != nullptr);
    QCOMPARE(chart->sweep()->scaling.values, (std::vector<std::int64_t>{1, 2, 4, 8}));
    chart->bringUpToDate();  // the page is not in sight
    QCOMPARE(chart->lines().size(), std::size_t(8));
  }

  void anotherFileTakesTheSweepAway() {
    Stage stage;
    testing::openExecutable(stage);
    const auto ofWorkspace = stage.session.sink;  // a sweep has a session of its own
    auto* page = pageOf(stage);
    page->showSegment(ChartSegment::Sweep);
    QTest::mouseClick(page->sweepBar()->startButton(), Qt::LeftButton);
    QCOMPARE(stage.session.sweeps.size(), std::size_t(1));
    stage.session.post(session::SweepFinished{
        "n", {{1, sweptDocument(1), std::nullopt}, {2, sweptDocument(2), std::nullopt}}});
    auto* chart = chartOf<SweepChart>(page, "sweep");
    QTRY_VERIFY(chart->sweep() != nullptr);
    stage.session.sink = ofWorkspace;
    auto other = std::make_shared<session::ExecutableInfo>(*testing::syntheticExecutable());
    other->path = "/models/other.so";
    other->hash = "ff112233445566778899aabbccddeeff";
    stage.workspace->openFile(QStringLiteral("/models/other.so"));
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(2));
    stage.session.post(session::ExecutableOpened{other});
    QTRY_COMPARE(stage.workspace->openPath(), QStringLiteral("/models/other.so"));
    QTRY_VERIFY(chart->sweep() == nullptr);
    QVERIFY(page->sweepBar()->problem().isEmpty());
    QCOMPARE(page->sweepBar()->saved()->currentIndex(), -1);
  }

  void aLineChoosesItsOp() {
    Stage stage;
    testing::openExecutable(stage);
    testing::runToEnd(stage);
    auto* page = pageOf(stage);
    page->showSegment(ChartSegment::Sweep);
    page->setSweep(makeSweepView(QStringLiteral("n"), testing::sweptPoints({1, 2, 4})));
    QTest::qWait(60);
    auto* chart = chartOf<SweepChart>(page, "sweep");
    const QPointF point = chart->pointOf(2, 1);
    QTest::mouseClick(chart, Qt::LeftButton, Qt::NoModifier, point.toPoint());
    const OpId op = stage.workspace->selection()->op();
    QVERIFY(!op.isNull());
    const report::Run& run = stage.workspace->run()->run();
    QCOMPARE(run.names[op.name], chart->lines()[2].row->name);
    // Names at the ends of the lines do not lie on each other.
    for (std::size_t i = 0; i < chart->lines().size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double a = chart->lines()[i].name->position->pixelPosition().y();
        const double b = chart->lines()[j].name->position->pixelPosition().y();
        QVERIFY(std::abs(a - b) >= 10);
      }
    }
    auto* growth = chartOf<GrowthChart>(page, "growth");
    QVERIFY(growth->areaOf(op).has_value());
    const auto ops = growth->ops();
    QTest::mouseClick(growth, Qt::LeftButton, Qt::NoModifier, growth->areaOf(ops[3])->center().toPoint());
    QCOMPARE(stage.workspace->selection()->op(), ops[3]);
    chart->setLogarithmic(false);
    QTest::qWait(30);
    keep(*page, QStringLiteral("sweep-linear"));
  }

  void linesHaveTheColourThatIsChosen() {
    Stage stage;
    testing::openExecutable(stage);
    testing::runToEnd(stage);
    auto* page = pageOf(stage);
    page->showSegment(ChartSegment::Sweep);
    page->setSweep(makeSweepView(QStringLiteral("n"), testing::sweptPoints({1, 2, 4})));
    QTest::qWait(60);
    auto* chart = chartOf<SweepChart>(page, "sweep");
    auto* selection = stage.workspace->selection();
    QCOMPARE(selection->colourBy(), ColourBy::Kind);
    for (const ColourBy by : {ColourBy::Kind, ColourBy::Op, ColourBy::Device}) {
      selection->setColourBy(by);
      QVERIFY(chart->lines().size() > 3);
      for (std::size_t i = 1; i < chart->lines().size(); ++i) {
        const SweepChart::Line& line = chart->lines()[i];
        const Fill& fill = by == ColourBy::Kind ? stage.theme.kindFill(report::kindOf(line.row->name))
                           : by == ColourBy::Op ? stage.theme.nameFill(format::fromUtf8(line.row->name))
                                                : stage.theme.deviceFill(0);
        QCOMPARE(line.ink, lineColour(stage.theme, fill));
        // Lines of one colour have marks of their own.
        for (std::size_t j = 1; j < std::min<std::size_t>(i, 5); ++j) {
          if (i < 6 && chart->lines()[j].ink == line.ink)
            QVERIFY(chart->lines()[j].graph->scatterStyle().shape() != line.graph->scatterStyle().shape());
        }
      }
    }
    // Another shape of the same op is the same row of the sweep.
    OpId other = chart->lines()[2].op;
    other.shapes += 1;
    selection->setOp(other);
    QCOMPARE(chart->lines()[2].graph->pen().widthF(), 3.0);
    QVERIFY(chart->lines()[1].graph->pen().widthF() < 3);
  }

  void aReasonForAllRowsStandsOnce() {
    Stage stage;
    auto* page = pageOf(stage);
    page->showSegment(ChartSegment::Sweep);
    auto* growth = chartOf<GrowthChart>(page, "growth");
    page->setSweep(makeSweepView(QStringLiteral("threads"), testing::sweptPoints({1, 2})));
    QCOMPARE(growth->detail(), QStringLiteral("from 3 measured values on the exponent is told"));
    for (const report::ScalingRow& row : growth->sweep()->scaling.rows) {
      QVERIFY(row.tooFewValues);
      QCOMPARE(growth->growthText(row), format::missing());
    }
    page->setSweep(makeSweepView(QStringLiteral("n"), testing::sweptPoints({1, 2, 4})));
    QVERIFY(growth->detail().startsWith(QLatin1String("time grows as n")));
    const report::ScalingRow& total = growth->sweep()->scaling.total;
    QCOMPARE(growth->growthText(total), format::fixed(total.fit->exponent, 2));
  }

  void titlesOfColumnsStandBesideEachOther() {
    Stage stage;
    auto* page = pageOf(stage);
    page->showSegment(ChartSegment::Sweep);
    auto* growth = chartOf<GrowthChart>(page, "growth");
    for (const char* over : {"n", "threads", "a_free_dimension_with_a_long_name"}) {
      page->setSweep(makeSweepView(QString::fromLatin1(over), testing::sweptPoints({1, 65536})));
      for (const double width : {260.0, 420.0, 900.0}) {
        const auto columns = growth->columnsOf(QRectF(12, 0, width, 24), 20);
        QVERIFY(columns.name.left() == 12 && columns.name.width() >= width * 0.15);
        QVERIFY(columns.growth.left() - columns.name.right() >= 8);
        QVERIFY(columns.first.left() - columns.growth.right() >= 8);
        QVERIFY(columns.last.left() - columns.first.right() >= 8);
        QCOMPARE(columns.last.right(), 12 + width);
      }
    }
  }

  void isSavedAsAFile() {
    Stage stage;
    auto* page = pageOf(stage);
    page->showSegment(ChartSegment::Sweep);
    page->setSweep(makeSweepView(QStringLiteral("n"), testing::sweptPoints({1, 2, 4})));
    QSignalSpy written(page, &ChartsPage::picturesWritten);
    for (const char* id : {"sweep", "growth"}) {
      const QString path = stage.folder.filePath(QLatin1String(id) + QStringLiteral(".svg"));
      page->writeChart(page->frame(QLatin1String(id)), PictureFormat::Svg, path);
      QTRY_COMPARE(written.size(), 1);
      QCOMPARE(written.takeFirst().at(1).toString(), QString());
      QFile file(path);
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QByteArray text = file.readAll();
      QVERIFY(QSvgRenderer(text).isValid());
      QVERIFY(text.contains("n = 1, 2, 4"));
    }
  }

  void pictures_data() {
    QTest::addColumn<int>("theme");
    QTest::newRow("light") << int(ThemeChoice::Light);
    QTest::newRow("dark") << int(ThemeChoice::Dark);
    QTest::newRow("contrast") << int(ThemeChoice::HighContrast);
  }

  void pictures() {
    QFETCH(int, theme);
    Stage stage;
    dressApplication(&stage.theme, ThemeChoice(theme));
    testing::openExecutable(stage);
    testing::runToEnd(stage);
    const QString name = QString::fromLatin1(QTest::currentDataTag());
    auto* page = pageOf(stage);
    page->showSegment(ChartSegment::Sweep);
    page->setSweep(makeSweepView(QStringLiteral("n"), testing::sweptPoints({1, 2, 4, 8})));
    QTest::qWait(60);
    QVERIFY(!stage.window->grab().isNull());
    QWidget* control = page->frame(QStringLiteral("sweep"))->chart()->titleControl();
    QVERIFY(control->isVisible() && control->width() >= control->sizeHint().width());
    keep(*stage.window, QStringLiteral("sweep-") + name);
    std::vector<report::ScalingPoint> points;
    for (const std::int64_t value : {1, 2}) points.push_back({value, sweptDocument(value, true)});
    page->setSweep(makeSweepView(QStringLiteral("threads"), points));
    stage.window->resize(900, 600);
    QTest::qWait(60);
    keep(*stage.window, QStringLiteral("sweep-small-") + name);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::SweepTest)
#include "sweep_test.moc"
