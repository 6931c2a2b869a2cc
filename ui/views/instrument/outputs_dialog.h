// SPDX-License-Identifier: GPL-3.0-or-later
// What a run without timing returned: every output with its type, shape and values, to copy and to save. GUI
// thread; the window owns it.
#pragma once

#include <QDialog>

#include "ui/models/outputs_model.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class OutputsDialog : public QDialog {
  Q_OBJECT
 public:
  explicit OutputsDialog(const Theme* theme, QWidget* parent = nullptr);
  /// `name` is what ran: a function, or the file of a scenario.
  void setOutputs(const QString& name, const session::RunFinished& result);
  DataTable* table() { return m_table; }
  /// A file is being written.
  void setSaving();
  void setSaved(const QString& path);
  void setProblem(const base::Error& error);

 Q_SIGNALS:
  /// A file dialog is wanted, then the outputs in a file.
  void saveRequested();

 private:
  QLayout* buildHead();
  QLayout* buildFoot();
  void layoutTable();
  void tell(const QString& words, QColor Colours::*colour);

  const Theme* m_theme;
  OutputsModel* m_model;
  IconLabel* m_icon = nullptr;
  Text* m_title = nullptr;
  Text* m_text = nullptr;
  DataTable* m_table = nullptr;
  Text* m_saved = nullptr;
  ActionButton* m_save = nullptr;
};

}  // namespace opscope::ui
