// SPDX-License-Identifier: GPL-3.0-or-later
// Slow work is done on other threads than the window's: a walk over all pages with a large run, while every
// piece of such work tells where it is done.
#include <QLineEdit>
#include <QMutex>
#include <QSet>
#include <QtTest>

#include "engine/report/exporters.h"
#include "tests/ui/support/window_stage.h"
#include "ui/bridge/slow_work.h"
#include "ui/models/compare_choice.h"
#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/shell/compare_desk.h"
#include "ui/views/ops_page.h"
#include "ui/views/timeline_page.h"
#include "ui/views/widgets/picture.h"

namespace opscope::ui {

using testing::Stage;

namespace {

/// What was done where, while it lives.
class WorkLog {
 public:
  WorkLog() {
    listenToSlowWork([this](std::string_view name, bool isOnGuiThread) {
      const QMutexLocker lock(&m_mutex);
      (isOnGuiThread ? m_inWindow : m_elsewhere)
          .insert(QString::fromUtf8(name.data(), qsizetype(name.size())));
    });
  }
  ~WorkLog() { listenToSlowWork({}); }
  WorkLog(const WorkLog&) = delete;
  WorkLog& operator=(const WorkLog&) = delete;

  bool wasElsewhere(const char* name) const {
    const QMutexLocker lock(&m_mutex);
    return m_elsewhere.contains(QString::fromUtf8(name));
  }
  QStringList inWindow() const {
    const QMutexLocker lock(&m_mutex);
    return m_inWindow.values();
  }

 private:
  mutable QMutex m_mutex;
  QSet<QString> m_elsewhere;
  QSet<QString> m_inWindow;
};

/// So large that nothing of it is done in place, with two repeats for a comparison.
const report::Document& largeDocument() {
  static const report::Document document = [] {
    testing::SyntheticOptions options;
    options.calls = 30'000;
    options.repeats = options.repeatsWanted = 2;
    report::Document made = testing::syntheticDocument(options);
    auto run = std::make_shared<report::Run>(*made.run);
    run->executablePath = OPSCOPE_TEST_DATA "/vm/tvm027/cnn.so";
    made.run = run;
    return made;
  }();
  return document;
}

}  // namespace

class SlowWorkTest : public QObject {
  Q_OBJECT

 private:
  Stage m_stage;
  std::unique_ptr<WorkLog> m_log;

  void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::keyClick(m_stage.window.get(), Qt::Key(key), modifiers);
  }
  void awaitWork(const char* name) { QTRY_VERIFY2_WITH_TIMEOUT(m_log->wasElsewhere(name), name, 20000); }
  QString file(const QString& name) const { return m_stage.folder.filePath(name); }

 private Q_SLOTS:
  void initTestCase() {
    m_log = std::make_unique<WorkLog>();
    QVERIFY(QTest::qWaitForWindowActive(m_stage.window.get()));
  }
  void cleanup() {
    m_stage.workspace->background()->waitForDone(60000);
    QTest::qWait(50);
    m_stage.workspace->background()->waitForDone(60000);
    const QStringList inWindow = m_log->inWindow();
    QVERIFY2(inWindow.isEmpty(),
             qPrintable(QStringLiteral("in the window's thread: ") + inWindow.join(QStringLiteral(", "))));
  }

  void cleanupTestCase() { m_log.reset(); }

  void aRunIsMeasuredAndKept() {
    testing::openExecutable(m_stage);
    awaitWork("a file");
    press(Qt::Key_F5);
    QTRY_COMPARE(m_stage.session.profiles.size(), std::size_t(1));
    m_stage.session.post(session::ProfileFinished{largeDocument()});
    QTRY_VERIFY_WITH_TIMEOUT(m_stage.workspace->run() != nullptr, 60000);
    awaitWork("a run's view");
    awaitWork("the store of runs");
    awaitWork("the list of runs");
  }

  void aRunThatFailsKeepsWhatItMeasured() {
    press(Qt::Key_F5);
    QTRY_COMPARE(m_stage.session.profiles.size(), std::size_t(2));
    session::RequestFailed failed;
    failed.error = {base::ErrorCode::KernelFailed, "conv2d failed", "", ""};
    failed.partial = largeDocument();
    m_stage.session.post(std::move(failed));
    QTRY_VERIFY_WITH_TIMEOUT(m_stage.workspace->failure() && m_stage.workspace->failure()->partial, 60000);
    QVERIFY(!m_stage.workspace->isRunning());
    m_stage.workspace->showPartial();
    QTRY_VERIFY(m_stage.workspace->run() != nullptr);
  }

