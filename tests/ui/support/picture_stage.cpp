// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/picture_stage.h"

#include <QLabel>
#include <QRegularExpression>
#include <QtTest>
#include <algorithm>
#include <cmath>

#include "engine/report/run_report.h"
#include "tests/ui/support/changed_run.h"
#include "tests/ui/support/code_run.h"
#include "tests/ui/support/memory_run.h"
#include "tests/ui/support/picture_cover.h"
#include "tests/ui/support/recorded_run.h"
#include "tests/ui/support/swept_run.h"
#include "tests/ui/support/two_devices_run.h"
#include "ui/models/sweep_view.h"
#include "ui/shell/board_desk.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/compare_desk.h"
#include "ui/views/charts/sharp_plots.h"
#include "ui/views/charts_page.h"
#include "ui/views/code_page.h"
#include "ui/views/guide/guide_window.h"
#include "ui/views/ops_page.h"
#include "ui/views/timeline_page.h"

namespace opscope::ui::testing {
namespace {

constexpr PictureState kStates[] = {
    {"start", "summary", true},
    {"startRuns", "summary"},
    {"openError", "summary"},
    {"ready", "summary"},
    {"ready", "ops"},
    {"ready", "timeline"},
    {"ready", "charts"},
    {"ready", "compare"},
    {"ready", "memory"},
    {"bare", "summary"},
    {"bare", "code"},
    {"running", "summary", true},
    {"error", "summary", true},
    {"errorLong", "summary"},
    {"inputError", "ops"},
    {"result", "summary", true},
    {"resultOnce", "summary"},
    {"resultLong", "summary"},
    {"resultOneOp", "summary"},
    {"resultMany", "summary"},
    {"reportEmpty", "summary"},
    {"reportEmpty", "ops"},
    {"reportEmpty", "timeline"},
    {"reportEmpty", "charts"},
    {"reportEmpty", "memory"},
    {"reportEmpty", "code"},
    {"runs", "ops", true},
    {"runsLong", "ops"},
    {"resultLong", "ops"},
    {"resultOneOp", "ops"},
    {"resultMany", "ops"},
    {"nothing", "ops"},
    {"nothing", "memory"},
    {"nothing", "compare"},
    {"kinds", "ops"},
    {"timeline", "timeline", true},
    {"timelineLong", "timeline"},
    {"timelineOneOp", "timeline"},
    {"timelineMany", "timeline"},
    {"charts", "charts", true},
    {"chartsLong", "charts"},
    {"chartsOneOp", "charts"},
    {"chartsMany", "charts"},
    {"chartsDevice", "charts", true},
    {"chartsDeviceLong", "charts"},
    {"chartsOp", "charts", true},
    {"chartsOpLong", "charts"},
    {"chartsOpMany", "charts"},
    {"chartsRepeat", "charts", true},
    {"chartsRepeatOnce", "charts"},
    {"chartsSweep", "charts", true},
    {"chartsSweepLong", "charts"},
    {"chartsSweepFew", "charts"},
    {"compare", "compare", true},
    {"compareLong", "compare"},
    {"compareOnce", "compare"},
    {"memory", "memory", true},
    {"memoryLong", "memory"},
    {"memoryOneOp", "memory"},
    {"code", "code", true},
    {"dialogBoards", "summary", true},
    {"dialogBoardsLong", "summary"},
    {"dialogFleet", "summary", true},
    {"dialogFleetLong", "summary"},
    {"dialogPalette", "summary", true},
    {"dialogKeys", "summary", true},
    {"dialogGuide", "summary"},
};

bool isOneOf(const QString& name, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* one) { return name == QLatin1String(one); });
}

SyntheticOptions optionsOf(const QString& name) {
  SyntheticOptions options;
  options.longNames = name.contains(QLatin1String("Long"));
  if (name.contains(QLatin1String("Once"))) options.repeats = options.repeatsWanted = 1;
  if (name.contains(QLatin1String("OneOp"))) options.groups = options.calls = 1;
  if (name.contains(QLatin1String("Many"))) {
    options.groups = options.calls = 100'000;
    options.repeats = options.repeatsWanted = 2;
  }
  return options;
}

report::Document documentOf(const QString& name) {
  const SyntheticOptions options = optionsOf(name);
  if (name.startsWith(QLatin1String("memory"))) return memoryDocument(options);
  if (name.startsWith(QLatin1String("timeline"))) {
    RecordedOptions recorded;
    recorded.run = options;
    return recordedDocument(recorded);
  }
  if (name.startsWith(QLatin1String("chartsDevice"))) return twoDevicesDocument(options);
  if (name.startsWith(QLatin1String("code"))) return codeDocument();
  return syntheticDocument(options);
}

