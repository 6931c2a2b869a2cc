// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline's lane of RPC traffic: from a run whose requests are made by hand, and from one on
// opscope-server. OPSCOPE_PICTURES keeps the pictures.
#include <QScrollBar>
#include <QToolButton>
#include <QtTest>

#include "engine/report/traffic.h"
#include "engine/session/session.h"
#include "tests/ui/support/real_stage.h"
#include "tests/ui/support/synthetic_run.h"
#include "tests/ui/support/timeline_stage.h"
#include "ui/models/format.h"

namespace opscope::ui {

using testing::BoardServer;
using testing::RealStage;
using testing::TimelineStage;
using Group = TimelineRow::Group;

namespace {

constexpr double kLead = 20'000;  ///< from a repeat's request to its first call
constexpr double kEach = 1e9;     ///< from a repeat to the next
constexpr double kFirst = 5e8;    ///< zero of the first one

/// Connecting, an upload and two inputs, of which one overlaps; then a step and its records in each repeat.
report::TrafficTrack trafficFor(const report::Run& run) {
  using Kind = report::TrafficKind;
  using Phase = report::TrafficPhase;
  report::TrafficTrack track;
  track.names = {"connect", "tvm.rpc.server.upload net.so", "CopyToRemote", "step main", "since"};
  track.events = {{0, 2e6, 24, 40, 0, 0, report::kNone, Kind::Open, Phase::Opening, false},
                  {3e6, 2e8, 3 << 20, 44, 1, 1, report::kNone, Kind::Upload, Phase::Loading, false},
                  {3e8, 1e8, 1258291, 16, 1, 2, report::kNone, Kind::CopyTo, Phase::Inputs, false},
                  {3.5e8, 1e8, 4096, 16, 1, 2, report::kNone, Kind::CopyTo, Phase::Inputs, false}};
  for (std::uint32_t repeat = 0; repeat < run.repeats; ++repeat) {
    const double zero = kFirst + repeat * kEach;
    const double there = run.totals[0].totalNs[repeat];
    track.events.push_back(
        {zero - kLead, there + 2 * kLead, 80, 30, 1, 3, repeat, Kind::Call, Phase::Repeat, false});
    track.events.push_back(
        {zero + there + 3 * kLead, kLead, 60, 200000, 1, 4, repeat, Kind::Call, Phase::Records, false});
    track.repeats.push_back({zero - kLead, zero, kLead});
  }
  track.bytesOut = 5 << 20;
  track.bytesIn = 1 << 20;
  track.wallNs = 2e9;
  track.transferNs = 5e8;
  return track;
}

report::Document remoteDocument(bool aligned = true) {
  report::Document document = testing::syntheticDocument();
  auto run = std::make_shared<report::Run>(*document.run);
  run->target = "rpc://10.0.0.7:9090";
  run->remote = report::RemoteFacts{"recorder", "Recorded there.", {}};
  report::TrafficTrack track = trafficFor(*run);
  if (!aligned) {
    for (report::TrafficRepeat& place : track.repeats) place = {place.startNs, -1, 0};
  }
  run->traffic = track;
  document.run = run;
  return document;
}

const SceneRow& headerOf(TimelineStage& stage) {
  return stage.scene().rows[std::size_t(stage.rowOf(Group::Rpc, SceneRow::Kind::Header))];
}

void showRpc(TimelineStage& stage) {
  stage.view()->verticalScrollBar()->setValue(stage.view()->verticalScrollBar()->maximum());
}

}  // namespace

class TimelineTrafficTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void requestsStandBesideTheCalls() {
    const auto document = remoteDocument();
    const TimelineTraffic traffic(*document.run, 1);
    QVERIFY(traffic.isRecorded());
    QCOMPARE(traffic.spans().size(), std::size_t(2));
    QCOMPARE(traffic.spans()[0].startNs, -kLead);
    QCOMPARE(traffic.spans()[0].durationNs, document.run->totals[0].totalNs[1] + 2 * kLead);
    QCOMPARE(*traffic.doubtNs(), kLead);
    QCOMPARE(traffic.beginNs(), -kLead);
    QCOMPARE(traffic.endNs(), document.run->totals[0].totalNs[1] + 4 * kLead);
    QCOMPARE(traffic.track().names[traffic.eventOf(traffic.spans()[1]).name], std::string("since"));
    QVERIFY(!TimelineTraffic(*testing::syntheticDocument().run, 0).isRecorded());
    const TimelineTraffic apart(*remoteDocument(false).run, 1);
    QVERIFY(!apart.doubtNs());
    QCOMPARE(apart.spans()[0].startNs, 0.0);
  }

