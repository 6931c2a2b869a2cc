// SPDX-License-Identifier: GPL-3.0-or-later
// Events come on another thread and arrive on the GUI thread, in order; those of older requests are dropped.
#include <QtTest>
#include <future>
#include <thread>

#include "tests/ui/support/fake_session.h"
#include "tests/ui/support/synthetic_run.h"
#include "ui/bridge/background.h"
#include "ui/bridge/session_bridge.h"

namespace opscope::ui {

class BridgeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void deliversOnTheGuiThread() {
    testing::FakeSessionState state;
    SessionBridge bridge(testing::fakeSessionFactory(state));
    bridge.open({"/models/a.so"});
    QVERIFY(bridge.isBusy());
    QThread* seen = nullptr;
    std::vector<session::State> states;
    connect(&bridge, &SessionBridge::stateChanged, this, [&](session::State now) { states.push_back(now); });
    connect(&bridge, &SessionBridge::executableOpened, this,
            [&](const auto&) { seen = QThread::currentThread(); });
    std::thread worker([&state]() {
      state.post(session::StateChanged{session::State::Opening});
      state.post(session::ExecutableOpened{testing::syntheticExecutable()});
      state.post(session::StateChanged{session::State::Ready});
    });
    worker.join();
    QTRY_COMPARE(states.size(), std::size_t(2));
    QCOMPARE(seen, thread());
    QVERIFY(!bridge.isBusy());
    QCOMPARE(states[0], session::State::Opening);
  }

  void dropsEventsOfOlderRequests() {
    testing::FakeSessionState state;
    SessionBridge bridge(testing::fakeSessionFactory(state));
    bridge.profile({"/models/a.so", {}, {}, 1, 1});
    const session::RequestId old = state.last;
    bridge.open({"/models/b.so"});
    int finished = 0, opened = 0;
    connect(&bridge, &SessionBridge::profileFinished, this, [&](const auto&) { ++finished; });
    connect(&bridge, &SessionBridge::executableOpened, this, [&](const auto&) { ++opened; });
    state.post(old, session::ProfileFinished{testing::syntheticDocument()});
    state.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_COMPARE(opened, 1);
    QCOMPARE(finished, 0);
  }

  void eventsAfterItsEndAreDropped() {
    testing::FakeSessionState state;
    {
      SessionBridge bridge(testing::fakeSessionFactory(state));
      bridge.open({"/models/a.so"});
      state.post(session::ExecutableOpened{testing::syntheticExecutable()});
    }
    QCoreApplication::processEvents();
  }

  void givesUpASessionThatDoesNotStop() {
    testing::FakeSessionState state;
    int made = 0;
    SessionBridge bridge(
        [&](SessionDriver::EventSink sink) {
          ++made;
          return testing::fakeSessionFactory(state)(std::move(sink));
        },
        std::chrono::milliseconds(30));
    std::vector<base::ErrorCode> failures;
    int finished = 0;
    connect(&bridge, &SessionBridge::requestFailed, this,
            [&](const session::RequestFailed& failed) { failures.push_back(failed.error.code); });
    connect(&bridge, &SessionBridge::profileFinished, this, [&](const auto&) { ++finished; });
    bridge.profile({"/models/a.so", {}, {}, 1, 1});
    const auto oldSink = state.sink;
    const session::RequestId oldRequest = state.last;
    bridge.stop();
    QCOMPARE(state.stops, 1);
    QVERIFY(bridge.isBusy());
    QTRY_COMPARE(failures.size(), std::size_t(1));
    QCOMPARE(failures[0], base::ErrorCode::Timeout);
    QVERIFY(!bridge.isBusy());
    QCOMPARE(made, 2);
    // The new session numbers its requests from the start; the old one's answers reach nobody.
    state.last = oldRequest - 1;
    bridge.profile({"/models/a.so", {}, {}, 1, 1});
    QCOMPARE(state.last, oldRequest);
    oldSink({oldRequest, session::ProfileFinished{testing::syntheticDocument()}});
    QCoreApplication::processEvents();
    QCOMPARE(finished, 0);
    state.post(session::ProfileFinished{testing::syntheticDocument()});
    QTRY_COMPARE(finished, 1);
    QVERIFY(bridge.shutDown(std::chrono::seconds(5)));
  }

  void whatADroppedSessionMeasuredIsLeftBehind() {
    testing::FakeSessionState state;
    SessionBridge bridge(testing::fakeSessionFactory(state));
    std::vector<std::uint32_t> left;
    int finished = 0;
    connect(&bridge, &SessionBridge::profileFinished, this, [&](const auto&) { ++finished; });
    connect(&bridge, &SessionBridge::leftBehind, this,
            [&](const report::Document& document) { left.push_back(document.run->repeats); });
    const report::Document document = testing::syntheticDocument();
    bridge.profile({"/models/a.so", {}, {}, 1, 1});
    const auto sink = state.sink;
    const session::RequestId request = state.last;
    bridge.drop();
    QCOMPARE(state.stops, 1);
    QVERIFY(!bridge.isBusy());
    sink({request, session::Progress{}});
    sink({request, session::RequestFailed{{base::ErrorCode::Io, "lost", {}, {}}, document, {}}});
    sink({request + 1, session::ProfileFinished{document}});  // not what was dropped
    QTRY_COMPARE(left, std::vector<std::uint32_t>{document.run->repeats});
    // The same when the program ends: no event loop turns then.
    bridge.profile({"/models/a.so", {}, {}, 1, 1});
    state.post(session::ProfileFinished{document});
    QVERIFY(bridge.shutDown(std::chrono::seconds(5)));
    QCOMPARE(left.size(), std::size_t(2));
    QCOMPARE(finished, 0);
  }

  void aStopThatIsHeardGivesNothingUp() {
    testing::FakeSessionState state;
    SessionBridge bridge(testing::fakeSessionFactory(state), std::chrono::milliseconds(30));
    int failures = 0;
    connect(&bridge, &SessionBridge::requestFailed, this, [&](const auto&) { ++failures; });
    bridge.profile({"/models/a.so", {}, {}, 1, 1});
    bridge.stop();
    state.post(session::RequestCancelled{});
    QTRY_VERIFY(!bridge.isBusy());
    QTest::qWait(100);
    QCOMPARE(failures, 0);
  }

  void endingDoesNotWaitForAKernel() {
    struct Stuck : testing::FakeSession {
      Stuck(testing::FakeSessionState& state, EventSink sink, std::shared_future<void> kernel)
          : FakeSession(state, std::move(sink)), m_kernel(std::move(kernel)) {}
      ~Stuck() override { m_kernel.wait(); }
      std::shared_future<void> m_kernel;
    };
    testing::FakeSessionState state;
    std::promise<void> returns;
    SessionBridge bridge([&, kernel = returns.get_future().share()](SessionDriver::EventSink sink) {
      return std::make_unique<Stuck>(state, std::move(sink), kernel);
    });
    QVERIFY(!bridge.shutDown(std::chrono::milliseconds(20)));
    returns.set_value();
    QVERIFY(bridge.shutDown(std::chrono::seconds(5)));
  }

  void backgroundAnswersOnlyTheLiving() {
    Background background;
    int answered = 0;
    auto context = std::make_unique<QObject>();
    background.run(
        context.get(), []() { return 1; }, [&](int value) { answered += value; });
    QTRY_COMPARE(answered, 1);
    background.run(
        context.get(), []() { return 1; }, [&](int value) { answered += value; });
    background.waitForDone(5000);
    context.reset();
    QCoreApplication::processEvents();
    QCOMPARE(answered, 1);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::BridgeTest)
#include "bridge_test.moc"
