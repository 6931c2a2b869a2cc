// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts_page.h"

namespace opscope::ui {

ChartsPage::ChartsPage(const PageContext& context, QWidget* parent)
    : RunPage(context, "chart", QStringLiteral("Charts draws the time of each op when %1 has run."), parent) {
}

void ChartsPage::setRun(std::shared_ptr<const RunView> run) {
  RunPage::setRun(std::move(run));
}

void ChartsPage::setDocument(const report::Document& document) {
  setRun(document.run ? makeRunView(document) : nullptr);
}

}  // namespace opscope::ui
