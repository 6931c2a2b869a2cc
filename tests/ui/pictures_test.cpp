// SPDX-License-Identifier: GPL-3.0-or-later
// Every page and state in every theme is painted: the picture is not empty, and nothing complains. With the
// environment variable OPSCOPE_PICTURES naming a folder the pictures are kept there to be looked at.
#include <QTemporaryDir>
#include <QtTest>

#include "tests/ui/support/changed_run.h"
#include "tests/ui/support/fake_session.h"
#include "tests/ui/support/memory_run.h"
#include "tests/ui/support/synthetic_run.h"
#include "ui/shell/application.h"
#include "ui/shell/compare_desk.h"
#include "ui/shell/main_window.h"
#include "ui/views/ops_page.h"

namespace opscope::ui {

class PicturesTest : public QObject {
  Q_OBJECT

 private:
  void open(testing::FakeSessionState& state, Workspace& workspace) {
    workspace.openFile(QStringLiteral("/models/shufflenet.so"));
    QTRY_COMPARE(state.opens.size(), std::size_t(1));
    state.post(session::ExecutableOpened{testing::syntheticExecutable()});
    QTRY_VERIFY(workspace.executable() != nullptr);
  }
  void profile(testing::FakeSessionState& state, Workspace& workspace,
               const testing::SyntheticOptions& options) {
    workspace.profile();
    state.post(session::ProfileFinished{testing::syntheticDocument(options)});
    QTRY_VERIFY(workspace.run() != nullptr);
  }
  void select(Workspace& workspace) { workspace.selection()->setOp({0, 0, 0}); }

  void failToOpen(testing::FakeSessionState& fake, Workspace& workspace) {
    workspace.openFile(QStringLiteral("/models/notes.so"));
    QTRY_COMPARE(fake.opens.size(), std::size_t(1));
    fake.post(session::RequestFailed{{base::ErrorCode::Format, "notes.so is not a shared library",
                                      "It begins with \"# No\"; an ELF file begins with 7f 45 4c 46.",
                                      "Open the .so that export_library wrote."},
                                     {},
                                     {}});
    QTRY_VERIFY(workspace.failure().has_value());
  }
  void runHalfWay(testing::FakeSessionState& fake, Workspace& workspace) {
    workspace.profile();
    fake.post(session::StateChanged{session::State::Preparing});
    fake.post(session::StateChanged{session::State::WarmingUp});
    fake.post(session::StateChanged{session::State::Measuring});
    fake.post(session::Progress{session::State::Measuring, 18, 30, 1.0});
    QTRY_COMPARE(workspace.progress().done, std::uint64_t(18));
  }
  void failRunning(testing::FakeSessionState& fake, Workspace& workspace) {
    workspace.profile();
    fake.post(session::StateChanged{session::State::Measuring});
    testing::SyntheticOptions options;
    options.repeats = 7;
    fake.post(session::RequestFailed{
        {base::ErrorCode::KernelFailed, "fused_conv2d_add_relu raised an error",
         "Assert fail: the tensor is not aligned", "Run again; the finished repeats were kept."},
        testing::syntheticDocument(options),
        {}});
    QTRY_VERIFY(workspace.failure().has_value());
  }
  void giveWrongFile(Workspace& workspace) {
    workspace.form()->setFile(0, QStringLiteral("take2.npy"), {});
    workspace.form()->setSource(0, InputSource::File);
    workspace.form()->markProblem(
        QStringLiteral("x"), {base::ErrorCode::InvalidArgument,
                              "Input x needs float32 [1, 3, 224, 224]; take2.npy has float64 [1, 44100, 1]",
                              {},
                              {}});
  }
  /// Four saved runs, as a list of some days would look.
  void fillStore(RunStore& store) {
    store.save(testing::syntheticDocument(), {"baseline", {"nightly"}});
    store.save(testing::changedDocument(0.45, "custom_op_of_the_new_model"),
               {"AVX2 build", {"avx2", "nightly"}});
    testing::SyntheticOptions once;
    once.repeats = once.repeatsWanted = 1;
    store.save(testing::syntheticDocument(once), {"one repeat, to see the shapes", {}});
    once.repeats = 7;
    once.repeatsWanted = 30;
    store.save(testing::syntheticDocument(once), {});
    QTRY_COMPARE(store.runs()->size(), std::size_t(4));
  }
  void compareTwo(MainWindow& window, Workspace& workspace, const QString& state) {
    CompareChoice before{CompareChoice::Kind::Saved, 1, {}}, after{CompareChoice::Kind::Saved, 2, {}};
    if (state == QLatin1String("compareOnce")) before.id = 3;
    workspace.openSaved(2);
    QTRY_VERIFY(workspace.run() != nullptr);
    auto* desk = window.findChild<CompareDesk*>();
    desk->compare(before, after);
    QTRY_VERIFY(desk->view() != nullptr);
    select(workspace);
  }
  void reach(const QString& state, const QString& page, testing::FakeSessionState& fake,
             Workspace& workspace) {
    if (state == QLatin1String("start")) return;
    if (state == QLatin1String("openError")) {
      failToOpen(fake, workspace);
      return;
    }
    open(fake, workspace);
    testing::SyntheticOptions options;
    options.longNames = state == QLatin1String("long");
    if (state == QLatin1String("one")) options.repeats = options.repeatsWanted = 1;
    if (QStringList{QStringLiteral("result"), QStringLiteral("long"), QStringLiteral("small"),
                    QStringLiteral("one"), QStringLiteral("kinds"), QStringLiteral("nothing")}
            .contains(state)) {
      profile(fake, workspace, options);
      if (page != QLatin1String("summary")) select(workspace);
    }
    if (state.startsWith(QLatin1String("memory"))) {
      options.longNames = state == QLatin1String("memoryLong");
      workspace.profile();
      fake.post(session::ProfileFinished{testing::memoryDocument(options)});
      QTRY_VERIFY(workspace.run() != nullptr);
      select(workspace);
    }
    if (state == QLatin1String("nothing")) workspace.selection()->setFilter({QStringLiteral("conv9"), false});
    if (state == QLatin1String("running")) runHalfWay(fake, workspace);
    if (state == QLatin1String("error")) failRunning(fake, workspace);
    if (state == QLatin1String("inputError")) giveWrongFile(workspace);
  }

