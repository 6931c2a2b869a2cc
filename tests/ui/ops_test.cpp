// SPDX-License-Identifier: GPL-3.0-or-later
// Ops in depth: groupings, filters with fields, columns that are chosen and moved and kept, copying, totals.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QtTest>
#include <cmath>

#include "engine/report/run_report.h"
#include "tests/ui/support/nested_run.h"
#include "tests/ui/support/ops_stage.h"
#include "ui/models/format.h"
#include "ui/shell/text_size.h"
#include "ui/views/compare_page.h"
#include "ui/views/ops_page.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::showOps;
using testing::Stage;

namespace {

constexpr report::Grouping kCoarse[] = {report::Grouping::ByName,   report::Grouping::ByKind,
                                        report::Grouping::ByDevice, report::Grouping::ByShapes,
                                        report::Grouping::ByDepth,  report::Grouping::ByStep};

double sumOf(const OpsModel& model) {
  double sum = 0;
  for (int row = 0; row < model.rowCount(); ++row) sum += model.opRow(row).durationUs;
  return sum;
}

QAction* actionOf(OpsPage* page, const QString& text) {
  for (QMenu* menu : page->findChildren<QMenu*>()) {
    for (QAction* action : menu->actions()) {
      if (action->text() == text) return action;
    }
  }
  return nullptr;
}

void press(OpsPage* page, const QString& accessibleName) {
  for (ActionButton* button : page->findChildren<ActionButton*>()) {
    if (button->accessibleName() != accessibleName && button->text() != accessibleName) continue;
    QTest::mouseClick(button, Qt::LeftButton);
    // A menu was filled by opening it; its actions are there when it is closed again.
    if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    return;
  }
  QFAIL(qPrintable(accessibleName));
}

QStringList titlesOf(OpsPage* page) {
  QStringList titles;
  for (const int column : page->table()->shownColumns())
    titles << page->model()->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  return titles;
}

}  // namespace

class OpsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyGroupingIsAModelAndSumsUp() {
    Background background;
    OpsModel model(&background);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const report::Document document =
        report::makeDocument(std::make_shared<report::Run>(*testing::nestedDocument().run));
    model.setDocument(document);
    const double ops = sumOf(model);
    QVERIFY(ops > 0);
    for (const report::Grouping grouping : kCoarse) {
      model.setGrouping(grouping);
      QVERIFY(model.rowCount() > 0);
      QVERIFY(qAbs(sumOf(model) - ops) < ops * 1e-9);
      std::int64_t count = 0;
      for (int row = 0; row < model.rowCount(); ++row) {
        count += model.opRow(row).count;
        // The op that a row stands for lies in it.
        if (grouping != report::Grouping::ByDepth) QCOMPARE(model.rowOf(model.opAt(row), std::nullopt), row);
        QVERIFY(!model.filterOf(row).isEmpty());
      }
      QCOMPARE(count, model.opsData()->table.totals.calls);
      for (int column = 0; column < model.columnCount(); ++column) model.sort(column, Qt::AscendingOrder);
      model.sort(1, Qt::DescendingOrder);
    }
  }

  void aMeanThatIsTheDurationIsNotShownTwice() {
    Stage stage;
    OpsPage* page = showOps(stage);
    const QString mean = QStringLiteral("Mean (µs)");
    QVERIFY(page->model()->opsData()->meanIsDuration);
    QVERIFY(!titlesOf(page).contains(mean));
    const auto told = [&]() {
      for (const ElidedText* text : page->findChildren<ElidedText*>())
        if (text->text().contains(QLatin1String("Mean is Duration"))) return true;
      return false;
    };
    QVERIFY(told());
    // Who wants it has it.
    press(page, QStringLiteral("Columns"));
    actionOf(page, mean)->trigger();
    QVERIFY(titlesOf(page).contains(mean));
    QVERIFY(!told());
  }

  void withOneRepeatShapesStayBeforeEmptyStatistics() {
    Stage stage;
    openExecutable(stage);
    stage.workspace->profile();
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(1));
    testing::SyntheticOptions options;
    options.repeats = options.repeatsWanted = 1;
    stage.session.post(session::ProfileFinished{testing::syntheticDocument(options)});
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    stage.window->showPageById(QStringLiteral("ops"));
    stage.window->resize(860, 600);
    auto* page = stage.window->findChild<OpsPage*>();
    QTRY_VERIFY(!titlesOf(page).contains(QStringLiteral("Std dev. (µs)")));
    QVERIFY(titlesOf(page).contains(QStringLiteral("Argument Shapes")));
  }

  void countersHaveTheirUnitInTheTitle() {
    auto run = std::make_shared<report::Run>(*testing::syntheticDocument().run);
    run->counters.push_back(
        {"task-clock", "µs, of all threads", report::CounterColumn::Kind::Duration, run->ownNs, {}, {}});
    run->counters.push_back(
        {"cycles", "of all threads, in user space", report::CounterColumn::Kind::Count, run->ownNs, {}, {}});
    const auto data = makeOpsData(report::makeDocument(run), report::Grouping::ByOp);
    const auto columnOf = [&](const char* id) {
      return *std::ranges::find(data->columns, QLatin1String("extra:") + QLatin1String(id), &OpsColumn::id);
    };
    QCOMPARE(columnOf("task-clock").title, QStringLiteral("task-clock (µs)"));
    QCOMPARE(columnOf("task-clock").fileTitle, QStringLiteral("task-clock (us)"));
    QCOMPARE(columnOf("task-clock").description, QStringLiteral("Counted in the run, of all threads"));
    QCOMPARE(columnOf("cycles").title, QStringLiteral("cycles"));
    QCOMPARE(columnOf("cycles").description,
             QStringLiteral("Counted in the run, of all threads, in user space"));
  }

  void aRowsFilterLeavesItsOpsAlone() {
    Background background;
    OpsModel coarse(&background), ops(&background);
    const report::Document document = testing::syntheticDocument();
    coarse.setDocument(document);
    ops.setDocument(document);
    for (const report::Grouping grouping : {report::Grouping::ByKind, report::Grouping::ByDevice}) {
      coarse.setGrouping(grouping);
      for (int row = 0; row < coarse.rowCount(); ++row) {
        ops.setFilter({coarse.filterOf(row), false});
        QVERIFY(qAbs(sumOf(ops) - coarse.opRow(row).durationUs) < coarse.opRow(row).durationUs * 1e-9);
      }
    }
  }

  void totalsOfAFilteredGroupAreThoseOfItsRows() {
    Stage stage;
    OpsPage* page = showOps(stage);
    page->setGrouping(QStringLiteral("kind"));
    const auto line = [page]() {
      for (const ElidedText* text : page->findChildren<ElidedText*>()) {
        if (text->text().contains(QStringLiteral("sum "))) return text->text();
      }
      return QString();
    };
    const std::int64_t all = page->model()->opsData()->table.totals.calls;
    QVERIFY2(line().contains(QStringLiteral(" · %1 · ").arg(format::counted(all, "call", "calls"))),
             qPrintable(line()));
    stage.workspace->selection()->setFilter({QStringLiteral("kind:Convolution"), false});
    QCOMPARE(page->model()->rowCount(), 1);
    const report::OpRow& row = page->model()->opRow(0);
    QVERIFY2(line().contains(QStringLiteral("%1 · %2 of %3")
                                 .arg(format::counted(1, "group", "groups"), format::integer(row.count),
                                      format::counted(all, "call", "calls"))),
             qPrintable(line()));
    QVERIFY2(line().contains(QStringLiteral("sum %1 of ").arg(format::microseconds(row.durationUs))),
             qPrintable(line()));
  }

  void fieldsLookAtOneThingAlone() {
    Background background;
    OpsModel model(&background);
    model.setDocument(testing::syntheticDocument());
    model.setFilter({QStringLiteral("kind:Convolution"), false});
    QVERIFY(model.rowCount() > 0);
    for (int row = 0; row < model.rowCount(); ++row)
      QCOMPARE(model.opRow(row).kind, report::OpKind::Convolution);
    model.setFilter({QStringLiteral("device:conv"), false});
    QCOMPARE(model.rowCount(), 0);
    model.setFilter({QStringLiteral("depth:0"), false});
    QCOMPARE(model.rowCount(), 57);
    model.setFilter({QStringLiteral("NAME:batch"), false});
    QVERIFY(model.rowCount() > 0 && model.rowCount() < 57);
    model.setFilter({QStringLiteral("shape:[1, 16, 14, 14]"), false});
    QVERIFY(model.rowCount() > 0 && model.rowCount() < 57);
    // Coarse rows are sums of what passes.
    model.setFilter({});
    model.setGrouping(report::Grouping::ByDevice);
    const double all = model.opRow(0).durationUs;
    model.setFilter({QStringLiteral("kind:Convolution"), false});
    QCOMPARE(model.rowCount(), 1);
    QVERIFY(model.opRow(0).durationUs < all);
    QCOMPARE(model.opsData()->table.totals.opsUs > model.opRow(0).durationUs, true);
  }

  void aWrongExpressionIsToldAndHidesNothing() {
    Stage stage;
    OpsPage* page = showOps(stage);
    press(page, QStringLiteral("Regular expression"));
    auto* field = page->findChild<QLineEdit*>();
    field->setFocus();
    QTest::keyClicks(field, QStringLiteral("conv[("));
    bool told = false;
    for (const Text* text : page->findChildren<Text*>())
      told =
          told || (text->isVisible() && text->text().startsWith(QStringLiteral("Not a regular expression")));
    QVERIFY(told);
    QCOMPARE(page->model()->rowCount(), 57);
    field->clear();
    QTest::keyClicks(field, QStringLiteral("^conv2d[12]$"));
    QCOMPARE(page->model()->rowCount(), 2);
  }

  void aWrongExpressionThatUndoBringsBackIsToldByTheFieldOfEachPage() {
    Stage stage;
    OpsPage* page = showOps(stage);
    press(page, QStringLiteral("Regular expression"));
    auto* field = page->findChild<QLineEdit*>();
    field->setFocus();
    QTest::keyClicks(field, QStringLiteral("conv[("));
    stage.workspace->selection()->setFilter({});
    for (const char* id : {"timeline", "compare", "ops"}) {
      stage.window->showPageById(QString::fromLatin1(id));
      QTest::keyClick(stage.window.get(), Qt::Key_Z, Qt::ControlModifier);
      QCOMPARE(stage.workspace->selection()->filter().text, QStringLiteral("conv[("));
      QWidget* shown = QString::fromLatin1(id) == QLatin1String("timeline")
                           ? static_cast<QWidget*>(stage.window->findChild<TimelinePage*>())
                       : QString::fromLatin1(id) == QLatin1String("compare")
                           ? static_cast<QWidget*>(stage.window->findChild<ComparePage*>())
                           : page;
      int told = 0;
      for (const Text* text : shown->findChildren<Text*>())
        told +=
            !text->isHidden() && text->text().startsWith(QStringLiteral("Not a regular expression")) ? 1 : 0;
      QCOMPARE(told, 1);
      QTest::keyClick(stage.window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
      QVERIFY(stage.workspace->selection()->filter().isEmpty());
    }
  }

  void nothingIsScrolledSidewaysForAFewLetters_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("percent");
    QTest::addColumn<bool>("oneRepeat");
    for (const int percent : {100, 125, 150, 200}) {
      for (const QSize size : {QSize(860, 560), QSize(900, 700), QSize(1100, 800), QSize(1440, 900)}) {
        for (const bool one : {false, true}) {
          QTest::addRow("%d x %d at %d%s", size.width(), size.height(), percent, one ? " one" : "")
              << size << percent << one;
        }
      }
    }
  }

  void nothingIsScrolledSidewaysForAFewLetters() {
    QFETCH(const QSize, size);
    QFETCH(const int, percent);
    QFETCH(const bool, oneRepeat);
    Stage stage;
    QVERIFY(QTest::qWaitForWindowActive(stage.window.get()));
    for (int i = 0; i < 20 && textSize() < percent; ++i)
      QTest::keyClick(stage.window.get(), Qt::Key_Plus, Qt::ControlModifier);
    stage.window->resize(size);
    openExecutable(stage);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(1));
    testing::SyntheticOptions options;
    if (oneRepeat) options.repeats = 1;
    stage.session.post(session::ProfileFinished{testing::syntheticDocument(options)});
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    stage.window->showPageById(QStringLiteral("ops"));
    auto* page = stage.window->findChild<OpsPage*>();
    QTRY_VERIFY(page->model()->rowCount() > 0);
    QTest::qWait(50);
    setTextSize(kUsualTextSize);
    const QScrollBar* bar = page->table()->horizontalScrollBar();
    QVERIFY2(!bar->isVisible(), qPrintable(QString::number(bar->maximum())));
  }

  void undoInTheFieldTakesBackTheFilterAndNoLetters() {
    Stage stage;
    OpsPage* page = showOps(stage);
    QVERIFY(QTest::qWaitForWindowActive(stage.window.get()));
    auto* field = page->findChild<QLineEdit*>();
    const auto filter = [&stage]() { return stage.workspace->selection()->filter().text; };
    field->setFocus();
    QTest::keyClicks(field, QStringLiteral("conv"));
    QTest::keyClick(field, Qt::Key_PageDown);
    QCOMPARE(filter(), QStringLiteral("conv"));
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(filter(), QString());
    QCOMPARE(field->text(), QString());
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);  // nothing more to undo
    QCOMPARE(field->text(), QString());
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(filter(), QStringLiteral("conv"));
    QCOMPARE(page->model()->rowCount() < 57, true);
    // The same with the keys of the table in between.
    page->table()->setFocus();
    QTest::keyClick(page->table(), Qt::Key_PageDown);
    QTest::keyClick(page->table(), Qt::Key_PageUp);
    QTest::keyClick(page->table(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(field->text(), QString());
    QCOMPARE(page->model()->rowCount(), 57);
  }

  void groupingIsChosenKeptAndOpened() {
    Stage stage;
    OpsPage* page = showOps(stage);
    press(page, QStringLiteral("Group by"));
    QAction* byKind = actionOf(page, QStringLiteral("Group by kind"));
    QVERIFY(byKind != nullptr);
    byKind->trigger();
    QCOMPARE(page->model()->grouping(), report::Grouping::ByKind);
    QCOMPARE(stage.settings->opsGrouping(), QStringLiteral("kind"));
    QCOMPARE(titlesOf(page).front(), QStringLiteral("Kind"));
    page->table()->setCurrentIndex(page->model()->index(0, 0));
    QVERIFY(!stage.workspace->selection()->op().isNull());
    const double row = page->model()->opRow(0).durationUs;
    QTest::keyClick(page->table(), Qt::Key_Return);
    QCOMPARE(page->model()->grouping(), report::Grouping::ByOp);
    QVERIFY(stage.workspace->selection()->filter().text.startsWith(QStringLiteral("kind:")));
    QVERIFY(qAbs(sumOf(*page->model()) - row) < row * 1e-9);
    // Undo and redo of the filter, by the keys.
    QTest::keyClick(stage.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(page->model()->rowCount(), 57);
    QTest::keyClick(stage.window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(page->model()->rowCount() < 57);
  }

  void columnsAreChosenMovedAndKept() {
    Stage stage;
    OpsPage* page = showOps(stage);
    press(page, QStringLiteral("Columns"));
    QAction* median = actionOf(page, QStringLiteral("Median (µs)"));
    QVERIFY(median != nullptr && !median->isChecked());
    median->trigger();
    QVERIFY(titlesOf(page).contains(QStringLiteral("Median (µs)")));
    QHeaderView* header = page->table()->horizontalHeader();
    const QStringList before = titlesOf(page);
    // By dragging the title.
    const int count = page->model()->columnOf(OpsColumn::Kind::Count);
    header->moveSection(header->visualIndex(count), 1);
    QStringList expected = before;
    expected.move(expected.indexOf(QStringLiteral("Count")), 1);
    QCOMPARE(titlesOf(page), expected);
    QCOMPARE(stage.settings->shownColumns().value(1), QStringLiteral("count"));
    // By the menu.
    page->table()->setCurrentIndex(page->model()->index(0, count));
    press(page, QStringLiteral("Columns"));
    QAction* right = actionOf(page, QStringLiteral("Move “Count” right"));
    QVERIFY(right != nullptr && right->isEnabled());
    right->trigger();
    QCOMPARE(titlesOf(page).indexOf(QStringLiteral("Count")), 2);
    QCOMPARE(titlesOf(page).front(), QStringLiteral("Name"));
    // Another start shows the same.
    MainWindow again(&stage.theme, stage.workspace.get(), QString());
    again.resize(1440, 900);
    again.show();
    again.showPageById(QStringLiteral("ops"));
    QCOMPARE(titlesOf(again.findChild<OpsPage*>()), titlesOf(page));
    QAction* usual = nullptr;
    press(page, QStringLiteral("Columns"));
    usual = actionOf(page, QStringLiteral("The usual columns"));
    usual->trigger();
    QVERIFY(!titlesOf(page).contains(QStringLiteral("Median (µs)")));
    QCOMPARE(titlesOf(page).indexOf(QStringLiteral("Count")), 3);
  }

  void rowsAreCopiedInThreeWays() {
    Stage stage;
    OpsPage* page = showOps(stage);
    DataTable* table = page->table();
    table->setCurrentIndex(page->model()->index(0, 0));
    table->selectionModel()->select(page->model()->index(2, 0),
                                    QItemSelectionModel::Select | QItemSelectionModel::Rows);
    const struct {
      Qt::KeyboardModifiers keys;
      QString part;
      int lines;
    } ways[] = {{Qt::ControlModifier, QStringLiteral("\t"), 3},
                {Qt::ControlModifier | Qt::AltModifier, QStringLiteral(","), 3},
                {Qt::ControlModifier | Qt::ShiftModifier, QStringLiteral(" | "), 4}};
    for (const auto& way : ways) {
      QTest::keyClick(stage.window.get(), Qt::Key_C, way.keys);
      const QStringList lines =
          QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
      QCOMPARE(lines.size(), way.lines);
      QVERIFY(lines[0].contains(QStringLiteral("Duration (us)")));
      for (const QString& line : lines) QVERIFY(line.contains(way.part));
      QVERIFY(lines.last().contains(page->model()->index(2, 0).data().toString()));
      QVERIFY(lines.last().contains(format::plain(page->model()->opRow(2).durationUs)));
    }
  }

  void theSelectionsTotalsAreTold() {
    Stage stage;
    OpsPage* page = showOps(stage);
    page->table()->selectAll();
    double percent = 0;
    for (int row = 0; row < page->model()->rowCount(); ++row)
      percent += page->model()->opRow(row).percent.value_or(0);
    bool told = false;
    for (const ElidedText* text : page->findChildren<ElidedText*>()) {
      told = told || (text->text().startsWith(QStringLiteral("57 selected")) &&
                      text->text().contains(format::microseconds(sumOf(*page->model()))) &&
                      text->text().contains(format::percent(percent)));
    }
    QVERIFY(told);
  }

  void rowsHaveAMenu() {
    Stage stage;
    OpsPage* page = showOps(stage);
    const QModelIndex cell = page->model()->index(2, 0);
    const QPoint place = page->table()->visualRect(cell).center();
    const auto choose = [page, place](const QString& words) {
      QTest::mouseClick(page->table()->viewport(), Qt::RightButton, {}, place);
      QContextMenuEvent event(QContextMenuEvent::Mouse, place, page->table()->viewport()->mapToGlobal(place));
      QCoreApplication::sendEvent(page->table()->viewport(), &event);
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      QVERIFY(menu != nullptr);
      for (QAction* action : menu->actions()) {
        if (!action->text().startsWith(words)) continue;
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        return;
      }
      menu->close();
      QFAIL(qPrintable(words));
    };
    choose(QStringLiteral("Copy the name"));
    QCOMPARE(QGuiApplication::clipboard()->text(), cell.data().toString());
    QCOMPARE(stage.workspace->selection()->op(), page->model()->opAt(2));
    choose(QStringLiteral("Filter by"));
    QVERIFY(stage.workspace->selection()->filter().text.startsWith(QStringLiteral("name:")));
    QVERIFY(page->model()->rowCount() >= 1);
    stage.workspace->selection()->setFilter({});
    choose(QStringLiteral("Show on the Timeline"));
    QVERIFY(stage.window->currentPage() != static_cast<RunPage*>(page));
  }

  void theColumnsMenuStaysWhileColumnsAreTicked() {
    Stage stage;
    OpsPage* page = showOps(stage);
    for (ActionButton* button : page->findChildren<ActionButton*>()) {
      if (button->text() == QStringLiteral("Columns")) QTest::mouseClick(button, Qt::LeftButton);
    }
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    QVERIFY(menu != nullptr);
    const QStringList before = titlesOf(page);
    for (const QString& title : {QStringLiteral("Kind"), QStringLiteral("Depth")}) {
      QAction* action = actionOf(page, title);
      QVERIFY2(action != nullptr, qPrintable(title));
      const bool shown = action->isChecked();
      QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
      QVERIFY(menu->isVisible());
      QCOMPARE(action->isChecked(), !shown);
    }
    QVERIFY(titlesOf(page) != before);
    QTest::keyClick(menu, Qt::Key_Escape);
    QVERIFY(!menu->isVisible());
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::OpsTest)
#include "ops_test.moc"
