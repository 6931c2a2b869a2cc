// SPDX-License-Identifier: GPL-3.0-or-later
// Text can be read: its contrast is at least 4.5 in every theme. Twice: each text colour on each ground that
// it is meant for, and each text that pages, states and dialogs really paint on what is really behind it.
// Disabled controls are exempt, as in WCAG 2 (1.4.3); the test says which they are.
#include <QApplication>
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/picture_stage.h"
#include "tests/ui/support/text_contrast.h"
#include "ui/shell/command_palette.h"

namespace opscope::ui {

using testing::contrastOf;
using testing::PaintedText;

namespace {

constexpr double kLeast = 4.5;

constexpr std::pair<const char*, ThemeChoice> kThemes[] = {
    {"light", ThemeChoice::Light}, {"dark", ThemeChoice::Dark}, {"contrast", ThemeChoice::HighContrast}};

struct NamedColour {
  std::string name;
  QColor colour;
};

/// Grounds of pages, panels and rows.
std::vector<NamedColour> grounds(const Colours& c) {
  return {{"window", c.window},
          {"base", c.base},
          {"alternateBase", c.alternateBase},
          {"button", c.button},
          {"hover", c.hover},
          {"base within a range", testing::blended(c.rangeFill, c.base)}};
}

struct Pairs {
  QStringList low;
  double least = 21;

  void check(const NamedColour& ink, const NamedColour& ground) {
    const double contrast = contrastOf(ink.colour, ground.colour);
    least = std::min(least, contrast);
    if (contrast < kLeast)
      low << QStringLiteral("%1 on %2: %3")
                 .arg(QString::fromStdString(ink.name), QString::fromStdString(ground.name))
                 .arg(contrast, 0, 'f', 2);
  }
};

void checkPages(Pairs& pairs, const Colours& c) {
  for (const NamedColour& ground : grounds(c)) {
    for (const NamedColour& ink :
         {NamedColour{"text", c.text}, NamedColour{"textSecondary", c.textSecondary},
          NamedColour{"textTertiary", c.textTertiary}, NamedColour{"accent", c.accent},
          NamedColour{"faster", c.faster}, NamedColour{"slower", c.slower}, NamedColour{"same", c.same},
          NamedColour{"noisy", c.noisy}, NamedColour{"error", c.error}, NamedColour{"warning", c.warning},
          NamedColour{"success", c.success}})
      pairs.check(ink, ground);
  }
}

void checkSpecial(Pairs& pairs, const Colours& c, bool isHighContrast) {
  for (const NamedColour& ink : {NamedColour{"text", c.text}, NamedColour{"textSecondary", c.textSecondary},
                                 NamedColour{"error", c.error}, NamedColour{"accent", c.accent}})
    pairs.check(ink, {"errorBackground", c.errorBackground});
  for (const NamedColour& ink : {NamedColour{"text", c.text}, NamedColour{"textSecondary", c.textSecondary},
                                 NamedColour{"warning", c.warning}, NamedColour{"accent", c.accent}})
    pairs.check(ink, {"warningBackground", c.warningBackground});
  for (const NamedColour& ink :
       {NamedColour{"onTooltip", c.onTooltip}, NamedColour{"textSecondary", c.textSecondary},
        NamedColour{"textTertiary", c.textTertiary}})
    pairs.check(ink, {"tooltip", c.tooltip});
  pairs.check({"onAccent", c.onAccent}, {"accent", c.accent});
  pairs.check({"onAccent", c.onAccent}, {"accent hovered", c.accent.lighter(108)});
  pairs.check({"onAccent", c.onAccent}, {"accent pressed", c.accent.darker(115)});
  pairs.check({"onSelection", c.onSelection}, {"selection", c.selection});
  // In high contrast everything on a selection takes onSelection; tertiary text never stands there.
  if (isHighContrast) return;
  for (const NamedColour& ink : {NamedColour{"text", c.text}, NamedColour{"textSecondary", c.textSecondary},
                                 NamedColour{"faster", c.faster}, NamedColour{"slower", c.slower},
                                 NamedColour{"same", c.same}, NamedColour{"noisy", c.noisy}})
    pairs.check(ink, {"selection", c.selection});
}

/// A disabled control, or a command of the palette that cannot be used now.
bool isExempt(const PaintedText& text, const Colours& colours) {
  if (text.widget == nullptr) return false;
  if (!text.widget->isEnabled()) return true;
  return text.ink == colours.textDisabled &&
         qobject_cast<const CommandPalette*>(text.widget->window()) != nullptr;
}

QString placeOf(const PaintedText& text) {
  QString name;
  for (const QWidget* widget = text.widget; widget != nullptr && !widget->isWindow();
       widget = widget->parentWidget()) {
    name = QString::fromLatin1(widget->metaObject()->className()).section(QLatin1String("::"), -1);
    if (name.at(0) != QLatin1Char('Q')) break;
  }
  return QStringLiteral("%1 at %2, %3").arg(name).arg(text.place.x()).arg(text.place.y());
}

}  // namespace

class ContrastTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { session::initialiseEngine(); }

