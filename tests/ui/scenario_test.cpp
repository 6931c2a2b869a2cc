// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios in the window: chosen, dropped and remembered, what is wrong with them before they run, and one
// that runs in the engine. OPSCOPE_PICTURES keeps the pictures.
#include <QAbstractItemModelTester>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QMimeData>
#include <QPushButton>
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/engine_stage.h"
#include "tests/ui/support/window_stage.h"
#include "ui/models/again_plan.h"
#include "ui/shell/run_tool_bar.h"
#include "ui/views/executable_panel.h"

namespace opscope::ui {

using testing::EngineStage;
using testing::Stage;

namespace {

constexpr int kLongMs = 60000;

const QString kFixtures = QStringLiteral(OPSCOPE_TEST_DATA "/vm/tvm027/");

template <class S>
bool shows(const S& stage, const QString& text) {
  const auto labels = stage.window->template findChildren<QLabel*>();
  return std::any_of(labels.begin(), labels.end(),
                     [&](const QLabel* label) { return label->isVisible() && label->text().contains(text); });
}

template <class Button, class S>
Button* button(const S& stage, const QString& text) {
  for (Button* candidate : stage.window->template findChildren<Button*>()) {
    if (candidate->isVisible() && candidate->text() == text) return candidate;
  }
  return nullptr;
}

QLineEdit* field(const QWidget* window, const QString& name) {
  for (QLineEdit* candidate : window->findChildren<QLineEdit*>()) {
    if (candidate->isVisible() && candidate->accessibleName() == name) return candidate;
  }
  return nullptr;
}

/// Texts that are cut where there is no room, as those of the status line.
QStringList told(const QWidget* window) {
  QStringList texts;
  for (const ElidedText* text : window->findChildren<ElidedText*>()) {
    if (text->isVisible()) texts << text->text();
  }
  for (const QLabel* label : window->findChildren<QLabel*>()) {
    if (label->isVisible()) texts << label->text();
  }
  return texts;
}

QFileDialog* openDialog(const QWidget* window) {
  for (QFileDialog* dialog : window->findChildren<QFileDialog*>()) {
    if (dialog->isVisible()) return dialog;
  }
  return nullptr;
}

/// As a user who picks one in the dialog that is open.
template <class S>
void pick(const S& stage, const QString& file) {
  QTRY_VERIFY(openDialog(stage.window.get()) != nullptr);
  QFileDialog* dialog = openDialog(stage.window.get());
  Q_EMIT dialog->fileSelected(file);
  dialog->close();
  // A window manager gives the focus back.
  stage.window->activateWindow();
  QTRY_VERIFY(stage.window->isActiveWindow());
}

template <class S>
QString write(const S& stage, const char* name, const QByteArray& text) {
  const QString path = stage.folder.filePath(QLatin1String(name));
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write(text);
  return path;
}

template <class S>
void keep(const S& stage, const QString& name) {
  const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
  QTest::qWait(80);
  if (!folder.isEmpty()) QVERIFY(stage.window->grab().save(QStringLiteral("%1/%2.png").arg(folder, name)));
}

template <class S>
void drop(const S& stage, const QStringList& files) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& file : files) urls << QUrl::fromLocalFile(file);
  data.setUrls(urls);
  const QPoint point(400, 300);
  QDragEnterEvent enter(point, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(stage.window.get(), &enter);
  QDropEvent event(point, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(stage.window.get(), &event);
}

void openSynthetic(Stage& stage) {
  const std::size_t before = stage.session.opens.size();
  stage.workspace->openFile(QStringLiteral("/models/shufflenet.so"));
  QTRY_COMPARE(stage.session.opens.size(), before + 1);
  stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
  QTRY_VERIFY(stage.workspace->executable() != nullptr);
}

const QByteArray kTwice = R"({"steps": [{"func": "main", "args": [{"npz": "x"}], "out": "out/first"},
                                        {"func": "main", "args": [{"ret": 0}]}]})";
const QByteArray kPlain = R"({"steps": [{"global": "vm.builtin.shape_of", "args": [{"int": 1}]}]})";

}  // namespace

class ScenarioTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void aScenarioRunsInTheEngine() {
    EngineStage stage;
    stage.open(QStringLiteral("tiny_llama.so"));
    stage.workspace->setRunLengths(2, 1);
    // Its long names push nothing out of sight.
    auto* panel = stage.window->findChild<ExecutablePanel*>();
    QTRY_VERIFY(panel->formView()->isVisible());
    QTRY_VERIFY(panel->formView()->mapTo(panel, QPoint(panel->formView()->width(), 0)).x() <= panel->width());
    // By its key, and the file from the dialog. The arrays beside it are found.
    QTest::keyClick(stage.window.get(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
    pick(stage, kFixtures + QStringLiteral("tiny_llama.scenario.json"));
    ScenarioForm* form = stage.workspace->scenario();
    QTRY_VERIFY(form->info() != nullptr);
    QVERIFY2(form->isValid(), qPrintable(form->firstProblem()));
    QCOMPARE(form->arraysFile(), kFixtures + QStringLiteral("tiny_llama.npz"));
    QLineEdit* file = field(stage.window.get(), QStringLiteral("File of the scenario"));
    QVERIFY(file != nullptr);
    QCOMPARE(file->text(), QStringLiteral("tiny_llama.scenario.json"));
    QCOMPARE(file->toolTip(), form->file());
    const QListView* steps = stage.window->findChild<ScenarioView*>()->steps();
    QAbstractItemModelTester tester(steps->model());
    QCOMPARE(steps->model()->rowCount(), 22);
    QCOMPARE(steps->model()->index(2, 0).data().toString(), QStringLiteral("2 embed(in/ids, tuple of 15)"));
    QCOMPARE(steps->model()->index(2, 0).data(ScenarioStepsModel::OutRole).toString(),
             QStringLiteral("out/embed"));
    QCOMPARE(steps->height(), steps->sizeHintForRow(0) * 22);
    const QComboBox* combo = stage.window->findChild<RunToolBar*>()->functionCombo();
    QCOMPARE(combo->currentText(), QStringLiteral("tiny_llama.scenario.json"));
    QVERIFY(shows(stage, QStringLiteral("Ready to run tiny_llama.scenario.json")));
    QVERIFY(stage.workspace->commandLine().contains(QStringLiteral("--scenario ") + form->file()));
    QVERIFY(!stage.workspace->commandLine().contains(QStringLiteral("--input ")));
    keep(stage, QStringLiteral("scenario-ready"));
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->run() != nullptr || stage.workspace->failure(), kLongMs);
    QVERIFY2(stage.workspace->run() != nullptr,
             stage.workspace->failure() ? stage.workspace->failure()->error.message.c_str() : "no run");
    const report::Run& run = stage.workspace->run()->run();
    QCOMPARE(run.function, std::string("tiny_llama.scenario.json"));
    QCOMPARE(run.steps.size(), std::size_t(22));
    // It tells what is needed to run it again.
    const AgainPlan again = againPlanOf(run, {});
    QCOMPARE(again.problem, QString());
    QCOMPARE(again.request.plan.scenarioFile, form->file().toStdString());
    QCOMPARE(again.request.plan.inputs.arraysFile, form->arraysFile().toStdString());
    QCOMPARE(again.scenarioHash, form->info()->hash);
    QVERIFY(!stage.workspace->isStale());
    for (const char* page : {"summary", "ops", "timeline"}) {
      QVERIFY(stage.window->showPageById(QLatin1String(page)));
      stage.settle();
      keep(stage, QStringLiteral("scenario-") + QLatin1String(page));
    }
    stage.window->showPageById(QStringLiteral("summary"));
    // A function takes its place; the numbers are of the scenario.
    QTest::mouseClick(button<LinkButton>(stage, QStringLiteral("Run a function instead")), Qt::LeftButton);
    QTRY_VERIFY(!form->isChosen());
    QVERIFY(stage.workspace->isStale());
    QVERIFY(button<LinkButton>(stage, QStringLiteral("Scenario…")) != nullptr);
  }

