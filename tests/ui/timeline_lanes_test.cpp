// SPDX-License-Identifier: GPL-3.0-or-later
// Lanes beside those of calls (threads of the pool, memory, traffic), pinned lanes, the count of hits, and
// the timeline as a file. Numbers are held against plain sums. OPSCOPE_PICTURES keeps the pictures.
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <cmath>
#include <random>
#include <set>

#include "tests/ui/support/nested_run.h"
#include "tests/ui/support/recorded_run.h"
#include "tests/ui/support/timeline_stage.h"
#include "ui/models/format.h"

namespace opscope::ui {

using testing::TimelineStage;
using Group = TimelineRow::Group;

namespace {

/// The curve by hand: all values within [from, to).
CurveColumn columnByHand(const std::vector<report::MemoryPoint>& points, double from, double to) {
  std::size_t first = 0;
  while (first + 1 < points.size() && points[first + 1].ns <= from) ++first;
  CurveColumn column{double(points[first].bytes), double(points[first].bytes)};
  for (std::size_t i = first; i < points.size() && (i == first || points[i].ns < to); ++i) {
    column.lowest = std::min(column.lowest, double(points[i].bytes));
    column.highest = std::max(column.highest, double(points[i].bytes));
  }
  return column;
}

}  // namespace

class TimelineLanesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void threadsAreThoseByHand() {
    const auto document = testing::recordedDocument();
    const report::Run& run = *document.run;
    const TimelinePool pool(run, 3);
    double busy[3] = {}, launches = 0;
    std::size_t count = 0, tasks = 0, idle = 0;
    for (const report::Launch& launch : run.lanes->launches) {
      if (launch.repeat != 3) continue;
      tasks += launch.taskCount;
      if (launch.kind == report::LaunchKind::Nested) continue;
      launches += launch.durationNs;
      ++count;
      idle += launch.kind == report::LaunchKind::Pool && launch.taskCount < launch.tasks ? 1 : 0;
      for (std::uint64_t i = launch.firstTask; i < launch.firstTask + launch.taskCount; ++i) {
        busy[run.lanes->tasks[i].lane] += run.lanes->tasks[i].durationNs;
      }
    }
    QCOMPARE(pool.spans().size(), tasks);
    QCOMPARE(pool.launches(), count);
    QCOMPARE(pool.launchesWithIdle(), idle);
    QVERIFY(std::abs(pool.launchesNs() - launches) < 1e-3);
    QCOMPARE(pool.threads().size(), std::size_t(3));
    for (std::size_t lane = 0; lane < 3; ++lane) {
      QVERIFY(std::abs(pool.threads()[lane].busyNs - busy[lane]) < 1e-3);
      QVERIFY(std::abs(*pool.threads()[lane].usePercent - busy[lane] / launches * 100) < 1e-9);
    }
    QCOMPARE(pool.threads()[0].title, std::string("calling thread"));
    for (std::size_t i = 1; i < pool.spans().size(); ++i)
      QVERIFY(pool.spans()[i - 1].startNs <= pool.spans()[i].startNs);
    QVERIFY(!TimelinePool(*testing::syntheticDocument().run, 0).isRecorded());
  }

  void curvesLoseNoPeak() {
    std::mt19937 random(4);
    for (const std::size_t count :
         {std::size_t(1), std::size_t(2), std::size_t(16), std::size_t(17), std::size_t(5000)}) {
      std::vector<report::MemoryPoint> points;
      double now = 0;
      for (std::size_t i = 0; i < count; ++i) {
        points.push_back({now, std::int64_t(random() % 100000), 0});
        now += random() % 4 == 0 ? 0 : 1 + double(random() % 500);
      }
      const StepCurve curve(points);
      for (int view = 0; view < 40; ++view) {
        const double length = std::max(10.0, now * std::pow(10.0, -double(random() % 300) / 100));
        const double start = std::max(0.0, now - length) * double(random() % 100) / 100;
        const TimeScale scale{start, start + length, double(1 + random() % 300)};
        const auto columns = curve.layout(scale);
        QCOMPARE(columns.size(), std::size_t(scale.width));
        for (std::size_t x = 0; x < columns.size(); ++x) {
          const CurveColumn wanted =
              columnByHand(points, scale.toTime(double(x)), scale.toTime(double(x) + 1));
          QCOMPARE(columns[x].lowest, wanted.lowest);
          QCOMPARE(columns[x].highest, wanted.highest);
        }
      }
    }
    QCOMPARE(StepCurve().valueAt(5), 0.0);
    QVERIFY(StepCurve().layout({0, 10, 5}).empty());
  }

