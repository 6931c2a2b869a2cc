// SPDX-License-Identifier: GPL-3.0-or-later
// The Memory page: its numbers against the run, boxes that never overlap, choosing, filtering, zooming, how a
// run gets its record.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/engine_stage.h"
#include "tests/ui/support/memory_run.h"
#include "tests/ui/support/pictures.h"
#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/views/inspector.h"
#include "ui/views/memory_page.h"

namespace opscope::ui {

using testing::EngineStage;
using testing::openExecutable;
using testing::Stage;

namespace {

std::shared_ptr<const MemoryData> dataOf(const report::Document& document) {
  return makeMemoryData(makeRunView(document));
}

/// What is live just behind a moment, summed over the boxes.
std::int64_t sumAt(const MemoryData& data, double ns) {
  std::int64_t sum = 0;
  for (const std::uint32_t box : data.aliveAt(ns)) sum += data.boxes[box].bytes;
  return sum;
}

void showMemory(Stage& stage) {
  openExecutable(stage);
  stage.workspace->profile();
  stage.session.post(session::ProfileFinished{testing::memoryDocument()});
  QTRY_VERIFY(stage.workspace->run() != nullptr);
  QTest::keyClick(stage.window.get(), Qt::Key_6, Qt::AltModifier);
  auto* page = stage.window->findChild<MemoryPage*>();
  QTRY_VERIFY(page->memory() != nullptr);
}

}  // namespace

class MemoryTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void theInspectorTellsOfTheChosenStorage() {
    Stage stage;
    showMemory(stage);
    auto* page = stage.window->findChild<MemoryPage*>();
    auto* inspector = stage.window->findChild<Inspector*>();
    const auto texts = [&]() {
      QCoreApplication::processEvents();
      QStringList list;
      for (const Text* text : inspector->findChildren<Text*>()) list << text->text();
      return list;
    };
    QVERIFY(page->model()->rowCount() > 1);
    const int row = page->model()->rowCount() - 1;
    auto* table = page->rowsTable();
    table->scrollTo(page->model()->index(row, StorageModel::HeldFor));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(page->model()->index(row, StorageModel::HeldFor)).center());
    const std::uint32_t box = page->model()->boxAt(row);
    QCOMPARE(page->chosenStorage(), std::optional(box));
    const MemoryData& data = *page->memory();
    QTRY_VERIFY(texts().contains(QStringLiteral("Storage %1").arg(data.boxes[box].storage)));
    const QStringList told = texts();
    for (const char* words : {"Size", "Of the peak", "Allocated", "Released", "Live for", "Tensors in it"})
      QVERIFY2(told.contains(QLatin1String(words)), words);
    const bool sized = std::ranges::any_of(told, [&](const QString& text) {
      return text.startsWith(format::bytes(double(data.boxes[box].bytes)));
    });
    QVERIFY(sized);
    // On other pages it is the op's.
    QTest::keyClick(stage.window.get(), Qt::Key_2, Qt::AltModifier);
    QTRY_VERIFY(!texts().contains(QStringLiteral("Storage %1").arg(data.boxes[box].storage)));
    QTest::keyClick(stage.window.get(), Qt::Key_6, Qt::AltModifier);
    QTRY_VERIFY(texts().contains(QStringLiteral("Storage %1").arg(data.boxes[box].storage)));
    testing::takePictures(stage, QStringLiteral("memory-inspector"));
  }

  void boxesNeverOverlapAndSumUpToTheCurve() {
    const auto data = dataOf(testing::memoryDocument());
    QVERIFY(data != nullptr);
    const auto& boxes = data->boxes;
    for (std::size_t a = 0; a < boxes.size(); ++a) {
      QVERIFY(boxes[a].place >= 0 && boxes[a].place + boxes[a].bytes <= data->topBytes);
      for (std::size_t b = a + 1; b < boxes.size(); ++b) {
        const bool sameTime = boxes[a].fromNs < boxes[b].untilNs && boxes[b].fromNs < boxes[a].untilNs;
        const bool sameBytes = boxes[a].place < boxes[b].place + boxes[b].bytes &&
                               boxes[b].place < boxes[a].place + boxes[a].bytes;
        QVERIFY(!sameTime || !sameBytes);
      }
    }
    for (const report::MemoryPoint& point : data->storage) QCOMPARE(sumAt(*data, point.ns), point.bytes);
    QCOMPARE(sumAt(*data, data->peakNs()), data->track().storage.peakBytes);
    QVERIFY(data->topBytes >= data->track().storage.peakBytes);
    QCOMPARE(data->aliveAt(data->peakNs()).size(), data->track().holders.size());
  }

  void aRunWithoutRecordHasNone() { QVERIFY(dataOf(testing::syntheticDocument()) == nullptr); }

  void theTableIsAModel() {
    StorageModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto data = dataOf(testing::memoryDocument());
    model.setData(data);
    QCOMPARE(model.rowCount(), int(data->track().holders.size()));
    QCOMPARE(model.totalBytes(), data->track().storage.peakBytes);
    QCOMPARE(model.index(0, StorageModel::Size).data().toString(), format::fixed(1951, 1));
    model.setMoment(std::nullopt);
    QCOMPARE(model.rowCount(), int(data->boxes.size()));
    for (int column = 0; column < StorageModel::kColumns; ++column) {
      for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        model.sort(column, order);
        for (int row = 1; row < model.rowCount(); ++row) {
          const QVariant before = model.index(row - 1, column).data(NumberRole);
          const QVariant here = model.index(row, column).data(NumberRole);
          if (!before.isValid() || !here.isValid()) continue;
          QVERIFY(order == Qt::AscendingOrder ? before.toDouble() <= here.toDouble()
                                              : before.toDouble() >= here.toDouble());
        }
      }
    }
    model.setFilter({QStringLiteral("batch_norm"), false});
    QVERIFY(model.rowCount() > 0 && model.rowCount() < int(data->boxes.size()));
    for (int row = 0; row < model.rowCount(); ++row)
      QVERIFY(
          model.index(row, StorageModel::HeldFor).data().toString().startsWith(QLatin1String("batch_norm")));
    model.setFilter({QStringLiteral("nothing like it"), false});
    QCOMPARE(model.rowCount(), 0);
    model.setData(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  void saysHowToGetARecord() {
    Stage stage;
    openExecutable(stage);
    testing::runToEnd(stage);
    QVERIFY(!stage.session.profiles[0].recordMemory);
    QTest::keyClick(stage.window.get(), Qt::Key_6, Qt::AltModifier);
    auto* page = stage.window->findChild<MemoryPage*>();
    QVERIFY(page->isVisible() && page->memory() == nullptr);
    ActionButton* run = nullptr;
    for (ActionButton* button : page->findChildren<ActionButton*>()) {
      if (button->isVisible() && button->text() == QLatin1String("Run main with memory")) run = button;
    }
    QVERIFY(run != nullptr);
    QTest::mouseClick(run, Qt::LeftButton);
    QCOMPARE(stage.session.profiles.size(), std::size_t(2));
    QVERIFY(stage.session.profiles[1].recordMemory);
    QVERIFY(stage.workspace->commandLine().endsWith(QLatin1String("--memory")));
    stage.session.post(session::ProfileFinished{testing::memoryDocument()});
    QTRY_VERIFY(page->memory() != nullptr);
    // The choice is kept, and recording more does not make the numbers others.
    QVERIFY(stage.settings->recordsMemory());
    QVERIFY(stage.command("run.memory")->isChecked());
    QTest::keyClick(stage.window.get(), Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(!stage.workspace->choices().recordsMemory);
    QVERIFY(!stage.workspace->isStale());
  }

  void choosingTiesThePages() {
    Stage stage;
    showMemory(stage);
    auto* page = stage.window->findChild<MemoryPage*>();
    StorageMap* map = page->map();
    const QRectF box = map->rectOf(0).intersected(map->plot());
    QTest::mouseClick(map, Qt::LeftButton, {}, box.center().toPoint());
    Selection* selection = stage.workspace->selection();
    QCOMPARE(selection->call(), std::optional(page->memory()->boxes[0].call));
    auto* table = page->rowsTable();
    QCOMPARE(table->selectedRows().size(), std::size_t(1));
    QCOMPARE(page->model()->boxAt(table->selectedRows()[0]), 0U);
    // The other way: an op that is chosen elsewhere.
    const StorageBox& other = page->memory()->boxes[2];
    selection->setOp(other.op);
    QCOMPARE(table->selectedRows().size(), std::size_t(1));
    QVERIFY(page->memory()->boxes[page->model()->boxAt(table->selectedRows()[0])].op == other.op);
    // A row chooses too, and copying gives plain numbers.
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {},
                      table->visualRect(page->model()->index(1, StorageModel::Size)).center());
    const std::uint32_t chosen = page->model()->boxAt(1);
    QCOMPARE(selection->call(), std::optional(page->memory()->boxes[chosen].call));
    QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
    QVERIFY(
        QGuiApplication::clipboard()->text().contains(QString::number(page->memory()->boxes[chosen].bytes)));
  }

  void aMomentOfTheCurveShowsWhoHeldThen() {
    Stage stage;
    showMemory(stage);
    auto* page = stage.window->findChild<MemoryPage*>();
    LiveBytesChart* curve = page->curve();
    const double ns = page->memory()->endNs * 0.5;
    const QPoint point(int(curve->xOf(ns)), int(curve->plot().center().y()));
    QTest::mouseMove(curve, point);
    QTRY_VERIFY(curve->tip()->isVisible());
    QVERIFY(curve->tip()->text().time ==
            format::bytes(double(sumAt(*page->memory(), curve->nsAt(point.x())))));
    QTest::mouseClick(curve, Qt::LeftButton, {}, point);
    QVERIFY(page->model()->moment().has_value());
    QCOMPARE(page->model()->totalBytes(), sumAt(*page->memory(), *page->model()->moment()));
    for (ActionButton* button : page->findChildren<ActionButton*>()) {
      if (button->text() == QLatin1String("Go to peak")) QTest::mouseClick(button, Qt::LeftButton);
    }
    QCOMPARE(page->model()->totalBytes(), page->memory()->track().storage.peakBytes);
  }

  void zoomsAtThePointerAndGoesBack() {
    Stage stage;
    showMemory(stage);
    auto* page = stage.window->findChild<MemoryPage*>();
    StorageMap* map = page->map();
    const QPointF point(map->plot().left() + map->plot().width() / 3, map->plot().center().y());
    const double before = map->nsAt(point.x());
    QWheelEvent wheel(point, map->mapToGlobal(point), {}, {0, 240}, {}, {}, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(map, &wheel);
    QVERIFY(!page->axis()->isWhole());
    QVERIFY(qAbs(map->nsAt(point.x()) - before) < page->memory()->endNs * 1e-6);
    QVERIFY(page->undoStep() != 0);
    QTest::keyClick(stage.window.get(), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(page->axis()->isWhole());
    map->setFocus();
    QTest::keyClick(map, Qt::Key_W);
    QTest::keyClick(map, Qt::Key_D);
    QVERIFY(page->axis()->fromNs() > 0);
    QTest::keyClick(map, Qt::Key_F);
    QVERIFY(page->axis()->isWhole());
  }

  void filtersWithThePages() {
    Stage stage;
    showMemory(stage);
    auto* page = stage.window->findChild<MemoryPage*>();
    QTest::keyClick(stage.window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* field = page->findChild<QLineEdit*>();
    QTest::keyClicks(field, QStringLiteral("nothing like it"));
    QCOMPARE(stage.workspace->selection()->filter().text, QStringLiteral("nothing like it"));
    QCOMPARE(page->model()->rowCount(), 0);
    QTest::keyClick(stage.window.get(), Qt::Key_Escape);
    QVERIFY(page->model()->rowCount() > 0);
  }

  void aRealRunsPeakIsTheReports() {
    EngineStage stage;
    stage.open(QStringLiteral("cnn.so"));
    stage.workspace->setRecordsMemory(true);
    stage.profile(3);
    const report::Run& run = stage.workspace->run()->run();
    QVERIFY(run.memory.has_value());
    stage.window->showPageById(QStringLiteral("memory"));
    auto* page = stage.window->findChild<MemoryPage*>();
    QTRY_VERIFY(page->memory() != nullptr);
    const MemoryData& data = *page->memory();
    QVERIFY(run.memory->storage.peakBytes > 0);
    QCOMPARE(sumAt(data, data.peakNs()), run.memory->storage.peakBytes);
    std::int64_t highest = 0;
    for (const StorageBox& box : data.boxes) highest = std::max(highest, sumAt(data, box.fromNs));
    QCOMPARE(highest, run.memory->storage.peakBytes);
    QCOMPARE(page->model()->totalBytes(), run.memory->storage.peakBytes);
    // A saved run holds it too.
    QTRY_VERIFY(stage.workspace->origin().saved.has_value());
    const auto id = *stage.workspace->origin().saved;
    stage.workspace->closeFile();
    QVERIFY(page->memory() == nullptr);
    stage.workspace->openSaved(id);
    QTRY_VERIFY(page->memory() != nullptr);
    QCOMPARE(page->model()->totalBytes(), stage.workspace->run()->run().memory->storage.peakBytes);
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::MemoryTest)
#include "memory_test.moc"
