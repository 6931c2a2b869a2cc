// SPDX-License-Identifier: GPL-3.0-or-later
// The status bar: state at the left, what limits the numbers, a note at the right; a bar while running. GUI
// thread.
#pragma once

#include <QProgressBar>
#include <QTimer>
#include <QWidget>

#include "ui/shell/workspace.h"
#include "ui/views/look/icons.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class StatusLine : public QWidget {
  Q_OBJECT
 public:
  StatusLine(const Theme* theme, Workspace* workspace, QWidget* parent = nullptr);
  void refresh();
  /// Shown for some seconds.
  void notice(const QString& text);
  /// Shown at the right while running, in place of what stands there; empty: none.
  void setQuestion(const QString& text);
  /// What the page says: a note at the right, for example of the Timeline; what it shows in place of the run,
  /// and what stands beside that. Empty: nothing, the run.
  void setPage(const QString& note, const QString& state, const QString& detail);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void showState(const char* iconName, IconInk ink, QColor Colours::*colour, const QString& text);
  void refreshIdle();
  void showShown();
  void refreshWarnings();

  const Theme* m_theme;
  Workspace* m_workspace;
  QProgressBar* m_bar;
  IconLabel* m_icon;
  ElidedText* m_state;
  ElidedText* m_detail;
  IconLabel* m_warningIcon;
  Text* m_warnings;
  Text* m_right;
  QTimer m_noticeTimer;
  QString m_notice;
  QString m_question;
  QString m_pageNote;
  QString m_pageState;
  QString m_pageDetail;
};

}  // namespace opscope::ui
