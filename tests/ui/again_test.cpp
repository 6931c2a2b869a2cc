// SPDX-License-Identifier: GPL-3.0-or-later
// "Run both again": what of a run can be made again, turns, the new runs and their comparison, stop.
#include <QtTest>

#include "engine/report/run_report.h"
#include "tests/ui/support/changed_run.h"
#include "tests/ui/support/pictures.h"
#include "ui/bridge/file_hash.h"
#include "ui/models/again_plan.h"
#include "ui/shell/again_desk.h"
#include "ui/views/compare_page.h"

namespace opscope::ui {

using testing::changedDocument;
using testing::openExecutable;
using testing::Stage;

namespace {

/// The made-up run as one of a file that is there.
report::Document runOf(const Stage& stage, const char* name, const report::Document& document) {
  const QString path = stage.folder.filePath(QLatin1String(name));
  if (!QFile::exists(path)) {
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) file.write(name);
  }
  auto run = std::make_shared<report::Run>(*document.run);
  run->executablePath = path.toStdString();
  run->executableHash = hashOfFile(run->executablePath).value_or("");
  run->inputs = "data_0 float32 [1, 3, 224, 224] random:0; n = 1";
  run->target = "local";
  run->warmup = 3;
  return report::makeDocument(run);
}

report::Document withRepeats(const report::Document& document, std::uint32_t repeats) {
  testing::SyntheticOptions options;
  options.repeats = options.repeatsWanted = repeats;
  auto run = std::make_shared<report::Run>(*testing::syntheticDocument(options).run);
  run->executablePath = document.run->executablePath;
  run->executableHash = document.run->executableHash;
  return report::makeDocument(run);
}

ActionButton* againButton(const ComparePage* page) {
  for (ActionButton* button : page->findChildren<ActionButton*>()) {
    if (button->text() == QLatin1String("Run both again")) return button;
  }
  return nullptr;
}

}  // namespace

class AgainTest : public QObject {
  Q_OBJECT

