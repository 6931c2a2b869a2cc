// SPDX-License-Identifier: GPL-3.0-or-later
// Covers what no two pictures share: times of the clock, this computer's name and processor. GUI thread.
#pragma once

#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QRegularExpression>
#include <QTableView>

#include "ui/models/runs_model.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui::testing {

inline QString wordsOf(const QWidget* widget) {
  if (const auto* label = qobject_cast<const QLabel*>(widget)) return label->text();
  if (const auto* elided = qobject_cast<const ElidedText*>(widget)) return elided->text();
  return {};
}

inline void coverWhatChanges(QImage& image, const QWidget* window) {
  // A time of day that stands alone or after "Saved", stages' seconds, facts of the computer.
  static const QRegularExpression changes(
      QStringLiteral("^\\d\\d:\\d\\d:\\d\\d\\.\\d{3}$|^Saved \\d|\\d\\.\\d\\d(&nbsp;| |\u00A0)s\\b|hardware "
                     "threads?$|^Debian |, kernel "));
  QPainter painter(&image);
  const auto cover = [&](const QWidget* widget, const QRect& part) {
    painter.fillRect(QRect(widget->mapTo(window, part.topLeft()), part.size()), QColor(128, 128, 128));
  };
  for (const QWidget* widget : window->findChildren<QWidget*>()) {
    const bool ofComputer = widget->objectName() == QLatin1String("computerNotes");
    if (widget->isVisible() && (ofComputer || wordsOf(widget).contains(changes)))
      cover(widget, widget->visibleRegion().boundingRect());
  }
  // The day of a run is written without its year in the year in which it was.
  for (const QTableView* table : window->findChildren<QTableView*>()) {
    if (!table->isVisible() || qobject_cast<const RunsModel*>(table->model()) == nullptr) continue;
    const int left = table->columnViewportPosition(RunsModel::When);
    cover(table->viewport(),
          QRect(left, 0, table->columnWidth(RunsModel::When), table->viewport()->height()));
  }
}

}  // namespace opscope::ui::testing
