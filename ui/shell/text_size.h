// SPDX-License-Identifier: GPL-3.0-or-later
// The size of all text, in percent of the platform's: fonts, and with them lengths, follow it at once in
// every window. GUI thread.
#pragma once

#include <QFont>
#include <array>

namespace opscope::ui {

inline constexpr int kUsualTextSize = 100;
/// What can be chosen, in percent.
inline constexpr std::array kTextSizes = {80, 90, 100, 110, 125, 150, 175, 200};

/// The one of kTextSizes that is nearest.
int nearestTextSize(int percent);

/// The next larger (by 1) or smaller (by -1) of kTextSizes; the last one stays.
int steppedTextSize(int percent, int by);

/// In percent, as it was set last.
int textSize();

/// The font of the platform, which sizes are percent of; to be told before a size is set.
void setUsualFont(const QFont& font);

/// Sets the application's font, and scales what the widgets that exist were laid out with: margins, spacings,
/// fixed sizes, columns. What is painted or laid out on Theme::changed follows that signal, which the caller
/// lets go out.
void setTextSize(int percent);

}  // namespace opscope::ui