  void theAxisReachesToTheRequestsAround() {
    TimelineStage stage(remoteDocument());
    QTRY_VERIFY(stage.isReady());
    const TimeBounds bounds = stage.view()->timeline()->bounds();
    QCOMPARE(bounds.beginNs, -kLead);
    QVERIFY(bounds.endNs > stage.view()->timeline()->totalNs());
    stage.view()->fitAll();
    QCOMPARE(stage.scene().scale.startNs, bounds.beginNs);
    QCOMPARE(stage.scene().scale.endNs, bounds.endNs);
    // Calls stay within the repeat's own time.
    stage.view()->showTimes(-kLead, 0, 0);
    QCOMPARE(stage.scene().scale.startNs, -kLead);
    stage.key(Qt::Key_End);
    QCOMPARE(stage.scene().scale.endNs, bounds.endNs);
    stage.key(Qt::Key_Home);
    QCOMPARE(stage.scene().scale.startNs, bounds.beginNs);
    stage.view()->fitAll();
    showRpc(stage);
    const int row = stage.rowOf(Group::Rpc);
    QVERIFY(row >= 0);
    QCOMPARE(stage.scene().rows[std::size_t(row)].title, QStringLiteral("requests"));
    QVERIFY2(headerOf(stage).note.startsWith(QStringLiteral("Set beside the calls to within 20.0\u00A0µs")),
             qPrintable(headerOf(stage).note));
    QVERIFY(headerOf(stage).note.contains(QLatin1String("5.0 MiB out, 1.0 MiB in, 25.0 % of 2.00 s")));
    stage.keep(QStringLiteral("traffic-repeat"));
  }

  void aTipTellsBytesTimeAndRate() {
    TimelineStage stage(remoteDocument());
    QTRY_VERIFY(stage.isReady());
    stage.page->showRepeat(report::kNone);
    QTRY_VERIFY(stage.isReady(report::kNone));
    showRpc(stage);
    const int row = stage.rowOf(Group::Rpc);
    const TimelineLane& lane = *stage.scene().rows[std::size_t(row)].lane;
    QStringList labels;
    for (std::uint32_t i = 0; i < lane.size(); ++i) labels << stage.scene().requestText(lane.span(i));
    QCOMPARE(labels, (QStringList{QStringLiteral("connect"), QStringLiteral("upload 3.0 MiB"),
                                  QStringLiteral("copy to board 1.2 MiB")}));
    const QPoint point(stage.scene().xOf(3.4e8), stage.blockPoint(row).y());
    stage.send(QEvent::MouseMove, point);
    auto* tip = stage.view()->viewport()->findChild<TimelineTip*>();
    QTRY_VERIFY(tip->isVisible());
    QCOMPARE(tip->text().name.join(QString()), QStringLiteral("copy to board 1.2 MiB"));
    QCOMPARE(tip->text().time, format::duration(1e5).text());
    QMap<QString, QString> rows;
    for (const auto& [name, value] : tip->text().rows) rows[name] = value;
    QCOMPARE(rows[QStringLiteral("Bytes out")], format::bytes(1258291));
    QCOMPARE(rows[QStringLiteral("Bytes in")], format::bytes(16));
    QCOMPARE(rows[QStringLiteral("Rate")], QStringLiteral("12\u00A0MiB/s"));
    stage.keep(QStringLiteral("traffic-tip"));
    // A click chooses nothing: a request is no call.
    QTest::mouseClick(stage.view()->viewport(), Qt::LeftButton, Qt::NoModifier, point);
    QVERIFY(!stage.selection.call().has_value());
  }

