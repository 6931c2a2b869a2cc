// SPDX-License-Identifier: GPL-3.0-or-later
// A run on all free boards of a key: one row a board, as they end. GUI thread; the window owns it.
#pragma once

#include <QDialog>
#include <QProgressBar>

#include "ui/models/fleet_model.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class FleetDialog : public QDialog {
  Q_OBJECT
 public:
  FleetDialog(const Theme* theme, FleetModel* model, QWidget* parent = nullptr);
  DataTable* table() { return m_table; }
  void begin(const QString& function, const QString& target);
  void refresh(bool running);
  /// No board was asked at all.
  void setProblem(const base::Error& error);

 Q_SIGNALS:
  void stopRequested();
  /// The chosen board's run, or the fastest, and all others that are ticked.
  void compareRequested(const std::vector<store::RunId>& before, const std::vector<store::RunId>& after);
  void runRequested(store::RunId id);

 private:
  DataTable* buildTable();
  QHBoxLayout* buildFoot();
  void layoutTable();
  int chosenRow() const;
  void refreshCompare();
  QString resultWords() const;

  const Theme* m_theme;
  FleetModel* m_model;
  Text* m_title;
  Text* m_text;
  QProgressBar* m_bar;
  DataTable* m_table;
  ActionButton* m_compare;
  ActionButton* m_stop;
  QString m_function;
  bool m_running = false;
};

}  // namespace opscope::ui