  void rowsOfThreadsAndMemory() {
    TimelineStage stage(testing::recordedDocument());
    QTRY_VERIFY(stage.isReady());
    QStringList titles;
    for (const SceneRow& row : stage.scene().rows) titles << row.title;
    for (const char* title :
         {"Kernel pool", "calling thread", "worker 1", "worker 2", "RPC traffic", "Memory"})
      QVERIFY2(titles.contains(QLatin1String(title)), title);
    // A launch within a task stands below the task.
    QVERIFY(titles.contains(QStringLiteral("within a task")));
    for (const SceneRow& row : stage.scene().rows) {
      if (row.title == QLatin1String("worker 2"))
        QVERIFY(row.note.startsWith(QLatin1String("Never started")));
      if (row.title == QLatin1String("RPC traffic"))
        QVERIFY(row.note.contains(QLatin1String("this computer")));
    }
    const auto& run = stage.view()->timeline()->run();
    double highest = 0;
    for (const report::MemoryPoint& point : run.memory->storage.points) {
      if (point.repeat == 0) highest = std::max(highest, double(point.bytes));
    }
    QCOMPARE(stage.view()->timeline()->storageCurve().highest(), highest);
    stage.keep(QStringLiteral("lanes-whole"));
  }

  void lanesWithoutDataSayWhy() {
    testing::RecordedOptions options;
    options.lanes = options.memory = false;
    TimelineStage stage(testing::recordedDocument(options));
    QTRY_VERIFY(stage.isReady());
    int told = 0;
    for (const SceneRow& row : stage.scene().rows) {
      told += row.note.contains(QLatin1String("Record threads")) ? 1 : 0;
      told += row.note.contains(QLatin1String("Record memory")) ? 1 : 0;
    }
    QCOMPARE(told, 2);
    stage.keep(QStringLiteral("lanes-none"));
    // A report of another program tells nothing of them.
    TimelineStage imported(testing::nestedDocument());
    QTRY_VERIFY(imported.isReady());
    for (const SceneRow& row : imported.scene().rows) QVERIFY(!row.note.contains(QLatin1String("Run menu")));
  }

  void aTaskChoosesItsCall() {
    TimelineStage stage(testing::recordedDocument());
    QTRY_VERIFY(stage.isReady());
    const int row = stage.rowOf(Group::Pool);
    const QPoint point = stage.blockPoint(row);
    stage.send(QEvent::MouseMove, point);
    auto* tip = stage.view()->viewport()->findChild<TimelineTip*>();
    QTRY_VERIFY(tip->isVisible());
    QVERIFY2(tip->text().about.startsWith(QLatin1String("Task 1 of ")), qPrintable(tip->text().about));
    stage.keep(QStringLiteral("lanes-task"));
    QTest::mouseClick(stage.view()->viewport(), Qt::LeftButton, Qt::NoModifier, point);
    QVERIFY(stage.selection.call().has_value());
    const TimelineLane& lane = *stage.scene().rows[std::size_t(row)].lane;
    const std::uint32_t block = lane.nearest(stage.scene().timeAt(point.x()));
    QCOMPARE(*stage.selection.call(), lane.span(block).call);
    // The arrows go from call to call, also where a call has several tasks.
    std::set<std::uint32_t> seen;
    for (int i = 0; i < 60; ++i) {
      stage.key(Qt::Key_Right);
      seen.insert(*stage.selection.call());
    }
    QVERIFY(seen.size() >= 30);
  }

