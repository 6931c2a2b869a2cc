// SPDX-License-Identifier: GPL-3.0-or-later
// How long a saved run of a million calls takes from the wish to its painted page, and the longest the window
// did not answer meanwhile; and a list of a thousand saved runs. Printed, offscreen.
#include <QElapsedTimer>
#include <QtTest>
#include <algorithm>
#include <cstdio>

#include "tests/ui/support/watchdog.h"
#include "tests/ui/support/window_stage.h"
#include "ui/views/runs_panel.h"

namespace opscope::ui {

using testing::Stage;
using testing::Watchdog;

namespace {

report::Document millionCalls() {
  testing::SyntheticOptions options;
  options.calls = 1'000'000;
  options.repeats = options.repeatsWanted = 1;
  return testing::syntheticDocument(options);
}

}  // namespace

class OpenRunBench : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aMillionCalls() {
    Stage stage;
    stage.store->save(millionCalls());
    QTRY_COMPARE_WITH_TIMEOUT(stage.store->runs()->size(), std::size_t(1), 120000);
    for (const char* page : {"summary", "ops", "timeline"}) {
      if (stage.workspace->run()) stage.workspace->closeFile();
      QVERIFY(stage.window->showPageById(QLatin1String(page)));
      QTest::qWait(50);
      Watchdog watchdog;
      QElapsedTimer clock;
      clock.start();
      stage.workspace->openSaved(1);
      QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->run() != nullptr, 60000);
      const double shownMs = double(clock.nsecsElapsed()) * 1e-6;
      while (!stage.workspace->background()->waitForDone(0)) QCoreApplication::processEvents();
      QCoreApplication::processEvents();
      stage.window->grab();
      std::printf("open 1 million calls, %-9s %7.0f ms shown %7.0f ms painted, longest stall %5.0f ms\n",
                  page, shownMs, double(clock.nsecsElapsed()) * 1e-6, watchdog.longestMs());
    }
  }

  void aThousandRuns() {
    Stage stage;
    testing::SyntheticOptions options;
    options.repeats = options.repeatsWanted = 2;
    options.calls = 60;
    const report::Document document = testing::syntheticDocument(options);
    for (int i = 0; i < 1000; ++i) stage.store->save(document);
    QTRY_COMPARE_WITH_TIMEOUT(stage.store->runs()->size(), std::size_t(1000), 300000);
    auto* model = stage.window->findChild<RunsPanel*>()->model();
    QElapsedTimer clock;
    clock.start();
    model->sort(RunsModel::Note, Qt::AscendingOrder);
    const double sortMs = double(clock.nsecsElapsed()) * 1e-6;
    clock.start();
    model->setFilter(QStringLiteral("shuffle"));
    const double filterMs = double(clock.nsecsElapsed()) * 1e-6;
    clock.start();
    model->setRuns(stage.store->runs());
    std::printf("1000 saved runs: sort %.1f ms, filter %.1f ms, new list %.1f ms\n", sortMs, filterMs,
                double(clock.nsecsElapsed()) * 1e-6);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::OpenRunBench)
#include "open_run_bench.moc"
