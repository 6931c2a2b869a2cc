// SPDX-License-Identifier: GPL-3.0-or-later
// The bytecode of one function as a table, with the time of each instruction. GUI thread; the page owns it.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "ui/bridge/code_types.h"
#include "ui/models/run_view.h"

namespace opscope::ui {

/// Time of the instructions of an executable in a run, by number of the instruction. Made once, then
/// immutable.
struct CodeTimes {
  struct Entry {
    double us = 0;            ///< own time of one repeat: the mean over repeats, summed over its calls
    std::uint32_t calls = 0;  ///< in one repeat
    std::uint32_t firstCall = report::kNone;
  };
  std::vector<Entry> entries;
  double totalUs = 0;  ///< of one repeat

  const Entry* at(std::uint64_t instruction) const;
};

/// Empty when the run was not made from this very file.
std::shared_ptr<const CodeTimes> makeCodeTimes(const RunView& run, const session::ProgramCode& code);

class CodeModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Number, Duration, Percent, Calls, Arguments, Into, kColumns };
  enum Role {
    HousekeepingRole = Qt::UserRole + 100,  ///< bool: quiet text
    CalleeRole,                             ///< int of CodeLine::Callee
  };

  explicit CodeModel(QObject* parent = nullptr);

  /// `function` is one of `code`; null: no rows.
  void setCode(std::shared_ptr<const session::ProgramCode> code, const session::CodeFunction* function);
  void setTimes(std::shared_ptr<const CodeTimes> times);
  void setHidesHousekeeping(bool hides);

  const session::CodeFunction* function() const { return m_function; }
  const session::CodeLine& lineAt(int row) const { return m_function->lines[m_rows[std::size_t(row)]]; }
  std::uint64_t instructionAt(int row) const { return m_function->first + m_rows[std::size_t(row)]; }
  /// -1 when it is hidden or of another function.
  int rowOf(std::uint64_t instruction) const;
  const CodeTimes::Entry* timeAt(int row) const;
  /// Of the function's own instructions, in us.
  double functionUs() const { return m_functionUs; }
  /// Rows by time, longest first; without those that took none.
  std::vector<int> hottest() const;
  /// The next row, from `from` on and round, that holds the text in any column; -1: none.
  int find(const QString& text, int from, bool backwards) const;
  int countOf(const QString& text) const;
  /// "c[3] float32 [64, 3] · reached from #12": more of one row.
  QString detailOf(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void rebuild();
  QString text(int row, int column) const;
  QString plain(int row, int column) const;
  bool matches(int row, const QString& text) const;
  QString originsOf(int row) const;

  std::shared_ptr<const session::ProgramCode> m_code;
  const session::CodeFunction* m_function = nullptr;
  std::shared_ptr<const CodeTimes> m_times;
  bool m_hidesHousekeeping = false;
  std::vector<std::uint32_t> m_rows;  ///< offsets from the function's first instruction, ascending
  double m_longestUs = 0;
  double m_functionUs = 0;
};

}  // namespace opscope::ui
