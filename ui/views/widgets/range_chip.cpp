// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/range_chip.h"

namespace opscope::ui {

RangeChip::RangeChip(const Theme* theme, Selection* selection, QWidget* parent)
    : ActionButton(theme, nullptr, {}, {}, parent) {
  hide();
  connect(this, &QPushButton::clicked, selection, [selection]() { selection->setRange(std::nullopt); });
}

void RangeChip::setPart(const std::shared_ptr<const RunView>& part) {
  setVisible(part != nullptr);
  if (part == nullptr) return;
  setText(QStringLiteral("Range %1 ×").arg(part->rangeText));
  setAccessibleName(QStringLiteral("Clear the range %1").arg(part->rangeText));
  setToolTip(
      QStringLiteral("Times and percent are of this range of the Timeline. Click to show the whole "
                     "run (Esc)"));
}

}  // namespace opscope::ui
