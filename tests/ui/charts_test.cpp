// SPDX-License-Identifier: GPL-3.0-or-later
// The Charts page: what it shows, choosing by mouse and keyboard, saved pictures. With the environment
// variable OPSCOPE_PICTURES naming a folder the pictures are kept there.
#include <QComboBox>
#include <QDir>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>
#include <cmath>

#include "engine/report/run_report.h"
#include "tests/ui/support/synthetic_run.h"
#include "ui/models/chart_data.h"
#include "ui/views/charts/kind_chart.h"
#include "ui/views/charts/op_bars_chart.h"
#include "ui/views/charts/repeat_chart.h"
#include "ui/views/charts/spread_chart.h"
#include "ui/views/charts/treemap_chart.h"
#include "ui/views/charts_page.h"

namespace opscope::ui {
namespace {

/// A document with one call for each of `times`, measured `repeats` times.
report::Document documentOf(const std::vector<std::pair<std::string, double>>& timesUs,
                            std::uint32_t repeats) {
  auto run = std::make_shared<report::Run>();
  run->function = "main";
  run->repeats = run->repeatsWanted = repeats;
  run->devices = {"cpu0"};
  run->steps = {"main"};
  run->totals.push_back({"cpu0", std::vector<double>(repeats, 0)});
  report::Document document;
  for (std::size_t i = 0; i < timesUs.size(); ++i) {
    run->names.push_back(timesUs[i].first);
    report::Call call;
    call.name = std::uint32_t(i);
    call.device = 0;
    call.firstSample = run->ownNs.size();
    call.sampleCount = repeats;
    call.inReport = call.kernel = true;
    for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
      run->ownNs.push_back(timesUs[i].second * 1000);
      run->inclusiveNs.push_back(timesUs[i].second * 1000);
      run->sampleRepeat.push_back(repeat);
      run->totals[0].totalNs[repeat] += timesUs[i].second * 1000;
    }
    run->calls.push_back(call);
    document.reportCalls.push_back(std::uint32_t(i));
  }
  document.run = run;
  return document;
}

/// Different colours of every third pixel.
int colourCount(const QImage& image) {
  QSet<QRgb> colours;
  for (int y = 0; y < image.height(); y += 3) {
    for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
  }
  return int(colours.size());
}

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A page as the window has it.
struct Fixture {
  Theme theme;
  Selection selection;
  Background background;
  ChartsPage page{{&theme, &selection, &background}};

  explicit Fixture(const QSize& size = {1340, 740}) {
    theme.choose(ThemeChoice::Light);
    page.resize(size);
  }
  void show(const report::Document& document) {
    QApplication::setPalette(theme.palette());
    page.setDocument(document);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QTest::qWait(30);
  }
  template <class T>
  T* chart(const char* id) {
    return qobject_cast<T*>(page.frame(QString::fromLatin1(id))->chart());
  }
};

}  // namespace

class ChartsTest : public QObject {
  Q_OBJECT

 private:
  void keep(const QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (!folder.isEmpty())
      QVERIFY(const_cast<QWidget&>(widget).grab().save(folder + QLatin1Char('/') + name));
  }

 private Q_SLOTS:
  void coloursFollowWhatIsChosen() {
    Fixture fixture;
    fixture.show(testing::syntheticDocument());
    auto* choice = fixture.page.findChild<QComboBox*>();
    QVERIFY(choice != nullptr && choice->count() == 3);
    const auto drawn = [&](const char* id) {
      QTest::qWait(50);  // plots are drawn from the event loop
      return fixture.page.frame(QString::fromLatin1(id))->chart()->grab().toImage();
    };
    for (const char* id : {"time-by-op", "treemap"}) {
      fixture.selection.setColourBy(ColourBy::Kind);
      const QImage byKind = drawn(id);
      choice->setCurrentIndex(1);
      QCOMPARE(fixture.selection.colourBy(), ColourBy::Device);
      const QImage byDevice = drawn(id);
      choice->setCurrentIndex(2);
      const QImage byOp = drawn(id);
      QVERIFY2(byKind != byDevice && byDevice != byOp && byOp != byKind, id);
      fixture.selection.setColourBy(ColourBy::Kind);
      QCOMPARE(choice->currentIndex(), 0);
      QVERIFY2(drawn(id) == byKind, id);
    }
    // One device: one colour.
    fixture.selection.setColourBy(ColourBy::Device);
    const QColor only = fixture.theme.deviceFill(0).fill;
    const QImage image = drawn("treemap");
    QCOMPARE(image.pixelColor(image.width() / 4, image.height() / 2), only);
  }

