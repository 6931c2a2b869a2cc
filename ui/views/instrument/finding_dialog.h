// SPDX-License-Identifier: GPL-3.0-or-later
// What a run that looked at every call found: the file of a dump, or the first call that made NaN or Inf. GUI
// thread; the window owns it.
#pragma once

#include <QDialog>

#include "ui/bridge/session_types.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class FindingDialog : public QDialog {
  Q_OBJECT
 public:
  explicit FindingDialog(const Theme* theme, QWidget* parent = nullptr);
  void setDump(const session::DumpSummary& dump, const QString& path);
  /// `canShowOp`: a run is shown that has the op.
  void setFinite(const session::FiniteSummary& found, bool canShowOp);

 Q_SIGNALS:
  void opRequested(const QString& name);
  void folderRequested(const QString& path);

 private:
  void setHead(const char* icon, IconInk ink, const QString& title, const QString& text);
  void addValues(const QString& title, const session::NonFiniteValues& values);
  ActionButton* addButton(const QString& text, bool primary);
  void clear();

  const Theme* m_theme;
  IconLabel* m_icon;
  Text* m_title;
  Text* m_text;
  QVBoxLayout* m_body;
  QHBoxLayout* m_buttons;
};

}  // namespace opscope::ui
