// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/table_text.h"

#include <QStringList>

#include "ui/models/ops_model.h"

namespace opscope::ui {
namespace {

QString cell(QString text, TextFormat format) {
  switch (format) {
    case TextFormat::TabSeparated:
      return text.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
    case TextFormat::Csv: {
      const bool quote = text.contains(QLatin1Char(',')) || text.contains(QLatin1Char('"')) ||
                         text.contains(QLatin1Char('\n')) || text.contains(QLatin1Char('\r'));
      if (!quote) return text;
      return QLatin1Char('"') + text.replace(QLatin1Char('"'), QLatin1String("\"\"")) + QLatin1Char('"');
    }
    case TextFormat::Markdown:
      return text.replace(QLatin1Char('|'), QLatin1String("\\|"))
          .replace(QLatin1Char('\n'), QLatin1Char(' '));
  }
  return text;
}

QString line(const QStringList& cells, TextFormat format) {
  switch (format) {
    case TextFormat::TabSeparated:
      return cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    case TextFormat::Csv:
      return cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    case TextFormat::Markdown:
      return QLatin1String("| ") + cells.join(QLatin1String(" | ")) + QLatin1String(" |\n");
  }
  return {};
}

}  // namespace

QString tableText(const QAbstractItemModel& model, const std::vector<int>& rows,
                  const std::vector<int>& columns, TextFormat format) {
  QStringList titles, rules;
  for (const int column : columns) {
    titles << cell(model.headerData(column, Qt::Horizontal, FileTitleRole).toString(), format);
    const int alignment = model.headerData(column, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
    rules << ((alignment & Qt::AlignRight) != 0 ? QStringLiteral("---:") : QStringLiteral("---"));
  }
  QString text = line(titles, format);
  if (format == TextFormat::Markdown) text += line(rules, format);
  for (const int row : rows) {
    QStringList cells;
    for (const int column : columns)
      cells << cell(model.index(row, column).data(PlainTextRole).toString(), format);
    text += line(cells, format);
  }
  return text;
}

}  // namespace opscope::ui
