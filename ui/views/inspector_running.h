// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspector beside the Summary page while a profile goes on: what runs, and how steady it is until now.
// GUI thread.
#pragma once

#include <QScrollArea>

#include "ui/models/live_run.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class InspectorRunning : public QScrollArea {
  Q_OBJECT
 public:
  explicit InspectorRunning(const Theme* theme, QWidget* parent = nullptr);
  /// `facts`: file, target, device, inputs, as the window knows them.
  void setRun(const std::vector<FactList::Row>& facts, const LiveRun& run);

 private:
  void setVerdict(const report::Statistics& statistics);

  const Theme* m_theme;
  FactList* m_facts;
  ui::Panel* m_verdict;  ///< QFrame has a Panel of its own
  IconLabel* m_icon;
  Text* m_title;
  Text* m_detail;
};

}  // namespace opscope::ui
