// SPDX-License-Identifier: GPL-3.0-or-later
// What a program does before its first widget: font without a platform theme, style, palette. GUI thread.
#pragma once

#include <QApplication>

#include "ui/views/look/theme.h"

namespace opscope::ui {

/// Sets font (only where the platform has none of its own), style and palette. `theme` outlives the
/// application's widgets.
void dressApplication(Theme* theme, ThemeChoice choice);

}  // namespace opscope::ui