 private Q_SLOTS:
  void paints_data() {
    QTest::addColumn<QString>("state");
    QTest::addColumn<QString>("page");
    QTest::addColumn<int>("theme");
    const std::pair<const char*, ThemeChoice> themes[] = {
        {"light", ThemeChoice::Light}, {"dark", ThemeChoice::Dark}, {"contrast", ThemeChoice::HighContrast}};
    const std::pair<const char*, const char*> states[] = {
        {"runs", "summary"},        {"startRuns", "summary"},    {"compare", "compare"},
        {"compareOnce", "compare"}, {"compareSmall", "compare"}, {"ready", "compare"},
        {"start", "summary"},       {"ready", "summary"},        {"ready", "ops"},
        {"ready", "timeline"},      {"ready", "charts"},         {"running", "summary"},
        {"result", "summary"},      {"result", "ops"},           {"result", "timeline"},
        {"result", "charts"},       {"result", "code"},          {"result", "memory"},
        {"memory", "memory"},       {"memorySmall", "memory"},   {"memoryLong", "memory"},
        {"kinds", "ops"},           {"nothing", "ops"},          {"long", "ops"},
        {"error", "summary"},       {"openError", "summary"},    {"inputError", "ops"},
        {"small", "ops"},           {"one", "summary"}};
    for (const auto& [themeName, theme] : themes) {
      for (const auto& [state, page] : states) {
        QTest::newRow(
            qPrintable(QStringLiteral("%1-%2-%3")
                           .arg(QLatin1String(state), QLatin1String(page), QLatin1String(themeName))))
            << QString::fromLatin1(state) << QString::fromLatin1(page) << int(theme);
      }
    }
  }

  void paints() {
    QFETCH(QString, state);
    QFETCH(QString, page);
    QFETCH(int, theme);
    Theme look;
    dressApplication(&look, ThemeChoice(theme));
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("opscope.ini")));
    testing::FakeSessionState fake;
    RunStore store(folder.filePath(QStringLiteral("runs.sqlite")));
    Workspace workspace(testing::fakeSessionFactory(fake), &settings, &store);
    MainWindow window(&look, &workspace, QStringLiteral("/samples/sample.so"));
    window.resize(state == QLatin1String("small") || state.endsWith(QLatin1String("Small"))
                      ? QSize(900, 600)
                      : QSize(1440, 900));
    window.show();
    const bool saved = state.startsWith(QLatin1String("compare")) || state == QLatin1String("runs") ||
                       state == QLatin1String("startRuns");
    if (saved) fillStore(store);
    if (state == QLatin1String("startRuns")) {
      window.offerRestore({QStringLiteral("/models/shufflenet.so"), QStringLiteral("main"), {}, {}, {}});
    } else {
      reach(state == QLatin1String("runs") ? QStringLiteral("result") : state, page, fake, workspace);
    }
    if (state.startsWith(QLatin1String("compare"))) compareTwo(window, workspace, state);
    if (QTest::currentTestFailed()) return;
    QVERIFY(window.showPageById(page));
    if (state == QLatin1String("kinds")) window.findChild<OpsPage*>()->setGrouping(QStringLiteral("kind"));
    // Pages that are made ready in the background are shown when that is done.
    QVERIFY(workspace.background()->waitForDone(60000));
    QCoreApplication::processEvents();
    QTest::qWait(60);
    QImage image(window.size(), QImage::Format_RGB32);
    window.render(&image);
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3) {
      for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
    }
    QVERIFY2(colours.size() > 12, "hardly anything was painted");
    const QString keep = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (!keep.isEmpty())
      QVERIFY(
          image.save(QStringLiteral("%1/%2.png").arg(keep, QString::fromLatin1(QTest::currentDataTag()))));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::PicturesTest)
#include "pictures_test.moc"
