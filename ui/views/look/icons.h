// SPDX-License-Identifier: GPL-3.0-or-later
// One-colour icons of resources/icons, painted in the theme's colours at paint time, so that they follow a
// change of theme. GUI thread; the Theme must outlive the icon.
#pragma once

#include <QIcon>

#include "ui/views/look/theme.h"

namespace opscope::ui {

enum class IconInk { Text, Secondary, OnAccent, Accent, Warning, Error, Success };

/// `name` is the file's name without ".svg".
QIcon lookIcon(const Theme* theme, const char* name, IconInk ink = IconInk::Text);

}  // namespace opscope::ui
