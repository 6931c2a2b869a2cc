// SPDX-License-Identifier: GPL-3.0-or-later
// A scripted walk through the window, by keys, with a run of a million calls; for each step the longest time
// in which the window did not answer. Printed, offscreen; the goal is 50 ms.
#include <QtTest>
#include <cstdio>

#include "tests/ui/support/watchdog.h"
#include "tests/ui/support/window_stage.h"
#include "ui/views/ops_page.h"

namespace opscope::ui {

using testing::Stage;

namespace {

constexpr double kGoalMs = 50;

}  // namespace

class WalkBench : public QObject {
  Q_OBJECT

 private:
  Stage m_stage;
  testing::Watchdog m_dog;
  int m_over = 0;

  /// Does a step, then lets the window come to rest; prints the longest silence meanwhile.
  template <class Act>
  void step(const char* words, const Act& act) {
    m_dog.reset();
    act();
    QElapsedTimer clock;
    clock.start();
    while (!m_stage.workspace->background()->waitForDone(0) && clock.elapsed() < 60000) QTest::qWait(1);
    QTest::qWait(80);
    const double ms = m_dog.longestMs();
    if (ms > kGoalMs) ++m_over;
    std::printf("  %-44s %7.1f ms%s\n", words, ms, ms > kGoalMs ? "  over the goal" : "");
  }
  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(m_stage.window.get(), Qt::Key(key), modifiers);
  }

 private Q_SLOTS:
  void walk() {
    QVERIFY(QTest::qWaitForWindowActive(m_stage.window.get()));
    testing::SyntheticOptions options;
    options.calls = 1'000'000;
    options.repeats = options.repeatsWanted = 1;
    const report::Document document = testing::syntheticDocument(options);
    m_stage.settings->setSavesRuns(false);
    std::puts("the longest silence of the window, a run of 1 000 000 calls:");
    step("an executable is opened", [this]() { testing::openExecutable(m_stage); });
    // The session moves its document into the event; a copy here would be the benchmark's own silence.
    session::EventBody finished = session::ProfileFinished{document};
    step("the run comes", [&]() {
      m_stage.workspace->profile();
      m_stage.session.post(std::move(finished));
      QTRY_VERIFY_WITH_TIMEOUT(m_stage.workspace->run() != nullptr, 60000);
    });
    const char* pages[] = {"Summary", "Ops", "Timeline", "Charts", "Compare", "Memory", "Code"};
    for (int page = 0; page < 7; ++page)
      step(pages[page], [&]() { press(Qt::Key_1 + page, Qt::AltModifier); });
    press(Qt::Key_2, Qt::AltModifier);
    auto* ops = m_stage.window->findChild<OpsPage*>();
    step("Ops: a row for each call", [&]() { ops->setGrouping(QStringLiteral("call")); });
    step("Ops: filtered, letter by letter", [&]() {
      press(Qt::Key_F, Qt::ControlModifier);
      QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("conv2d"), Qt::NoModifier, 30);
    });
    step("Ops: the filter is cleared", [&]() { press(Qt::Key_Escape); });
    step("Ops: sorted by name", [&]() { ops->table()->sortByColumn(0, Qt::AscendingOrder); });
    step("Ops: sorted by duration", [&]() { ops->table()->sortByColumn(1, Qt::DescendingOrder); });
    step("an op is chosen", [&]() {
      ops->table()->setFocus();
      QTest::keyClick(ops->table(), Qt::Key_Down);
    });
    step("Timeline with the op", [&]() { press(Qt::Key_3, Qt::AltModifier); });
    step("Charts with the op", [&]() { press(Qt::Key_4, Qt::AltModifier); });
    step("the window is made small", [&]() { m_stage.window->resize(900, 600); });
    step("the theme is changed", [&]() { press(Qt::Key_F9, Qt::ShiftModifier); });
    std::printf("steps over the goal of %.0f ms: %d\n", kGoalMs, m_over);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::WalkBench)
#include "walk_bench.moc"
