// SPDX-License-Identifier: GPL-3.0-or-later
// Formatter, selection, the Ops model and the tree: what cells say, how they sort and filter.
#include <QAbstractItemModelTester>
#include <QtTest>
#include <limits>

#include "engine/report/run_report.h"
#include "tests/ui/support/synthetic_run.h"
#include "ui/models/again_plan.h"
#include "ui/models/executable_tree_model.h"
#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/models/recent_files.h"
#include "ui/models/run_view.h"
#include "ui/models/table_text.h"
#include "ui/models/window_words.h"

namespace opscope::ui {
namespace {

const QString kThin(QChar(0x202F));

int columnOf(const OpsModel& model, const char* title) {
  for (int i = 0; i < model.columnCount(); ++i) {
    if (model.headerData(i, Qt::Horizontal, Qt::DisplayRole).toString() == QString::fromUtf8(title)) return i;
  }
  return -1;
}

}  // namespace

class ModelsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void numbersAsPeopleReadThem() {
    QCOMPARE(format::microseconds(45078.26), QStringLiteral("45") + kThin + QStringLiteral("078.3"));
    QCOMPARE(format::microseconds(999.95), QStringLiteral("1") + kThin + QStringLiteral("000.0"));
    QCOMPARE(format::microseconds(0.01), QStringLiteral("<0.1"));
    QCOMPARE(format::percent(42.056), QStringLiteral("42.06"));
    QCOMPARE(format::percent(0.001), QStringLiteral("<0.01"));
    QCOMPARE(format::percent(131.0), QStringLiteral("100.00"));
    QCOMPARE(format::percent(-3.0), QStringLiteral("0.00"));
    QCOMPARE(format::integer(-29355),
             QString(QChar(0x2212)) + QStringLiteral("29") + kThin + QStringLiteral("355"));
    QCOMPARE(format::fixed(-0.001, 2), QStringLiteral("0.00"));
    QCOMPARE(format::bytes(884736), QString::fromUtf8("864\u00A0KiB"));
    QCOMPARE(format::duration(107170).text(), QString::fromUtf8("107.2\u00A0ms"));
    QCOMPARE(format::duration(12.5e6).unit, QStringLiteral("s"));
  }

