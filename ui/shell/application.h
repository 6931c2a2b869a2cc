// SPDX-License-Identifier: GPL-3.0-or-later
// What a program does before its first widget: font without a platform theme, style, palette. GUI thread.
#pragma once

#include <QApplication>

#include "ui/shell/text_size.h"
#include "ui/views/look/theme.h"

namespace opscope::ui {

/// Sets font (only where the platform has none of its own), style, palette and the size of text, in percent.
/// `theme` outlives the application's widgets.
void dressApplication(Theme* theme, ThemeChoice choice, int textSize = kUsualTextSize);

}  // namespace opscope::ui
