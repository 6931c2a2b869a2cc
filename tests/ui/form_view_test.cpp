// SPDX-License-Identifier: GPL-3.0-or-later
// The Executable panel by mouse: a click chooses a function, fields have room for what is typed.
#include <QSpinBox>
#include <QTreeView>
#include <QtTest>

#include "tests/ui/support/window_stage.h"
#include "ui/views/executable_panel.h"

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

 private Q_SLOTS:
  void aClickChoosesTheFunction() {
    Stage stage;
    openTwo(stage);
    QTreeView* tree = functions(stage);
    QVERIFY(tree != nullptr);
    const QModelIndex decode = row(tree, QStringLiteral("decode"));
    QVERIFY(decode.isValid());
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
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::FormViewTest)
#include "form_view_test.moc"