  void pairsOfColours_data() {
    QTest::addColumn<int>("choice");
    for (const auto& [name, theme] : kThemes) QTest::newRow(name) << int(theme);
  }

  void pairsOfColours() {
    QFETCH(int, choice);
    Theme theme;
    theme.choose(ThemeChoice(choice));
    Pairs pairs;
    checkPages(pairs, theme.colours());
    checkSpecial(pairs, theme.colours(), theme.isHighContrast());
    for (const Fill& fill : theme.fills())
      pairs.check({"ink", fill.ink}, {fill.kind.toStdString(), fill.fill});
    QVERIFY2(pairs.low.isEmpty(), qPrintable(pairs.low.join(QLatin1Char('\n'))));
  }

  void whatIsPainted_data() {
    QTest::addColumn<int>("position");
    int position = 0;
    for (const testing::PictureState& state : testing::pictureStates())
      QTest::newRow(
          qPrintable(QStringLiteral("%1-%2").arg(QLatin1String(state.name), QLatin1String(state.page))))
          << position++;
  }

  void whatIsPainted() {
    QFETCH(int, position);
    testing::PictureStage stage;
    const testing::PictureState& state = testing::pictureStates()[std::size_t(position)];
    stage.reach(state);
    if (QTest::currentTestFailed()) return;
    QStringList low;
    for (const auto& [themeName, theme] : kThemes) {
      stage.setTheme(theme);
      for (const QSize& size : {QSize(1440, 900), QSize(900, 600)}) {
        // The colours of a narrow window are those of a wide one; what is painted there is not.
        if (size.width() < 1440 && (theme != ThemeChoice::Light || testing::isDialog(state))) continue;
        stage.setSize(size);
        stage.settle();
        testing::ContrastDevice device(stage.shown()->size());
        device.paint(stage.shown());
        QVERIFY2(device.texts().size() > 4, "hardly any text was painted");
        for (const PaintedText& text : device.texts()) low << wordsIfLow(text, stage, themeName);
      }
    }
    low.removeAll(QString());
    low.removeDuplicates();
    QVERIFY2(low.isEmpty(), qPrintable(QLatin1Char('\n') + low.mid(0, 40).join(QLatin1Char('\n'))));
  }

  void cleanupTestCase() {
    QStringList exempt = m_exempt.values();
    exempt.sort();
    qInfo("Exempt, being disabled: %s", qPrintable(exempt.join(QStringLiteral(" · "))));
  }

 private:
  /// What to tell of a text that cannot be read; empty when it can.
  QString wordsIfLow(const PaintedText& text, const testing::PictureStage& stage, const char* theme) {
    if (text.contrast >= kLeast) return {};
    if (isExempt(text, stage.theme().colours())) {
      m_exempt.insert(text.words);
      return {};
    }
    return QStringLiteral("%1: “%2” %3 on %4: %5, %6")
        .arg(QLatin1String(theme), text.words, text.ink.name(), text.ground.name())
        .arg(text.contrast, 0, 'f', 2)
        .arg(placeOf(text));
  }

  QSet<QString> m_exempt;
};

}  // namespace opscope::ui

int main(int argc, char** argv) {
  opscope::ui::testing::useFontsOfPictures();
  QApplication application(argc, argv);
  opscope::ui::ContrastTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "contrast_test.moc"
