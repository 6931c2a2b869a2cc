// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare page: from the Runs panel, from files, with the run before; rows, verdicts, waterfall, the
// selection shared with the other pages.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QFileInfo>
#include <QHeaderView>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "engine/report/exporters.h"
#include "tests/ui/support/changed_run.h"
#include "tests/ui/support/pictures.h"
#include "ui/shell/compare_desk.h"
#include "ui/views/compare/compare_head.h"
#include "ui/views/compare/compare_inspector.h"
#include "ui/views/compare/paired_histogram.h"
#include "ui/views/compare/waterfall.h"
#include "ui/views/compare_page.h"
#include "ui/views/ops_page.h"
#include "ui/views/runs_panel.h"

namespace opscope::ui {

using testing::changedDocument;
using testing::openExecutable;
using testing::Stage;

namespace {

std::shared_ptr<const CompareView> compared(const report::Document& a, const report::Document& b) {
  return makeCompareView(compareSideOf(makeRunView(a)), compareSideOf(makeRunView(b)), {});
}

/// The same run on a slower machine.
report::Document scaledDocument(const report::Document& document, double part) {
  auto run = std::make_shared<report::Run>(*document.run);
  for (double& ns : run->ownNs) ns *= part;
  for (double& ns : run->inclusiveNs) ns *= part;
  for (report::DeviceTotal& total : run->totals)
    for (double& ns : total.totalNs) ns *= part;
  return report::makeDocument(run);
}

LinkButton* link(const QWidget* parent, const char* words) {
  for (LinkButton* button : parent->findChildren<LinkButton*>()) {
    if (button->text() == QLatin1String(words)) return button;
  }
  return nullptr;
}

bool shows(const QWidget* parent, const char* words) {
  for (const Text* text : parent->findChildren<Text*>()) {
    if (text->text() == QLatin1String(words)) return true;
  }
  return false;
}

QString write(const Stage& stage, const char* name, const char* format, const report::Document& document) {
  const QString path = stage.folder.filePath(QLatin1String(name));
  const auto text = report::findExporter(format)->write(document);
  QFile file(path);
  if (!text || !file.open(QIODevice::WriteOnly)) return {};
  file.write(text->data(), qint64(text->size()));
  return path;
}

}  // namespace

class CompareTest : public QObject {
  Q_OBJECT

 private:
  void saveTwo(Stage& stage) {
    stage.store->save(testing::syntheticDocument(), {"before", {}});
    stage.store->save(changedDocument(2.0), {"after", {}});
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(2));
  }

  /// Compares two saved runs and goes to the page.
  ComparePage* showTwo(Stage& stage) {
    saveTwo(stage);
    openExecutable(stage);
    stage.window->findChild<CompareDesk*>()->compare(savedChoice(1), savedChoice(2));
    stage.window->showPageById(QStringLiteral("compare"));
    return stage.window->findChild<ComparePage*>();
  }

  /// Runs of one executable that differ from each other by `parts`, saved in this order.
  void saveRuns(Stage& stage, const std::vector<double>& parts, double factor) {
    for (const double part : parts) {
      const std::size_t before = stage.store->runs()->size();
      stage.store->save(scaledDocument(changedDocument(factor), part), {});
      QTRY_COMPARE(stage.store->runs()->size(), before + 1);
    }
  }
  void choose(RunsPanel* panel, const std::vector<store::RunId>& ids, Qt::Key key) {
    Qt::KeyboardModifiers with = {};
    for (const store::RunId id : ids) {
      const QModelIndex index = panel->model()->index(panel->model()->rowOf(id), RunsModel::Model);
      panel->table()->scrollTo(index);
      QTest::mouseClick(panel->table()->viewport(), Qt::LeftButton, with,
                        panel->table()->visualRect(index).center());
      with = Qt::ControlModifier;
    }
    QTest::keyClick(panel->table(), key);
  }

