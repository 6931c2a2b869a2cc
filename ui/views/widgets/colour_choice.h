// SPDX-License-Identifier: GPL-3.0-or-later
// "Colour: kind | device | op", the same choice on every page that has it. GUI thread; the selection, which
// keeps it, outlives it.
#pragma once

#include <QComboBox>

#include "ui/models/selection.h"

namespace opscope::ui {

class ColourChoice : public QComboBox {
  Q_OBJECT
 public:
  explicit ColourChoice(Selection* selection, QWidget* parent = nullptr);
};

}  // namespace opscope::ui
