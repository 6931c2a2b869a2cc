// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/filter_problem.h"

#include "ui/views/look/properties.h"

namespace opscope::ui {

FilterProblem::FilterProblem(const Theme* theme, QLineEdit* field)
    : Text(theme, 12, &Colours::error), m_field(field) {
  setContentsMargins(theme->px(12), theme->px(4), theme->px(12), theme->px(4));
  hide();
}

void FilterProblem::tell(const OpFilter& filter) {
  const QString problem = filterProblem(filter);
  m_field->setProperty(kInvalid, !problem.isEmpty());
  m_field->update();
  setText(problem);
  setVisible(!problem.isEmpty());
}

}  // namespace opscope::ui