  void whatIsWrongIsToldBeforeItRuns() {
    EngineStage stage;
    stage.open(QStringLiteral("tuples.so"));
    const QString path =
        write(stage, "wrong.json",
              R"({"steps": [{"func": "nain", "args": []}, {"func": "main", "args": [{"npz": "in/0"}]}]})");
    stage.workspace->openFile(path);
    QTRY_VERIFY(stage.workspace->scenario()->info() != nullptr);
    const QString problem = stage.workspace->scenario()->problem();
    QVERIFY2(problem.contains(QStringLiteral("steps[0]: The executable has no function nain.")),
             qPrintable(problem));
    QVERIFY2(problem.contains(QStringLiteral("steps[1]: main takes 2 inputs. The step gives 1.")),
             qPrintable(problem));
    QVERIFY(!stage.workspace->canRun());
    QVERIFY(shows(stage, QStringLiteral("wrong.json cannot run yet.")));
    QVERIFY(shows(stage, problem));
    // A wrong input of the form, which does not run now, says nothing.
    stage.workspace->form()->setSource(0, InputSource::File);
    QTRY_VERIFY(told(stage.window.get()).contains(QStringLiteral("wrong.json to correct")));
    QVERIFY(!told(stage.window.get()).join(QLatin1Char(' ')).contains(QStringLiteral("input to correct")));
    stage.workspace->form()->reset();
    keep(stage, QStringLiteral("scenario-wrong"));
    // JSON that is none names the place.
    write(stage, "wrong.json", "{\"steps\": [{\"func\": \"main\",}]}");
    QTest::mouseClick(button<QPushButton>(stage, QStringLiteral("Read it again")), Qt::LeftButton);
    QTRY_VERIFY(stage.workspace->scenario()->problem().contains(QStringLiteral("not valid JSON")));
    QVERIFY(stage.workspace->scenario()->problem().contains(QStringLiteral("line 1, column")));
    // A key that the arrays lack, and arrays that are not given.
    write(stage, "wrong.json",
          R"({"steps": [{"func": "main", "args": [{"npz": "in/0"}, {"tuple": ["in/1/0", "in/9"]}]}]})");
    QTRY_VERIFY(
        stage.workspace->scenario()->arraysProblem().contains(QStringLiteral("needs a file of arrays")));
    QPushButton* take = stage.window->findChild<ScenarioView*>()->findChild<QPushButton*>();
    QVERIFY(take->isVisible());
    QCOMPARE(take->text(), QStringLiteral("Take from a .npz file"));
    QTest::mouseClick(take, Qt::LeftButton);
    pick(stage, kFixtures + QStringLiteral("tuples.npz"));
    QTRY_VERIFY2(stage.workspace->scenario()->arraysProblem().contains(
                     QStringLiteral("tuples.npz lacks \"in/9\" (steps[0].args[1].tuple[1])")),
                 qPrintable(stage.workspace->scenario()->arraysProblem()));
    QVERIFY(shows(stage, QStringLiteral("lacks \"in/9\"")));
    QVERIFY(!stage.workspace->canRun());
    keep(stage, QStringLiteral("scenario-arrays"));
    // Mended on disk, it is read again by itself.
    write(stage, "wrong.json",
          R"({"steps": [{"func": "main", "args": [{"npz": "in/0"}, {"tuple": ["in/1/0", "in/1/1"]}]}]})");
    QTRY_VERIFY2(stage.workspace->canRun(), qPrintable(stage.workspace->scenario()->firstProblem()));
    QVERIFY(!shows(stage, QStringLiteral("cannot run yet")));
    // And gone.
    QFile::remove(path);
    QTRY_VERIFY(stage.workspace->scenario()->problem().contains(QStringLiteral("No such file")));
  }

  void typesAndShapesAreHeldAgainstTheFunction() {
    EngineStage stage;
    stage.open(QStringLiteral("tuples.so"));
    const QString path = write(
        stage, "wrong.json",
        R"({"steps": [{"func": "main", "args": [{"npz": "out/1/0"}, {"tuple": ["in/0", "in/1/1"]}]}]})");
    stage.workspace->chooseScenario(path, kFixtures + QStringLiteral("tuples.npz"));
    QTRY_VERIFY2(stage.workspace->scenario()->problem().contains(QStringLiteral("does not fit")),
                 qPrintable(stage.workspace->scenario()->problem()));
    const QString misfit = stage.workspace->scenario()->problem();
    QVERIFY2(misfit.contains(QStringLiteral("steps[0]: Input x does not fit. Needs float32 [4, 6]. "
                                            "The array \"out/1/0\" has float32 [4, 3].")),
             qPrintable(misfit));
    QVERIFY(!stage.workspace->canRun());
    keep(stage, QStringLiteral("scenario-shapes"));
  }

