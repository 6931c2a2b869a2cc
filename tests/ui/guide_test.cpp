// SPDX-License-Identifier: GPL-3.0-or-later
// The guide: its pages are within the program, links lead somewhere, F1 opens the page of what is shown.
#include <QAbstractTextDocumentLayout>
#include <QDir>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolButton>
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/window_stage.h"
#include "ui/shell/board_desk.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/text_size.h"
#include "ui/views/guide/guide_window.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

using testing::openExecutable;
using testing::runToEnd;
using testing::Stage;

class GuideTest : public QObject {
  Q_OBJECT

 private:
  static QString textOf(const QString& file) {
    QFile page(file);
    if (!page.open(QIODevice::ReadOnly)) return {};
    return QString::fromUtf8(page.readAll());
  }
  static QToolButton* buttonOf(const QWidget* widget, const QString& name) {
    for (QToolButton* button : widget->findChildren<QToolButton*>()) {
      if (button->accessibleName() == name) return button;
    }
    return nullptr;
  }

 private Q_SLOTS:
  void everyPageIsInTheProgramAndInTheContents() {
    const QStringList files = QDir(QStringLiteral(OPSCOPE_SOURCE_DIR "/docs/guide"))
                                  .entryList({QStringLiteral("*.md")}, QDir::Files);
    QVERIFY(files.size() >= 8);
    const Theme theme;
    GuideWindow guide(&theme);
    QCOMPARE(guide.contents()->count(), files.size());
    QCOMPARE(guide.pageId(), QStringLiteral("index"));
    for (const QString& file : files) {
      guide.showPage(file.section(QLatin1Char('.'), 0, 0));
      QCOMPARE(guide.pageId() + QStringLiteral(".md"), file);
      QVERIFY(guide.browser()->toPlainText().size() > 20);
    }
  }

  void linksLeadToHeadingsThatAreThere() {
    const QDir folder(QStringLiteral(OPSCOPE_SOURCE_DIR "/docs/guide"));
    const QRegularExpression link(QStringLiteral("\\]\\(([a-z_]+)\\.md(?:#([^)]*))?\\)"));
    for (const QString& file : folder.entryList({QStringLiteral("*.md")}, QDir::Files)) {
      auto matches = link.globalMatch(textOf(folder.filePath(file)));
      while (matches.hasNext()) {
        const auto match = matches.next();
        const QString page = folder.filePath(match.captured(1) + QStringLiteral(".md"));
        QVERIFY2(QFile::exists(page), qPrintable(file + QStringLiteral(" links to ") + page));
        if (match.captured(2).isEmpty()) continue;
        QString wanted = match.captured(2);
        wanted.replace(QLatin1Char('-'), QLatin1Char(' '));
        QVERIFY2(textOf(page).contains(QRegularExpression(QStringLiteral("(?m)^#+ +%1 *$").arg(wanted),
                                                          QRegularExpression::CaseInsensitiveOption)),
                 qPrintable(file + QStringLiteral(" links to ") + match.captured(0)));
      }
    }
  }

