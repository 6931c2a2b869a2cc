// SPDX-License-Identifier: GPL-3.0-or-later
// The Code page: the bytecode of a function with the time of each instruction, and the machine code of the
// kernel that the chosen instruction calls. Code is read from the executable's file in the background, when
// the page is first looked at. GUI thread.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QSplitter>

#include "ui/models/code_model.h"
#include "ui/views/code/machine_pane.h"
#include "ui/views/run_page.h"

namespace opscope::ui {

class CodePage : public RunPage {
  Q_OBJECT
 public:
  explicit CodePage(const PageContext& context, QWidget* parent = nullptr);
  void setExecutable(const std::shared_ptr<const session::ExecutableInfo>& info) override;
  void setRun(std::shared_ptr<const RunView> run) override;
  void setStatus(const PageStatus& status) override;
  bool focusSearch() override;
  std::vector<PageAct> acts() override;
  DataTable* rowsTable() override;
  QString note() const override;
  /// Shows an instruction, whatever function it is of.
  void showInstruction(std::uint64_t instruction);
  /// The machine code of a kernel, wherever it is called.
  void showKernel(const QString& name);

  const std::shared_ptr<const session::ProgramCode>& code() const { return m_code; }
  CodeModel* model() { return m_model; }
  DataTable* table() { return m_table; }
  MachinePane* machine() { return m_machine; }

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Source {
    std::string path;
    std::string hash;
    bool isReport = false;  ///< a run without a file that could be looked at
    bool operator==(const Source&) const = default;
  };
  QWidget* buildBar();
  QWidget* buildBytecode();
  void connectBar();
  void layoutColumns();
  int neededWidth(int column, bool brief) const;
  void showShare();
  Source source() const;
  void load();
  void showCode(std::shared_ptr<const session::ProgramCode> code, std::shared_ptr<const CodeTimes> times);
  void showMissing(const QString& title, const QString& text, const QString& button);
  void refreshTimes();
  void showFunction(const session::CodeFunction* function);
  void showHead();
  void showRow();
  void showMachine(int row);
  void takeRow();
  /// `here`: only within the function that is shown.
  void showSelection(bool here = false);
  void goTo(int row);
  void find(bool next, bool backwards);
  void showHottest(int by);
  void follow(int row);
  std::optional<std::uint64_t> chosenInstruction() const;

  CodeModel* m_model;
  DataTable* m_table = nullptr;
  QComboBox* m_functions = nullptr;
  SearchBar* m_search = nullptr;
  QCheckBox* m_hide = nullptr;
  ElidedText* m_rowShare = nullptr;
  ActionButton* m_hottest = nullptr;
  ActionButton* m_nextHottest = nullptr;
  Text* m_title = nullptr;
  Text* m_counts = nullptr;
  Text* m_detail = nullptr;
  MachinePane* m_machine = nullptr;
  QStackedWidget* m_views = nullptr;
  QStackedWidget* m_listing = nullptr;
  EmptyState* m_missing = nullptr;
  ActionButton* m_open = nullptr;  ///< of m_missing
  EmptyState* m_compiled = nullptr;
  std::shared_ptr<const session::ExecutableInfo> m_info;
  std::shared_ptr<const session::ProgramCode> m_code;
  std::shared_ptr<const CodeTimes> m_times;
  Source m_loaded;                        ///< what was asked for last
  std::optional<std::uint64_t> m_wanted;  ///< instruction to show once the code is there
  QString m_wantedKernel;
  QString m_function;  ///< that Run calls
  quint64 m_number = 0;
  bool m_machinePending = false;
  bool m_showing = false;
};

}  // namespace opscope::ui