 private Q_SLOTS:
  void theStepsCloseTheGap() {
    for (const double factor : {0.5, 1.0, 3.0}) {
      const auto view = compared(testing::syntheticDocument(), changedDocument(factor, "conv3d"));
      QCOMPARE(view->steps.front().toUs, view->comparison->total.a->valueUs);
      QCOMPARE(view->steps.back().toUs, view->comparison->total.b->valueUs);
      for (std::size_t i = 1; i + 1 < view->steps.size(); ++i)
        QCOMPARE(view->steps[i].fromUs, view->steps[i - 1].toUs);
      QVERIFY(std::abs(view->steps[view->steps.size() - 2].toUs - view->steps.back().toUs) < 1e-6);
      QVERIFY(view->comparison->count(report::Verdict::New) >= 1 || factor > 0);
    }
  }

  void theModelKeepsTheRulesOfModels() {
    CompareModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setComparison(compared(testing::syntheticDocument(), changedDocument(2.0, "another_name")));
    const int all = model.rowCount();
    QVERIFY(all >= 57);
    for (int column = 0; column < CompareModel::kColumns; ++column) {
      for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        model.sort(column, order);
        for (int row = 0; row < model.rowCount(); ++row) {
          const QString text = model.index(row, column).data().toString();
          QVERIFY2(!text.contains(QLatin1String("nan")) && !text.contains(QLatin1String("inf")),
                   qPrintable(text));
        }
      }
    }
    model.setFilter({QStringLiteral("batch"), false});
    QVERIFY(model.rowCount() > 0 && model.rowCount() < all);
    model.setFilter({QStringLiteral("^conv2d\\d*$"), true});
    QVERIFY(model.rowCount() > 0 && model.rowCount() < all);
    model.setFilter({});
    model.setVerdicts({report::Verdict::Slower});
    QCOMPARE(model.rowCount(), int(model.comparison()->comparison->count(report::Verdict::Slower)));
    model.setComparison(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  void twoTickedRunsAreCompared() {
    Stage stage;
    saveTwo(stage);
    openExecutable(stage);
    auto* panel = stage.window->findChild<RunsPanel*>();
    auto* page = stage.window->findChild<ComparePage*>();
    QTRY_COMPARE(panel->model()->rowCount(), 2);
    for (const int row : {0, 1}) {
      const QRect cell = panel->table()->visualRect(panel->model()->index(row, RunsModel::Tick));
      QTest::mouseClick(panel->table()->viewport(), Qt::LeftButton, {}, cell.center());
    }
    for (LinkButton* link : panel->findChildren<LinkButton*>()) {
      if (link->text() == QLatin1String("Compare")) QTest::mouseClick(link, Qt::LeftButton);
    }
    QTRY_VERIFY(page->model()->rowCount() > 0);
    QCOMPARE(stage.window->currentPage(), static_cast<RunPage*>(page));
    // The op that was made slower stands first, and says so.
    QCOMPARE(page->model()->index(0, CompareModel::Name).data().toString(), QStringLiteral("conv2d"));
    QCOMPARE(page->model()->index(0, CompareModel::Verdict).data().toString(), QStringLiteral("slower"));
    QVERIFY(page->model()->index(0, CompareModel::Difference).data().toString().startsWith(QLatin1Char('+')));
    QCOMPARE(page->model()->comparison()->a.title, QStringLiteral("shufflenet.so"));
    QCOMPARE(page->model()->comparison()->b.title, QStringLiteral("shufflenet.v3.so"));
  }

  void twoGroupsAreCompared() {
    Stage stage;
    saveRuns(stage, {1.0, 1.01, 0.99}, 1.0);
    saveRuns(stage, {1.0, 1.02, 0.985}, 2.0);
    openExecutable(stage);
    auto* panel = stage.window->findChild<RunsPanel*>();
    auto* page = stage.window->findChild<ComparePage*>();
    QTRY_COMPARE(panel->model()->rowCount(), 6);
    choose(panel, {1, 2, 3}, Qt::Key_O);
    QCOMPARE(panel->model()->group(RunsModel::Choice::Old), (RunGroup{1, 2, 3}));
    LinkButton* compare = link(panel, "Compare");
    QVERIFY(!compare->isVisible());
    choose(panel, {4, 5, 6}, Qt::Key_N);
    QTRY_VERIFY(compare->isVisible());
    QTest::mouseClick(compare, Qt::LeftButton);
    QTRY_VERIFY(page->model()->rowCount() > 0);
    const auto view = page->model()->comparison();
    QCOMPARE(view->a.title, QStringLiteral("3\u00A0runs of shufflenet.v3.so"));
    QVERIFY2(view->b.detail.endsWith(QLatin1String("of 3 runs")), qPrintable(view->b.detail));
    QCOMPARE(view->comparison->runsA, std::size_t(3));
    QCOMPARE(page->model()->index(0, CompareModel::Name).data().toString(), QStringLiteral("conv2d"));
    QCOMPARE(page->model()->index(0, CompareModel::Verdict).data().toString(), QStringLiteral("slower"));
    // What differs by less than runs of one group do is not told as a change.
    for (int row = 2; row < page->model()->rowCount(); ++row)
      QVERIFY(page->model()->opAt(row).verdict != report::Verdict::Slower);
    QCOMPARE(stage.window->findChild<CompareHead*>()->before()->currentText(),
             QStringLiteral("3\u00A0runs of shufflenet.v3.so"));
    QVERIFY(page->note().contains(QLatin1String("between runs")));
    page->table()->setCurrentIndex(page->model()->index(0, 0));
    QTRY_VERIFY(stage.window->findChild<CompareInspector*>()->findChild<PairedHistogram*>() != nullptr);
    QVERIFY(shows(stage.window->findChild<CompareInspector*>(), "Between runs (%)"));
    testing::takePictures(stage, QStringLiteral("compare-groups"));
    stage.window->showPageById(QStringLiteral("ops"));
    testing::takePictures(stage, QStringLiteral("runs-groups"));
  }

  void aClickGoesFromGroupToGroup() {
    Stage stage;
    saveRuns(stage, {1.0, 1.01}, 1.0);
    openExecutable(stage);
    auto* panel = stage.window->findChild<RunsPanel*>();
    QTRY_COMPARE(panel->model()->rowCount(), 2);
    choose(panel, {1}, Qt::Key_O);
    const auto click = [&](store::RunId id) {
      const QModelIndex index = panel->model()->index(panel->model()->rowOf(id), RunsModel::Tick);
      QTest::mouseClick(panel->table()->viewport(), Qt::LeftButton, {},
                        panel->table()->visualRect(index).center());
    };
    using Choice = RunsModel::Choice;
    for (const Choice expected : {Choice::Old, Choice::New, Choice::None}) {
      click(2);
      QCOMPARE(int(panel->model()->choiceOf(2)), int(expected));
    }
    QTest::mouseClick(link(panel, "No groups"), Qt::LeftButton);
    QVERIFY(!panel->model()->hasGroups());
    click(2);
    QCOMPARE(int(panel->model()->choiceOf(2)), int(Choice::Ticked));
    // A run that is gone is in no group.
    choose(panel, {1, 2}, Qt::Key_N);
    stage.store->remove({2});
    QTRY_COMPARE(panel->model()->rowCount(), 1);
    QCOMPARE(panel->model()->group(Choice::New), (RunGroup{1}));
  }

  void theRunBeforeIsFound() {
    Stage stage;
    openExecutable(stage);
    QVERIFY(!stage.command("run.compare")->isEnabled());
    for (const std::size_t count : {1, 2}) {
      stage.workspace->profile();
      QTRY_COMPARE(stage.session.profiles.size(), count);
      stage.session.post(session::ProfileFinished{testing::syntheticDocument()});
      QTRY_COMPARE(stage.store->runs()->size(), count);
    }
    QTRY_VERIFY(stage.command("run.compare")->isEnabled());
    stage.command("run.compare")->trigger();
    auto* page = stage.window->findChild<ComparePage*>();
    QTRY_VERIFY(page->model()->rowCount() > 0);
    QVERIFY(page->model()->comparison()->comparison->count(report::Verdict::Slower) == 0);
  }

  void filesWithoutSamplesCompareByValues() {
    Stage stage;
    const QString before = write(stage, "old.json", "json", testing::syntheticDocument());
    const QString after = write(stage, "new.csv", "csv", changedDocument(2.0));
    QVERIFY(!before.isEmpty() && !after.isEmpty());
    stage.window->compareFiles(before, after);
    auto* page = stage.window->findChild<ComparePage*>();
    QTRY_VERIFY(page->model()->rowCount() > 0);
    QVERIFY(!page->model()->comparison()->comparison->hasSamples);
    QCOMPARE(page->model()->index(0, CompareModel::Verdict).data().toString(), QStringLiteral("values only"));
    QCOMPARE(page->model()->index(0, CompareModel::Interval).data().toString(), QStringLiteral("–"));
    QVERIFY(page->note().startsWith(QLatin1String("Values only")));
    // A file that holds no run says so in the page.
    stage.window->findChild<CompareDesk*>()->choose(
        false, {CompareChoice::Kind::File, 0, QStringLiteral("/nowhere/at/all.json")});
    QTRY_VERIFY(!stage.window->findChild<CompareDesk*>()->problem().isEmpty());
  }

  void theSelectionIsShared() {
    Stage stage;
    saveTwo(stage);
    openExecutable(stage);
    stage.workspace->openSaved(2);
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    auto* desk = stage.window->findChild<CompareDesk*>();
    desk->compare({CompareChoice::Kind::Saved, 1, {}}, {CompareChoice::Kind::Saved, 2, {}});
    auto* page = stage.window->findChild<ComparePage*>();
    QVERIFY(stage.window->showPageById(QStringLiteral("compare")));
    QTRY_VERIFY(page->model()->rowCount() > 0);
    const QRect cell = page->table()->visualRect(page->model()->index(2, CompareModel::Old));
    QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {}, cell.center());
    const OpId op = stage.workspace->selection()->op();
    QVERIFY(!op.isNull());
    QCOMPARE(stage.workspace->run()->run().names[op.name], page->model()->opAt(2).b->name);
    QTRY_VERIFY(stage.window->findChild<CompareInspector*>()->findChild<PairedHistogram*>() != nullptr);
    // Another page chooses another op.
    const auto first = page->model()->opAt(0).b;
    stage.workspace->selection()->setOp(findOp(*stage.workspace->run(), *first));
    QTRY_COMPARE(page->table()->currentIndex().row(), 0);
    // And the waterfall by the keyboard.
    page->waterfall()->setFocus();
    QTest::keyClick(page->waterfall(), Qt::Key_Right);
    QCOMPARE(page->table()->currentIndex().row(), 1);
    QTest::keyClick(page->table(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QGuiApplication::clipboard()->text().contains(QLatin1String("Difference (us)")));
  }

  void chipsFilterByVerdict() {
    Stage stage;
    ComparePage* page = showTwo(stage);
    QTRY_VERIFY(page->model()->rowCount() > 0);
    const int all = page->model()->rowCount();
    for (VerdictChip* chip : page->findChildren<VerdictChip*>()) {
      if (chip->accessibleName().endsWith(QLatin1String("slower"))) QTest::mouseClick(chip, Qt::LeftButton);
    }
    QTRY_COMPARE(page->model()->rowCount(),
                 int(page->model()->comparison()->comparison->count(report::Verdict::Slower)));
    QVERIFY(page->model()->rowCount() < all);
  }

  void verdictsAreChosenByKeys() {
    Stage stage;
    ComparePage* page = showTwo(stage);
    QTRY_VERIFY(page->model()->rowCount() > 0);
    const int all = page->model()->rowCount();
    const auto count = [page](report::Verdict verdict) {
      return int(page->model()->comparison()->comparison->count(verdict));
    };
    const auto chord = [page](Qt::Key key) {
      QTest::keyClick(page->table(), Qt::Key_K, Qt::ControlModifier);
      QTest::keyClick(page->table(), key);
    };
    chord(Qt::Key_F8);
    QTRY_COMPARE(page->model()->rowCount(), count(report::Verdict::Slower));
    chord(Qt::Key_F9);
    QTRY_COMPARE(page->model()->rowCount(), count(report::Verdict::Slower) + count(report::Verdict::Same));
    chord(Qt::Key_F8);
    QTRY_COMPARE(page->model()->rowCount(), count(report::Verdict::Same));
    QVERIFY(stage.command("compare.all")->isEnabled());
    chord(Qt::Key_B);
    QTRY_COMPARE(page->model()->rowCount(), all);
    // A verdict that nothing has leads nowhere.
    QCOMPARE(stage.command("compare.noSamples")->isEnabled(), false);
  }

  void namesKeepRoomInANarrowWindow() {
    Stage stage;
    ComparePage* page = showTwo(stage);
    QTRY_VERIFY(page->model()->rowCount() > 0);
    DataTable* table = page->table();
    QVERIFY(!table->isColumnHidden(CompareModel::Interval));
    for (const int width : {1440, 1000, 900, 860}) {
      stage.window->resize(width, 600);
      QCoreApplication::processEvents();
      QVERIFY(table->columnWidth(CompareModel::Name) >= 212);
      for (const int column : {CompareModel::New, CompareModel::Difference, CompareModel::Verdict})
        QVERIFY(!table->isColumnHidden(column));
      QVERIFY(table->horizontalHeader()->length() <= table->viewport()->width());
    }
    QVERIFY(table->isColumnHidden(CompareModel::Interval));
    stage.window->resize(1440, 900);
    QTRY_VERIFY(!table->isColumnHidden(CompareModel::Interval));
  }

  void runsAreNamedWholeInTheHead() {
    Stage stage;
    saveTwo(stage);
    openExecutable(stage);
    stage.window->findChild<CompareDesk*>()->compare({CompareChoice::Kind::Saved, 1, {}},
                                                     {CompareChoice::Kind::Saved, 2, {}});
    QVERIFY(stage.window->showPageById(QStringLiteral("compare")));
    auto* head = stage.window->findChild<CompareHead*>();
    QTRY_VERIFY(head->before()->currentText().contains(QLatin1String("24 Nov 14:02")));
    QCoreApplication::processEvents();
    QVERIFY(head->before()->width() >= 290);
    QVERIFY(head->before()->toolTip().startsWith(head->before()->currentText()));
    QVERIFY(head->before()->toolTip().endsWith(QLatin1String("Choose the old run")));
  }

  void differencesCarryTheirSign() {
    QCOMPARE(signedMicroseconds(0), QStringLiteral("0.0"));
    QCOMPARE(signedMicroseconds(0.01), QStringLiteral("+<0.1"));
    QCOMPARE(signedMicroseconds(-0.01), QStringLiteral("−<0.1"));
    QCOMPARE(signedMicroseconds(275.3), QStringLiteral("+275.3"));
    QCOMPARE(signedMicroseconds(-29355.1), QStringLiteral("−29\u202F355.1"));
  }

  void theInspectorSaysWhy() {
    Theme theme;
    dressApplication(&theme, ThemeChoice::Light);
    const auto view = compared(testing::syntheticDocument(), changedDocument(2.0));
    CompareInspector inspector(&theme);
    QSet<int> seen;
    for (int op = 0; op < int(view->comparison->ops.size()); ++op) {
      const report::ComparedOp& about = view->op(op);
      if (about.why.empty() || seen.contains(int(about.verdict))) continue;
      seen << int(about.verdict);
      inspector.show(view, op);
      QStringList texts;
      for (const Text* text : inspector.findChildren<Text*>()) texts << text->text();
      // A capital and a full stop aside.
      const QString why = QString::fromStdString(about.why).mid(1);
      QVERIFY2(!texts.filter(why).isEmpty(), qPrintable(why + texts.join(QLatin1Char('|'))));
      QVERIFY(!about.ratioLow || !texts.filter(intervalText(about)).isEmpty());
    }
    QVERIFY(seen.size() >= 2);
  }

  void theHeadForgetsWhatIsNoLongerCompared() {
    Stage stage;
    saveTwo(stage);
    openExecutable(stage);
    testing::runToEnd(stage);
    CompareDesk* desk = stage.window->findChild<CompareDesk*>();
    QVERIFY(stage.window->showPageById(QStringLiteral("compare")));
    auto* page = stage.window->findChild<ComparePage*>();
    desk->compareWithBefore();
    QTRY_VERIFY(page->model()->rowCount() > 0);
    const auto* head = page->findChild<CompareHead*>();
    const auto words = [head]() {
      QStringList all;
      for (const Text* text : head->findChildren<Text*>()) all << text->text();
      return all.join(QLatin1Char('|'));
    };
    QVERIFY2(words().contains(QStringLiteral("→")), qPrintable(words()));
    stage.workspace->openFile(QStringLiteral("/models/other.so"));
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(2));
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(!words().contains(QStringLiteral("→")));
    QVERIFY(shows(page, "Nothing to compare yet"));
    QVERIFY2(!words().contains(QStringLiteral("ms")) && !words().contains(QStringLiteral("interval")),
             qPrintable(words()));
    page->resize(page->width() - 40, page->height());
    QVERIFY(!words().contains(QStringLiteral("interval")));
  }

