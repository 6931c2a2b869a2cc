// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/code/code_delegates.h"

#include <QPainter>

#include "ui/models/code_model.h"
#include "ui/models/disassembly_model.h"

namespace opscope::ui {
namespace {

/// The prefix that all builtins have goes first.
QString shortBuiltin(const QString& name, const QFontMetrics& metrics, int width) {
  const QLatin1String prefix("vm.builtin.");
  if (!name.startsWith(prefix) || metrics.horizontalAdvance(name) <= width) return name;
  return QChar(0x2026) + name.mid(prefix.size());
}

void drawCode(QPainter* painter, const QModelIndex& index, const QRect& content, Qt::TextElideMode mode) {
  const QString text =
      shortBuiltin(index.data(Qt::DisplayRole).toString(), painter->fontMetrics(), content.width());
  const int alignment = index.data(Qt::TextAlignmentRole).toInt();
  painter->drawText(content, alignment | Qt::TextSingleLine,
                    painter->fontMetrics().elidedText(text, mode, content.width()));
}

}  // namespace

void BytecodeDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                    const QModelIndex& index, const QRect& content) const {
  using Callee = session::CodeLine::Callee;
  const auto callee = Callee(index.data(CodeModel::CalleeRole).toInt());
  const bool strong = index.column() == CodeModel::Calls && callee != Callee::Builtin;
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  painter->setFont(theme()->fixedFont(12));
  painter->setPen(selected || strong ? ink(option) : theme()->colours().textSecondary);
  drawCode(painter, index, content, index.column() == CodeModel::Calls ? Qt::ElideMiddle : Qt::ElideRight);
}

void MachineCodeDelegate::paintContent(QPainter* painter, const QStyleOptionViewItem& option,
                                       const QModelIndex& index, const QRect& content) const {
  using Instruction = code::MachineInstruction;
  const auto work = Instruction::Work(index.data(DisassemblyModel::WorkRole).toInt());
  const auto flow = Instruction::Flow(index.data(DisassemblyModel::FlowRole).toInt());
  const bool selected = option.state.testFlag(QStyle::State_Selected);
  const bool isName = index.column() == DisassemblyModel::Name;
  QFont font = theme()->fixedFont(12);
  font.setBold(isName && (work == Instruction::Work::Vector || flow == Instruction::Flow::Jump ||
                          flow == Instruction::Flow::Call));
  painter->setFont(font);
  const Colours& c = theme()->colours();
  painter->setPen(selected                                      ? ink(option)
                  : isName && work == Instruction::Work::Vector ? c.accent
                  : index.column() == DisassemblyModel::Address ? c.textTertiary
                  : isName || flow == Instruction::Flow::Call   ? c.text
                                                                : c.textSecondary);
  drawCode(painter, index, content, Qt::ElideRight);
}

}  // namespace opscope::ui
