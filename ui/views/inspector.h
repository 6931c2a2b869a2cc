// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspector: statistics, spread, arguments and calls of the selected op, and the chosen storage. GUI
// thread; the window owns it.
#pragma once

#include <QGridLayout>
#include <QScrollArea>
#include <QStackedWidget>
#include <optional>

#include "ui/bridge/background.h"
#include "ui/bridge/code_types.h"
#include "ui/models/memory_data.h"
#include "ui/models/op_group.h"
#include "ui/models/run_view.h"
#include "ui/views/widgets/panels.h"
#include "ui/views/widgets/plots.h"

namespace opscope::ui {

class Inspector : public QWidget {
  Q_OBJECT
 public:
  Inspector(const Theme* theme, Selection* selection, Background* background, QWidget* parent = nullptr);
  void setRun(std::shared_ptr<const RunView> run);
  /// A storage of the Memory page, told above the op that it is held for; none: while another page is shown.
  void setStorage(std::shared_ptr<const MemoryData> memory, std::optional<std::uint32_t> box);
  /// A group of ops in place of the op, until another op or call is chosen; null: the op itself.
  void setGroup(std::shared_ptr<const OpGroup> group);

 Q_SIGNALS:
  /// Show a call on the Timeline; it is selected already.
  void timelineRequested();
  /// Show an instruction on the Code page.
  void instructionRequested(quint64 instruction);
  /// Show the machine code of a kernel.
  void kernelRequested(const QString& name);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void refresh();
  void refreshLater();
  void build(const OpDetails* details);
  void addOp(const OpDetails& details);
  void addStorage();
  void addStorageTensors(const report::StorageLife& life);
  QLabel* addFact(QGridLayout* grid, const QString& name, const QString& value);
  /// The name of a call with a link to its instruction; `without` where there is none.
  void addCallFact(QGridLayout* grid, const QString& name, std::uint32_t call, const QString& without);
  void addHead(const OpDetails& details);
  void addName(const QString& words, std::optional<report::OpKind> kind);
  void addDuration(double us, std::optional<double> part, double wholeUs);
  void addGroup(const OpGroup& group);
  void addMember(const OpGroup::Member& member);
  void addSpread(const QString& title, const std::vector<double>& samples, const Fill& fill);
  void addStatistics(const report::Statistics& statistics);
  /// What the repeats tell besides their numbers: values far out, two modes, a trend.
  void addRemarks(const OpDetails& details);
  void addRemark(const QString& words);
  void addArguments(const OpDetails& details);
  /// Below a list that holds `left` fewer than there are: a link that sets `all`, or, when it is set,
  /// `remark` with the number in place of %1.
  void addMore(std::size_t left, bool* all, const QString& remark);
  void addCalls(const OpDetails& details);
  void addCall(const OpDetails& details, std::size_t position);
  void addKernel(const OpDetails& details);
  /// Instructions of the run are those of a file that can be looked at.
  bool hasCode() const { return !m_run->run().executableHash.empty(); }
  QString functionOf(std::uint32_t instruction) const;
  /// Reads the code of the run's file, which tells the names of arguments and functions.
  void loadCode();
  Text* addSection(const QString& title, const QString& right);

  const Theme* m_theme;
  Selection* m_selection;
  Background* m_background;
  std::shared_ptr<const RunView> m_run;
  std::shared_ptr<const MemoryData> m_memory;
  std::optional<std::uint32_t> m_box;  ///< of m_memory
  std::shared_ptr<const OpGroup> m_group;
  std::shared_ptr<const session::ProgramCode> m_code;
  std::string m_codeHash;  ///< of the file that was read last, or could not be
  QStackedWidget* m_stack;
  EmptyState* m_empty;
  QScrollArea* m_scroll;
  QVBoxLayout* m_layout = nullptr;
  bool m_allCalls = false;
  bool m_allMembers = false;
  bool m_refreshPending = false;
};

}  // namespace opscope::ui
