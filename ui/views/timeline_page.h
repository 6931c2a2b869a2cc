// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline page. GUI thread; the window owns it.
#pragma once

#include "ui/views/run_page.h"

namespace opscope::ui {

class TimelinePage : public RunPage {
  Q_OBJECT
 public:
  explicit TimelinePage(const PageContext& context, QWidget* parent = nullptr);
  void setRun(std::shared_ptr<const RunView> run) override;
  /// The same for a document alone, in tests and tools; a null run shows the empty state.
  void setDocument(const report::Document& document);
};

}  // namespace opscope::ui
