// SPDX-License-Identifier: GPL-3.0-or-later
// "Range 32.032 – 39.154 ms of repeat 3 ×": says on a page that it shows a part of the run, and clears that.
// GUI thread; theme and selection outlive it.
#pragma once

#include "ui/models/run_view.h"
#include "ui/views/widgets/buttons.h"

namespace opscope::ui {

class RangeChip : public ActionButton {
  Q_OBJECT
 public:
  RangeChip(const Theme* theme, Selection* selection, QWidget* parent = nullptr);
  /// Hidden when null.
  void setPart(const std::shared_ptr<const RunView>& part);
};

}  // namespace opscope::ui
