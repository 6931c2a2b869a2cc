// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/application.h"

#include <QFontDatabase>

#include "ui/shell/keyboard_focus.h"
#include "ui/shell/theme/opscope_style.h"

namespace opscope::ui {

void dressApplication(Theme* theme, ThemeChoice choice, int textSize) {
  const QString platform = QGuiApplication::platformName();
  if (platform == QLatin1String("offscreen") || platform == QLatin1String("minimal")) {
    const QStringList families = QFontDatabase::families();
    for (const char* name : {"Inter", "Noto Sans", "DejaVu Sans"}) {
      if (!families.contains(QLatin1String(name))) continue;
      QFont font{QString::fromLatin1(name)};
      font.setPixelSize(13);
      QApplication::setFont(font);
      break;
    }
  }
  // Dialogs of a desktop look into files to tell their kind, in this process: see DialogFolders.
  QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  setUsualFont(QApplication::font());
  if (textSize != kUsualTextSize) setTextSize(textSize);
  KeyboardFocus::install();
  theme->choose(choice);
  QApplication::setStyle(new OpscopeStyle(theme));
  QApplication::setPalette(theme->palette());
}

}  // namespace opscope::ui