  void opsAreGroupedSortedFilteredAndUnfolded() {
    press(Qt::Key_2, Qt::AltModifier);
    auto* page = m_stage.window->findChild<OpsPage*>();
    QTRY_VERIFY_WITH_TIMEOUT(page->model()->rowCount() > 1, 20000);
    page->setGrouping(QStringLiteral("call"));
    awaitWork("rows of Ops");
    QTRY_VERIFY_WITH_TIMEOUT(page->model()->rowCount() > 20'000, 20000);
    page->table()->sortByColumn(0, Qt::AscendingOrder);
    press(Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("conv2d"));
    QTRY_VERIFY_WITH_TIMEOUT(page->model()->rowCount() < 20'000, 20000);
    press(Qt::Key_Escape);
    page->setGrouping(QStringLiteral("op"));
    QTRY_VERIFY_WITH_TIMEOUT(page->model()->rowCount() < 200, 20000);
    page->table()->setFocus();
    QTest::keyClick(page->table(), Qt::Key_Down);
    QTest::keyClick(page->table(), Qt::Key_Right);
    awaitWork("rows of a group");
    awaitWork("the bytecode");
  }

  void theTimelineIsDrawnSearchedAndMeasured() {
    press(Qt::Key_3, Qt::AltModifier);
    awaitWork("ops of the Timeline");
    awaitWork("the Timeline");
    press(Qt::Key_F, Qt::ControlModifier);
    QTest::keyClicks(QApplication::focusWidget(), QStringLiteral("conv2d"));
    press(Qt::Key_Escape);
    m_stage.workspace->selection()->setRange(TimeRange{1e6, 2e6, 0});
    awaitWork("totals of a range");
    awaitWork("a part of a run");
    m_stage.workspace->selection()->setRange(std::nullopt);
  }

  void pagesAreShown() {
    for (const int key : {Qt::Key_4, Qt::Key_5, Qt::Key_6, Qt::Key_7, Qt::Key_1}) {
      press(key, Qt::AltModifier);
      QTest::qWait(20);
    }
    awaitWork("the bytecode");
  }

  void filesAreWritten() {
    for (const report::Exporter& exporter : report::exporters()) {
      const QString path = file(QStringLiteral("export") + format::fromUtf8(exporter.extension));
      m_stage.workspace->exportRun(exporter, path);
      QTRY_VERIFY2_WITH_TIMEOUT(QFileInfo::exists(path), qPrintable(path), 60000);
    }
    awaitWork("an export");
    m_stage.workspace->savePicture(Picture{PictureFormat::Png, m_stage.window->grab().toImage(), {}},
                                   file(QStringLiteral("page.png")));
    awaitWork("writing a picture");
    m_stage.workspace->exportSession(file(QStringLiteral("run.opscope")));
    QTRY_VERIFY_WITH_TIMEOUT(QFileInfo::exists(file(QStringLiteral("run.opscope"))), 60000);
    awaitWork("writing a session file");
  }

  void runsAreCompared() {
    QTRY_VERIFY_WITH_TIMEOUT(m_stage.store->runs()->size() >= 2, 20000);
    auto* desk = m_stage.window->findChild<CompareDesk*>();
    desk->compare(savedChoice(1), savedChoice(2));
    QTRY_VERIFY2_WITH_TIMEOUT(desk->view() != nullptr, qPrintable(desk->problem()), 60000);
    awaitWork("a side of a comparison");
    awaitWork("a comparison");
  }

  void savedRunsAndFilesAreOpened() {
    m_stage.workspace->openSaved(1);
    QTRY_VERIFY_WITH_TIMEOUT(m_stage.workspace->origin().saved == store::RunId(1), 60000);
    awaitWork("a saved run");
    awaitWork("a run's view");
    m_stage.workspace->openFile(file(QStringLiteral("run.opscope")));
    QTRY_VERIFY_WITH_TIMEOUT(m_stage.workspace->origin().kind == RunOrigin::Kind::File, 60000);
    awaitWork("a session file");
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::SlowWorkTest)
#include "slow_work_test.moc"