/// Only functions: no kernel, no constant, no input.
std::shared_ptr<const session::ExecutableInfo> bareExecutable() {
  auto info = std::make_shared<session::ExecutableInfo>(*syntheticExecutable());
  info->kernels.clear();
  info->constants.clear();
  info->constantCount = info->constantBytes = 0;
  info->importedModules.clear();
  info->functions[0].signature.parameters.clear();
  info->functions[0].signature.freeDimensions.clear();
  info->functions[0].kernelCalls = 0;
  return info;
}

SavedBoard board(const char* name, SavedBoard::Kind kind, const char* address, const char* key) {
  SavedBoard made;
  made.name = QString::fromLatin1(name);
  made.kind = kind;
  made.address = QString::fromLatin1(address);
  made.key = QString::fromLatin1(key);
  return made;
}

}  // namespace

const std::vector<PictureState>& pictureStates() {
  static const std::vector<PictureState> states(std::begin(kStates), std::end(kStates));
  return states;
}

bool isDialog(const PictureState& state) {
  return QLatin1String(state.name).startsWith(QLatin1String("dialog"));
}

void useFontsOfPictures() {
  qputenv("FONTCONFIG_FILE", OPSCOPE_SOURCE_DIR "/tests/ui/support/fonts.conf");
  qputenv("LC_ALL", "C.UTF-8");
  qputenv("TZ", "UTC");
}

PictureStage::PictureStage() {
  dressApplication(&m_theme, ThemeChoice::Light);
  m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("opscope.ini")));
  m_settings->setSavesRuns(false);
  m_store = std::make_unique<RunStore>(m_folder.filePath(QStringLiteral("runs.sqlite")));
  m_workspace = std::make_unique<Workspace>(fakeSessionFactory(m_fake), m_settings.get(), m_store.get());
  m_window = std::make_unique<MainWindow>(&m_theme, m_workspace.get(), QStringLiteral("/samples/sample.so"));
  m_window->resize(1440, 900);
  m_window->show();
  m_window->findChild<TimelinePage*>()->setAnimated(false);
}

PictureStage::~PictureStage() = default;

void PictureStage::open(const std::shared_ptr<const session::ExecutableInfo>& info) {
  m_workspace->openFile(QString::fromStdString(info->path));
  QTRY_COMPARE(m_fake.opens.size(), std::size_t(1));
  m_fake.post(session::ExecutableOpened{info});
  QTRY_VERIFY(m_workspace->executable() != nullptr);
}

void PictureStage::finish(const report::Document& document) {
  m_workspace->profile();
  m_fake.post(session::ProfileFinished{document});
  // A run of 100,000 ops takes its time on a computer that has much to do.
  QTRY_VERIFY_WITH_TIMEOUT(m_workspace->run() != nullptr, 60000);
}

void PictureStage::chooseOp(std::uint32_t name) {
  for (const report::Call& call : m_workspace->run()->run().calls) {
    if (call.name == name) return m_workspace->selection()->setOp(opOf(call));
  }
}

void PictureStage::openNothing() {
  m_workspace->openFile(QStringLiteral("/models/notes.so"));
  QTRY_COMPARE(m_fake.opens.size(), std::size_t(1));
  m_fake.post(session::RequestFailed{{base::ErrorCode::Format, "notes.so is not a shared library",
                                      "It begins with \"# No\"; an ELF file begins with 7f 45 4c 46.",
                                      "Open the .so that export_library wrote."},
                                     {},
                                     {}});
  QTRY_VERIFY(m_workspace->failure().has_value());
}

void PictureStage::runHalfWay() {
  m_workspace->profile();
  m_fake.post(session::StateChanged{session::State::Preparing});
  m_fake.post(session::StateChanged{session::State::WarmingUp});
  m_fake.post(session::StateChanged{session::State::Measuring});
  m_fake.post(session::Progress{session::State::Measuring, 18, 30, 1.0});
  SyntheticOptions measured;
  measured.repeats = 18;
  m_fake.post(session::RepeatsMeasured{report::repeatTimes(*syntheticDocument(measured).run, 0, 0)});
  QTRY_COMPARE(m_workspace->progress().done, std::uint64_t(18));
  QTRY_COMPARE(m_workspace->live().done(), std::uint64_t(18));
}

