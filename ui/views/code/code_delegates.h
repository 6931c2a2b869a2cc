// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of code: in the fixed font, quiet where an instruction does no work of the model. GUI thread; the
// view owns them.
#pragma once

#include "ui/views/delegates/cell_delegate.h"

namespace opscope::ui {

/// Bytecode: housekeeping and builtins are quieter than kernels.
class BytecodeDelegate : public CellDelegate {
  Q_OBJECT
 public:
  using CellDelegate::CellDelegate;

 protected:
  void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& content) const override;
};

/// Machine code: arithmetic on several values in the accent colour, jumps and calls bold.
class MachineCodeDelegate : public CellDelegate {
  Q_OBJECT
 public:
  using CellDelegate::CellDelegate;

 protected:
  void paintContent(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                    const QRect& content) const override;
};

}  // namespace opscope::ui
