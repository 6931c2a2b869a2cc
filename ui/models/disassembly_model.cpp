// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/disassembly_model.h"

#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/models/row_search.h"

namespace opscope::ui {

DisassemblyModel::DisassemblyModel(QObject* parent) : QAbstractTableModel(parent) {}

void DisassemblyModel::setCode(std::shared_ptr<const session::KernelCode> code, std::size_t function) {
  beginResetModel();
  m_code = std::move(code);
  m_function = function;
  endResetModel();
}

const session::MachineFunction* DisassemblyModel::function() const {
  return m_code && m_function < m_code->functions.size() ? &m_code->functions[m_function] : nullptr;
}

int DisassemblyModel::targetOf(int row) const {
  return function() == nullptr ? -1 : int(line(row).targetLine);
}

bool DisassemblyModel::matches(int row, const QString& text) const {
  for (const int column : {Address, Name, Operands}) {
    if (this->text(row, column).contains(text, Qt::CaseInsensitive)) return true;
  }
  return false;
}

int DisassemblyModel::find(const QString& text, int from, bool backwards) const {
  if (text.isEmpty()) return -1;
  return findRow(rowCount(), from, backwards, [&](int row) { return matches(row, text); });
}

int DisassemblyModel::countOf(const QString& text) const {
  if (text.isEmpty()) return 0;
  return countRows(rowCount(), [&](int row) { return matches(row, text); });
}

QString DisassemblyModel::sizeText() const {
  if (function() == nullptr) return {};
  QString words = QStringLiteral("%1 · %2").arg(format::bytes(double(function()->bytes)),
                                                format::fromUtf8(m_code->architecture));
  if (!function()->registers.empty())
    words += QStringLiteral(", %1").arg(format::fromUtf8(function()->registers));
  return words;
}

QString DisassemblyModel::workText() const {
  const session::MachineFunction* about = function();
  if (about == nullptr) return {};
  QStringList words = {
      format::counted(qint64(about->lines.size()), "machine instruction", "machine instructions")};
  if (about->isCut) words << QStringLiteral("only the first are shown");
  if (about->vectorCount + about->scalarCount > 0) {
    words << QStringLiteral("arithmetic: %1 vector, %2 scalar")
                 .arg(format::integer(qint64(about->vectorCount)),
                      format::integer(qint64(about->scalarCount)));
  }
  return words.join(QStringLiteral(" · "));
}

QString DisassemblyModel::listing(const std::vector<int>& rows) const {
  if (function() == nullptr) return {};
  QString text = format::fromUtf8(function()->name) + QLatin1String(":\n");
  const auto add = [&](int row) {
    text += QStringLiteral("  %1:  %2 %3\n")
                .arg(this->text(row, Address), this->text(row, Name).leftJustified(12),
                     this->text(row, Operands));
  };
  for (const int row : rows) add(row);
  for (int row = 0; rows.empty() && row < rowCount(); ++row) add(row);
  return text;
}

int DisassemblyModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || function() == nullptr ? 0 : int(function()->lines.size());
}

int DisassemblyModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(kColumns);
}

QString DisassemblyModel::text(int row, int column) const {
  const session::MachineLine& about = line(row);
  switch (column) {
    case Address:
      return QString::number(about.instruction.address, 16);
    case Name:
      return format::fromUtf8(about.instruction.mnemonic);
    default:
      break;
  }
  QString operands = format::fromUtf8(about.instruction.operands);
  if (!about.note.empty()) operands += QStringLiteral("  <%1>").arg(format::fromUtf8(about.note));
  return operands;
}

QVariant DisassemblyModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || function() == nullptr) return {};
  const code::MachineInstruction& instruction = line(index.row()).instruction;
  switch (role) {
    case Qt::DisplayRole:
    case PlainTextRole:
      return text(index.row(), index.column());
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter | Qt::AlignLeft);
    case WorkRole:
      return int(instruction.work);
    case FlowRole:
      return int(instruction.flow);
    case Qt::ToolTipRole: {
      const QString note = format::fromUtf8(line(index.row()).note);
      if (!note.isEmpty()) return note;
      return targetOf(index.row()) >= 0 ? QStringLiteral("Return or a double click goes to its target")
                                        : QString();
    }
    default:
      return {};
  }
}

QVariant DisassemblyModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  static const char* const kTitles[kColumns] = {"Address", "Instruction", "Operands"};
  if (role == Qt::DisplayRole || role == FileTitleRole) return QString::fromLatin1(kTitles[section]);
  if (role == Qt::TextAlignmentRole) return int(Qt::AlignVCenter | Qt::AlignLeft);
  return {};
}

}  // namespace opscope::ui
