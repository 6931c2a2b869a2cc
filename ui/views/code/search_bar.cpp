// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/code/search_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>

#include "ui/models/format.h"
#include "ui/views/look/icons.h"
#include "ui/views/look/properties.h"
#include "ui/views/widgets/buttons.h"
#include "ui/views/widgets/fitting_hint.h"

namespace opscope::ui {

SearchBar::SearchBar(const Theme* theme, const QString& placeholder, const QString& brief, QWidget* parent)
    : QWidget(parent) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(theme->px(4));
  m_field = new QLineEdit;
  new FittingHint(m_field, placeholder, brief);
  m_field->setAccessibleName(placeholder);
  m_field->setToolTip(QStringLiteral("Return: next, Shift+Return: previous"));
  m_field->addAction(lookIcon(theme, "search", IconInk::Secondary), QLineEdit::LeadingPosition);
  m_field->setMinimumWidth(theme->px(110));
  m_field->installEventFilter(this);
  row->addWidget(m_field, 1);
  m_count = new Text(theme, 12, &Colours::textSecondary);
  row->addWidget(m_count);
  m_previous = iconButton(theme, "previous", QStringLiteral("Previous place"), this);
  m_next = iconButton(theme, "next", QStringLiteral("Next place"), this);
  row->addWidget(m_previous);
  row->addWidget(m_next);
  connect(m_field, &QLineEdit::textEdited, this, &SearchBar::textChanged);
  connect(m_previous, &QToolButton::clicked, this, &SearchBar::previousRequested);
  connect(m_next, &QToolButton::clicked, this, &SearchBar::nextRequested);
  setCount(0);
}

void SearchBar::setCount(int count) {
  const bool any = !m_field->text().isEmpty();
  m_count->setText(!any ? QString() : count == 0 ? QStringLiteral("none") : format::integer(count));
  m_count->setVisible(any);
  m_field->setProperty(kInvalid, any && count == 0);
  m_field->update();
  m_previous->setEnabled(any && count > 0);
  m_next->setEnabled(any && count > 0);
}

void SearchBar::focusField() {
  m_field->setFocus(Qt::ShortcutFocusReason);
  m_field->selectAll();
}

bool SearchBar::eventFilter(QObject* watched, QEvent* event) {
  // Shift+Return sorts tables elsewhere; here it is the field's.
  const bool isOverride = event->type() == QEvent::ShortcutOverride;
  if (isOverride || event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
      if (isOverride) {
        event->accept();
      } else if (key->modifiers().testFlag(Qt::ShiftModifier)) {
        Q_EMIT previousRequested();
      } else {
        Q_EMIT nextRequested();
      }
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace opscope::ui
