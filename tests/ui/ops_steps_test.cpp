// SPDX-License-Identifier: GPL-3.0-or-later
// Ops of a scenario: grouped, filtered and told by step.
#include <QAbstractItemModelTester>
#include <QLabel>
#include <QMenu>
#include <QtTest>

#include "engine/report/run_report.h"
#include "tests/ui/support/nested_run.h"
#include "tests/ui/support/ops_stage.h"
#include "ui/views/ops_page.h"

namespace opscope::ui {

using testing::showOps;
using testing::Stage;

namespace {

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

}  // namespace

class OpsStepsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void stepsOfAScenarioAreGroups() {
    Background background;
    OpsModel model(&background), ops(&background);
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto run = std::make_shared<report::Run>(*testing::nestedDocument({.steps = 12}).run);
    const report::Document document = report::makeDocument(run);
    model.setDocument(document);
    ops.setDocument(document);
    const auto indexOf = [](const OpsModel& of, const char* id) {
      const auto& columns = of.opsData()->columns;
      return int(std::ranges::find(columns, QLatin1String(id), &OpsColumn::id) - columns.begin());
    };
    // An op of several steps has none; each call has its own.
    QCOMPARE(model.opsData()->columns[std::size_t(indexOf(model, "step"))].title, QStringLiteral("Step"));
    model.setGrouping(report::Grouping::EachCall);
    for (int row = 0; row < model.rowCount(); ++row) {
      QCOMPARE(model.index(row, indexOf(model, "step")).data().toString().toStdString(),
               run->steps[run->calls[*model.callAt(row)].step]);
    }
    model.setGrouping(report::Grouping::ByStep);
    model.sort(0, Qt::AscendingOrder);
    QStringList names;
    double sum = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
      names << model.index(row, 0).data().toString();
      sum += model.opRow(row).durationUs;
      // Its filter leaves its calls: those of "decode #1" are not those of "decode #10".
      for (const auto grouping :
           {report::Grouping::ByOp, report::Grouping::EachCall, report::Grouping::ByKind}) {
        ops.setGrouping(grouping);
        ops.setFilter({model.filterOf(row), false});
        QCOMPARE(sumOf(ops), model.opRow(row).durationUs);
      }
    }
    QStringList wanted;  // in order of the scenario, those that have ops
    for (std::uint32_t step = 0; step < run->steps.size(); ++step) {
      if (std::ranges::any_of(run->calls,
                              [&](const report::Call& call) { return call.inReport && call.step == step; }))
        wanted << QString::fromStdString(run->steps[step]);
    }
    QCOMPARE(names, wanted);
    QVERIFY(names.contains(QStringLiteral("decode #1")) && names.contains(QStringLiteral("decode #10")));
    QCOMPARE(sum, model.opsData()->table.totals.opsUs);
    // Part of a name finds all that hold it; without a filter all are there again.
    ops.setGrouping(report::Grouping::ByOp);
    ops.setFilter({QStringLiteral("step:decode"), false});
    QCOMPARE(sumOf(ops), sum - model.opRow(0).durationUs);
    ops.setFilter({});
    QCOMPARE(sumOf(ops), sum);
  }

  void stepsAreOfferedWhereThereAreSome() {
    Stage stage;
    OpsPage* page = showOps(stage);
    QAction* steps = actionOf(page, QStringLiteral("Group by step"));
    QVERIFY(steps != nullptr && !steps->isVisible());
    const auto finish = [&](const report::Document& document) {
      const auto before = stage.workspace->run();
      QTest::keyClick(stage.window.get(), Qt::Key_F5);
      stage.session.post(session::ProfileFinished{document});
      QTRY_VERIFY(stage.workspace->run() != before);
    };
    const auto nested = [](std::uint32_t count) {
      return report::makeDocument(
          std::make_shared<report::Run>(*testing::nestedDocument({.steps = count}).run));
    };
    finish(nested(3));
    QVERIFY(steps->isVisible());
    QTest::keyClick(stage.window.get(), Qt::Key_K, Qt::ControlModifier);
    QTest::keyClick(stage.window.get(), Qt::Key_7);
    QCOMPARE(page->grouping(), QStringLiteral("step"));
    QCOMPARE(page->model()->rowCount(), 3);
    // The Inspector tells of the step's ops.
    page->table()->selectRow(page->model()->rowCount() - 1);
    QTRY_VERIFY(std::ranges::any_of(stage.window->findChildren<QLabel*>(), [](const QLabel* label) {
      return label->isVisible() && label->text().startsWith(QStringLiteral("Ops of this step"));
    }));
    // Without steps the usual rows; with steps again those that were chosen.
    finish(nested(1));
    QCOMPARE(page->grouping(), QStringLiteral("op"));
    QVERIFY(!steps->isVisible());
    finish(nested(3));
    QCOMPARE(page->grouping(), QStringLiteral("step"));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::OpsStepsTest)
#include "ops_steps_test.moc"
