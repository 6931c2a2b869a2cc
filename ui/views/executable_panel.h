// SPDX-License-Identifier: GPL-3.0-or-later
// The Executable panel: functions, the form of inputs, kernels, constants, imported modules. GUI thread.
#pragma once

#include <QScrollArea>
#include <QStackedWidget>
#include <QTreeView>

#include "ui/models/executable_tree_model.h"
#include "ui/views/input_form_view.h"
#include "ui/views/scenario_view.h"

namespace opscope::ui {

class ExecutablePanel : public QWidget {
  Q_OBJECT
 public:
  ExecutablePanel(const Theme* theme, InputForm* form, ScenarioForm* scenario, Selection* selection,
                  QWidget* parent = nullptr);
  void setExecutable(std::shared_ptr<const session::ExecutableInfo> info);
  void setRun(std::shared_ptr<const RunView> run);
  /// While a function runs its form cannot be changed.
  void setFormEnabled(bool enabled);
  InputFormView* formView() { return m_formView; }
  ScenarioView* scenarioView() { return m_scenarioView; }

 Q_SIGNALS:
  void functionChosen(const QString& function);
  /// The file that the run which is shown was measured with.
  void executableRequested();
  /// Which scenario is to be asked.
  void scenarioWanted();

 private:
  QTreeView* addTree(ExecutableTreeModel* model, const QString& name);
  void fit(QTreeView* tree);
  void activate(QTreeView* tree, const QModelIndex& index);
  void showSelection();
  void showNone();
  void unfold();
  void addForms(InputForm* form, ScenarioForm* scenario);

  const Theme* m_theme;
  Selection* m_selection;
  std::shared_ptr<const RunView> m_run;
  ExecutableTreeModel* m_functionModel;
  ExecutableTreeModel* m_restModel;
  QTreeView* m_functionTree;
  QTreeView* m_restTree;
  InputFormView* m_formView;
  ScenarioView* m_scenarioView;
  QVBoxLayout* m_layout;
  QStackedWidget* m_stack;
  EmptyState* m_none;
  ActionButton* m_open;  ///< of m_none
  std::size_t m_functionCount = 0;
  bool m_showing = false;
};

}  // namespace opscope::ui