  void whatCameBeforeTheRepeatsIsAPageOfItsOwn() {
    TimelineStage stage(remoteDocument());
    QTRY_VERIFY(stage.isReady());
    stage.key(Qt::Key_PageUp);
    QTRY_VERIFY(stage.isReady(report::kNone));
    QVERIFY(stage.view()->timeline()->spans().empty());
    QCOMPARE(stage.view()->timeline()->totalNs(), 4.5e8);
    // What overlaps stands in a second row.
    int rows = 0;
    for (const SceneRow& row : stage.scene().rows) rows += row.lane != nullptr && row.group == Group::Rpc;
    QCOMPARE(rows, 2);
    stage.keep(QStringLiteral("traffic-before"));
    stage.key(Qt::Key_PageUp);  // there is nothing before it
    QVERIFY(stage.isReady(report::kNone));
    stage.key(Qt::Key_Right);  // and no call to choose, but a request
    QVERIFY(!stage.selection.call().has_value());
    QVERIFY(stage.view()->currentText().startsWith(QLatin1String("connect, ")));
    // Both rows can be come to.
    stage.key(Qt::Key_Down);
    QVERIFY2(stage.view()->currentText().startsWith(QLatin1String("copy to board")),
             qPrintable(stage.view()->currentText()));
    stage.key(Qt::Key_PageUp);
    QVERIFY(stage.isReady(report::kNone));
    stage.key(Qt::Key_PageDown);
    QTRY_VERIFY(stage.isReady(0));
    // Runs on this computer have no such page.
    TimelineStage local(testing::syntheticDocument());
    QTRY_VERIFY(local.isReady());
    local.key(Qt::Key_PageUp);
    QVERIFY(local.isReady(0));
    QVERIFY(headerOf(local).note.contains(QLatin1String("this computer")) ||
            headerOf(local).note.contains(QLatin1String("does not tell")));
  }

  void requestsAreWalkedByKeys() {
    TimelineStage stage(remoteDocument());
    QTRY_VERIFY(stage.isReady());
    stage.page->setAnimated(false);
    stage.key(Qt::Key_Right);
    QVERIFY(stage.selection.call().has_value());
    const auto call = stage.selection.call();
    const QString callText = stage.view()->currentText();
    // Down to the lane of requests, which is the last one with blocks.
    for (int i = 0; i < 20 && !stage.scene().other; ++i) stage.key(Qt::Key_Down);
    QCOMPARE(stage.scene().rows[std::size_t(stage.scene().currentRow)].group, Group::Rpc);
    const auto words = [&stage]() { return stage.view()->currentText().section(QLatin1Char(','), 0, 0); };
    QCOMPARE(words(), QStringLiteral("call step main"));
    QVERIFY(stage.view()->rect().contains(stage.view()->currentRect()));
    auto* tip = stage.view()->viewport()->findChild<TimelineTip*>();
    QVERIFY(tip->isVisible());
    QCOMPARE(tip->text().name.join(QString()), QStringLiteral("call step main"));
    stage.key(Qt::Key_Right);
    QVERIFY2(words().startsWith(QLatin1String("call since")), qPrintable(words()));
    stage.key(Qt::Key_Right);  // the last one
    QVERIFY(words().startsWith(QLatin1String("call since")));
    // Return shows it, with the card.
    stage.key(Qt::Key_Return);
    const TimeScale view = stage.scene().scale;
    const report::Span& span = stage.view()->timeline()->traffic().spans()[1];
    QVERIFY(view.startNs < span.startNs && view.endNs >= span.startNs + span.durationNs);
    QVERIFY(view.spanNs() < 2 * span.durationNs);
    QVERIFY(tip->isVisible());
    stage.keep(QStringLiteral("traffic-chosen"));
    // The call stays chosen for the other pages, and Esc comes back to it here.
    QCOMPARE(stage.selection.call(), call);
    stage.key(Qt::Key_Escape);
    QCOMPARE(stage.view()->currentText(), callText);
    QVERIFY(!tip->isVisible());
    QCOMPARE(stage.selection.call(), call);
    // Up from the requests is the way to the calls as well.
    for (int i = 0; i < 20 && !stage.scene().other; ++i) stage.key(Qt::Key_Down);
    stage.key(Qt::Key_Up);
    QVERIFY(!stage.scene().other);
    QVERIFY(stage.selection.call().has_value());
    // Another repeat has other requests.
    for (int i = 0; i < 20 && !stage.scene().other; ++i) stage.key(Qt::Key_Down);
    stage.key(Qt::Key_PageDown);
    QTRY_VERIFY(stage.isReady(1));
    QVERIFY(!stage.scene().other);
  }

