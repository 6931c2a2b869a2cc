// SPDX-License-Identifier: GPL-3.0-or-later
// Ops: groups unfold to their members in place, by mouse and keyboard, and the selection finds them.
#include <QAbstractItemModelTester>
#include <QtTest>
#include <cmath>

#include "engine/report/run_report.h"
#include "tests/ui/support/nested_run.h"
#include "tests/ui/support/ops_stage.h"
#include "tests/ui/support/pictures.h"
#include "ui/views/delegates/cell_delegate.h"
#include "ui/views/ops_page.h"

namespace opscope::ui {

using testing::showOps;
using testing::Stage;

namespace {

constexpr report::Grouping kGroupings[] = {report::Grouping::ByOp,     report::Grouping::ByName,
                                           report::Grouping::ByKind,   report::Grouping::ByDevice,
                                           report::Grouping::ByShapes, report::Grouping::ByDepth,
                                           report::Grouping::ByStep};

int firstWith(const OpsModel& model, Fold fold) {
  for (int row = 0; row < model.rowCount(); ++row) {
    if (model.foldOf(row) == fold) return row;
  }
  return -1;
}

/// Rows right under `row`.
std::vector<int> membersOf(const OpsModel& model, int row) {
  std::vector<int> members;
  for (int at = row + 1; at < model.rowCount() && model.levelOf(at) > model.levelOf(row); ++at) {
    if (model.parentOf(at) == row) members.push_back(at);
  }
  return members;
}

}  // namespace

class FoldsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void membersSumUpToTheirGroup() {
    Background background;
    OpsModel model(&background);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (const bool nested : {false, true}) {
      model.setDocument(nested ? report::makeDocument(std::make_shared<report::Run>(
                                     *testing::nestedDocument({.steps = 12}).run))
                               : testing::syntheticDocument());
      for (const report::Grouping grouping : kGroupings) {
        model.setGrouping(grouping);
        const int groups = model.rowCount();
        for (int row = model.rowCount() - 1; row >= 0; --row) model.setUnfolded(row, true);
        for (int row = model.rowCount() - 1; row >= 0; --row) model.setUnfolded(row, true);
        QVERIFY(model.rowCount() >= groups);
        for (int row = 0; row < model.rowCount(); ++row) {
          if (model.foldOf(row) != Fold::Unfolded) continue;
          double sum = 0;
          std::int64_t calls = 0;
          for (const int member : membersOf(model, row)) {
            sum += model.opRow(member).durationUs;
            calls += model.opRow(member).count;
          }
          QVERIFY(std::abs(sum - model.opRow(row).durationUs) <= 1e-9 * sum);
          QCOMPARE(calls, model.opRow(row).count);
        }
        for (int row = 0; row < model.rowCount(); ++row) model.setUnfolded(row, false);
        QCOMPARE(model.rowCount(), groups);
        QVERIFY(!model.hasUnfolded());
      }
    }
  }

  void membersAreSortedAndFilteredAsGroups() {
    Background background;
    OpsModel model(&background);
    model.setDocument(testing::syntheticDocument());
    model.setGrouping(report::Grouping::ByKind);
    const int row = firstWith(model, Fold::Folded);
    model.setUnfolded(row, true);
    const auto sorted = [&](bool down) {
      const auto members = membersOf(model, firstWith(model, Fold::Unfolded));
      for (std::size_t i = 1; i < members.size(); ++i) {
        const double before = model.opRow(members[i - 1]).durationUs,
                     now = model.opRow(members[i]).durationUs;
        if (down ? now > before : now < before) return false;
      }
      return members.size() > 1;
    };
    QVERIFY(sorted(true));
    model.sort(1, Qt::AscendingOrder);
    QVERIFY(sorted(false));
    const auto all = membersOf(model, firstWith(model, Fold::Unfolded)).size();
    model.setFilter({QStringLiteral("conv2d1"), false});
    // What was unfolded stays so, with the members that pass.
    QVERIFY(firstWith(model, Fold::Unfolded) >= 0);
    const auto left = membersOf(model, firstWith(model, Fold::Unfolded));
    QVERIFY(!left.empty() && left.size() < all);
    for (const int member : left)
      QVERIFY(model.index(member, 0).data().toString().contains(QLatin1String("conv2d1")));
    // Another grouping, or another run, begins folded.
    model.setGrouping(report::Grouping::ByOp);
    QVERIFY(!model.hasUnfolded());
  }

