// SPDX-License-Identifier: GPL-3.0-or-later
// The machine instructions of one function of a kernel. GUI thread; the page owns it.
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "ui/bridge/code_types.h"

namespace opscope::ui {

class DisassemblyModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Address, Name, Operands, kColumns };
  enum Role {
    WorkRole = Qt::UserRole + 200,  ///< int of MachineInstruction::Work
    FlowRole,                       ///< int of MachineInstruction::Flow
  };

  explicit DisassemblyModel(QObject* parent = nullptr);

  /// Null: no rows.
  void setCode(std::shared_ptr<const session::KernelCode> code, std::size_t function);
  const session::MachineFunction* function() const;
  /// The row that a jump leads to; -1: none of this function.
  int targetOf(int row) const;
  /// As CodeModel::find.
  int find(const QString& text, int from, bool backwards) const;
  int countOf(const QString& text) const;
  /// "19.2 KiB · x86-64, AVX" and "2 672 machine instructions, 812 compute several values at once".
  QString sizeText() const;
  QString workText() const;
  /// Lines as a disassembler writes them; of all rows when `rows` is empty.
  QString listing(const std::vector<int>& rows) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const session::MachineLine& line(int row) const { return function()->lines[std::size_t(row)]; }
  QString text(int row, int column) const;
  bool matches(int row, const QString& text) const;

  std::shared_ptr<const session::KernelCode> m_code;
  std::size_t m_function = 0;
};

}  // namespace opscope::ui