  void chartsTellTheRun() {
    Fixture fixture;
    const auto document = testing::syntheticDocument();
    fixture.show(document);
    const auto view = makeRunView(document);
    const auto& bars = fixture.chart<OpBarsChart>("time-by-op")->bars();
    QCOMPARE(bars.bars.size(), std::size_t(14));
    QCOMPARE(bars.moreGroups, view->byOp.rows.size() - 14);
    QCOMPARE(bars.bars.front().us, view->byOp.rows.front().durationUs);
    QCOMPARE(fixture.chart<KindChart>("time-by-kind")->shares().totalUs, view->byOp.totals.totalUs);
    QCOMPARE(fixture.chart<RepeatChart>("total-against-repeat")->values(), view->figures.totalsUs);
    const auto* spread = fixture.chart<SpreadChart>("spread");
    QVERIFY(spread->spread().overRepeats);
    QCOMPARE(spread->spread().samplesUs.size(), std::size_t(30));
    keep(fixture.page, QStringLiteral("charts-light.png"));
  }

  void theWholeShareStandsAtATick() {
    Fixture fixture;
    fixture.show(testing::syntheticDocument());
    const auto* plot = fixture.chart<OpBarsChart>("time-by-op")->findChild<QCustomPlot*>();
    const double whole = plot->xAxis2->coordToPixel(100);
    const auto ticks = plot->xAxis->tickVector();
    QVERIFY(std::any_of(ticks.begin(), ticks.end(), [&](double tick) {
      return std::abs(plot->xAxis->coordToPixel(tick) - whole) < 0.5;
    }));
    QVERIFY(!plot->plottingHints().testFlag(QCP::phCacheLabels));
  }

  void chartsOfRepeatsShareTheirAxis() {
    Fixture fixture;
    fixture.show(testing::syntheticDocument());
    fixture.page.showSegment(ChartSegment::AgainstRepeat);
    QTest::qWait(60);
    const auto areaOf = [&](const char* id) {
      return fixture.chart<RepeatChart>(id)->findChild<QCustomPlot*>()->axisRect()->rect();
    };
    QCOMPARE(areaOf("total-against-repeat").left(), areaOf("op-against-repeat").left());
    QCOMPARE(areaOf("total-against-repeat").right(), areaOf("op-against-repeat").right());
    auto* plot = fixture.chart<RepeatChart>("total-against-repeat")->findChild<QCustomPlot*>();
    QCOMPARE(plot->graph(0)->pen().color(), fixture.theme.colours().text);
    // The values take most of the height.
    const auto& values = fixture.chart<RepeatChart>("total-against-repeat")->values();
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    QVERIFY((*high - *low) / 1000 > 0.55 * plot->yAxis->range().size());
  }

  void oneRepeatSpreadsOverCalls() {
    Fixture fixture;
    testing::SyntheticOptions options;
    options.repeats = options.repeatsWanted = 1;
    fixture.show(testing::syntheticDocument(options));
    const auto* spread = fixture.chart<SpreadChart>("spread");
    QVERIFY(!spread->spread().overRepeats);
    QVERIFY(spread->detail().contains(QStringLiteral("call")));
    QVERIFY(!fixture.chart<Chart>("total-against-repeat")->emptyText().isEmpty());
    keep(fixture.page, QStringLiteral("charts-one-repeat.png"));
  }