void PictureStage::failRunning(bool longWords) {
  m_workspace->profile();
  m_fake.post(session::StateChanged{session::State::Measuring});
  SyntheticOptions options;
  options.repeats = 7;
  std::string name = "fused_conv2d_add_relu";
  for (int i = 0; longWords && i < 14; ++i) name += "_multiply" + std::to_string(i) + "_add";
  std::string why = "Assert fail: the tensor is not aligned";
  for (int i = 0; longWords && i < 12; ++i)
    why += ", T.Cast(\"int32\", x.strides[" + std::to_string(i) + "]) == 1";
  m_fake.post(session::RequestFailed{{base::ErrorCode::KernelFailed, name + " raised an error", why,
                                      "Run again; the finished repeats were kept."},
                                     syntheticDocument(options),
                                     {}});
  QTRY_VERIFY(m_workspace->failure().has_value());
}

void PictureStage::giveWrongFile() {
  m_workspace->form()->setFile(0, QStringLiteral("take2.npy"), {});
  m_workspace->form()->setSource(0, InputSource::File);
  m_workspace->form()->markProblem(
      QStringLiteral("x"), {base::ErrorCode::InvalidArgument,
                            "Input x needs float32 [1, 3, 224, 224]; take2.npy has float64 [1, 44100, 1]",
                            {},
                            {}});
}

void PictureStage::fillStore(bool longNames) {
  SyntheticOptions options;
  options.longNames = longNames;
  m_store->save(syntheticDocument(options), {"baseline", {"nightly"}});
  m_store->save(changedDocument(0.45, "custom_op_of_the_new_model", options),
                {longNames ? std::string(300, 'n') : "AVX2 build", {"avx2", "nightly"}});
  options.repeats = options.repeatsWanted = 1;
  m_store->save(syntheticDocument(options), {"one repeat, to see the shapes", {}});
  options.repeats = 7;
  options.repeatsWanted = 30;
  m_store->save(syntheticDocument(options), {});
  QTRY_COMPARE(m_store->runs()->size(), std::size_t(4));
}

void PictureStage::compare(const QString& name) {
  CompareChoice before{CompareChoice::Kind::Saved, 1, {}}, after{CompareChoice::Kind::Saved, 2, {}};
  if (name == QLatin1String("compareOnce")) before.id = 3;
  m_workspace->openSaved(2);
  QTRY_VERIFY(m_workspace->run() != nullptr);
  auto* desk = m_window->findChild<CompareDesk*>();
  desk->compare(before, after);
  QTRY_VERIFY(desk->view() != nullptr);
  chooseOp(0);
}

void PictureStage::showCode() {
  open(codeExecutable());
  finish(codeDocument());
  auto* page = m_window->findChild<CodePage*>();
  m_window->showPageById(QStringLiteral("code"));
  QTRY_VERIFY(page->code() != nullptr && page->model()->functionUs() > 0);
  page->showInstruction(m_workspace->run()->run().calls[0].instruction);
}

void PictureStage::showCharts(const QString& name) {
  auto* page = m_window->findChild<ChartsPage*>();
  const bool longNames = name.contains(QLatin1String("Long"));
  if (name.startsWith(QLatin1String("chartsDevice"))) page->showSegment(ChartSegment::ByDevice);
  if (name.startsWith(QLatin1String("chartsOp"))) page->showSegment(ChartSegment::OneOp);
  if (name.startsWith(QLatin1String("chartsRepeat"))) page->showSegment(ChartSegment::AgainstRepeat);
  if (!name.startsWith(QLatin1String("chartsSweep"))) return;
  page->showSegment(ChartSegment::Sweep);
  const bool few = name == QLatin1String("chartsSweepFew");
  page->setSweep(few ? makeSweepView(QStringLiteral("threads"), sweptPoints({1, 16}, true))
                     : makeSweepView(QStringLiteral("n"), sweptPoints({1, 2, 4, 8}, longNames)));
}

void PictureStage::showFleet(bool longNames) {
  m_fleetModel = std::make_unique<FleetModel>();
  auto* dialog = new FleetDialog(&m_theme, m_fleetModel.get(), m_window.get());
  m_fleet.reset(dialog);
  m_dialog = dialog;
  m_fleetModel->start(4);
  SyntheticOptions options;
  m_fleetModel->add({"10.0.0.31:9090", syntheticDocument(options), {}});
  options.repeats = 12;
  m_fleetModel->add({longNames ? "a.very.long.name.of.a.board.in.the.lab.example.org:9090" : "10.0.0.32:9090",
                     syntheticDocument(options),
                     base::Error{base::ErrorCode::ConnectionLost, "the board no longer answers", {}, {}}});
  m_fleetModel->add({"10.0.0.33:9090",
                     {},
                     base::Error{base::ErrorCode::Remote,
                                 longNames ? std::string(200, 'w') : "main is not in the library",
                                 {},
                                 {}}});
  dialog->begin(QStringLiteral("main"), QStringLiteral("lab tracker"));
  dialog->refresh(true);
  dialog->show();
}

