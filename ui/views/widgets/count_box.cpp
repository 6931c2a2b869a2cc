// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/count_box.h"

namespace opscope::ui {

void CountBox::fixup(QString& text) const {
  if (!text.trimmed().isEmpty()) Q_EMIT refused(text.trimmed());
  QSpinBox::fixup(text);
}

}  // namespace opscope::ui
