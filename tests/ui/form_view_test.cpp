// SPDX-License-Identifier: GPL-3.0-or-later
// The Executable panel by mouse: a click chooses a function, fields have room for what is typed.
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeView>
#include <QtTest>

#include "engine/arrays/npz.h"
#include "tests/ui/support/window_stage.h"
#include "ui/views/executable_panel.h"
#include "ui/views/look/properties.h"

namespace opscope::ui {

using testing::Stage;

class FormViewTest : public QObject {
  Q_OBJECT

 private:
  /// With two functions: "main", and "decode" after it.
  static void openTwo(Stage& stage) {
    auto info = std::make_shared<session::ExecutableInfo>(*testing::syntheticExecutable());
    info->functions.push_back(info->functions.front());
    info->functions.back().name = "decode";
    stage.workspace->openFile(QStringLiteral("/models/shufflenet.so"));
    QTRY_COMPARE(stage.session.opens.size(), std::size_t(1));
    stage.session.post(session::ExecutableOpened{info});
    QTRY_VERIFY(stage.workspace->executable() != nullptr);
    QTest::qWait(20);
  }
  static QTreeView* functions(const Stage& stage) {
    for (QTreeView* tree : stage.window->findChildren<QTreeView*>()) {
      if (tree->accessibleName() == QLatin1String("Functions")) return tree;
    }
    return nullptr;
  }
  static QModelIndex row(const QTreeView* tree, const QString& begin) {
    for (QModelIndex index = tree->model()->index(0, 0); index.isValid(); index = tree->indexBelow(index)) {
      if (index.data().toString().startsWith(begin)) return index;
    }
    return {};
  }
  static arrays::Array zeros(const std::vector<std::int64_t>& shape) {
    auto bytes = arrays::Bytes::allocate(*arrays::byteCount({}, shape));
    return *arrays::Array::make({}, shape, std::move(*bytes));
  }
  static void writeArchive(const QString& path,
                           const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& arrays) {
    std::vector<arrays::NamedArray> named;
    for (const auto& [key, shape] : arrays) named.push_back({key, zeros(shape)});
    QVERIFY(arrays::writeNpz(path.toStdString(), named));
  }
  /// As a user who takes the first input from a file.
  static void take(const Stage& stage, const QString& file) {
    for (QPushButton* button : stage.window->findChildren<QPushButton*>()) {
      if (button->isVisible() && button->text() == QLatin1String("Take from a .npy or .npz file"))
        QTest::mouseClick(button, Qt::LeftButton);
    }
    auto* dialog = stage.window->findChild<QFileDialog*>();
    QVERIFY(dialog != nullptr);
    Q_EMIT dialog->fileSelected(file);
    dialog->close();
  }

