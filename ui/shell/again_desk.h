// SPDX-License-Identifier: GPL-3.0-or-later
// "Run both again": measures both sides of a comparison anew, by turns, in a session of its own, saves the
// runs and compares them. GUI thread; the window owns it; workspace and compare desk outlive it.
#pragma once

#include <QObject>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "ui/models/again_plan.h"
#include "ui/shell/compare_desk.h"

namespace opscope::ui {

class AgainDesk : public QObject {
  Q_OBJECT
 public:
  /// `isBusyElsewhere`: another session beside the workspace's measures now.
  AgainDesk(Workspace* workspace, CompareDesk* compare, std::function<bool()> isBusyElsewhere,
            QObject* parent = nullptr);
  ~AgainDesk() override;

  /// Why what is compared cannot be run again, as far as can be told without reading files; empty: it can.
  QString whyNot() const;
  bool isRunning() const { return m_running; }
  /// "old, 12 of 60 repeats, 8 s left".
  const QString& progress() const { return m_progress; }
  /// What went wrong last; empty: nothing.
  const QString& problem() const { return m_problem; }

 public Q_SLOTS:
  void start();
  /// What was measured is kept, and compared when both sides have something.
  void stop();

 Q_SIGNALS:
  void changed();

 private:
  /// A run that comes to be, piece by piece.
  struct Part {
    AgainPlan plan;
    std::optional<report::Run> run;
    std::shared_ptr<const report::Run> saved;  ///< on its way to the store
    std::optional<store::RunId> id;
  };
  void connectBridge();
  std::vector<AgainPlan> plansOf(const CompareSide& side) const;
  void begin(const std::vector<AgainPlan>& before, const std::vector<AgainPlan>& after);
  void nextTurn();
  void take(const report::Document& document);
  void fail(const QString& problem);
  void finish();
  void onSaved(store::RunId id, const std::shared_ptr<const report::Run>& run);
  void showNew();
  std::uint32_t repeatsDone() const;
  void tell(const QString& progress);
  void keepProblem(const QString& problem);
  QString noteOf(int side) const;

  bool isSomethingElseRunning() const;

  Workspace* m_workspace;
  CompareDesk* m_compare;
  std::function<bool()> m_isBusyElsewhere;
  std::unique_ptr<SessionBridge> m_bridge;  ///< made with the first start
  std::vector<Part> m_parts[2];
  std::vector<AgainTurn> m_turns;
  std::size_t m_turn = 0;
  std::uint32_t m_wanted = 0;
  QString m_progress;
  QString m_problem;
  CompareChoice m_problemOf[2];  ///< what was compared when that came up
  bool m_running = false;
  bool m_stopping = false;
  bool m_saving = false;
};

}  // namespace opscope::ui
