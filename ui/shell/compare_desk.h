// SPDX-License-Identifier: GPL-3.0-or-later
// Which two runs or groups of runs are compared: reads them from the store or from files and holds them
// against each other in the background. GUI thread; the window owns it.
#pragma once

#include <QObject>
#include <memory>
#include <optional>
#include <vector>

#include "ui/models/compare_choice.h"
#include "ui/models/compare_view.h"
#include "ui/shell/workspace.h"

namespace opscope::ui {

class CompareDesk : public QObject {
  Q_OBJECT
 public:
  explicit CompareDesk(Workspace* workspace, QObject* parent = nullptr);

  const CompareChoice& before() const { return m_sides[0].choice; }
  const CompareChoice& after() const { return m_sides[1].choice; }
  /// What can be chosen: the run that is shown, then saved ones.
  std::vector<CompareOption> options() const;
  /// Null while there is none.
  const std::shared_ptr<const CompareView>& view() const { return m_view; }
  bool isBusy() const { return m_busy; }
  /// Why there is none, in words; empty when nothing is wrong.
  const QString& problem() const { return m_problem; }
  /// There is an older run of what the run that is shown is of.
  bool canCompareWithBefore() const { return runBefore().has_value(); }

 public Q_SLOTS:
  void choose(bool isNew, const opscope::ui::CompareChoice& choice);
  void compare(const opscope::ui::CompareChoice& before, const opscope::ui::CompareChoice& after);
  void compareWithBefore();
  void setMinimumEffect(double part);

 Q_SIGNALS:
  void changed();
  void choicesChanged();

 private:
  struct Side {
    CompareChoice choice;
    std::shared_ptr<const CompareSide> loaded;
    std::vector<report::Document> documents;  ///< of a group, while it is read
    std::size_t missing = 0;                  ///< so many are to come
  };
  using Loaded = base::Result<std::shared_ptr<const CompareSide>>;
  std::optional<store::RunId> runBefore() const;
  void load(int side);
  void loadSaved(int side, const std::vector<store::RunId>& ids);
  void takeDocument(int side, quint64 number, std::size_t place,
                    const base::Result<report::Document>& document);
  void take(int side, quint64 number, const Loaded& loaded);
  QString groupText(const std::vector<store::RunId>& ids) const;
  void onRunChanged();
  void compareNow();

  Workspace* m_workspace;
  Side m_sides[2];
  quint64 m_loads[2] = {0, 0};
  quint64 m_number = 0;
  report::CompareOptions m_options;
  std::shared_ptr<const CompareView> m_view;
  QString m_problem;
  bool m_busy = false;
};

}  // namespace opscope::ui