void PictureStage::showDialog(const QString& name) {
  const bool longNames = name.endsWith(QLatin1String("Long"));
  if (name.startsWith(QLatin1String("dialogBoards"))) {
    BoardList* boards = m_workspace->boards();
    boards->add(
        board(longNames ? "the board with a very long name that no list has room for" : "nuc in the lab",
              SavedBoard::Kind::Direct,
              longNames ? "a.very.long.name.of.a.board.in.the.lab.example.org:9090" : "10.0.0.44:9090", ""));
    boards->add(board("lab tracker", SavedBoard::Kind::Tracker, "10.0.0.7:9190",
                      longNames ? "a-key-that-is-very-long-for-a-field" : "rk3588"));
    m_window->boardDesk()->showBoards();
    m_dialog = m_window->boardDesk()->dialog();
  } else if (name.startsWith(QLatin1String("dialogFleet"))) {
    showFleet(longNames);
  } else {
    for (Command* command : m_window->commands()) {
      const QString id = name == QLatin1String("dialogPalette") ? QStringLiteral("help.palette")
                         : name == QLatin1String("dialogKeys")  ? QStringLiteral("help.shortcuts")
                                                                : QStringLiteral("help.guide");
      if (command->id() == id) command->trigger();
    }
    m_dialog = m_window->findChild<CommandPalette*>();
    if (m_dialog == nullptr) m_dialog = m_window->findChild<ShortcutSheet*>();
    if (m_dialog == nullptr) m_dialog = m_window->guide();
  }
  QVERIFY(m_dialog != nullptr);
}

void PictureStage::reachRun(const QString& name) {
  finish(documentOf(name));
  if (name.startsWith(QLatin1String("charts"))) showCharts(name);
  if (!name.startsWith(QLatin1String("chartsSweep"))) chooseOp(0);
}

void PictureStage::reach(const PictureState& state) {
  const QString name = QString::fromLatin1(state.name);
  const QString page = QString::fromLatin1(state.page);
  const bool comparing = name.startsWith(QLatin1String("compare")) || page == QLatin1String("compare");
  if (isOneOf(name, {"runs", "runsLong", "startRuns"}) || (comparing && name != QLatin1String("ready")))
    fillStore(name.contains(QLatin1String("Long")));
  if (name == QLatin1String("startRuns")) {
    m_window->offerRestore({QStringLiteral("/models/shufflenet.so"), QStringLiteral("main"), {}, {}, {}});
  } else if (name == QLatin1String("openError")) {
    openNothing();
  } else if (name == QLatin1String("reportEmpty")) {
    m_workspace->openFile(QStringLiteral(OPSCOPE_TEST_DATA "/reports/report-00/report.json"));
    QTRY_VERIFY(m_workspace->run() != nullptr);
  } else if (name == QLatin1String("code")) {
    showCode();
  } else if (name.startsWith(QLatin1String("dialog"))) {
    showDialog(name);
  } else if (name != QLatin1String("start")) {
    open(name == QLatin1String("bare") ? bareExecutable() : syntheticExecutable());
    if (name == QLatin1String("running")) runHalfWay();
    if (name.startsWith(QLatin1String("error"))) failRunning(name.endsWith(QLatin1String("Long")));
    if (name == QLatin1String("inputError")) giveWrongFile();
    if (comparing && name != QLatin1String("ready")) compare(name);
    if (!comparing && !isOneOf(name, {"ready", "bare", "running", "error", "errorLong", "inputError"}))
      reachRun(name);
  }
  if (QTest::currentTestFailed()) return;
  QVERIFY(m_window->showPageById(page));
  if (name == QLatin1String("kinds")) m_window->findChild<OpsPage*>()->setGrouping(QStringLiteral("kind"));
  if (name == QLatin1String("nothing")) m_workspace->selection()->setFilter({QStringLiteral("conv9"), false});
}

void PictureStage::setTheme(ThemeChoice theme) {
  m_theme.choose(theme);
  QApplication::setPalette(m_theme.palette());
}

QWidget* PictureStage::shown() const {
  return m_dialog != nullptr ? m_dialog : m_window.get();
}

void PictureStage::setSize(const QSize& size) {
  // A dialog keeps the size with which it opened.
  if (m_dialog == nullptr) m_window->resize(size);
}

void PictureStage::settle() {
  for (int round = 0; round < 3; ++round) {
    QVERIFY(m_workspace->background()->waitForDone(60000));
    QVERIFY(m_store->waitForDone(60000));
    QTest::qWait(1);
  }
}

QImage PictureStage::picture(double scale) const {
  QImage image(shown()->size() * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  const SharpPlots sharp(shown(), scale);
  shown()->render(&image);
  coverWhatChanges(image, shown());
  return image;
}

}  // namespace opscope::ui::testing
