// SPDX-License-Identifier: GPL-3.0-or-later
// The Code page on real executables: times, searching, jumps, machine code, and that the selection goes both
// ways.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/engine_stage.h"
#include "tests/ui/support/synthetic_run.h"
#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/views/code_page.h"
#include "ui/views/inspector.h"
#include "ui/views/ops_page.h"

namespace opscope::ui {

using testing::EngineStage;

namespace {

CodePage* showCode(EngineStage& stage) {
  QTest::keyClick(stage.window.get(), Qt::Key_7, Qt::AltModifier);
  return stage.window->findChild<CodePage*>();
}

std::shared_ptr<const session::ProgramCode> programOf(const char* name) {
  auto code = session::readProgramCode(std::string(OPSCOPE_TEST_DATA "/vm/tvm027/") + name, {});
  return code ? *code : nullptr;
}

ActionButton* buttonOf(QWidget* page, const char* text) {
  for (ActionButton* button : page->findChildren<ActionButton*>()) {
    if (button->text() == QLatin1String(text)) return button;
  }
  return nullptr;
}

}  // namespace

class CodeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void theListingIsAModel() {
    CodeModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto code = programOf("ifelse.so");
    QVERIFY(code != nullptr);
    const session::CodeFunction& main = *code->find("main");
    model.setCode(code, &main);
    QCOMPARE(model.rowCount(), int(main.lines.size()));
    QCOMPARE(model.index(0, CodeModel::Duration).data().toString(), QString());
    model.setHidesHousekeeping(true);
    QVERIFY(model.rowCount() > 0 && model.rowCount() < int(main.lines.size()));
    for (int row = 0; row < model.rowCount(); ++row) {
      QVERIFY(!model.lineAt(row).housekeeping);
      QCOMPARE(model.rowOf(model.instructionAt(row)), row);
    }
    model.setHidesHousekeeping(false);
    int jumps = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
      if (model.lineAt(row).target < 0) continue;
      ++jumps;
      const int target = model.rowOf(std::uint64_t(model.lineAt(row).target));
      QVERIFY(target >= 0);
      QVERIFY(model.detailOf(target).contains(QStringLiteral("reached from #")));
      QVERIFY(model.index(row, CodeModel::Arguments).data().toString().contains(QStringLiteral("→ #")));
    }
    QVERIFY(jumps >= 2);
    model.setCode(nullptr, nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  void machineCodeIsAModel() {
    DisassemblyModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto code = session::readKernelCode(OPSCOPE_TEST_DATA "/vm/tvm027/mlp_compiled.so", {}, "matmul");
    QVERIFY(code.has_value());
    model.setCode(*code, (*code)->main());
    QCOMPARE(model.rowCount(), int((*code)->functions[(*code)->main()].lines.size()));
    QVERIFY(model.countOf(QStringLiteral("ret")) > 0);
    const int row = model.find(QStringLiteral("ret"), 0, false);
    QVERIFY(row >= 0);
    QCOMPARE(model.find(QStringLiteral("no such instruction"), 0, false), -1);
    QVERIFY(model.listing({}).startsWith(QStringLiteral("matmul_compute_:\n")));
    model.setCode(nullptr, 0);
    QCOMPARE(model.rowCount(), 0);
  }

  void timesAreThoseOfTheRun() {
    EngineStage stage;
    stage.open(QStringLiteral("cnn.so"));
    stage.profile(5);
    CodePage* page = showCode(stage);
    QTRY_VERIFY(page->code() != nullptr && page->model()->functionUs() > 0);
    const report::Run& run = stage.workspace->run()->run();
    double expectedUs = 0;
    for (const report::Call& call : run.calls) {
      double sumNs = 0;
      for (const double ns : report::ownSamples(run, call)) sumNs += ns;
      expectedUs += sumNs / 1000 / run.repeats;
    }
    QVERIFY(qAbs(page->model()->functionUs() - expectedUs) < expectedUs * 1e-9);
    // Each kernel call of the listing stands at an instruction that calls that kernel.
    for (const report::Call& call : run.calls) {
      const int row = page->model()->rowOf(call.instruction);
      QVERIFY(row >= 0);
      QCOMPARE(page->model()->lineAt(row).name, run.names[call.name]);
    }
  }

  void theSelectionGoesBothWays() {
    EngineStage stage;
    stage.open(QStringLiteral("cnn.so"));
    stage.profile(3);
    CodePage* page = showCode(stage);
    QTRY_VERIFY(page->code() != nullptr && page->model()->functionUs() > 0);
    QTest::mouseClick(buttonOf(page, "Hottest"), Qt::LeftButton);
    Selection* selection = stage.workspace->selection();
    QVERIFY(selection->call().has_value());
    const int hottest = page->model()->hottest().front();
    QCOMPARE(page->table()->currentIndex().row(), hottest);
    QCOMPARE(std::uint64_t(stage.workspace->run()->run().calls[*selection->call()].instruction),
             page->model()->instructionAt(hottest));
    // One numbering: that of the table.
    const QString number = page->model()->index(hottest, CodeModel::Number).data().toString();
    QVERIFY2(page->note().startsWith(QStringLiteral("Instruction #%1 of #").arg(number)),
             qPrintable(page->note()));
    const std::uint32_t first = *selection->call();
    QTest::mouseClick(buttonOf(page, "Next hottest"), Qt::LeftButton);
    QVERIFY(*selection->call() != first);
    // From another page to here.
    selection->setCall(stage.workspace->run()->run(), first);
    QCOMPARE(page->table()->currentIndex().row(), hottest);
    QTRY_VERIFY(page->machine()->model()->rowCount() > 0);
    QCOMPARE(page->machine()->kernel(), format::fromUtf8(page->model()->lineAt(hottest).name));
  }

  void searchesForwardAndBack() {
    EngineStage stage;
    stage.open(QStringLiteral("cnn.so"));
    CodePage* page = showCode(stage);
    QTRY_VERIFY(page->code() != nullptr);
    QTest::keyClick(stage.window.get(), Qt::Key_F, Qt::ControlModifier);
    auto* field = page->findChild<QLineEdit*>();
    QTest::keyClicks(field, QStringLiteral("alloc_tensor"));
    const int count = page->model()->countOf(QStringLiteral("alloc_tensor"));
    QVERIFY(count > 1);
    const int first = page->table()->currentIndex().row();
    QVERIFY(page->model()->lineAt(first).name == "vm.builtin.alloc_tensor");
    QTest::keyClick(field, Qt::Key_Return);
    const int second = page->table()->currentIndex().row();
    QVERIFY(second > first);
    QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(page->table()->currentIndex().row(), first);
    // A shape of a constant is found too.
    QVERIFY(page->model()->countOf(QStringLiteral("float32")) > 0);
    field->clear();
    QTest::keyClicks(field, QStringLiteral("zzz"));
    QCOMPARE(page->model()->countOf(QStringLiteral("zzz")), 0);
  }

  void jumpsAreFollowed() {
    EngineStage stage;
    stage.open(QStringLiteral("ifelse.so"));
    CodePage* page = showCode(stage);
    QTRY_VERIFY(page->code() != nullptr);
    CodeModel* model = page->model();
    int jump = -1;
    for (int row = 0; row < model->rowCount() && jump < 0; ++row)
      jump = model->lineAt(row).target >= 0 ? row : -1;
    QVERIFY(jump >= 0);
    page->table()->setCurrentIndex(model->index(jump, CodeModel::Calls));
    QTest::keyClick(page->table(), Qt::Key_Return);
    QCOMPARE(std::int64_t(model->instructionAt(page->table()->currentIndex().row())),
             model->lineAt(jump).target);
  }

  void machineCodeIsSearchedAndCopied() {
    EngineStage stage;
    stage.open(QStringLiteral("cnn.so"));
    stage.profile(2);
    CodePage* page = showCode(stage);
    QTRY_VERIFY(page->code() != nullptr && page->model()->functionUs() > 0);
    QTest::mouseClick(buttonOf(page, "Hottest"), Qt::LeftButton);
    MachinePane* machine = page->machine();
    QTRY_VERIFY(machine->model()->rowCount() > 0);
    QTest::keyClicks(machine->search()->field(), QStringLiteral("ret"));
    QVERIFY(machine->table()->currentIndex().row() >= 0);
    QVERIFY(machine->selectedText().contains(QStringLiteral(":  ")));
    machine->table()->setFocus();
    QCOMPARE(page->rowsTable(), machine->table());
    QTest::keyClick(machine->table(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("ret")));
    // A builtin has no code, and that is said.
    for (int row = 0; row < page->model()->rowCount(); ++row) {
      if (page->model()->lineAt(row).callee != session::CodeLine::Callee::Builtin) continue;
      page->table()->setCurrentIndex(page->model()->index(row, CodeModel::Calls));
      break;
    }
    QCOMPARE(machine->model()->rowCount(), 0);
    bool said = false;
    for (const Text* text : machine->findChildren<Text*>())
      said = said || (text->isVisible() &&
                      text->text().contains(QStringLiteral("is a builtin of the virtual machine")));
    QVERIFY(said);
  }

  void compiledFunctionsAreMachineCode() {
    EngineStage stage;
    stage.open(QStringLiteral("mlp_compiled.so"));
    CodePage* page = showCode(stage);
    QTRY_VERIFY(page->code() != nullptr);
    QTRY_VERIFY(page->machine()->model()->rowCount() > 0);
    QCOMPARE(page->model()->rowCount(), 0);
  }

  void aSavedRunShowsTheCodeOfItsFile() {
    EngineStage stage;
    stage.open(QStringLiteral("cnn.so"));
    stage.profile(2);
    QTRY_VERIFY(stage.workspace->origin().saved.has_value());
    const auto id = *stage.workspace->origin().saved;
    stage.workspace->closeFile();
    stage.workspace->openSaved(id);
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    CodePage* page = showCode(stage);
    QTRY_VERIFY(page->code() != nullptr && page->model()->functionUs() > 0);
  }

  void aMissingFileIsToldInWords() {
    EngineStage stage;
    const report::Document document = testing::syntheticDocument();
    stage.store->save(document);
    QTRY_COMPARE(stage.store->runs()->size(), std::size_t(1));
    stage.workspace->openSaved(1);
    QTRY_VERIFY(stage.workspace->run() != nullptr);
    CodePage* page = showCode(stage);
    stage.settle();
    QVERIFY(page->code() == nullptr);
    bool said = false;
    for (const Text* text : page->findChildren<Text*>())
      said = said || (text->isVisible() && text->text().contains(QStringLiteral("shufflenet.so")));
    QVERIFY(said);
  }

  void theInspectorLeadsToTheCode() {
    EngineStage stage;
    stage.open(QStringLiteral("cnn.so"));
    stage.profile(12);
    stage.window->showPageById(QStringLiteral("ops"));
    auto* ops = stage.window->findChild<OpsPage*>();
    QTest::mouseClick(ops->table()->viewport(), Qt::LeftButton, {},
                      ops->table()->visualRect(ops->model()->index(0, 0)).center());
    auto* inspector = stage.window->findChild<Inspector*>();
    const auto linkOf = [&](const QString& beginning) -> LinkButton* {
      for (LinkButton* link : inspector->findChildren<LinkButton*>()) {
        if (link->isVisible() && link->text().startsWith(beginning)) return link;
      }
      return nullptr;
    };
    QTRY_VERIFY(linkOf(QStringLiteral("#")) != nullptr);
    const auto instruction = linkOf(QStringLiteral("#"))->text().mid(1).toULongLong();
    QTest::mouseClick(linkOf(QStringLiteral("#")), Qt::LeftButton);
    auto* page = stage.window->findChild<CodePage*>();
    QCOMPARE(stage.window->currentPage(), static_cast<RunPage*>(page));
    QTRY_VERIFY(page->code() != nullptr && page->table()->currentIndex().row() >= 0);
    QCOMPARE(page->model()->instructionAt(page->table()->currentIndex().row()), instruction);
    stage.window->showPageById(QStringLiteral("ops"));
    QTRY_VERIFY(linkOf(QStringLiteral("Machine code")) != nullptr);
    QTest::mouseClick(linkOf(QStringLiteral("Machine code")), Qt::LeftButton);
    QTRY_VERIFY(page->machine()->model()->rowCount() > 0);
    QTest::keyClick(stage.window.get(), Qt::Key_2, Qt::AltModifier);
    QTest::keyClick(stage.window.get(), Qt::Key_Return, Qt::AltModifier);
    QCOMPARE(stage.window->currentPage(), static_cast<RunPage*>(page));
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::CodeTest)
#include "code_test.moc"