  void changesAndIntervalsHaveTheDigitsThatTell() {
    const TimeUnit ms = timeUnitFor(65e3);
    QCOMPARE(stepText(-11075.2, ms), QStringLiteral("−11.08"));
    QCOMPARE(stepText(-250, ms), QStringLiteral("−0.25"));
    QCOMPARE(stepText(-39.5, ms), QStringLiteral("−39.5\u00A0µs"));
    QCOMPARE(stepText(3.1, ms), QStringLiteral("+3.1\u00A0µs"));
    QCOMPARE(stepText(0, ms), QStringLiteral("0.00"));
    QCOMPARE(stepText(41000, timeUnitFor(12e6)), QStringLiteral("+41.00\u00A0ms"));
    QCOMPARE(stepText(3.1, timeUnitFor(800)), QStringLiteral("+3.1"));
    report::ComparedOp op;
    op.ratioLow = 0.4483;
    op.ratioHigh = 0.4521;
    QCOMPARE(intervalText(op), QStringLiteral("0.448 – 0.452"));
    op.ratioHigh = 0.46;
    QCOMPARE(intervalText(op), QStringLiteral("0.45 – 0.46"));
    // The words under the waterfall are those of its steps.
    const auto few = compared(testing::syntheticDocument(), changedDocument(2.0));
    const auto ops = std::ranges::count(few->steps, WaterfallStep::Kind::Op, &WaterfallStep::kind);
    QVERIFY(ops > 0 && ops < 9);
    QVERIFY2(stepsText(*few).startsWith(QString::number(ops)), qPrintable(stepsText(*few)));
    QVERIFY(stepsText(*few).endsWith(QLatin1String("did not")));
  }

