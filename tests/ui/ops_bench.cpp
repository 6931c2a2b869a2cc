// SPDX-License-Identifier: GPL-3.0-or-later
// How long Ops takes with a million rows: sorting by each column, filtering, grouping, from the wish to the
// new rows, and the longest the window did not answer meanwhile. Printed, offscreen.
#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <cstdio>

#include "tests/ui/support/synthetic_run.h"
#include "tests/ui/support/watchdog.h"
#include "ui/models/ops_model.h"

namespace opscope::ui {
class OpsBench : public QObject {
  Q_OBJECT

 private:
  template <class Action>
  void measure(const char* what, OpsModel& model, Action action) {
    QSignalSpy rows(&model, &OpsModel::rowsChanged);
    QTest::qWait(20);
    testing::Watchdog watchdog;
    QElapsedTimer clock;
    clock.start();
    action();
    QTRY_VERIFY_WITH_TIMEOUT(!model.isBusy(), 60000);
    std::printf("%-34s %7.0f ms, longest stall %4.0f ms, %d rows\n", what,
                double(clock.nsecsElapsed()) * 1e-6, watchdog.longestMs(), model.rowCount());
  }

 private Q_SLOTS:
  void aMillionRows() {
    testing::SyntheticOptions options;
    options.calls = 1'000'000;
    options.repeats = options.repeatsWanted = 2;
    const report::Document document = testing::syntheticDocument(options);
    Background background;
    OpsModel model(&background);
    model.setGrouping(report::Grouping::EachCall);
    measure("open with a row for each call", model, [&]() { model.setDocument(document); });
    QCOMPARE(model.rowCount(), 1'000'000);
    for (int column = 0; column < model.columnCount(); ++column) {
      const QString title =
          QStringLiteral("sort by ") + model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
      measure(qPrintable(title), model, [&]() { model.sort(column, Qt::AscendingOrder); });
    }
    measure("sort by duration, descending", model, [&]() { model.sort(1, Qt::DescendingOrder); });
    measure("filter by words", model, [&]() { model.setFilter({QStringLiteral("batch"), false}); });
    measure("filter by an expression", model, [&]() {
      model.setFilter({QStringLiteral("^conv2d[12]$"), true});
    });
    measure("filter by kind", model, [&]() { model.setFilter({QStringLiteral("kind:convolution"), false}); });
    measure("no filter", model, [&]() { model.setFilter({}); });
    for (const auto grouping : {report::Grouping::ByOp, report::Grouping::ByKind, report::Grouping::ByDepth})
      measure("group", model, [&]() { model.setGrouping(grouping); });
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::OpsBench)
#include "ops_bench.moc"
