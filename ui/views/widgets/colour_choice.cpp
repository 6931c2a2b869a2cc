// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/colour_choice.h"

namespace opscope::ui {

ColourChoice::ColourChoice(Selection* selection, QWidget* parent) : QComboBox(parent) {
  for (const char* words : {"Colour: kind", "Colour: device", "Colour: op"}) addItem(QLatin1String(words));
  setAccessibleName(QStringLiteral("Colour"));
  setToolTip(QStringLiteral("What the colours of blocks, bars and boxes mean"));
  setCurrentIndex(int(selection->colourBy()));
  connect(this, &QComboBox::currentIndexChanged, selection,
          [selection](int index) { selection->setColourBy(ColourBy(index)); });
  connect(selection, &Selection::colourChanged, this,
          [this, selection]() { setCurrentIndex(int(selection->colourBy())); });
}

}  // namespace opscope::ui
