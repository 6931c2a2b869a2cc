// SPDX-License-Identifier: GPL-3.0-or-later
// The first op that differs between two executables or two targets: what to hold against what, and what came
// out. GUI thread; the window owns it and does what it asks for.
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLineEdit>
#include <QProgressBar>

#include "ui/models/divergence_model.h"
#include "ui/models/target_list.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class DivergeDialog : public QDialog {
  Q_OBJECT
 public:
  DivergeDialog(const Theme* theme, BoardList* boards, QWidget* parent = nullptr);
  /// What is open, and where it runs.
  void setSideA(const QString& path, const QString& targetName);
  /// Where nothing was chosen yet, B is the open file too.
  void setSideB(const QString& path);
  QLineEdit* fileB() { return m_fileB; }
  QComboBox* targetB() { return m_targetB; }
  DivergenceModel* model() { return m_model; }
  DataTable* table() { return m_table; }

  void setRunning(bool running, const QString& words);
  void setPossible(bool possible);
  void setDivergence(const session::Divergence& divergence);
  void setProblem(const base::Error& error);
  void setStopped();

 Q_SIGNALS:
  void findRequested(const QString& pathB, const QString& targetB, double rtol, double atol);
  void stopRequested();
  void opRequested(const QString& name);

 private:
  QLayout* buildSides();
  QWidget* buildResult();
  void addCell(QHBoxLayout* row, const QString& label, QWidget* field);
  void chooseFile();
  void refresh();
  void forgetResult();
  QString problem() const;
  void showResult(const char* icon, IconInk ink, const QString& title, const QString& text);
  void layoutTable();

  const Theme* m_theme;
  DivergenceModel* m_model;
  TargetList* m_targets;
  ElidedText* m_sideA;
  QLineEdit* m_fileB;
  QString m_proposedB;
  QComboBox* m_targetB;
  QLineEdit* m_rtol;
  QLineEdit* m_atol;
  Text* m_problem;
  QProgressBar* m_bar;
  Text* m_words;
  QWidget* m_result;
  IconLabel* m_icon;
  Text* m_title;
  Text* m_text;
  DataTable* m_table;
  ActionButton* m_find;
  ActionButton* m_show;
  bool m_running = false;
  bool m_possible = true;
};

}  // namespace opscope::ui