 private Q_SLOTS:
  void aClickChoosesTheFunction() {
    Stage stage;
    openTwo(stage);
    QTreeView* tree = functions(stage);
    QVERIFY(tree != nullptr);
    const QModelIndex decode = row(tree, QStringLiteral("decode"));
    QVERIFY(decode.isValid());
    QVERIFY(decode.data(Qt::ToolTipRole).toString().startsWith(QLatin1String("decode(x)")));
    const bool open = tree->isExpanded(decode);
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, Qt::NoModifier, tree->visualRect(decode).center());
    QCOMPARE(stage.workspace->choices().function, QStringLiteral("decode"));
    QCOMPARE(stage.workspace->form()->function().name, std::string("decode"));
    QTest::mouseDClick(tree->viewport(), Qt::LeftButton, Qt::NoModifier, tree->visualRect(decode).center());
    QCOMPARE(tree->isExpanded(decode), open);
    QTest::keyClick(stage.window.get(), Qt::Key_F5);
    QTRY_COMPARE(stage.session.profiles.size(), std::size_t(1));
    QCOMPARE(stage.session.profiles.back().plan.function, std::string("decode"));
    // What runs stays what it is.
    const QModelIndex main = row(tree, QStringLiteral("main"));
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, Qt::NoModifier, tree->visualRect(main).center());
    QCOMPARE(stage.workspace->choices().function, QStringLiteral("decode"));
  }

  void theFieldOfADimensionGrowsWithItsNumber() {
    Stage stage;
    openTwo(stage);
    QSpinBox* field = nullptr;
    for (QSpinBox* candidate : stage.window->findChildren<QSpinBox*>()) {
      if (candidate->accessibleName() == QLatin1String("Size of free dimension n")) field = candidate;
    }
    QVERIFY(field != nullptr);
    // What uses it is seen whole beside it.
    const auto told = [&stage]() {
      const auto labels = stage.window->findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->isVisible() && label->text().startsWith(QLatin1String("used by x,")) &&
               label->height() >= label->heightForWidth(label->width());
      });
    };
    QTRY_VERIFY(told());
    const int before = field->width();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("999999999"));
    QTRY_VERIFY(field->width() > before);
    const auto* edit = field->findChild<QLineEdit*>();
    QVERIFY(edit->width() >= edit->fontMetrics().horizontalAdvance(edit->text()));
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("8"));
    QTRY_COMPARE(field->width(), before);
  }

  void aFileIsHeldAgainstTheInputAtOnce() {
    Stage stage;
    openTwo(stage);
    stage.workspace->form()->setDimension(0, 2);
    const QString npz = stage.folder.filePath(QStringLiteral("all.npz"));
    writeArchive(npz, {{"other", {1, 44100, 1}}, {"x", {2, 3, 224, 224}}, {"weight.0", {4}}});
    take(stage, npz);
    // Named as the input.
    const InputField& field = stage.workspace->form()->fields()[0];
    QTRY_COMPARE(field.key, QStringLiteral("x"));
    QVERIFY2(field.problem.isEmpty(), qPrintable(field.problem));
    QCOMPARE(stage.workspace->form()->plan().values.at("x"), "@" + npz.toStdString() + ":x");
    auto* keys = stage.window->findChild<ArrayKeyCombo*>();
    QVERIFY(keys->isVisible());
    QCOMPARE(keys->count(), 3);
    QCOMPARE(keys->currentText(), QStringLiteral("x"));
    QCOMPARE(keys->itemData(0).toString(), QStringLiteral("float32 [1, 44100, 1]"));
    // Another one does not fit; Run waits.
    keys->setFocus();
    QTest::keyClick(keys, Qt::Key_Up);
    QCOMPARE(field.key, QStringLiteral("other"));
    QVERIFY2(field.problem.startsWith(
                 QStringLiteral("Needs float32 [2, 3, 224, 224]. The file has float32 [1, 44100, 1].")),
             qPrintable(field.problem));
    QVERIFY(stage.workspace->form()->firstProblem().startsWith(QStringLiteral("Input x: Needs float32")));
    QVERIFY(!stage.workspace->canRun());
    QVERIFY(keys->property(kInvalid).toBool());
    // One that is not there is told with those that are.
    keys->lineEdit()->selectAll();
    QTest::keyClicks(keys->lineEdit(), QStringLiteral("y"));
    QVERIFY2(field.problem.contains(QStringLiteral("all.npz holds no array \"y\".")),
             qPrintable(field.problem));
    QVERIFY2(field.problem.contains(QStringLiteral("other, x and weight.0")), qPrintable(field.problem));
    keys->lineEdit()->selectAll();
    QTest::keyClicks(keys->lineEdit(), QStringLiteral("x"));
    QVERIFY(field.problem.isEmpty());
    QVERIFY(stage.workspace->canRun());
    // The size of a free dimension counts.
    stage.workspace->form()->setDimension(0, 3);
    QVERIFY(field.problem.contains(QStringLiteral("Needs float32 [3, 3, 224, 224].")));
    stage.workspace->form()->setDimension(0, 2);
    QVERIFY(field.problem.isEmpty());
    // So does what becomes of the file.
    writeArchive(npz, {{"x", {2, 3, 224, 223}}});
    QTRY_VERIFY(field.problem.contains(QStringLiteral("The file has float32 [2, 3, 224, 223].")));
    QVERIFY(QFile::remove(npz));
    QTRY_VERIFY(field.problem.contains(QStringLiteral("Cannot read all.npz")));
  }

  void aPlainArrayNeedsNoKey() {
    Stage stage;
    openTwo(stage);
    const QString npy = stage.folder.filePath(QStringLiteral("in.npy"));
    QVERIFY(arrays::writeNpy(npy.toStdString(), zeros({1, 3, 224, 224})));
    take(stage, npy);
    const InputForm* form = stage.workspace->form();
    QTRY_VERIFY(form->listingOf(form->fields()[0]) != nullptr);
    QVERIFY(form->isValid());
    QVERIFY(!stage.window->findChild<ArrayKeyCombo*>()->isVisible());
    QFile broken(npy);
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("no array");
    broken.close();
    QTRY_VERIFY2(form->fields()[0].problem.contains(QStringLiteral("in.npy: not a valid .npy array")),
                 qPrintable(form->fields()[0].problem));
    QVERIFY(!stage.workspace->canRun());
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::FormViewTest)
#include "form_view_test.moc"
