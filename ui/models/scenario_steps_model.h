// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a scenario as a list. GUI thread; holds a copy of what the form knows.
#pragma once

#include <QAbstractListModel>
#include <vector>

#include "ui/bridge/session_types.h"

namespace opscope::ui {

class ScenarioStepsModel : public QAbstractListModel {
  Q_OBJECT
 public:
  enum Role {
    FunctionRole = Qt::UserRole,  ///< "prefill"
    ArgumentsRole,                ///< "in/ids, ret 2, tuple of 15"
    OutRole,                      ///< "out/prefill", or empty
    ProblemRole                   ///< why the executable cannot take it, or empty
  };
  using QAbstractListModel::QAbstractListModel;

  void setSteps(std::vector<session::ScenarioStepInfo> steps);
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::vector<session::ScenarioStepInfo> m_steps;
};

}  // namespace opscope::ui