  void nothingThatIsNoNumberIsShown() {
    const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity(), -1.0};
    for (const double value : bad) {
      QCOMPARE(format::microseconds(value), format::missing());
      QCOMPARE(format::duration(value).text(), format::missing());
      QVERIFY(!format::fixed(value, 1).contains(QLatin1String("n"), Qt::CaseInsensitive));
      QVERIFY(!format::percent(value).contains(QLatin1String("n"), Qt::CaseInsensitive));
    }
    QCOMPARE(format::plain(std::numeric_limits<double>::quiet_NaN()), QString());
    QCOMPARE(format::plain(0.1), QStringLiteral("0.1"));
  }

  void textsFromOutsideDoNotTurnTheirSurroundings() {
    QCOMPARE(format::fromUtf8("conv\xE2\x80\xAE"
                              "2d"),
             QStringLiteral("conv\\u202e2d"));
    QCOMPARE(format::fromUtf8("two\nlines\x1b"), QStringLiteral("two\\nlines\\x1b"));
    QCOMPARE(format::shown(QStringLiteral("Größe \u6A21\u578B")), QStringLiteral("Größe \u6A21\u578B"));
    QCOMPARE(format::shownLines(QStringLiteral("a\nb\u2067")), QStringLiteral("a\nb\\u2067"));
    QCOMPARE(format::shortPath(QStringLiteral("/m/a\u202Eos.so")), QStringLiteral("/m/a\\u202eos.so"));
    const base::Error error{base::ErrorCode::Io, "first\nsecond", "with \xE2\x80\xAE", ""};
    QCOMPARE(format::errorLines(error), QStringLiteral("first\nsecond\nwith \\u202e"));
  }

  void noiseHasOneFormAndIsNeverAboveAHundred() {
    QCOMPARE(format::noise(2.44), QStringLiteral("2.4"));
    QCOMPARE(format::noise(327.9), QStringLiteral(">\u00A0100"));
    QCOMPARE(format::noise(std::nullopt), format::missing());
  }

  void opsThatTakeMoreThanTheTotalAreToldAndNotCut() {
    report::Report report;
    for (const double us : {800.0, 700.0}) {
      report::MetricMap row;
      row.set(report::kName, std::string("conv"));
      row.set(report::kDurationUs, report::Duration{us});
      report.calls.push_back(std::move(row));
    }
    report::MetricMap total;
    total.set(report::kDurationUs, report::Duration{1000});
    report.deviceMetrics.emplace_back("cpu0", total);
    const auto view = makeRunView(report::importReport(report));
    QVERIFY(view->figures.opsOverlap);
    QCOMPARE(view->figures.kernelsUs.value(), 1500.0);
    QVERIFY(!view->figures.kernelsPercent && !view->figures.betweenUs);
    QVERIFY(std::ranges::any_of(view->notes, [](const RunNote& note) {
      return note.title == QLatin1String("Times of ops overlap") &&
             note.detail.contains(QStringLiteral("take 1.5"));
    }));
    report.deviceMetrics.clear();
    const auto fits = makeRunView(report::importReport(report));
    QVERIFY(!fits->figures.opsOverlap && fits->figures.kernelsPercent == 100.0);
  }

  void longNamesBreakAtUnderscores() {
    QString name = QStringLiteral("fused");
    for (int i = 0; i < 80; ++i) name += QStringLiteral("_part%1").arg(i);
    const QStringList lines = format::brokenName(name);
    QCOMPARE(lines.size(), 7);
    QVERIFY2(lines.last().startsWith(QLatin1String("and ")), qPrintable(lines.last()));
    QVERIFY(lines.last().endsWith(QLatin1String("more parts")));
    QCOMPARE(format::brokenName(QStringLiteral("conv2d8")), QStringList{QStringLiteral("conv2d8")});
  }

  void filtersAreUndone() {
    Selection selection;
    selection.setFilter({QStringLiteral("c"), false});
    selection.setFilter({QStringLiteral("conv"), false});
    selection.setFilter({});
    QVERIFY(selection.undoStep() != 0);
    selection.undo();
    QCOMPARE(selection.filter().text, QStringLiteral("conv"));
    selection.undo();
    QVERIFY(selection.filter().isEmpty());
    selection.redo();
    QCOMPARE(selection.filter().text, QStringLiteral("conv"));
    QVERIFY(selection.clearOne());
    QVERIFY(!selection.clearOne());
  }

  void groupedRowsAndEachCall() {
    Background background;
    OpsModel model(&background);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setDocument(testing::syntheticDocument());
    QCOMPARE(model.rowCount(), 57);
    for (int row = 1; row < 57; ++row)
      QVERIFY(model.opRow(row - 1).durationUs >= model.opRow(row).durationUs);
    model.setGrouping(report::Grouping::EachCall);
    QCOMPARE(model.rowCount(), 216);
    QVERIFY(model.callAt(0).has_value());
    model.setDocument({});
    QCOMPARE(model.rowCount(), 0);
  }

  void sortsTypedColumnsBothWays() {
    Background background;
    OpsModel model(&background);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setDocument(testing::syntheticDocument());
    for (int column = 0; column < model.columnCount(); ++column) {
      if (!model.index(0, column).data(NumberRole).isValid()) continue;
      for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        model.sort(column, order);
        for (int row = 1; row < model.rowCount(); ++row) {
          const double before = model.index(row - 1, column).data(NumberRole).toDouble();
          const double here = model.index(row, column).data(NumberRole).toDouble();
          QVERIFY(order == Qt::AscendingOrder ? before <= here : before >= here);
        }
      }
    }
    model.sort(0, Qt::AscendingOrder);
    int conv2 = -1, conv1 = -1, plain = -1;
    for (int row = 0; row < model.rowCount(); ++row) {
      const QString name = model.index(row, 0).data().toString();
      if (name == QLatin1String("conv2d")) plain = row;
      if (name == QLatin1String("conv2d1")) conv1 = row;
      if (name == QLatin1String("conv2d2")) conv2 = row;
    }
    QVERIFY(plain >= 0 && plain < conv1 && conv1 < conv2);
  }

  void filtersByWordsAndExpressions() {
    Background background;
    OpsModel model(&background);
    model.setDocument(testing::syntheticDocument());
    model.setFilter({QStringLiteral("BATCH"), false});
    QVERIFY(model.rowCount() > 0 && model.rowCount() < 57);
    for (int row = 0; row < model.rowCount(); ++row) {
      QVERIFY(model.index(row, 0).data().toString().startsWith(QLatin1String("batch_norm")));
    }
    model.setFilter({QStringLiteral("^conv2d[12]$"), true});
    QCOMPARE(model.rowCount(), 2);
    QVERIFY(!filterProblem({QStringLiteral("conv[("), true}).isEmpty());
    model.setFilter({QStringLiteral("nothing like this"), false});
    QCOMPARE(model.rowCount(), 0);
  }

  void aRunAgainHasTheSettingsOfTheFirst() {
    report::Run run = *testing::syntheticDocument().run;
    run.environment = {{"Threads pinned", "no"},
                       {"Threads spin", "0 µs"},
                       {"Allocator", "naive"},
                       {"Overhead check", "full"}};
    using Kind = report::CounterColumn::Kind;
    run.counters.clear();
    for (const auto& [name, kind] :
         {std::pair("cycles", Kind::Count), std::pair("task-clock", Kind::Duration),
          std::pair("misses per 1,000 instructions", Kind::Ratio)}) {
      report::CounterColumn column;
      column.name = name;
      column.kind = kind;
      run.counters.push_back(column);
    }
    const session::ProfileRequest request = againPlanOf(run, {}).request;
    QVERIFY(!request.settings.runtime.pin);
    QCOMPARE(request.settings.runtime.spinUs, 0);
    QVERIFY(request.settings.runtime.allocator == runtime::AllocatorKind::Naive);
    QVERIFY(request.overhead == profile::OverheadCheck::Full);
    QCOMPARE(request.collectors, std::vector<std::string>{"perf:cycles,task-clock"});
    run.environment.clear();
    run.counters.clear();
    const session::ProfileRequest usual = againPlanOf(run, {}).request;
    QVERIFY(usual.overhead == profile::OverheadCheck::Auto);
    QVERIFY(usual.collectors.empty());
  }

  void adviceIsInTheWindowsWords() {
    QCOMPARE(windowWords("Warm up longer (--warmup), and see that memory is not short."),
             QStringLiteral("Warm up longer (Warm-up in the tool bar), and see that memory is not short."));
    QVERIFY(windowWords("Keep memory between repeats: --allocator pooled, and a longer --warmup.")
                .contains(QLatin1String("a longer warm-up")));
    QCOMPARE(windowWords("opscope-cli profile --counters list shows what there is."),
             QStringLiteral("Run settings list what there is."));
    QCOMPARE(windowWords("Use 10 repeats or more."), QStringLiteral("Use 10 repeats or more."));
    // Of a run that is shown: no option stands alone.
    auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
    run->warnings = {{"moved", "Bind threads to cores: --pin on, or start it under taskset."},
                     {"slept", "Let idle threads spin longer (--spin-us), so that they need not be woken."}};
    for (const RunNote& note : makeRunView(report::makeDocument(run))->notes) {
      if (note.detail.contains(QLatin1String("--")))
        QVERIFY2(note.detail.contains(QLatin1String("opscope-cli profile --")), qPrintable(note.detail));
    }
  }

  void oneRepeatHasNoStatistics() {
    Background background;
    OpsModel model(&background);
    testing::SyntheticOptions options;
    options.repeats = options.repeatsWanted = 1;
    model.setDocument(testing::syntheticDocument(options));
    const int mean = columnOf(model, "Mean (µs)");
    if (mean >= 0) QCOMPARE(model.index(0, mean).data().toString(), format::missing());
    const auto view = makeRunView(testing::syntheticDocument(options));
    QVERIFY(!view->figures.noisePercent.has_value());
    QVERIFY(!view->notes.empty());
  }

  void largeDocumentsAreSortedInTheBackground() {
    Background background;
    OpsModel model(&background);
    testing::SyntheticOptions options;
    options.repeats = options.repeatsWanted = 2;
    options.calls = 25000;
    model.setDocument(testing::syntheticDocument(options));
    QVERIFY(model.isBusy());
    QTRY_COMPARE(model.rowCount(), 57);
    QSignalSpy changed(&model, &OpsModel::rowsChanged);
    model.setFilter({QStringLiteral("conv"), false});
    model.setFilter({QStringLiteral("batch"), false});
    QTRY_VERIFY(!model.isBusy());
    QCOMPARE(changed.count(), 1);
    QVERIFY(model.index(0, 0).data().toString().startsWith(QLatin1String("batch")));
  }

  void copiedTextIsPlain() {
    Background background;
    OpsModel model(&background);
    model.setDocument(testing::syntheticDocument());
    const std::vector<int> columns = {0, 1, model.columnOf(OpsColumn::Kind::Shapes)};
    const QString csv = tableText(model, {0, 1}, columns, TextFormat::Csv);
    QVERIFY2(csv.startsWith(QLatin1String("Name,Duration (us),Argument Shapes\n")), qPrintable(csv));
    QVERIFY(csv.contains(QLatin1String("\"float32[1, 16, 14, 14], ")));
    QVERIFY(!csv.contains(kThin));
    const QString markdown = tableText(model, {0}, columns, TextFormat::Markdown);
    QVERIFY(markdown.contains(QLatin1String("| --- | ---: | --- |")));
    QCOMPARE(tableText(model, {0}, {0}, TextFormat::TabSeparated),
             QStringLiteral("Name\n%1\n").arg(model.index(0, 0).data().toString()));
  }

  void runViewAddsUp() {
    const auto view = makeRunView(testing::syntheticDocument());
    QVERIFY(view->figures.totalUs > 0);
    QVERIFY(view->figures.minUs <= view->figures.totalUs && view->figures.totalUs <= view->figures.maxUs);
    QVERIFY(view->figures.kernelsPercent && *view->figures.kernelsPercent > 0 &&
            *view->figures.kernelsPercent <= 100);
    QCOMPARE(view->figures.totalsUs.size(), std::size_t(30));
    const auto details = detailsOf(*view, {0, 0, 0});
    QVERIFY(details != nullptr);
    QCOMPARE(details->samplesUs.size(), std::size_t(30));
    QCOMPARE(details->calls.size(), std::size_t(details->count));
    QVERIFY(detailsOf(*view, {}) == nullptr);
    const auto arguments = argumentsOf(details->shapes);
    QCOMPARE(arguments.size(), std::size_t(3));
    QCOMPARE(arguments[0].text, QStringLiteral("float32 [1, 16, 14, 14]"));
    QCOMPARE(arguments[0].bytes, 16.0 * 14 * 14 * 4);
  }

  void treeOfAnExecutable() {
    ExecutableTreeModel functions(ExecutableTreeModel::Part::Functions);
    ExecutableTreeModel rest(ExecutableTreeModel::Part::Rest);
    QAbstractItemModelTester functionTester(&functions,
                                            QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester restTester(&rest, QAbstractItemModelTester::FailureReportingMode::QtTest);
    functions.setExecutable(testing::syntheticExecutable());
    rest.setExecutable(testing::syntheticExecutable());
    rest.setRun(makeRunView(testing::syntheticDocument()));
    const QModelIndex main = functions.index(0, 0, functions.index(0, 0));
    QCOMPARE(main.data().toString(), QStringLiteral("main(x)"));
    QCOMPARE(functions.rowCount(main), 2);
    const QModelIndex kernels = rest.index(0, 0);
    QCOMPARE(rest.rowCount(kernels), 11);
    const QModelIndex more = rest.index(10, 0, kernels);
    QCOMPARE(more.data().toString(), QStringLiteral("36 more"));
    rest.showAll(more);
    QCOMPARE(rest.rowCount(kernels), 46);
    const QModelIndex first = rest.index(0, 0, kernels);
    QVERIFY(!rest.opOf(first).isNull());
    QVERIFY(rest.kernelIndex(first.data().toString()) == first);
  }

  void recentFilesKeepNewestFirst() {
    RecentFiles files;
    const QDateTime now = QDateTime::currentDateTime();
    for (int i = 0; i < 20; ++i) files.add(QStringLiteral("/m/%1.so").arg(i), {}, now);
    files.add(QStringLiteral("/m/15.so"), {}, now);
    QCOMPARE(files.files().size(), RecentFiles::kLimit);
    QCOMPARE(files.files().front().path, QStringLiteral("/m/15.so"));
    QCOMPARE(dayText(now.addDays(-1), now), QStringLiteral("Yesterday"));
  }

  void momentsOfOneDayAreToldApart() {
    const QDateTime now(QDate(2026, 11, 24), QTime(23, 5, 9));
    QCOMPARE(momentText(now.addSecs(-7), now), QStringLiteral("Today 23:05:02"));
    QCOMPARE(momentText(now.addDays(-1), now), QStringLiteral("Yesterday 23:05"));
    QCOMPARE(momentText(now.addDays(-20), now), QStringLiteral("4 Nov 23:05"));
    QCOMPARE(momentText(now.addYears(-1), now), QStringLiteral("24 Nov 2025 23:05"));
    QCOMPARE(momentText({}, now), QString());
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::ModelsTest)
#include "models_test.moc"
