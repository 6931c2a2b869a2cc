// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/brief_combo.h"

#include <QStyle>
#include <QStylePainter>

namespace opscope::ui {

QString BriefCombo::shownText() const {
  const QString whole = currentText(), brief = currentData(BriefRole).toString();
  if (brief.isEmpty()) return whole;
  QStyleOptionComboBox option;
  initStyleOption(&option);
  const QRect field =
      style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
  const int room = field.width() - fontMetrics().averageCharWidth() / 2;
  return fontMetrics().horizontalAdvance(whole) <= room ? whole : brief;
}

void BriefCombo::paintEvent(QPaintEvent*) {
  QStylePainter painter(this);
  QStyleOptionComboBox option;
  initStyleOption(&option);
  option.currentText = shownText();
  painter.drawComplexControl(QStyle::CC_ComboBox, option);
  painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

}  // namespace opscope::ui
