// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario that runs in place of a function, in the Executable panel: its file, the file of its arrays,
// its steps, and what is wrong with them. GUI thread; the form outlives it.
#pragma once

#include <QLineEdit>
#include <QListView>

#include "ui/models/scenario_form.h"
#include "ui/models/scenario_steps_model.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class ScenarioView : public QWidget {
  Q_OBJECT
 public:
  ScenarioView(const Theme* theme, ScenarioForm* form, QWidget* parent = nullptr);
  /// Puts the focus where the first problem can be mended.
  void focusProblem();
  void askArrays();
  QListView* steps() { return m_steps; }

 Q_SIGNALS:
  /// Another scenario is to be chosen.
  void scenarioWanted();

 private:
  void buildHead(QVBoxLayout* layout);
  void buildArrays(QVBoxLayout* layout);
  void buildSteps(QVBoxLayout* layout);
  Text* addProblem(QVBoxLayout* layout);
  void refresh();
  void fit();

  const Theme* m_theme;
  ScenarioForm* m_form;
  QLineEdit* m_file;
  QToolButton* m_choose;
  Text* m_problem;
  QWidget* m_arraysRow;
  QLineEdit* m_arrays;
  QToolButton* m_chooseArrays;
  ActionButton* m_take;
  Text* m_arraysProblem;
  Text* m_stepsTitle;
  QListView* m_steps;
  ScenarioStepsModel* m_model;
};

}  // namespace opscope::ui
