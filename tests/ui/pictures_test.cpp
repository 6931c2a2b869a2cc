// SPDX-License-Identifier: GPL-3.0-or-later
// Pages and dialogs in every theme, at two sizes and two scales, compared with the pictures that are stored
// in tests/data/pictures. The other states are painted by contrast_test.cpp.
//
//   OPSCOPE_UPDATE_PICTURES=1   the stored pictures are replaced where they differ
//   OPSCOPE_PICTURES=FOLDER     all states are painted and kept there, to be looked at
#include <QApplication>
#include <QtTest>

#include "engine/session/session.h"
#include "tests/ui/support/picture_stage.h"
#include "tests/ui/support/stored_picture.h"

namespace opscope::ui {

using testing::PictureStage;
using testing::PictureState;

namespace {

struct Shot {
  ThemeChoice theme;
  QSize size;
  int scale;
  QString name;
};

bool keepsAll() {
  return qEnvironmentVariableIsSet("OPSCOPE_PICTURES");
}

/// All that is made of one state, ordered so that the window changes little from one to the next.
std::vector<Shot> shotsOf(const PictureState& state) {
  const std::pair<const char*, ThemeChoice> themes[] = {
      {"light", ThemeChoice::Light}, {"dark", ThemeChoice::Dark}, {"contrast", ThemeChoice::HighContrast}};
  std::vector<Shot> shots;
  for (const auto& [themeName, theme] : themes) {
    for (const QSize& size : {QSize(1440, 900), QSize(900, 600)}) {
      if (testing::isDialog(state) && size.width() < 1440) continue;
      for (const int scale : {1, 2}) {
        if (!state.isStored && scale == 2) continue;
        shots.push_back(
            {theme, size, scale,
             QStringLiteral("%1-%2-%3-%4x%5")
                 .arg(QLatin1String(state.name), QLatin1String(state.page), QLatin1String(themeName))
                 .arg(size.width())
                 .arg(scale)});
      }
    }
  }
  return shots;
}

}  // namespace

class PicturesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    session::initialiseEngine();
    for (const char* family : {"Inter", "JetBrains Mono"}) {
      QVERIFY2(QFontInfo(QFont(QString::fromLatin1(family))).family() == QLatin1String(family),
               "the fonts of pictures are missing; packaging/setup.sh installs them");
    }
    // A caret that blinks is in half of the pictures.
    QApplication::setCursorFlashTime(0);
  }

  void looksAsStored_data() {
    QTest::addColumn<int>("position");
    int position = 0;
    for (const PictureState& state : testing::pictureStates()) {
      const QString name = QStringLiteral("%1-%2").arg(QLatin1String(state.name), QLatin1String(state.page));
      if (state.isStored || keepsAll()) QTest::newRow(qPrintable(name)) << position;
      ++position;
    }
  }

  void looksAsStored() {
    QFETCH(int, position);
    const PictureState& state = testing::pictureStates()[std::size_t(position)];
    PictureStage stage;
    stage.reach(state);
    if (QTest::currentTestFailed()) return;
    const QString keep = qEnvironmentVariable("OPSCOPE_PICTURES");
    QStringList problems;
    for (const Shot& shot : shotsOf(state)) {
      stage.setTheme(shot.theme);
      stage.setSize(shot.size);
      stage.settle();
      const QImage image = stage.picture(shot.scale);
      if (!keep.isEmpty()) QVERIFY(image.save(QStringLiteral("%1/%2.png").arg(keep, shot.name)));
      if (!state.isStored) continue;
      const QString problem = testing::differenceToStored(shot.name, image, shot.scale);
      if (!problem.isEmpty()) problems << problem;
    }
    QVERIFY2(problems.isEmpty(), qPrintable(QLatin1Char('\n') + problems.join(QLatin1Char('\n'))));
  }

  void everyStoredPictureIsCompared() {
    QStringList wanted;
    for (const PictureState& state : testing::pictureStates()) {
      if (!state.isStored) continue;
      for (const Shot& shot : shotsOf(state)) wanted << shot.name;
    }
    for (const QString& name : testing::storedPictures())
      QVERIFY2(wanted.contains(name), qPrintable(name + QStringLiteral(".png belongs to no state")));
  }
};

}  // namespace opscope::ui

int main(int argc, char** argv) {
  opscope::ui::testing::useFontsOfPictures();
  QApplication application(argc, argv);
  opscope::ui::PicturesTest test;
  return QTest::qExec(&test, argc, argv);
}

#include "pictures_test.moc"
