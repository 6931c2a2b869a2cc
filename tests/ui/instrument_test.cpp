// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that look at every call, from the window: check for NaN and Inf, dump, first op that differs.
#include <QAbstractItemModelTester>
#include <QFileDialog>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "engine/session/session.h"
#include "tests/ui/support/find_button.h"
#include "tests/ui/support/real_stage.h"
#include "ui/shell/instrument_desk.h"

namespace opscope::ui {

using testing::BoardServer;
using testing::buttonOf;
using testing::RealStage;

namespace {

bool shows(const QWidget* widget, const QString& text) {
  for (const QLabel* label : widget->findChildren<QLabel*>()) {
    if (label->isVisible() && label->text().contains(text)) return true;
  }
  return false;
}

/// The function's first parameter as a file of values that are not numbers.
QString writeNans(const RealStage& stage) {
  const auto& parameter = stage.workspace->currentFunction()->signature.parameters.front();
  QByteArray shape;
  qint64 count = 1;
  for (const auto& dimension : parameter.dimensions) {
    shape += QByteArray::number(qlonglong(dimension.value)) + ',';
    count *= dimension.value;
  }
  QByteArray header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  QByteArray bytes("\x93NUMPY\x01\x00", 8);
  bytes += char(header.size() & 0xFF);
  bytes += char(header.size() >> 8);
  bytes += header;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (qint64 i = 0; i < count; ++i) bytes += QByteArray(reinterpret_cast<const char*>(&nan), 4);
  const QString path = stage.folder.filePath(QStringLiteral("nan.npy"));
  QFile file(path);
  if (file.open(QIODevice::WriteOnly)) file.write(bytes);
  return path;
}

}  // namespace

class InstrumentTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void finiteValuesAreToldSo() {
    RealStage stage;
    stage.open(RealStage::fixture("mlp.so"));
    stage.command("instrument.finite")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(stage.window->instrumentDesk()->finding() != nullptr, 30000);
    QVERIFY(shows(stage.window->instrumentDesk()->finding(), QStringLiteral("All values are finite")));
    stage.picture(stage.window->instrumentDesk()->finding(), QStringLiteral("instrument-finite"));
  }