 private:
  void compareTwo(Stage& stage) {
    stage.store->save(runOf(stage, "old.so", testing::syntheticDocument()), {});
    stage.store->save(runOf(stage, "new.so", changedDocument(2.0)), {});
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(2));
    openExecutable(stage);
    stage.window->findChild<CompareDesk*>()->compare(savedChoice(1), savedChoice(2));
    QVERIFY(stage.window->showPageById(QStringLiteral("compare")));
    QTRY_VERIFY(stage.window->findChild<ComparePage*>()->model()->rowCount() > 0);
  }

 private Q_SLOTS:
  void inputsAreReadFromTheirWords() {
    session::InputPlan plan;
    QVERIFY(inputsFromWords("x float32 [1, 3] random:7; y int64 [] @a.npz:k; s shape [2, 4]; n = 8", plan));
    QCOMPARE(plan.values["x"], std::string("1x3:float32:random:7"));
    QCOMPARE(plan.values["y"], std::string("@a.npz:k"));
    QCOMPARE(plan.values["s"], std::string("2x4"));
    QCOMPARE(plan.dimensions["n"], std::int64_t(8));
    QVERIFY(!inputsFromWords("x (float32 [1], float32 [1]) random:0", plan));
    QVERIFY(!inputsFromWords("x none", plan));
  }

  void whatCannotBeRunAgainIsSaid() {
    report::Run run = *testing::syntheticDocument().run;
    run.executableHash.clear();
    QVERIFY(againPlanOf(run, {}).problem.contains(QLatin1String("report")));
    run.executableHash = "12";
    run.inputs = "x float32 [1] random:0";
    run.steps = {"main"};
    QCOMPARE(againPlanOf(run, {}).problem, QString());
    run.steps = {"first", "second"};
    QVERIFY(againPlanOf(run, {}).problem.contains(QLatin1String("scenario")));
    // One that tells its file can be run again; its functions are the scenario's.
    run.environment = {{"Scenario", "/models/chat.json"}, {"Scenario content", "34"}};
    run.function = "chat.json";
    run.inputs = "/models/chat.npz";
    const AgainPlan scenario = againPlanOf(run, {});
    QCOMPARE(scenario.problem, QString());
    QCOMPARE(scenario.request.plan.scenarioFile, std::string("/models/chat.json"));
    QCOMPARE(scenario.request.plan.inputs.arraysFile, std::string("/models/chat.npz"));
    QCOMPARE(scenario.scenarioHash, std::string("34"));
    QVERIFY(scenario.request.plan.function.empty() && scenario.request.plan.inputs.values.empty());
    run.environment.clear();
    run.function = "main";
    run.steps = {"main"};
    run.inputs = "x (3 members)";
    QVERIFY(againPlanOf(run, {}).problem.contains(QLatin1String("inputs")));
    // A board's secret comes with its address.
    SavedBoard board;
    board.address = QStringLiteral("10.0.0.7:9090");
    board.secretFile = QStringLiteral("/secrets/pi");
    run.target = board.target().toStdString();
    QCOMPARE(againPlanOf(run, {board}).request.settings.secretFile, std::string("/secrets/pi"));
  }

  void turnsAreTaken() {
    AgainPlan plan;
    plan.request.repeats = 12;
    plan.request.warmup = 3;
    const auto turns = turnsOf({plan}, {plan});
    QCOMPARE(turns.size(), std::size_t(10));
    std::uint32_t repeats[2] = {0, 0};
    for (std::size_t i = 0; i < turns.size(); ++i) {
      QCOMPARE(turns[i].side, int(i % 2));
      QCOMPARE(turns[i].begins, i < 2);
      QCOMPARE(turns[i].warmup, i < 2 ? 3U : 1U);
      repeats[turns[i].side] += turns[i].repeats;
    }
    QCOMPARE(repeats[0], 12U);
    QCOMPARE(repeats[1], 12U);
    // Of groups, run by run.
    const auto groups = turnsOf({plan, plan, plan}, {plan, plan});
    QCOMPARE(groups.size(), std::size_t(5));
    QCOMPARE(groups[4].side, 0);
    QCOMPARE(groups[4].repeats, 12U);
  }

  void bothAreRunByTurnsAndCompared() {
    Stage stage;
    compareTwo(stage);
    auto* page = stage.window->findChild<ComparePage*>();
    QTest::mouseClick(againButton(page), Qt::LeftButton);
    auto* desk = stage.window->findChild<AgainDesk*>();
    for (std::size_t turn = 1; turn <= 10; ++turn) {
      QTRY_COMPARE(stage.session.profiles.size(), turn);
      const session::ProfileRequest& request = stage.session.profiles.back();
      const char* name = turn % 2 == 1 ? "old.so" : "new.so";
      QCOMPARE(QString::fromStdString(request.path), stage.folder.filePath(QLatin1String(name)));
      QCOMPARE(request.repeats, 6U);
      QVERIFY(desk->isRunning());
      QVERIFY(!stage.workspace->canRun());
      report::Document document = testing::syntheticDocument();
      document = runOf(stage, name, turn % 2 == 1 ? document : changedDocument(2.0));
      stage.session.post(session::ProfileFinished{withRepeats(document, request.repeats)});
    }
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(4));
    QTRY_VERIFY(!desk->isRunning());
    QTRY_VERIFY(stage.window->findChild<CompareDesk*>()->view() != nullptr &&
                stage.window->findChild<CompareDesk*>()->before() == savedChoice(3));
    QCOMPARE(page->model()->comparison()->a.view->run().repeats, 30U);
    QVERIFY(desk->problem().isEmpty());
    QVERIFY(stage.workspace->canRun());
    for (const store::StoredRun& run : *stage.store->runs()) {
      if (run.id > 2) QVERIFY(std::ranges::find(run.tags, "again") != run.tags.end());
    }
  }

  void stopKeepsWhatWasMeasured() {
    Stage stage;
    compareTwo(stage);
    auto* desk = stage.window->findChild<AgainDesk*>();
    QTest::mouseClick(againButton(stage.window->findChild<ComparePage*>()), Qt::LeftButton);
    for (std::size_t turn = 1; turn <= 3; ++turn) {
      QTRY_COMPARE(stage.session.profiles.size(), turn);
      const report::Document document =
          runOf(stage, turn % 2 == 1 ? "old.so" : "new.so", testing::syntheticDocument());
      if (turn < 3) stage.session.post(session::ProfileFinished{withRepeats(document, 6)});
    }
    testing::takePictures(stage, QStringLiteral("again-running"));
    for (QPushButton* button : stage.window->findChild<ComparePage*>()->findChildren<QPushButton*>()) {
      if (button->text().startsWith(QLatin1String("Stop and keep")))
        QTest::mouseClick(button, Qt::LeftButton);
    }
    QCOMPARE(stage.session.stops, 1);
    stage.session.post(
        session::ProfileFinished{withRepeats(runOf(stage, "old.so", testing::syntheticDocument()), 6)});
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(4));
    QTRY_VERIFY(!desk->isRunning());
    QCOMPARE(stage.session.profiles.size(), std::size_t(3));
    const store::StoredRun* old = stage.store->find(3);
    QVERIFY(old != nullptr);
    QCOMPARE(old->repeats, 12U);
    QCOMPARE(old->repeatsWanted, 30U);
  }

  void aScenarioIsRunAgainWhileItIsTheSame() {
    Stage stage;
    const QString path = stage.folder.filePath(QStringLiteral("chat.json"));
    const auto write = [&path](const char* text) {
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(text);
    };
    write("{\"steps\": []}");
    for (const double factor : {1.0, 2.0}) {
      auto run = std::make_shared<report::Run>(
          *runOf(stage, "old.so", factor == 1 ? testing::syntheticDocument() : changedDocument(factor)).run);
      run->function = "chat.json";
      run->inputs.clear();
      run->environment.push_back({"Scenario", path.toStdString()});
      run->environment.push_back({"Scenario content", hashOfFile(path.toStdString()).value_or("")});
      stage.store->save(report::makeDocument(run), {});
    }
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(2));
    openExecutable(stage);
    stage.window->findChild<CompareDesk*>()->compare(savedChoice(1), savedChoice(2));
    QVERIFY(stage.window->showPageById(QStringLiteral("compare")));
    auto* page = stage.window->findChild<ComparePage*>();
    auto* desk = stage.window->findChild<AgainDesk*>();
    QTRY_VERIFY(page->model()->rowCount() > 0);
    write("{\"steps\": [1]}");
    QTest::mouseClick(againButton(page), Qt::LeftButton);
    QTRY_VERIFY2(desk->problem().contains(QLatin1String("was changed since")), qPrintable(desk->problem()));
    QVERIFY(desk->problem().contains(QLatin1String("chat.json")));
    QVERIFY(stage.session.profiles.empty());
    QFile::remove(path);
    QTest::mouseClick(againButton(page), Qt::LeftButton);
    QTRY_VERIFY2(desk->problem().startsWith(QLatin1String("The scenario of old.so is not at")),
                 qPrintable(desk->problem()));
    write("{\"steps\": []}");
    QTest::mouseClick(againButton(page), Qt::LeftButton);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(1));
    QCOMPARE(stage.session.profiles.back().plan.scenarioFile, path.toStdString());
    QVERIFY(stage.session.profiles.back().plan.function.empty());
  }

  void aFileThatWasBuiltAnewIsNotRun() {
    Stage stage;
    compareTwo(stage);
    QFile file(stage.folder.filePath(QStringLiteral("new.so")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("something else");
    file.close();
    auto* desk = stage.window->findChild<AgainDesk*>();
    QTest::mouseClick(againButton(stage.window->findChild<ComparePage*>()), Qt::LeftButton);
    QTRY_VERIFY(desk->problem().contains(QLatin1String("built anew")));
    QVERIFY(stage.session.profiles.empty());
    QFile::remove(stage.folder.filePath(QStringLiteral("old.so")));
    QTest::mouseClick(againButton(stage.window->findChild<ComparePage*>()), Qt::LeftButton);
    QTRY_VERIFY2(desk->problem().contains(QLatin1String("old.so is not at")), qPrintable(desk->problem()));
    bool told = false;
    for (const QLabel* label : stage.window->findChild<ComparePage*>()->findChildren<QLabel*>())
      told = told || (label->isVisible() && label->text().contains(QLatin1String("is not at")));
    QVERIFY(told);
    testing::takePictures(stage, QStringLiteral("again-not"));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::AgainTest)
#include "again_test.moc"