  void theWaterfallIsSavedAndEnlarged() {
    Stage stage;
    ComparePage* page = showTwo(stage);
    QTRY_VERIFY(page->model()->rowCount() > 0);
    QVERIFY2(page->state().startsWith(QLatin1String("Comparing 2 runs")), qPrintable(page->state()));
    QSignalSpy written(page, &ComparePage::pictureWritten);
    for (const PictureFormat format : kPictureFormats) {
      const QString path = stage.folder.filePath(QStringLiteral("difference.") + pictureSuffix(format));
      page->writePictureTo(path, format);
      QTRY_COMPARE(written.size(), 1);
      QCOMPARE(written.takeFirst().at(1).toString(), QString());
      QVERIFY(QFileInfo(path).size() > 1000);
    }
    QVERIFY(stage.command("compare.save")->isEnabled());
    // Without room the title stays, and leads to the chart.
    stage.window->resize(900, 600);
    QTRY_VERIFY(!page->waterfall()->isVisible());
    QPushButton* enlarge = nullptr;
    for (QPushButton* button : page->findChildren<QPushButton*>())
      if (button->text() == QLatin1String("Enlarge")) enlarge = button;
    QVERIFY(enlarge != nullptr && enlarge->isVisible());
    QTest::mouseClick(enlarge, Qt::LeftButton);
    QTRY_VERIFY(page->waterfall()->isVisible() && !page->table()->isVisible());
    QTRY_VERIFY(page->waterfall()->height() > 200);
    stage.command("compare.enlarge")->trigger();
    QTRY_VERIFY(page->table()->isVisible() && !page->waterfall()->isVisible());
  }

  void withoutRunsThePageSaysWhatToDo() {
    Stage stage;
    openExecutable(stage);
    QVERIFY(stage.window->showPageById(QStringLiteral("compare")));
    auto* page = stage.window->findChild<ComparePage*>();
    bool told = false;
    for (const Text* text : page->findChildren<Text*>())
      told = told || (text->isVisible() && text->text() == QLatin1String("Nothing to compare yet"));
    QVERIFY(told);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::CompareTest)
#include "compare_test.moc"
