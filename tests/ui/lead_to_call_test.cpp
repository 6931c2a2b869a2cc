// SPDX-License-Identifier: GPL-3.0-or-later
// What leads to a call on the Timeline: Return in Ops and in Memory, a link of the Inspector. The call is
// chosen, of a size that can be read, and the keyboard is in the lanes. By real keys.
#include <QtTest>

#include "tests/ui/support/keyboard_hand.h"
#include "tests/ui/support/memory_run.h"
#include "tests/ui/support/window_stage.h"
#include "ui/models/ops_model.h"
#include "ui/views/inspector.h"
#include "ui/views/memory_page.h"
#include "ui/views/ops_page.h"
#include "ui/views/timeline/timeline_view.h"
#include "ui/views/timeline_page.h"
#include "ui/views/widgets/buttons.h"

namespace opscope::ui {

using testing::KeyboardHand;
using testing::Stage;

class LeadToCallTest : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<Stage> m_stage;
  std::unique_ptr<KeyboardHand> m_hand;

  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) { m_hand->press(key, modifiers); }
  Selection* selection() const { return m_stage->workspace->selection(); }
  OpsPage* ops() const { return m_stage->window->findChild<OpsPage*>(); }
  TimelinePage* page() const { return m_stage->window->findChild<TimelinePage*>(); }
  const TimelineScene& scene() const { return page()->view()->scene(); }
  const report::Span& spanOf(std::uint32_t call) const {
    const Timeline& timeline = *page()->view()->timeline();
    return timeline.spans()[timeline.spanOfCall(call)];
  }
  double longestOfOpUs(const OpId& op) const {
    double ns = 0;
    for (const report::Span& span : page()->view()->timeline()->spans()) {
      if (opOf(m_stage->workspace->run()->run().calls[span.call]) == op) ns = std::max(ns, span.durationNs);
    }
    return ns / 1000;
  }
  void start(report::Document document) {
    m_stage = std::make_unique<Stage>();
    m_hand = std::make_unique<KeyboardHand>(&m_stage->theme, m_stage->window.get());
    QVERIFY(QTest::qWaitForWindowActive(m_stage->window.get()));
    testing::openExecutable(*m_stage);
    press(Qt::Key_F5);
    QTRY_COMPARE(m_stage->session.profiles.size(), std::size_t(1));
    m_stage->session.post(session::ProfileFinished{std::move(document)});
    QTRY_VERIFY(m_stage->workspace->run() != nullptr);
    QTRY_VERIFY(page()->view()->timeline() != nullptr);
  }
  void seeCall(std::uint32_t call) {
    QCOMPARE(m_stage->window->currentPageId(), QStringLiteral("timeline"));
    QVERIFY2(KeyboardHand::focus() == page()->view(),
             qPrintable(KeyboardHand::nameOf(KeyboardHand::focus())));
    QVERIFY(selection()->call().has_value());
    QCOMPARE(*selection()->call(), call);
    const report::Span& span = spanOf(call);
    // Where the movement ends.
    const auto share = [&]() { return span.durationNs / scene().scale.spanNs(); };
    QTRY_VERIFY2(share() > 0.33 && share() < 0.5, qPrintable(QString::number(share())));
    QTRY_VERIFY(scene().scale.startNs < span.startNs && scene().scale.endNs > span.startNs + span.durationNs);
    QTRY_VERIFY(page()->view()->currentRect().width() > page()->view()->viewport()->width() / 4);
    QVERIFY(page()->view()->currentRect().height() >= 10);
  }

 private Q_SLOTS:
  void returnOnAnOpGoesToItsLongestCall() {
    start(testing::syntheticDocument());
    // The keyboard was elsewhere on the Timeline before.
    press(Qt::Key_3, Qt::AltModifier);
    press(Qt::Key_F, Qt::ControlModifier);
    QVERIFY(KeyboardHand::focus() != page()->view());
    press(Qt::Key_2, Qt::AltModifier);
    QVERIFY(KeyboardHand::focus() == ops()->table());
    press(Qt::Key_Home, Qt::ControlModifier);
    while (ops()->model()->opRow(ops()->table()->currentIndex().row()).count < 3) press(Qt::Key_Down);
    const OpId op = ops()->model()->opAt(ops()->table()->currentIndex().row());
    press(Qt::Key_Return);
    QVERIFY(selection()->call().has_value());
    const std::uint32_t longest = *selection()->call();
    QCOMPARE(selection()->op(), op);
    QCOMPARE(spanOf(longest).durationNs / 1000, longestOfOpUs(op));
    seeCall(longest);
    m_hand->seeFocus();
    // The keys of the Timeline work at once.
    press(Qt::Key_Comma);
    press(Qt::Key_Period);
    press(Qt::Key_Comma);
    QVERIFY(*selection()->call() != longest);
    QCOMPARE(selection()->op(), op);
    const double length = scene().scale.spanNs();
    press(Qt::Key_S);
    QTRY_VERIFY(scene().scale.spanNs() > 1.4 * length);
    // Again from Ops: to the longest, whichever call was chosen in between.
    press(Qt::Key_2, Qt::AltModifier);
    press(Qt::Key_Return);
    seeCall(longest);
    QTest::qWait(500);
    press(Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY(scene().scale.spanNs() > 1.4 * length);
  }

  void returnOnACallGoesToIt() {
    start(testing::syntheticDocument());
    press(Qt::Key_2, Qt::AltModifier);
    ops()->setGrouping(QStringLiteral("call"));
    QTRY_COMPARE(ops()->model()->rowCount(), 216);
    press(Qt::Key_Home, Qt::ControlModifier);
    for (int i = 0; i < 100; ++i) press(Qt::Key_Down);
    const auto call = ops()->model()->callAt(ops()->table()->currentIndex().row());
    QVERIFY(call.has_value());
    press(Qt::Key_Return);
    seeCall(*call);
  }

  void aRangeIsKeptTo() {
    start(testing::syntheticDocument());
    const Timeline& timeline = *page()->view()->timeline();
    const report::Run& run = m_stage->workspace->run()->run();
    // The shortest call of an op that has several.
    const OpId op = opOf(run.calls[0]);
    std::uint32_t shortest = 0;
    for (const report::Span& span : timeline.spans()) {
      if (opOf(run.calls[span.call]) == op && span.durationNs < spanOf(shortest).durationNs)
        shortest = span.call;
    }
    const report::Span& span = spanOf(shortest);
    selection()->setRange(TimeRange{span.startNs, span.startNs + span.durationNs, 0});
    press(Qt::Key_2, Qt::AltModifier);
    QTRY_COMPARE(ops()->model()->rowCount(), 1);
    press(Qt::Key_Home, Qt::ControlModifier);
    press(Qt::Key_Return);
    seeCall(shortest);
  }

  void theInspectorLeadsToEachCall() {
    start(testing::syntheticDocument());
    press(Qt::Key_2, Qt::AltModifier);
    press(Qt::Key_Home, Qt::ControlModifier);
    press(Qt::Key_Down);
    auto* inspector = m_stage->window->findChild<Inspector*>();
    QTRY_VERIFY(!inspector->findChildren<LinkButton*>().isEmpty());
    m_hand->goTo<Inspector>();
    for (int i = 0;
         i < 60 && !KeyboardHand::nameOf(KeyboardHand::focus()).startsWith(QLatin1String("Show call")); ++i) {
      press(Qt::Key_Tab);
    }
    const QString name = KeyboardHand::nameOf(KeyboardHand::focus());
    QVERIFY2(name.startsWith(QLatin1String("Show call ")), qPrintable(name));
    press(Qt::Key_Return);
    seeCall(name.section(QLatin1Char(' '), 2, 2).toUInt() - 1);  // people count from 1
  }

  void aStorageLeadsToTheCallThatTookIt() {
    start(testing::memoryDocument());
    press(Qt::Key_6, Qt::AltModifier);
    auto* memory = m_stage->window->findChild<MemoryPage*>();
    QTRY_VERIFY(memory->memory() != nullptr);
    m_hand->tabTo(QStringLiteral("Storages"));
    press(Qt::Key_Home, Qt::ControlModifier);
    press(Qt::Key_Down);
    const auto box = memory->chosenStorage();
    QVERIFY(box.has_value());
    press(Qt::Key_Return);
    seeCall(memory->memory()->boxes[*box].call);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::LeadToCallTest)
#include "lead_to_call_test.moc"