  void noGapIsLeftBelowAPicture() {
    const Theme theme;
    GuideWindow guide(&theme);
    guide.resize(980, 700);
    guide.show();
    QVERIFY(guide.browser()->hasFocus() || QTest::qWaitForWindowActive(&guide));
    QTRY_VERIFY(guide.browser()->hasFocus());
    guide.showPage(QStringLiteral("start"));
    const QTextDocument* document = guide.browser()->document();
    int pictures = 0;
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) {
      for (auto part = block.begin(); !part.atEnd(); ++part) {
        if (!part.fragment().charFormat().isImageFormat()) continue;
        ++pictures;
        const double height = part.fragment().charFormat().toImageFormat().height();
        QVERIFY(document->documentLayout()->blockBoundingRect(block).height() < height + 30);
      }
    }
    QVERIFY(pictures > 0);
  }

  void itGoesBackAndForwardAndFinds() {
    const Theme theme;
    GuideWindow guide(&theme);
    guide.show();
    guide.contents()->setCurrentRow(guide.contents()->count() - 1);
    const QString last = guide.pageId();
    QVERIFY(last != QLatin1String("index"));
    QTest::mouseClick(buttonOf(&guide, QStringLiteral("Back")), Qt::LeftButton);
    QCOMPARE(guide.pageId(), QStringLiteral("index"));
    QCOMPARE(guide.contents()->currentRow(), 0);
    QTest::mouseClick(buttonOf(&guide, QStringLiteral("Forward")), Qt::LeftButton);
    QCOMPARE(guide.pageId(), last);
    guide.showPage(QStringLiteral("boards"));
    guide.searchField()->setFocus();
    QTest::keyClicks(guide.searchField(), QStringLiteral("tracker"));
    QCOMPARE(guide.browser()->textCursor().selectedText().toLower(), QStringLiteral("tracker"));
    const int first = guide.browser()->textCursor().selectionStart();
    QTest::keyClick(guide.searchField(), Qt::Key_Return);
    QVERIFY(guide.browser()->textCursor().selectionStart() > first);
    QTest::keyClick(guide.searchField(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(guide.browser()->textCursor().selectionStart(), first);
    QTest::keyClicks(guide.searchField(), QStringLiteral("zzz"));
    QVERIFY(guide.searchField()->property("opscopeInvalid").toBool());
  }

  void aLinkWithAHeadingGoesThere() {
    const Theme theme;
    GuideWindow guide(&theme);
    guide.resize(600, 300);
    guide.show();
    guide.showPage(QStringLiteral("start"));
    Q_EMIT guide.browser()->anchorClicked(QUrl(QStringLiteral("running.md#where-it-runs")));
    QCOMPARE(guide.pageId(), QStringLiteral("running"));
    QCOMPARE(guide.browser()->textCursor().block().text(), QStringLiteral("Where it runs"));
  }

  void f1OpensThePageOfWhatIsShown() {
    Stage stage;
    QVERIFY(QTest::qWaitForWindowActive(stage.window.get()));
    QTest::keyClick(stage.window.get(), Qt::Key_F1);
    QVERIFY(stage.window->guide() != nullptr && stage.window->guide()->isVisible());
    QCOMPARE(stage.window->guide()->pageId(), QStringLiteral("start"));
    stage.window->guide()->close();
    stage.window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(stage.window.get()));
    openExecutable(stage);
    runToEnd(stage);
    stage.command("help.guide")->trigger();
    QCOMPARE(stage.window->guide()->pageId(), QStringLiteral("running"));
    stage.window->showPageById(QStringLiteral("compare"));
    stage.command("help.guide")->trigger();
    QCOMPARE(stage.window->guide()->pageId(), QStringLiteral("compare"));
    stage.command("boards.show")->trigger();
    stage.command("help.guide")->trigger();
    QCOMPARE(stage.window->guide()->pageId(), QStringLiteral("boards"));
  }

  void everyCommandHasWordsAndNoTwoShareAShortcut() {
    Stage stage;
    QMap<QString, QString> taken;
    for (const Command* command : stage.window->commands()) {
      QVERIFY2(!command->text().isEmpty() && !command->toolTip().isEmpty(), qPrintable(command->id()));
      const QString keys = command->shortcutText();
      if (keys.isEmpty()) continue;
      QVERIFY2(!taken.contains(keys), qPrintable(keys + command->id() + taken.value(keys)));
      taken[keys] = command->id();
    }
  }

  void theListOfKeysFitsIntoASmallWindow_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<int>("percent");
    QTest::newRow("small") << QSize(900, 600) << 100;
    QTest::newRow("usual") << QSize(1440, 900) << 100;
    QTest::newRow("large text") << QSize(1440, 900) << 150;
    QTest::newRow("largest text in a small window") << QSize(900, 600) << 200;
  }

  void theListOfKeysFitsIntoASmallWindow() {
    QFETCH(const QSize, size);
    QFETCH(const int, percent);
    Stage stage;
    QVERIFY(QTest::qWaitForWindowActive(stage.window.get()));
    for (int i = 0; i < 20 && textSize() < percent; ++i)
      QTest::keyClick(stage.window.get(), Qt::Key_Plus, Qt::ControlModifier);
    QCOMPARE(textSize(), percent);
    stage.window->resize(size);
    QTest::keyClick(stage.window.get(), Qt::Key_Question);
    auto* sheet = stage.window->findChild<ShortcutSheet*>();
    QVERIFY(sheet != nullptr && sheet->isVisible());
    QVERIFY(sheet->width() <= size.width() && sheet->height() <= size.height());
    const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (!folder.isEmpty()) {
      QVERIFY(sheet->grab().save(
          folder + QStringLiteral("/shortcuts-%1.png").arg(QLatin1String(QTest::currentDataTag()))));
    }
    // It never scrolls sideways, and no words are cut or lie over others.
    const auto* scroll = sheet->findChild<QScrollArea*>();
    QCOMPARE(scroll->horizontalScrollBar()->maximum(), 0);
    QCOMPARE(scroll->widget()->width(), scroll->viewport()->width());
    for (const ElidedText* keys : scroll->findChildren<ElidedText*>()) {
      QVERIFY2(keys->width() >= keys->sizeHint().width(), qPrintable(keys->text()));
      const QRect place(keys->mapTo(scroll->widget(), QPoint()), keys->size());
      QVERIFY2(scroll->widget()->rect().contains(place), qPrintable(keys->text()));
    }
    sheet->close();
    setTextSize(kUsualTextSize);
  }

  void pictures() {
    const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
    if (folder.isEmpty()) return;
    Theme theme;
    dressApplication(&theme, ThemeChoice::Light);
    GuideWindow guide(&theme);
    guide.show();
    for (const char* page : {"index", "boards", "keys"}) {
      guide.showPage(QString::fromLatin1(page));
      QImage image(guide.size(), QImage::Format_ARGB32_Premultiplied);
      guide.render(&image);
      QVERIFY(image.save(folder + QStringLiteral("/guide-%1.png").arg(QString::fromLatin1(page))));
    }
  }
};

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::GuideTest)
#include "guide_test.moc"
