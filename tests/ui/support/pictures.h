// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of what a test shows, for people to look at: written where OPSCOPE_PICTURES says, light and dark,
// at two sizes. Nothing happens without it.
#pragma once

#include "tests/ui/support/window_stage.h"

namespace opscope::ui::testing {

inline void takePictures(Stage& stage, const QString& name) {
  const QString folder = qEnvironmentVariable("OPSCOPE_PICTURES");
  if (folder.isEmpty()) return;
  for (const bool dark : {false, true}) {
    dressApplication(&stage.theme, dark ? ThemeChoice::Dark : ThemeChoice::Light);
    for (const QSize size : {QSize(1440, 900), QSize(900, 600)}) {
      stage.window->resize(size);
      QTest::qWait(100);
      const QString file = QStringLiteral("%1/%2-%3-%4.png")
                               .arg(folder, name, dark ? QStringLiteral("dark") : QStringLiteral("light"))
                               .arg(size.width());
      QVERIFY(stage.window->grab().save(file));
    }
  }
  dressApplication(&stage.theme, ThemeChoice::Light);
  stage.window->resize(1440, 900);
  QTest::qWait(50);
}

}  // namespace opscope::ui::testing