  void memoryTellsUnderTheCursor() {
    TimelineStage stage(testing::recordedDocument());
    QTRY_VERIFY(stage.isReady());
    stage.view()->verticalScrollBar()->setValue(stage.view()->verticalScrollBar()->maximum());
    const int row = stage.rowOf(Group::Memory, SceneRow::Kind::Curve);
    QVERIFY(row >= 0);
    const QRect rect = stage.scene().rowRect(stage.scene().rows[std::size_t(row)]);
    auto* tip = stage.view()->viewport()->findChild<TimelineTip*>();
    QString first;
    for (const int x : {400, 700}) {
      const QPoint point(x, rect.center().y());
      stage.send(QEvent::MouseMove, point);
      QTRY_VERIFY(tip->isVisible());
      const double ns = stage.scene().timeAt(x + 0.5);
      std::int64_t bytes = 0;
      for (const report::MemoryPoint& at : stage.view()->timeline()->run().memory->storage.points) {
        if (at.repeat == 0 && at.ns <= ns) bytes = at.bytes;
      }
      QTRY_COMPARE(tip->text().time, format::bytes(double(bytes)));
    }
    stage.keep(QStringLiteral("lanes-memory"));
  }

  void lanesArePinned() {
    TimelineStage stage(testing::recordedDocument(), {1110, 420});
    QTRY_VERIFY(stage.isReady());
    const int row = stage.rowOfKernels();
    const LaneId lane = *stage.scene().rows[std::size_t(row)].id;
    const QRect rect = stage.scene().rowRect(stage.scene().rows[std::size_t(row)]);
    const QPoint pin(stage.scene().titleWidth() - 14, rect.top() + 12);
    stage.send(QEvent::MouseMove, pin);
    QCOMPARE(stage.scene().hoverTitle, row);
    stage.keep(QStringLiteral("lanes-offer-pin"));
    QTest::mouseClick(stage.view()->viewport(), Qt::LeftButton, Qt::NoModifier, pin);
    QVERIFY(stage.view()->isPinned(lane));
    QVERIFY(stage.scene().rows.front().pinned);
    // It stays while the others scroll.
    const QRect before = stage.scene().rowRect(stage.scene().rows.front());
    QVERIFY(stage.view()->verticalScrollBar()->maximum() > 0);
    stage.view()->verticalScrollBar()->setValue(stage.view()->verticalScrollBar()->maximum());
    QCOMPARE(stage.scene().rowRect(stage.scene().rows.front()), before);
    QVERIFY(stage.scene().rowRect(stage.scene().rows[1]).top() < stage.scene().scrollTop());
    stage.keep(QStringLiteral("lanes-pinned"));
    // Another repeat keeps it, a click on its title lets it go.
    stage.page->showRepeat(2);
    QTRY_VERIFY(stage.isReady(2));
    QVERIFY(stage.view()->isPinned(lane));
    QTest::mouseClick(stage.view()->viewport(), Qt::LeftButton, Qt::NoModifier,
                      before.topLeft() + QPoint(30, 10));
    QVERIFY(!stage.view()->isPinned(lane));
    // By the keyboard, and an op beside it.
    stage.key(Qt::Key_Right);
    stage.key(Qt::Key_P, Qt::ShiftModifier);
    QVERIFY(stage.view()->isPinned(lane));
    stage.key(Qt::Key_P);
    QCOMPARE(std::count_if(stage.scene().rows.begin(), stage.scene().rows.end(),
                           [](const SceneRow& shown) { return shown.pinned; }),
             2);
    QMenu menu;
    stage.view()->fillMenu(&menu, stage.scene().currentRow);
    for (QAction* action : menu.actions()) {
      if (action->text() == QLatin1String("Unpin all")) action->trigger();
    }
    QVERIFY(!stage.scene().rows.front().pinned);
  }

