// SPDX-License-Identifier: GPL-3.0-or-later
// A profile while it goes on: brings what the workspace is told of it to the Summary page and to the
// Inspector beside it. GUI thread; the window owns it.
#pragma once

#include <QObject>

#include "ui/shell/workspace.h"

namespace opscope::ui {

class InspectorRunning;
class SummaryPage;

class LiveDesk : public QObject {
  Q_OBJECT
 public:
  /// All of them outlive the desk; its inspector gets a parent from the window.
  LiveDesk(const Theme* theme, Workspace* workspace, SummaryPage* page, QObject* parent);

  QWidget* inspector() const;
  /// There is a repeat to show.
  bool isShown() const { return m_shown; }

 Q_SIGNALS:
  void shownChanged();

 private:
  void refresh();

  Workspace* m_workspace;
  SummaryPage* m_page;
  InspectorRunning* m_inspector;
  bool m_shown = false;
};

}  // namespace opscope::ui