  void clickChoosesEverywhere() {
    Fixture fixture;
    const auto document = testing::syntheticDocument();
    fixture.show(document);
    for (const char* id : {"time-by-op", "treemap", "time-by-kind"}) {
      auto* chart = fixture.chart<Chart>(id);
      const auto ops = chart->ops();
      QVERIFY(ops.size() > 3);
      for (const std::size_t place : {std::size_t(2), std::size_t(0)}) {
        const auto area = chart->areaOf(ops[place]);
        QVERIFY2(area.has_value(), id);
        QTest::mouseClick(chart, Qt::LeftButton, {}, area->center().toPoint());
        QVERIFY2(fixture.selection.op() == ops[place], id);
        const auto details = detailsOf(*makeRunView(document), ops[place]);
        QVERIFY(fixture.chart<Chart>("spread")->title().endsWith(details->name));
        QVERIFY(chart->accessibleDescription().startsWith(details->name.left(20)));
      }
    }
  }

  void arrowKeysGoFromOpToOp() {
    Fixture fixture;
    fixture.show(testing::syntheticDocument());
    for (const char* id : {"time-by-op", "treemap", "time-by-kind"}) {
      fixture.selection.setOp({});
      auto* chart = fixture.chart<Chart>(id);
      const auto ops = chart->ops();
      QTest::keyClick(chart, Qt::Key_Down);
      QVERIFY2(fixture.selection.op() == ops[0], id);
      QTest::keyClick(chart, Qt::Key_Down);
      QVERIFY2(fixture.selection.op() == ops[1], id);
      QTest::keyClick(chart, Qt::Key_Up);
      QVERIFY2(fixture.selection.op() == ops[0], id);
      QTest::keyClick(chart, Qt::Key_End);
      QVERIFY2(fixture.selection.op() == ops.back(), id);
      QTest::keyClick(chart, Qt::Key_Down);
      QVERIFY2(fixture.selection.op() == ops.back(), id);
    }
  }

  void treemapGoesInAndOut() {
    Fixture fixture;
    fixture.show(testing::syntheticDocument());
    auto* treemap = fixture.chart<TreemapChart>("treemap");
    const auto ops = treemap->ops();
    QTest::mouseDClick(treemap, Qt::LeftButton, {}, treemap->areaOf(ops[0])->center().toPoint());
    QVERIFY(treemap->inside().has_value());
    QVERIFY(treemap->ops().size() < ops.size());
    QVERIFY(treemap->detail().contains(QStringLiteral("Backspace")));
    keep(fixture.page, QStringLiteral("charts-inside.png"));
    QTest::keyClick(treemap, Qt::Key_Backspace);
    QVERIFY(!treemap->inside().has_value());
    fixture.selection.setOp(ops[0]);
    QTest::keyClick(treemap, Qt::Key_Return);
    QVERIFY(treemap->inside().has_value());
    fixture.selection.setOp(fixture.chart<KindChart>("time-by-kind")->ops().back());  // of another kind
    QVERIFY(!treemap->inside().has_value());
  }

  void everythingHasAHoverText() {
    Fixture fixture;
    fixture.show(testing::syntheticDocument());
    for (ChartFrame* frame : fixture.page.frames()) {
      if (frame->entry().segment != ChartSegment::TimeByOp) continue;
      const QPoint middle = frame->chart()->rect().center();
      QHelpEvent help(QEvent::ToolTip, middle, frame->chart()->mapToGlobal(middle));
      QCoreApplication::sendEvent(frame->chart(), &help);
      QVERIFY2(!QToolTip::text().isEmpty(), frame->entry().id);
      for (const char* bad : {"nan", "inf", "-0.0"}) QVERIFY(!QToolTip::text().contains(QLatin1String(bad)));
      QToolTip::hideText();
    }
  }