  void groupsFoldOneByOne() {
    TimelineStage stage(testing::recordedDocument());
    QTRY_VERIFY(stage.isReady());
    for (const Group group : {Group::Pool, Group::Memory, Group::Vm}) {
      const SceneRow::Kind kind = group == Group::Memory ? SceneRow::Kind::Curve : SceneRow::Kind::Header;
      const int before = stage.scene().contentHeight();
      const SceneRow& row = stage.scene().rows[std::size_t(stage.rowOf(group, kind))];
      const QPoint title(40, stage.scene().rowRect(row).top() + 10);
      QTest::mouseClick(stage.view()->viewport(), Qt::LeftButton, Qt::NoModifier, title);
      QVERIFY(stage.scene().contentHeight() < before);
    }
    stage.keep(QStringLiteral("lanes-folded"));
  }

  void searchCountsItsHits() {
    const auto document = testing::syntheticDocument();
    TimelineStage stage(document);
    QTRY_VERIFY(stage.isReady());
    const auto told = [&stage]() {
      for (const QLabel* label : stage.page->findChildren<QLabel*>()) {
        if (label->accessibleName() == QLatin1String("Calls found"))
          return label->isVisible() ? label->text() : QString();
      }
      return QString();
    };
    QCOMPARE(told(), QString());
    std::int64_t expected = 0;
    for (const report::Call& call : document.run->calls) {
      expected += document.run->names[call.name].find("batch_norm") != std::string::npos ? 1 : 0;
    }
    stage.page->focusSearch();
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("batch_norm"));
    QCOMPARE(told(), QStringLiteral("%1\u00A0hits").arg(expected));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QCOMPARE(told(), QStringLiteral("1 of %1").arg(expected));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
    QCOMPARE(told(), QStringLiteral("2 of %1").arg(expected));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(told(), QStringLiteral("1 of %1").arg(expected));
    stage.keep(QStringLiteral("lanes-search"));
    stage.selection.setFilter({QStringLiteral("no such op"), false});
    QCOMPARE(told(), QStringLiteral("no hits"));
  }

  void hitsOfManyCallsComeFromTheBackground() {
    testing::SyntheticOptions options;
    options.calls = 600000;
    options.repeats = options.repeatsWanted = 1;
    report::Document document = testing::syntheticDocument(options);
    document.report = {};
    document.reportCalls.clear();
    TimelineStage stage(document);
    QTRY_VERIFY_WITH_TIMEOUT(stage.isReady(), 30000);
    stage.selection.setFilter({QStringLiteral("conv2d"), false});
    QVERIFY(stage.view()->search().active && !stage.view()->search().counted);
    QTRY_VERIFY(stage.view()->search().counted);
    std::size_t expected = 0;
    for (const report::Call& call : document.run->calls) {
      expected += document.run->names[call.name].find("conv2d") != std::string::npos ? 1 : 0;
    }
    QCOMPARE(stage.view()->search().hits, expected);
    stage.key(Qt::Key_Period);
    QCOMPARE(stage.view()->search().current, std::size_t(1));
  }

  void stepsFollowCallsThatWereMade() {
    // Repeat 1 leaves out every third call; steps go over what is there, both ways.
    auto document = testing::nestedDocument({400, 2, 3, true});
    auto run = std::make_shared<report::Run>(*document.run);
    std::erase_if(run->spans,
                  [](const report::Span& span) { return span.repeat == 1 && span.call % 3 == 0; });
    document.run = run;
    TimelineStage stage(document);
    QTRY_VERIFY(stage.isReady());
    stage.page->showRepeat(1);
    QTRY_VERIFY(stage.isReady(1));
    std::vector<std::uint32_t> expected, seen;
    for (const report::Span& span : run->spans) {
      const report::Call& call = run->calls[span.call];
      if (span.repeat == 1 && opOf(call) == OpId{0, 0, 0}) expected.push_back(span.call);
    }
    stage.selection.setOp({0, 0, 0});
    stage.view()->fitAll();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      stage.key(Qt::Key_Period);
      seen.push_back(*stage.selection.call());
    }
    QCOMPARE(seen, expected);
    stage.key(Qt::Key_Period);
    QCOMPARE(*stage.selection.call(), expected.back());
    stage.key(Qt::Key_Comma);
    QCOMPARE(*stage.selection.call(), expected[expected.size() - 2]);
  }

  void pageKeysTurnRepeats() {
    TimelineStage stage(testing::nestedDocument({300, 3, 3, true}));
    QTRY_VERIFY(stage.isReady());
    stage.key(Qt::Key_PageDown);
    QTRY_VERIFY(stage.isReady(1));
    stage.key(Qt::Key_PageUp);
    QTRY_VERIFY(stage.isReady(0));
    stage.key(Qt::Key_PageUp);
    QVERIFY(stage.isReady(0));
  }

  void aReportWithoutCallsSaysSo() {
    auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
    run->calls.clear();
    TimelineStage stage(report::makeDocument(run));
    const auto shown = [&]() {
      for (const Text* text : stage.page->findChildren<Text*>()) {
        if (text->isVisible() && text->text() == QStringLiteral("No calls")) return true;
      }
      return false;
    };
    QTRY_VERIFY(shown());
    QVERIFY(!stage.view()->isVisible());
    stage.page->setDocument(testing::syntheticDocument());
    QTRY_VERIFY(stage.isReady());
    QVERIFY(!shown() && stage.view()->isVisible());
  }

  void thePillOfTheRangeIsSeenUnderTheCursor() {
    TimelineStage stage(testing::recordedDocument());
    QTRY_VERIFY(stage.isReady());
    const double length = stage.view()->timeline()->totalNs();
    stage.selection.setRange(TimeRange{length * 0.3, length * 0.6, 0});
    const QRgb accent = stage.look.colours().accent.rgb();
    const auto pill = [&]() {
      const QImage image = stage.view()->viewport()->grab(stage.scene().ruler()).toImage();
      int points = 0;
      for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) points += image.pixel(x, y) == accent ? 1 : 0;
      }
      return points;
    };
    const int before = pill();
    QVERIFY(before > 100);
    const int middle = stage.scene().xOf(length * 0.45);
    for (const int x : {middle - 20, middle, middle + 20}) {
      stage.send(QEvent::MouseMove, {x, stage.scene().lanesTop() + 30});
      QVERIFY(stage.scene().cursorX.has_value());
      QCOMPARE(pill(), before);
    }
  }

  void isSavedAsAFile() {
    QTemporaryDir folder;
    TimelineStage stage(testing::recordedDocument(), {1110, 420}, ThemeChoice::Dark);
    QTRY_VERIFY(stage.isReady());
    stage.selection.setRange(TimeRange{1e6, 4e6, 0});
    QSignalSpy written(stage.page.get(), &TimelinePage::pictureWritten);
    QSignalSpy noticed(stage.page.get(), &TimelinePage::noticed);
    for (const PictureFormat format : kPictureFormats) {
      const QString path = folder.filePath(QStringLiteral("timeline.") + pictureSuffix(format));
      stage.page->writePictureTo(path, format);
      QTRY_VERIFY(!written.isEmpty());
      QCOMPARE(written.takeFirst().at(1).toString(), QString());
      // The status bar says so: there is nothing to close by hand.
      QCOMPARE(noticed.size(), 1);
      QVERIFY(noticed.takeFirst().at(0).toString().startsWith(QStringLiteral("Saved ")));
      for (const InfoBar* bar : stage.page->findChildren<InfoBar*>()) QVERIFY(!bar->isVisible());
      QVERIFY(QFileInfo(path).size() > 4000);
      keepFile(path);
    }
    const QImage png(folder.filePath(QStringLiteral("timeline.png")));
    QVERIFY(png.width() > 2 * 1000);
    QCOMPARE(png.pixelColor(3, 3), QColor(stage.look.lightColours().base));
    QFile svg(folder.filePath(QStringLiteral("timeline.svg")));
    QVERIFY(svg.open(QIODevice::ReadOnly));
    const QByteArray text = svg.readAll();
    QVERIFY(QSvgRenderer(text).isValid());
    for (const char* word : {"Timeline", "conv2d", "worker 1", "Memory", "shufflenet.so"})
      QVERIFY2(text.contains(word), word);
    QVERIFY2(differenceOf(png, text) < 8, qPrintable(QString::number(differenceOf(png, text))));
    // All rows are in it, also those that are scrolled away on screen: its height shows them.
    QVERIFY(QSvgRenderer(text).defaultSize().height() > 420);
    QVERIFY(!text.contains("nan") && !text.contains("inf\""));
    QFile pdf(folder.filePath(QStringLiteral("timeline.pdf")));
    QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.read(5) == "%PDF-");
    stage.page->writePictureTo(QStringLiteral("/no/such/folder/x.png"), PictureFormat::Png);
    QTRY_VERIFY(!written.isEmpty());
    QVERIFY(!written.takeFirst().at(1).toString().isEmpty());
  }

  void pictures_data() {
    QTest::addColumn<int>("theme");
    QTest::addColumn<QSize>("size");
    for (const auto& [name, theme] :
         {std::pair("light", ThemeChoice::Light), std::pair("dark", ThemeChoice::Dark),
          std::pair("contrast", ThemeChoice::HighContrast)}) {
      QTest::newRow(name) << int(theme) << QSize(1110, 750);
      QTest::newRow(qPrintable(QStringLiteral("%1-small").arg(QLatin1String(name))))
          << int(theme) << QSize(860, 470);
    }
  }

  void pictures() {
    QFETCH(int, theme);
    QFETCH(QSize, size);
    testing::RecordedOptions options;
    options.run.longNames = size.width() < 900;
    TimelineStage stage(testing::recordedDocument(options), size, ThemeChoice(theme));
    QTRY_VERIFY(stage.isReady());
    const double total = stage.view()->timeline()->totalNs();
    stage.selection.setOp({0, 0, 0});
    stage.key(Qt::Key_P);
    stage.view()->showTimes(total * 0.1, total * 0.4, 0);
    stage.selection.setRange(TimeRange{total * 0.2, total * 0.26, 0});
    QTRY_VERIFY(stage.view()->timeline() != nullptr);
    QTest::qWait(80);
    QVERIFY(!stage.page->grab().isNull());
    stage.keep(QStringLiteral("lanes-page-%1").arg(QLatin1String(QTest::currentDataTag())));
  }

 private:
  /// Mean difference of a channel between a picture and the same as SVG, drawn at its size.
  double differenceOf(const QImage& png, const QByteArray& svg) {
    QImage drawn(png.size(), QImage::Format_RGB32);
    drawn.fill(Qt::white);
    QPainter painter(&drawn);
    QSvgRenderer(svg).render(&painter);
    painter.end();
    double sum = 0;
    for (int y = 0; y < png.height(); ++y) {
      for (int x = 0; x < png.width(); ++x) {
        const QColor a = png.pixelColor(x, y), b = drawn.pixelColor(x, y);
        sum += std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
      }
    }
    const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (!folder.isEmpty()) drawn.save(folder + QStringLiteral("/timeline-svg.png"));
    return sum / 3 / png.width() / png.height();
  }

  void keepFile(const QString& path) {
    const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (folder.isEmpty()) return;
    const QString kept = folder + QLatin1Char('/') + QFileInfo(path).fileName();
    QFile::remove(kept);
    QVERIFY(QFile::copy(path, kept));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TimelineLanesTest)
#include "timeline_lanes_test.moc"
