// SPDX-License-Identifier: GPL-3.0-or-later
// What a run without timing returned: as a table, on the clipboard, in a file.
#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QFileDialog>
#include <QtTest>

#include "engine/arrays/npz.h"
#include "engine/session/session.h"
#include "tests/ui/support/find_button.h"
#include "tests/ui/support/real_stage.h"
#include "tests/ui/support/window_stage.h"
#include "ui/shell/instrument_desk.h"

namespace opscope::ui {

using testing::buttonOf;
using testing::RealStage;
using testing::Stage;

class OutputsTest : public QObject {
  Q_OBJECT

 private:
  static bool shows(const QWidget* widget, const QString& text) {
    for (const QLabel* label : widget->findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().replace(QChar(0x00A0), QLatin1Char(' ')).contains(text))
        return true;
    }
    return false;
  }
  template <class Desk>
  static OutputsDialog* dialogOf(const Desk& stage) {
    return stage.window->instrumentDesk()->outputs();
  }
  static QString cell(OutputsDialog* dialog, int row, int column) {
    return dialog->table()->model()->index(row, column).data().toString();
  }
  static session::ValueFacts facts(const char* type, const std::vector<std::int64_t>& shape,
                                   std::uint64_t elements, const char* least, const char* largest,
                                   std::optional<double> mean) {
    return {type, shape, elements, 0, 0, least, largest, mean};
  }
  /// A tuple of all kinds.
  static session::RunFinished everyKind() {
    session::RunFinished result;
    result.outputs = {{"out/0", "float16 [2, 3]", "-0.5, nan, inf, 1, 2, …",
                       facts("float16", {2, 3}, 6, "-0.5", "2", 0.875)},
                      {"out/1", "float32 []", "3", facts("float32", {}, 1, "3", "3", 3.0)},
                      {"out/2/0", "bool [2]", "true, false", facts("bool", {2}, 2, "false", "true", 0.5)},
                      {"out/2/1", "float32 [0, 4]", "", facts("float32", {0, 4}, 0, "", "", std::nullopt)},
                      {"out/3", "none", "(cannot be saved)", std::nullopt}};
    result.outputs[0].facts->nans = 1;
    result.outputs[0].facts->infinities = 1;
    result.archive = "bytes of the arrays";
    return result;
  }
  static void runOnce(Stage& stage, const session::RunFinished& result) {
    testing::openExecutable(stage);
    QTest::keyClick(stage.window.get(), Qt::Key_F5, Qt::ControlModifier);
    QTRY_COMPARE(stage.session.runs.size(), std::size_t(1));
    QVERIFY(stage.session.runs.back().returnsArchive);
    stage.session.post(result);
    QTRY_VERIFY(dialogOf(stage) != nullptr && dialogOf(stage)->isVisible());
  }
  static void save(OutputsDialog* dialog, const QString& path) {
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Save outputs as .npz…")), Qt::LeftButton);
    auto* files = dialog->findChild<QFileDialog*>();
    QVERIFY(files != nullptr && files->isVisible());
    Q_EMIT files->fileSelected(path);
    files->close();
  }

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void everyOutputIsARow() {
    Stage stage;
    runOnce(stage, everyKind());
    OutputsDialog* dialog = dialogOf(stage);
    QAbstractItemModelTester tester(dialog->table()->model());
    QCOMPARE(dialog->table()->model()->rowCount(), 5);
    QVERIFY(shows(dialog, QStringLiteral("main ran once, without timing")));
    QVERIFY(shows(dialog, QStringLiteral("5 outputs. out/0 holds 1 NaN and 1 Inf in 6 values. "
                                         "1 cannot be saved as an array.")));
    QCOMPARE(cell(dialog, 0, OutputsModel::Type), QStringLiteral("float16"));
    QCOMPARE(cell(dialog, 0, OutputsModel::Shape), QStringLiteral("[2, 3]"));
    QCOMPARE(cell(dialog, 0, OutputsModel::Least), QStringLiteral("−0.5"));
    QCOMPARE(cell(dialog, 0, OutputsModel::Mean), QStringLiteral("0.875"));
    QCOMPARE(cell(dialog, 0, OutputsModel::Nans), QStringLiteral("1"));
    QCOMPARE(cell(dialog, 1, OutputsModel::Shape), QStringLiteral("[]"));
    QCOMPARE(cell(dialog, 2, OutputsModel::Path), QStringLiteral("out/2/0"));
    QCOMPARE(cell(dialog, 2, OutputsModel::Largest), QStringLiteral("true"));
    QCOMPARE(cell(dialog, 3, OutputsModel::Least), QStringLiteral("–"));
    QCOMPARE(cell(dialog, 3, OutputsModel::Mean), QStringLiteral("–"));
    QCOMPARE(cell(dialog, 3, OutputsModel::Values), QStringLiteral("no elements"));
    QCOMPARE(cell(dialog, 4, OutputsModel::Type), QStringLiteral("none"));
    QCOMPARE(cell(dialog, 4, OutputsModel::Nans), QStringLiteral("–"));
  }

