// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with the filter, in a line below the bar with its field. GUI thread; its layout owns it.
#pragma once

#include <QLineEdit>

#include "ui/models/op_matcher.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class FilterProblem : public Text {
 public:
  /// Marks `field`, which lives as long as the page.
  FilterProblem(const Theme* theme, QLineEdit* field);
  /// Says what is wrong with it, or hides.
  void tell(const OpFilter& filter);

 private:
  QLineEdit* m_field;
};

}  // namespace opscope::ui