  void keysUnfoldAndGoAlong() {
    Stage stage;
    OpsPage* page = showOps(stage);
    OpsModel* model = page->model();
    const int groups = model->rowCount();
    const int row = firstWith(*model, Fold::Folded);
    page->table()->setCurrentIndex(model->index(row, 0));
    page->table()->setFocus();
    QTest::keyClick(page->table(), Qt::Key_Right);
    QCOMPARE(int(model->foldOf(row)), int(Fold::Unfolded));
    const auto members = membersOf(*model, row);
    QCOMPARE(std::int64_t(members.size()), model->opRow(row).count);
    QCOMPARE(page->table()->currentIndex().row(), row);
    // There is nothing more to unfold: to the next cell, and back.
    QTest::keyClick(page->table(), Qt::Key_Right);
    QCOMPARE(page->table()->currentIndex().row(), row);
    QVERIFY(page->table()->currentIndex().column() > 0);
    QCOMPARE(int(model->foldOf(row)), int(Fold::Unfolded));
    // From any cell.
    QTest::keyClick(page->table(), Qt::Key_Minus);
    QCOMPARE(model->rowCount(), groups);
    QTest::keyClick(page->table(), Qt::Key_Plus, Qt::ShiftModifier);
    QCOMPARE(int(model->foldOf(row)), int(Fold::Unfolded));
    QTest::keyClick(page->table(), Qt::Key_Left);
    QCOMPARE(page->table()->currentIndex(), model->index(row, 0));
    QTest::keyClick(page->table(), Qt::Key_Down);
    QCOMPARE(page->table()->currentIndex().row(), row + 1);
    // A member is a call, and it is chosen everywhere.
    QCOMPARE(stage.workspace->selection()->call(), model->callAt(row + 1));
    QVERIFY(model->index(row + 1, 0).data().toString().startsWith(QLatin1Char('#')));
    QTest::keyClick(page->table(), Qt::Key_Left);
    QCOMPARE(page->table()->currentIndex().row(), row);
    QTest::keyClick(page->table(), Qt::Key_Left);
    QCOMPARE(model->rowCount(), groups);
  }

  void aClickOnTheMarkUnfoldsAndSelectsNothing() {
    Stage stage;
    OpsPage* page = showOps(stage);
    OpsModel* model = page->model();
    const int groups = model->rowCount();
    const QRect cell = page->table()->visualRect(model->index(0, 0));
    const QRect mark = NameDelegate::foldMark(stage.theme, cell, 0);
    page->table()->clearSelection();
    QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {}, mark.center());
    QVERIFY(model->rowCount() > groups);
    QVERIFY(page->table()->selectedRows().empty());
    QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {}, mark.center());
    QCOMPARE(model->rowCount(), groups);
    // Beside it the row is chosen.
    QTest::mouseClick(page->table()->viewport(), Qt::LeftButton, {},
                      QPoint(cell.right() - 10, cell.center().y()));
    QCOMPARE(page->table()->selectedRows(), std::vector<int>{0});
  }

  void theSelectionFindsMembers() {
    Stage stage;
    OpsPage* page = showOps(stage);
    page->setGrouping(QStringLiteral("kind"));
    OpsModel* model = page->model();
    const int row = firstWith(*model, Fold::Folded);
    model->setUnfolded(row, true);
    // A group that is chosen stays chosen, though its longest op is among its members.
    page->table()->setCurrentIndex(model->index(row, 0));
    QCOMPARE(page->table()->selectedRows(), std::vector<int>{row});
    const int member = membersOf(*model, row).back();
    const OpId op = model->opAt(member);
    stage.workspace->selection()->setOp(op);
    QCOMPARE(page->table()->selectedRows(), std::vector<int>{member});
    testing::takePictures(stage, QStringLiteral("ops-unfolded"));
    // A group and its member are not counted twice.
    page->table()->selectionModel()->select(QItemSelection(model->index(row, 0), model->index(member, 0)),
                                            QItemSelectionModel::Select | QItemSelectionModel::Rows);
    const QString calls = QString::number(model->opRow(row).count) + QStringLiteral(" calls");
    bool told = false;
    for (const ElidedText* text : page->findChildren<ElidedText*>())
      told = told || text->text().replace(QChar::Nbsp, QLatin1Char(' ')).contains(calls);
    QVERIFY(told);
  }

  void aMillionCallsUnfoldInTheBackground() {
    testing::SyntheticOptions options;
    options.calls = 200'000;
    options.repeats = options.repeatsWanted = 2;
    Background background;
    OpsModel model(&background);
    model.setDocument(testing::syntheticDocument(options));
    QTRY_VERIFY_WITH_TIMEOUT(!model.isBusy() && model.rowCount() > 0, 60000);
    const int groups = model.rowCount();
    const std::int64_t calls = model.opRow(0).count;
    model.setUnfolded(0, true);
    // Not here and now: the window goes on.
    QCOMPARE(model.rowCount(), groups);
    QTRY_COMPARE_WITH_TIMEOUT(std::int64_t(model.rowCount()), groups + calls, 60000);
    model.sort(1, Qt::AscendingOrder);
    QTRY_VERIFY_WITH_TIMEOUT(!model.isBusy(), 60000);
    QCOMPARE(std::int64_t(model.rowCount()), groups + calls);
    // One that is folded again before its members came stays folded.
    model.foldAll();
    QTRY_VERIFY_WITH_TIMEOUT(!model.isBusy(), 60000);
    model.setUnfolded(0, true);
    model.setUnfolded(0, false);
    QVERIFY(background.waitForDone(60000));
    QCoreApplication::processEvents();
    QCOMPARE(model.rowCount(), groups);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::FoldsTest)
#include "folds_test.moc"