  void paintsEveryState_data() {
    QTest::addColumn<QString>("state");
    QTest::addColumn<int>("theme");
    QTest::addColumn<QSize>("size");
    const QSize wide(1340, 740), narrow(700, 700);
    QTest::newRow("dark") << QStringLiteral("usual") << int(ThemeChoice::Dark) << wide;
    QTest::newRow("selected") << QStringLiteral("selected") << int(ThemeChoice::Light) << wide;
    QTest::newRow("selected-dark") << QStringLiteral("selected") << int(ThemeChoice::Dark) << wide;
    QTest::newRow("contrast") << QStringLiteral("selected") << int(ThemeChoice::HighContrast) << wide;
    QTest::newRow("ecdf") << QStringLiteral("ecdf") << int(ThemeChoice::Light) << wide;
    QTest::newRow("drift") << QStringLiteral("drift") << int(ThemeChoice::Light) << wide;
    QTest::newRow("drift-dark") << QStringLiteral("drift") << int(ThemeChoice::Dark) << wide;
    QTest::newRow("narrow") << QStringLiteral("usual") << int(ThemeChoice::Light) << narrow;
    QTest::newRow("long") << QStringLiteral("long") << int(ThemeChoice::Light) << wide;
    QTest::newRow("enlarged") << QStringLiteral("enlarged") << int(ThemeChoice::Light) << wide;
    QTest::newRow("tiny") << QStringLiteral("usual") << int(ThemeChoice::Light) << QSize(170, 300);
  }

  void paintsEveryState() {
    QFETCH(QString, state);
    QFETCH(int, theme);
    QFETCH(QSize, size);
    Fixture fixture(size);
    fixture.theme.choose(ThemeChoice(theme));
    testing::SyntheticOptions options;
    options.longNames = state == QLatin1String("long");
    fixture.show(testing::syntheticDocument(options));
    if (state == QLatin1String("selected")) {
      const auto ops = fixture.chart<Chart>("time-by-op")->ops();
      fixture.selection.setOp(ops[1]);
    }
    if (state == QLatin1String("ecdf"))
      fixture.chart<SpreadChart>("spread")->setForm(SpreadChart::Form::Ecdf);
    if (state == QLatin1String("drift")) fixture.page.showSegment(ChartSegment::AgainstRepeat);
    if (state == QLatin1String("enlarged"))
      fixture.page.enlarge(fixture.page.frame(QStringLiteral("treemap")));
    QTest::qWait(60);
    QVERIFY(colourCount(fixture.page.grab().toImage()) > (size.width() < 300 ? 2 : 12));
    keep(fixture.page, QStringLiteral("charts-%1.png").arg(QString::fromLatin1(QTest::currentDataTag())));
  }

  void strangeDocuments() {
    std::vector<std::pair<std::string, double>> many;
    for (int i = 0; i < 100000; ++i) many.emplace_back("op" + std::to_string(i), 1e6 / (1.0 + i));
    const std::vector<report::Document> documents = {
        documentOf({}, 0),
        documentOf({}, 3),
        documentOf({{"conv2d", 5}}, 1),
        documentOf({{"conv2d", 5}}, 9),
        documentOf({{"conv2d", 0}, {"add", 0}}, 4),
        documentOf({{"conv2d", 1e-4}, {"add", 1e9}}, 20),
        documentOf({{std::string(20000, 'x'), 5}, {"", 1}, {"\xff\xfe_<b>", 2}}, 3),
        documentOf(many, 2),
    };
    int number = 0;
    for (const report::Document& document : documents) {
      Fixture fixture;
      QElapsedTimer timer;
      timer.start();
      fixture.show(document);
      fixture.page.showSegment(ChartSegment::AgainstRepeat);
      QTest::qWait(30);
      fixture.page.showSegment(ChartSegment::TimeByOp);
      for (ChartFrame* frame : fixture.page.frames()) {
        const QString texts =
            frame->chart()->title() + frame->chart()->detail() + frame->chart()->accessibleName();
        for (const char* bad : {"nan", "inf", "-0.0"})
          QVERIFY2(!texts.contains(QLatin1String(bad)), qPrintable(texts));
      }
      if (!document.run->calls.empty()) QTest::keyClick(fixture.chart<Chart>("time-by-op"), Qt::Key_Down);
      QTest::qWait(30);
      keep(fixture.page, QStringLiteral("charts-strange%1.png").arg(number++));
      fixture.page.setDocument({});
    }
  }

