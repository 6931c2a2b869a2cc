// SPDX-License-Identifier: GPL-3.0-or-later
// How wide a column is at least, whatever the font: its title whole. GUI thread; a pure function.
#pragma once

#include <QAbstractItemModel>
#include <QFontMetrics>
#include <algorithm>

#include "ui/views/look/theme.h"

namespace opscope::ui {

/// `least` in design pixels, or what the title of `column` takes whole.
inline int headerWidth(const Theme* theme, const QAbstractItemModel* model, int column, double least) {
  const QString title = model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  const int text = QFontMetrics(theme->font(12, QFont::DemiBold)).horizontalAdvance(title);
  return std::max(theme->px(least), text + theme->px(2 * 8 + 2));
}

}  // namespace opscope::ui
