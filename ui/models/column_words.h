// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a table's column, and its header's cell made of them. Any thread.
#pragma once

#include <QString>
#include <QVariant>

#include "ui/models/ops_model.h"

namespace opscope::ui {

struct ColumnWords {
  const char* title;
  const char* fileTitle;  ///< in CSV and other files
  const char* description;
  bool isNumber;  ///< right-aligned
};

/// What a header says for a role; nothing for roles that it has no word for.
inline QVariant headerCell(const ColumnWords& words, int role) {
  switch (role) {
    case Qt::DisplayRole:
      return QString::fromUtf8(words.title);
    case FileTitleRole:
      return QString::fromUtf8(words.fileTitle);
    case Qt::ToolTipRole:
      return QString::fromUtf8(words.description);
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter | (words.isNumber ? Qt::AlignRight : Qt::AlignLeft));
    default:
      return {};
  }
}

}  // namespace opscope::ui