  void itSaysWhenTheClocksAreNotKnown() {
    TimelineStage stage(remoteDocument(false));
    QTRY_VERIFY(stage.isReady());
    QVERIFY2(headerOf(stage).note.contains(QLatin1String("is not told")), qPrintable(headerOf(stage).note));
    QCOMPARE(stage.view()->timeline()->bounds().beginNs, 0.0);
  }

  void theGroupFolds() {
    TimelineStage stage(remoteDocument());
    QTRY_VERIFY(stage.isReady());
    showRpc(stage);
    const int before = stage.scene().contentHeight();
    const QPoint title(40, stage.scene().rowRect(headerOf(stage)).top() + 10);
    QTest::mouseClick(stage.view()->viewport(), Qt::LeftButton, Qt::NoModifier, title);
    QVERIFY(stage.scene().contentHeight() < before);
    QVERIFY(headerOf(stage).folded && headerOf(stage).lane != nullptr);
  }

  void aRunOnOurServerHasALane() {
    BoardServer server;
    QVERIFY(server.isUp());
    RealStage stage;
    const QString id = stage.addDirect(server.address());
    stage.open(RealStage::fixture("mlp.so"));
    stage.workspace->setTarget(id);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 60000);
    QVERIFY(stage.workspace->run() != nullptr);
    const auto view = stage.workspace->run();
    const auto ops = buildTimelineOps(view->run(), std::vector<std::uint8_t>(view->run().names.size()));
    const Timeline before(view, ops, report::kNone);
    QStringList labels;
    for (const report::Span& span : before.traffic().spans()) {
      labels << format::fromUtf8(
          report::trafficLabel(before.traffic().track(), before.traffic().eventOf(span)));
    }
    QVERIFY2(labels.contains(QStringLiteral("connect")), qPrintable(labels.join(QLatin1Char(' '))));
    QVERIFY(labels.indexOf(QRegularExpression(QStringLiteral("^upload .* KiB$"))) > 0);
    QVERIFY(labels.indexOf(QRegularExpression(QStringLiteral("^copy to board .*"))) > 0);
    for (std::uint32_t repeat = 0; repeat < view->run().repeats; ++repeat) {
      const Timeline timeline(view, ops, repeat);
      QVERIFY(timeline.traffic().doubtNs().has_value());
      // The step's request holds all calls of the repeat.
      bool found = false;
      for (const report::Span& span : timeline.traffic().spans()) {
        const report::TrafficEvent& event = timeline.traffic().eventOf(span);
        if (event.phase != report::TrafficPhase::Repeat ||
            timeline.traffic().track().names[event.name] != "step forward") {
          continue;
        }
        found = true;
        QVERIFY(span.startNs <= 1);
        QVERIFY(span.startNs + span.durationNs >= timeline.totalNs() - 1);
      }
      QVERIFY(found);
      QVERIFY(timeline.bounds().beginNs <= 0);
    }
    stage.picture(stage.window.get(), QStringLiteral("traffic-window"));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TimelineTrafficTest)
#include "timeline_traffic_test.moc"