  void rowsAreCopiedAndEscapeCloses() {
    Stage stage;
    runOnce(stage, everyKind());
    QPointer<OutputsDialog> dialog = dialogOf(stage);
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    QTest::mouseClick(buttonOf(dialog, QStringLiteral("Copy")), Qt::LeftButton);
    const QString all = QGuiApplication::clipboard()->text();
    QVERIFY2(all.startsWith(QStringLiteral("Output\tType\tShape\t")), qPrintable(all));
    QCOMPARE(all.count(QLatin1Char('\n')), 6);
    // Numbers as files have them.
    QVERIFY2(all.contains(QStringLiteral("out/0\tfloat16\t[2, 3]\t-0.5\t2\t0.875\t1\t1\t")), qPrintable(all));
    dialog->table()->selectRow(1);
    dialog->table()->setFocus();
    QTest::keyClick(dialog->table(), Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text().count(QLatin1Char('\n')), 2);
    QTest::keyClick(dialog.data(), Qt::Key_Escape);
    QTRY_VERIFY(dialog.isNull() || !dialog->isVisible());
  }

  void aFileThatCannotBeWrittenIsSaidInTheDialog() {
    Stage stage;
    runOnce(stage, everyKind());
    OutputsDialog* dialog = dialogOf(stage);
    save(dialog, stage.folder.filePath(QStringLiteral("no folder/out.npz")));
    QTRY_VERIFY(shows(dialog, QStringLiteral("no folder/out.npz")));
    QVERIFY(!shows(dialog, QStringLiteral("Saved as")));
    QPushButton* again = buttonOf(dialog, QStringLiteral("Save outputs as .npz…"));
    QVERIFY(again != nullptr && again->isEnabled());
    // One that is there is replaced whole.
    const QString path = stage.folder.filePath(QStringLiteral("out.npz"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("longer than what comes, by some bytes") > 0);
    file.close();
    save(dialog, path);
    QTRY_VERIFY(shows(dialog, QStringLiteral("Saved as")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("bytes of the arrays"));
    QCOMPARE(QDir(stage.folder.path()).entryList({QStringLiteral("out*")}, QDir::Files),
             QStringList{QStringLiteral("out.npz")});
  }

  void realResultsAreShownAndSaved_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("outputs");
    QTest::newRow("tuples") << QStringLiteral("tuples.so") << 0;
    QTest::newRow("float16") << QStringLiteral("fp16.so") << 1;
    QTest::newRow("float32") << QStringLiteral("cnn.so") << 1;
  }
  void realResultsAreShownAndSaved() {
    QFETCH(const QString, file);
    QFETCH(const int, outputs);
    RealStage stage;
    stage.open(RealStage::fixture(qPrintable(file)));
    QTest::keyClick(stage.window.get(), Qt::Key_F5, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(dialogOf(stage) != nullptr && dialogOf(stage)->isVisible(), 30000);
    OutputsDialog* dialog = dialogOf(stage);
    const int rows = dialog->table()->model()->rowCount();
    QVERIFY(outputs > 0 ? rows == outputs : rows > 1);
    stage.picture(dialog, QStringLiteral("outputs-") + file.section(QLatin1Char('.'), 0, 0));
    const QString path = stage.folder.filePath(QStringLiteral("results.npz"));
    save(dialog, path);
    QTRY_VERIFY(shows(dialog, QStringLiteral("Saved as")));
    const auto read = arrays::NpzReader::open(path.toStdString());
    QVERIFY(read);
    QCOMPARE(int(read->keys().size()), rows);
    for (int row = 0; row < rows; ++row) {
      const auto array = read->read(cell(dialog, row, OutputsModel::Path).toStdString());
      QVERIFY(array);
      QCOMPARE(QString::fromStdString(arrays::shapeText(array->shape())),
               cell(dialog, row, OutputsModel::Shape));
    }
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::OutputsTest)
#include "outputs_test.moc"
