// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/timeline_page.h"

namespace opscope::ui {

TimelinePage::TimelinePage(const PageContext& context, QWidget* parent)
    : RunPage(context, "timeline", QStringLiteral("Timeline shows when each call of %1 ran."), parent) {}

void TimelinePage::setRun(std::shared_ptr<const RunView> run) {
  RunPage::setRun(std::move(run));
}

void TimelinePage::setDocument(const report::Document& document) {
  setRun(document.run ? makeRunView(document) : nullptr);
}

}  // namespace opscope::ui