  void manySmallGroupsLeaveTheBarsTheirLength() {
    Fixture fixture;
    auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
    // Each op's calls become ops of their own: the rest is many times the longest.
    const std::size_t names = run->names.size();
    for (std::size_t copy = 1; copy < 200; ++copy) {
      for (std::size_t i = 0; i < names; ++i) run->names.push_back(run->names[i] + std::to_string(copy));
    }
    const std::vector<report::Call> calls = run->calls;
    for (std::size_t copy = 1; copy < 200; ++copy) {
      for (report::Call call : calls) {
        call.name += std::uint32_t(copy * names);
        run->calls.push_back(call);
      }
    }
    fixture.show(report::makeDocument(run));
    auto* chart = fixture.chart<OpBarsChart>("time-by-op");
    const OpBars& bars = chart->bars();
    QVERIFY(bars.moreUs > 20 * bars.bars.front().us);
    auto* plot = chart->findChild<QCustomPlot*>();
    const double end = plot->xAxis->coordToPixel(plot->xAxis->range().upper);
    const auto* first = qobject_cast<QCPBars*>(plot->plottable(0));
    QVERIFY(first != nullptr);
    const double length = plot->xAxis->coordToPixel(first->data()->begin()->value);
    QVERIFY2(length > plot->xAxis->coordToPixel(0) + 0.7 * (end - plot->xAxis->coordToPixel(0)),
             "the longest op has most of the width");
  }

  void savesEveryChartInEveryFormat() {
    Fixture fixture;
    fixture.theme.choose(ThemeChoice::Dark);
    fixture.show(testing::syntheticDocument());
    fixture.page.setSweep(makeSweepView(
        QStringLiteral("n"), {{1, testing::syntheticDocument()}, {2, testing::syntheticDocument()}}));
    QTemporaryDir folder;
    for (const PictureFormat format : kPictureFormats) {
      QSignalSpy written(&fixture.page, &ChartsPage::picturesWritten);
      fixture.page.writeAllCharts(format, folder.path());
      QVERIFY(written.wait(60000));
      QCOMPARE(written[0][1].toString(), QString());
      QCOMPARE(written[0][0].toStringList().size(), qsizetype(charts().size()));
    }
    for (ChartFrame* frame : fixture.page.frames()) {
      const auto path = [&](PictureFormat format) {
        return folder.filePath(fixture.page.fileNameOf(*frame, format));
      };
      const QImage png(path(PictureFormat::Png));
      QVERIFY(!png.isNull());
      QCOMPARE(png.pixel(0, 0),
               fixture.theme.lightColours().base.rgb());  // light, although the window is dark
      QVERIFY(colourCount(png) > 8);
      QSvgRenderer svg(path(PictureFormat::Svg));
      QVERIFY(svg.isValid());
      QImage drawn(svg.defaultSize(), QImage::Format_RGB32);
      QCOMPARE(svg.viewBoxF().size() * 2, QSizeF(png.size()));
      drawn.fill(Qt::magenta);
      QPainter painter(&drawn);
      svg.render(&painter);
      painter.end();
      QVERIFY(colourCount(drawn) > 8);
      const QByteArray text = contentOf(path(PictureFormat::Svg));
      QXmlStreamReader xml(text);
      while (!xml.atEnd()) xml.readNext();
      QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
      QVERIFY(text.contains(frame->chart()->title().toHtmlEscaped().toUtf8()));
      const bool isBars = frame->chart()->inherits("opscope::ui::OpBarsChart");
      QVERIFY(!isBars || (text.contains("0 %") && text.contains("100 %")));  // both ends of the axis
      QVERIFY(!text.contains("\"nan") && !text.contains("\"inf"));
      const QByteArray pdf = contentOf(path(PictureFormat::Pdf));
      QVERIFY(pdf.startsWith("%PDF-") && pdf.trimmed().endsWith("%%EOF"));
      QVERIFY(pdf.size() > 3000);
      QVERIFY(pdf.contains("/FontFile") || pdf.contains("/Font"));
    }
    const QString keepFolder = qEnvironmentVariable("OPSCOPE_PICTURES");
    for (const QString& name : QDir(folder.path()).entryList(QDir::Files)) {
      if (!keepFolder.isEmpty()) QFile::copy(folder.filePath(name), keepFolder + QLatin1Char('/') + name);
    }
  }