  void theFirstCallWithNansIsShown() {
    RealStage stage;
    stage.open(RealStage::fixture("mlp.so"));
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->run() != nullptr, 30000);
    stage.workspace->form()->setSource(0, InputSource::File);
    stage.workspace->form()->setFile(0, writeNans(stage), {});
    QTest::keyClick(stage.window.get(), Qt::Key_N, Qt::ControlModifier | Qt::AltModifier);
    QTRY_VERIFY_WITH_TIMEOUT(stage.window->instrumentDesk()->finding() != nullptr, 30000);
    FindingDialog* dialog = stage.window->instrumentDesk()->finding();
    QVERIFY(shows(dialog, QStringLiteral("not finite")));
    stage.picture(dialog, QStringLiteral("instrument-nan"));
    QPushButton* show = buttonOf(dialog, QStringLiteral("Show the op"));
    QVERIFY(show != nullptr && show->isEnabled());
    QTest::mouseClick(show, Qt::LeftButton);
    QVERIFY(!stage.workspace->selection()->op().isNull());
    QCOMPARE(stage.window->currentPageId(), QStringLiteral("ops"));
  }

  void tensorsAreDumpedToAFolder() {
    RealStage stage;
    stage.open(RealStage::fixture("mlp.so"));
    stage.command("instrument.dump")->trigger();
    auto* ask = stage.window->findChild<QFileDialog*>();
    QVERIFY(ask != nullptr && ask->isVisible());
    ask->close();
    for (const char* name : {"mlp-forward.npz", "mlp-forward-2.npz"}) {
      stage.workspace->dumpTensors(stage.folder.path());
      QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 30000);
      QVERIFY(QFileInfo(stage.folder.filePath(QString::fromLatin1(name))).size() > 0);
    }
    FindingDialog* dialog = stage.window->instrumentDesk()->finding();
    QVERIFY(dialog != nullptr);
    QVERIFY(shows(dialog, QStringLiteral("Arguments and results of")));
    stage.picture(dialog, QStringLiteral("instrument-dump"));
  }

  void boardsAreLookedIntoAsWell() {
    BoardServer server;
    RealStage stage;
    const QString id = stage.addDirect(server.address());
    stage.open(RealStage::fixture("mlp.so"));
    for (const QString& target : {kIsolatedTarget, id}) {
      stage.workspace->setTarget(target);
      QVERIFY(stage.command("instrument.dump")->isEnabled());
      stage.command("instrument.finite")->trigger();
      QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 60000);
      QVERIFY2(!stage.workspace->failure().has_value(),
               stage.workspace->failure() ? stage.workspace->failure()->error.message.c_str() : "");
      FindingDialog* dialog = stage.window->instrumentDesk()->finding();
      QVERIFY(dialog != nullptr);
      QVERIFY(shows(dialog, QStringLiteral("All values are finite")));
      dialog->close();
      QTRY_VERIFY(stage.window->instrumentDesk()->finding() == nullptr);
    }
  }

  void theFirstOpThatDiffersIsFound() {
    RealStage stage;
    stage.open(RealStage::fixture("mlp.so"));
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(stage.workspace->run() != nullptr, 30000);
    stage.command("instrument.diverge")->trigger();
    DivergeDialog* dialog = stage.window->instrumentDesk()->divergeDialog();
    QVERIFY(dialog != nullptr && dialog->isVisible());
    const QAbstractItemModelTester tester(dialog->model());
    QPushButton* find = buttonOf(dialog, QStringLiteral("Find the first difference"));
    QTest::mouseClick(find, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(shows(dialog, QStringLiteral("No op differs")), 30000);
    // No two values of a computation are nearer than nothing, so a negative tolerance is refused.
    for (QLineEdit* field : dialog->findChildren<QLineEdit*>()) {
      if (field->accessibleName() != QLatin1String("Relative")) continue;
      field->setText(QStringLiteral("-1"));
      QVERIFY(!find->isEnabled());
      field->setText(QStringLiteral("1e-5"));
    }
    dialog->fileB()->setText(RealStage::fixture("mlp_const.so"));
    QVERIFY(find->isEnabled());
    QTest::mouseClick(find, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 30000);
    stage.picture(dialog, QStringLiteral("instrument-diverge"));
  }

  void twoTargetsAreHeldAgainstEachOther() {
    BoardServer server;
    RealStage stage;
    const QString id = stage.addDirect(server.address());
    stage.open(RealStage::fixture("cnn.so"));
    stage.command("instrument.diverge")->trigger();
    DivergeDialog* dialog = stage.window->instrumentDesk()->divergeDialog();
    dialog->targetB()->setCurrentIndex(2);
    QCOMPARE(dialog->targetB()->currentText(), QStringLiteral("board on the desk"));
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Find the first difference")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 60000);
    QVERIFY2(shows(dialog, QStringLiteral("No op differs")),
             stage.workspace->log().empty() ? "" : qPrintable(stage.workspace->log().back().words));
    QCOMPARE(dialog->model()->divergence().targetB, "rpc://" + server.address().toStdString());
    QVERIFY(stage.workspace->boards()->find(id) != nullptr);
    stage.picture(dialog, QStringLiteral("instrument-diverge-same"));
  }

  void eachBoardHasItsOwnSecret() {
    QTemporaryDir folder;
    QStringList files, ids;
    RealStage stage;
    std::vector<std::unique_ptr<BoardServer>> servers;
    for (const char* secret :
         {"first secret of at least so many letters", "another one, as long as the first"}) {
      files << folder.filePath(QString::number(files.size()));
      QFile file(files.back());
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(secret);
      file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
      file.close();
      servers.push_back(
          std::make_unique<BoardServer>(QStringList{QStringLiteral("--secret-file"), files.back()}));
      ids << stage.addDirect(servers.back()->address());
      SavedBoard board = *stage.workspace->boards()->find(ids.back());
      board.secretFile = files.back();
      stage.workspace->boards()->change(board);
    }
    stage.open(RealStage::fixture("cnn.so"));
    stage.workspace->setTarget(ids[0]);
    DivergeChoice choice;
    choice.pathB = RealStage::fixture("cnn.so");
    choice.targetB = ids[1];
    QSignalSpy found(stage.workspace.get(), &Workspace::diverged);
    QSignalSpy failed(stage.workspace.get(), &Workspace::divergeFailed);
    stage.workspace->diverge(choice);
    QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 60000);
    QVERIFY2(failed.isEmpty(),
             stage.workspace->log().empty() ? "" : qPrintable(stage.workspace->log().back().words));
    QCOMPARE(found.size(), 1);
  }

  void aFileThatIsNotThereIsToldInTheDialog() {
    RealStage stage;
    stage.open(RealStage::fixture("mlp.so"));
    stage.command("instrument.diverge")->trigger();
    DivergeDialog* dialog = stage.window->instrumentDesk()->divergeDialog();
    dialog->fileB()->setText(QStringLiteral("/no/such/file.so"));
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Find the first difference")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!stage.workspace->isRunning(), 30000);
    QVERIFY(shows(dialog, QStringLiteral("/no/such/file.so")));
    QVERIFY(!stage.workspace->failure().has_value());
    stage.picture(dialog, QStringLiteral("instrument-diverge-problem"));
  }

  void theTableOfDifferencesHoldsWhatModelsPromise() {
    DivergenceModel model;
    const QAbstractItemModelTester tester(&model);
    session::Divergence divergence;
    session::ComparedCall call;
    call.a = {3, "relu2", "main", 12, true};
    call.b = call.a;
    session::TensorDifference output;
    output.place = "arg2";
    output.descriptionA = output.descriptionB = "float32 [1, 16]";
    output.elements = 16;
    output.beyond = 2;
    output.maxAbsolute = 0.25;
    output.maxRelative = 0.5;
    output.position = "[0, 5]";
    output.valueA = "1";
    output.valueB = "1.25";
    call.outputs = {output};
    divergence.calls = {call};
    divergence.rtol = divergence.atol = 1e-5;
    model.setDivergence(divergence);
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.firstRow(), 0);
    QCOMPARE(divergenceTitle(divergence), QStringLiteral("relu2 is the first op that differs"));
    QCOMPARE(model.index(0, DivergenceModel::Beyond).data().toString(), QStringLiteral("2 of 16"));
    RealStage stage;
    stage.open(RealStage::fixture("mlp.so"));
    stage.command("instrument.diverge")->trigger();
    DivergeDialog* dialog = stage.window->instrumentDesk()->divergeDialog();
    dialog->setDivergence(divergence);
    stage.picture(dialog, QStringLiteral("instrument-diverge-first"));
    QVERIFY(buttonOf(dialog, QStringLiteral("Show the op"))->isEnabled());
    // It was found of this B: of another one nothing is known.
    dialog->fileB()->selectAll();
    QTest::keyClicks(dialog->fileB(), QStringLiteral("/models/other.so"));
    QVERIFY(!buttonOf(dialog, QStringLiteral("Show the op"))->isEnabled());
    QVERIFY(!dialog->table()->isVisible());
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::InstrumentTest)
#include "instrument_test.moc"
