// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a table as text for the clipboard. GUI thread (reads an item model).
#pragma once

#include <QAbstractItemModel>
#include <QString>
#include <vector>

namespace opscope::ui {

enum class TextFormat { TabSeparated, Csv, Markdown };

/// With a header line. Cells are the plain texts (PlainTextRole), numbers in the C locale.
QString tableText(const QAbstractItemModel& model, const std::vector<int>& rows,
                  const std::vector<int>& columns, TextFormat format);

}  // namespace opscope::ui