  void captionTellsRunAndDate() {
    auto document = testing::syntheticDocument();
    auto run = std::make_shared<report::Run>(*document.run);
    run->executablePath = "/models/shufflenet.so";
    run->function = "main";
    run->startedAt = "2026-01-02T12:34:56Z";
    document.run = run;
    QCOMPARE(pictureCaption(*makeRunView(document)),
             QStringLiteral("shufflenet.so · main · 30 repeats · 2026-01-02 12:34 UTC"));
    run->startedAt.clear();
    QVERIFY(pictureCaption(*makeRunView(document)).contains(QStringLiteral("saved 2")));
  }

  void failingSaveLeavesNothingAndTellsWhy() {
    Fixture fixture;
    fixture.show(testing::syntheticDocument());
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("taken.png")));  // a folder stands where the file should
    QSignalSpy written(&fixture.page, &ChartsPage::picturesWritten);
    ChartFrame* frame = fixture.page.frame(QStringLiteral("treemap"));
    fixture.page.writeChart(frame, PictureFormat::Png, folder.filePath(QStringLiteral("taken.png")));
    QVERIFY(written.wait(60000));
    fixture.page.writeChart(frame, PictureFormat::Svg, folder.filePath(QStringLiteral("none/chart.svg")));
    QVERIFY(written.wait(60000));
    for (const auto& signal : written) {
      QVERIFY(signal[0].toStringList().isEmpty());
      QVERIFY(!signal[1].toString().isEmpty());
    }
    QVERIFY(written[0][1].toString().contains(QStringLiteral("taken.png")));
    QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden),
             QStringList{QStringLiteral("taken.png")});
    const auto bars = fixture.page.findChildren<InfoBar*>();
    QVERIFY(std::any_of(bars.begin(), bars.end(), [](const InfoBar* bar) {
      return bar->isVisible() && bar->accessibleName().contains(QStringLiteral("Nothing was saved"));
    }));
    keep(fixture.page, QStringLiteral("charts-failed.png"));
  }

  void layoutFollowsTheWidth() {
    Fixture fixture({1340, 740});
    fixture.show(testing::syntheticDocument());
    const auto left = [&](const char* id) { return fixture.page.frame(QString::fromLatin1(id))->x(); };
    QVERIFY(left("treemap") > left("time-by-op"));
    fixture.page.resize(800, 700);
    QTest::qWait(60);
    QCOMPARE(left("treemap"), left("time-by-op"));
    ChartFrame* frame = fixture.page.frame(QStringLiteral("treemap"));
    const auto isTooSmall = [&]() { return !frame->chart()->isVisible(); };
    QVERIFY(!isTooSmall());
    frame->setMaximumWidth(120);
    QTest::qWait(60);
    QVERIFY(isTooSmall());
    auto buttons = frame->findChildren<QPushButton*>();
    const auto enlarge = std::find_if(buttons.begin(), buttons.end(), [](const QPushButton* button) {
      return button->text() == QLatin1String("Enlarge") && button->isVisible();
    });
    QVERIFY(enlarge != buttons.end());
    frame->setMaximumWidth(QWIDGETSIZE_MAX);
    fixture.page.resize(1340, 740);
    fixture.page.enlarge(frame);
    QTest::qWait(60);
    QVERIFY(frame->isVisible() && !fixture.page.frame(QStringLiteral("spread"))->isVisible());
    QTest::keyClick(frame->chart(), Qt::Key_Escape);
    QVERIFY(fixture.page.frame(QStringLiteral("spread"))->isVisible());
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::ChartsTest)
#include "charts_test.moc"
