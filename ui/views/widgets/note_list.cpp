// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/note_list.h"

#include "ui/views/widgets/panels.h"

namespace opscope::ui {

NoteList::NoteList(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  m_layout = new QVBoxLayout(this);
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(0);
}

void NoteList::setNotes(const std::vector<Note>& notes) {
  clearLayout(m_layout);
  for (const Note& note : notes) {
    if (m_layout->count() > 0) m_layout->addWidget(new Hairline(m_theme));
    m_layout->addWidget(row(note));
  }
}

QWidget* NoteList::row(const Note& note) {
  auto* holder = new QWidget;
  auto* row = new QHBoxLayout(holder);
  row->setContentsMargins(m_theme->px(14), m_theme->px(7), m_theme->px(14), m_theme->px(7));
  row->setSpacing(m_theme->px(10));
  row->addWidget(new IconLabel(lookIcon(m_theme, note.icon, note.ink), m_theme->px(16)), 0, Qt::AlignTop);
  auto* words = new QVBoxLayout;
  words->setSpacing(m_theme->px(1));
  auto* title = plainText(m_theme, note.title, 13, &Colours::text, QFont::DemiBold);
  title->setWordWrap(true);
  auto* detail = plainText(m_theme, note.detail, 12, &Colours::textSecondary);
  detail->setWordWrap(true);
  words->addWidget(title);
  words->addWidget(detail);
  row->addLayout(words, 1);
  // Only now has it a parent: shown earlier it would be a window of its own.
  detail->setVisible(!note.detail.isEmpty());
  return holder;
}

}  // namespace opscope::ui
