// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/fitting_hint.h"

#include <QEvent>

namespace opscope::ui {

FittingHint::FittingHint(QLineEdit* field, const QString& whole, const QString& brief)
    : QObject(field), m_field(field), m_whole(whole), m_brief(brief) {
  field->setPlaceholderText(whole);
  field->installEventFilter(this);
}

bool FittingHint::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) choose();
  return QObject::eventFilter(watched, event);
}

void FittingHint::choose() {
  // Beside the words stand the icon and the frame.
  const int room = m_field->width() - m_field->height() - m_field->fontMetrics().averageCharWidth() * 2;
  const bool fits = m_field->fontMetrics().horizontalAdvance(m_whole) <= room;
  m_field->setPlaceholderText(fits ? m_whole : m_brief);
}

}  // namespace opscope::ui
