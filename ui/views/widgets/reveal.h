// SPDX-License-Identifier: GPL-3.0-or-later
// Brings what the keyboard is at into view. GUI thread.
#pragma once

#include <QRect>
#include <QWidget>

namespace opscope::ui {

/// Scrolls every QScrollArea around `widget` until `part` of it, in its own coordinates, is seen with room
/// for a ring around it. Of a part that is larger than the area its beginning is seen.
void revealInScrollAreas(QWidget* widget, const QRect& part);

}  // namespace opscope::ui