  void itIsDroppedOnTheWindowAndRemembered() {
    Stage stage;
    const QString path = write(stage, "plain.json", kPlain);
    openSynthetic(stage);
    drop(stage, {path});
    QTRY_VERIFY(stage.workspace->scenario()->isChosen());
    QTRY_VERIFY(stage.workspace->scenario()->info() != nullptr);
    QVERIFY(stage.workspace->executable() != nullptr);
    QVERIFY(!stage.workspace->failure());
    const auto chosen = [&]() { return stage.workspace->scenario()->file(); };
    QCOMPARE(chosen(), path);
    // No arrays are taken, so none are asked for.
    QVERIFY(field(stage.window.get(), QStringLiteral("File of the arrays")) == nullptr);
    QTest::keyClick(stage.window.get(), Qt::Key_F5, Qt::ShiftModifier);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(1));
    const session::CallPlan& plan = stage.session.profiles.back().plan;
    QCOMPARE(plan.scenarioFile, path.toStdString());
    QVERIFY(plan.function.empty() && plan.inputs.values.empty() && plan.inputs.dimensions.empty());
    stage.session.post(session::ProfileFinished{testing::syntheticDocument()});
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    QVERIFY(!stage.workspace->isStale());
    // Another content is another scenario.
    write(stage, "plain.json", kTwice);
    QTRY_VERIFY(stage.workspace->isStale());
    QVERIFY(shows(stage, QStringLiteral("Measured with other inputs or settings")));
    write(stage, "plain.json", kPlain);
    QTRY_VERIFY(!stage.workspace->isStale());
    const OpenState state = stage.window->openState();
    // The next start has it again, and so has the start after a crash.
    stage.workspace->closeFile();
    QVERIFY(!stage.workspace->scenario()->isChosen());
    openSynthetic(stage);
    QCOMPARE(chosen(), path);
    QVERIFY(stage.workspace->scenario()->isChosen());
    QTest::keyClick(stage.window.get(), Qt::Key_R, Qt::ControlModifier | Qt::AltModifier);
    QVERIFY(!stage.workspace->scenario()->isChosen());
    stage.workspace->closeFile();
    openSynthetic(stage);
    QVERIFY(!stage.workspace->scenario()->isChosen());
    const std::size_t opens = stage.session.opens.size();
    stage.workspace->restore(state);
    QTRY_COMPARE(stage.session.opens.size(), opens + 1);
    stage.session.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(stage.workspace->scenario()->isChosen());
    QCOMPARE(chosen(), path);
  }

  void aCommandLineOpensThemTogether() {
    EngineStage stage;
    const auto fixture = [](const char* name) { return kFixtures + QLatin1String(name); };
    ScenarioForm* form = stage.workspace->scenario();
    // Sizes and inputs of the command line stay; the arrays are found beside the scenario.
    session::CallPlan plan;
    plan.inputs.values["x"] = "zeros";
    stage.workspace->setInitialPlan(plan);
    stage.window->openNamed({fixture("tiny_llama.so"), fixture("tiny_llama.scenario.json")});
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->executable() != nullptr && form->info() != nullptr, kLongMs);
    QCOMPARE(form->file(), fixture("tiny_llama.scenario.json"));
    QVERIFY2(stage.workspace->canRun(), qPrintable(form->firstProblem()));
    QVERIFY(stage.window->currentPageId() != QLatin1String("compare"));
    // One alone opens alone; two executables go with each other in no way.
    stage.window->openNamed({fixture("mlp.so")});
    QTRY_COMPARE_WITH_TIMEOUT(stage.workspace->fileName(), QStringLiteral("mlp.so"), kLongMs);
    QVERIFY(!stage.window->openTogether({fixture("mlp.so"), fixture("cnn.so")}));
    stage.window->openNamed({fixture("mlp.so"), fixture("cnn.so")});
    QTRY_COMPARE(stage.window->currentPageId(), QStringLiteral("compare"));
  }

  void whatIsDroppedTogetherRunsTogether() {
    EngineStage stage;
    const auto fixture = [](const char* name) { return kFixtures + QLatin1String(name); };
    ScenarioForm* form = stage.workspace->scenario();
    // In any order.
    drop(stage, {fixture("tiny_llama.npz"), fixture("tiny_llama.scenario.json"), fixture("tiny_llama.so")});
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->executable() != nullptr && form->info() != nullptr, kLongMs);
    QCOMPARE(form->file(), fixture("tiny_llama.scenario.json"));
    QCOMPARE(form->arraysFile(), fixture("tiny_llama.npz"));
    QVERIFY2(stage.workspace->canRun(), qPrintable(form->firstProblem()));
    // To an executable that is open, a scenario with its arrays.
    const auto open = [&](const char* name) {
      stage.open(QLatin1String(name));
      QTRY_VERIFY(QString::fromStdString(stage.workspace->executable()->path).endsWith(QLatin1String(name)));
    };
    open("tuples.so");
    QVERIFY(!form->isChosen());
    const QString path = write(stage, "one.json",
                               R"({"steps": [{"func": "main", "args": [{"npz": "in/0"},
                                                                      {"tuple": ["in/1/0", "in/1/1"]}]}]})");
    drop(stage, {path, fixture("tuples.npz")});
    QTRY_VERIFY(form->info() != nullptr);
    QCOMPARE(form->file(), path);
    QCOMPARE(form->arraysFile(), fixture("tuples.npz"));
    QVERIFY(stage.workspace->canRun());
    // What was to run with a file that does not open says nothing of the next one.
    drop(stage, {write(stage, "broken.so", "no library"), fixture("chain.scenario.json")});
    QTRY_VERIFY(stage.workspace->failure().has_value());
    open("chain.so");
    QVERIFY(!form->isChosen());
  }

  void everyKindOfRunTakesIt() {
    Stage stage;
    const QString path = write(stage, "plain.json", kPlain);
    openSynthetic(stage);
    stage.workspace->chooseScenario(path);
    QTRY_VERIFY(stage.workspace->scenario()->info() != nullptr);
    QTest::keyClick(stage.window.get(), Qt::Key_F5, Qt::ControlModifier);
    QTRY_COMPARE(stage.session.runs.size(), std::size_t(1));
    stage.session.post(session::RunFinished{});
    QTRY_VERIFY(!stage.workspace->isRunning());
    stage.workspace->checkFinite();
    stage.session.post(session::RunFinished{});
    QTRY_VERIFY(!stage.workspace->isRunning());
    stage.workspace->dumpTensors(stage.folder.path());
    for (const session::RunRequest& request : stage.session.runs)
      QCOMPARE(request.plan.scenarioFile, path.toStdString());
    QCOMPARE(stage.session.runs.size(), std::size_t(3));
    QVERIFY(QString::fromStdString(stage.session.runs.back().dumpFile)
                .endsWith(QLatin1String("shufflenet-plain.npz")));
    // While it runs nothing is changed.
    QVERIFY(!stage.command("run.function")->isEnabled());
    QVERIFY(!stage.window->findChild<ScenarioView*>()->isEnabled());
    stage.workspace->openFile(path);
    QTRY_VERIFY(shows(stage, QStringLiteral("plain.json cannot be chosen while something runs.")));
  }

  void withoutAnExecutableItIsToldWhatIsMissing() {
    Stage stage;
    stage.workspace->openFile(write(stage, "alone.json", kPlain));
    QTRY_VERIFY(stage.workspace->failure().has_value());
    QVERIFY(shows(stage, QStringLiteral("alone.json is a scenario: calls of an executable.")));
    QVERIFY(shows(stage, QStringLiteral("Open the executable first")));
    QVERIFY(!stage.command("run.scenario")->isEnabled());
  }

  void theToolBarOffersBoth() {
    Stage stage;
    const QString path = write(stage, "plain.json", kPlain);
    openSynthetic(stage);
    QComboBox* combo = stage.window->findChild<RunToolBar*>()->functionCombo();
    QCOMPARE(combo->currentText(), QStringLiteral("main"));
    combo->setFocus();
    QTest::keyClick(combo, Qt::Key_End);
    QCOMPARE(combo->currentText(), QStringLiteral("main"));
    pick(stage, path);
    QTRY_COMPARE(combo->currentText(), QStringLiteral("plain.json"));
    QCOMPARE(combo->count(), 3);
    QTest::keyClick(combo, Qt::Key_Home);
    QCOMPARE(combo->currentText(), QStringLiteral("main"));
    QVERIFY(!stage.workspace->scenario()->isChosen());
    QCOMPARE(combo->count(), 2);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::ScenarioTest)
#include "scenario_test.moc"
