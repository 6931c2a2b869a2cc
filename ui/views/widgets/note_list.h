// SPDX-License-Identifier: GPL-3.0-or-later
// Notes below each other with hairlines between: an icon, what is so, what it means. GUI thread.
#pragma once

#include <QVBoxLayout>
#include <QWidget>
#include <vector>

#include "ui/views/look/icons.h"

namespace opscope::ui {

class NoteList : public QWidget {
  Q_OBJECT
 public:
  struct Note {
    const char* icon = "info";
    IconInk ink = IconInk::Secondary;
    QString title;
    QString detail;  ///< may be empty
  };
  explicit NoteList(const Theme* theme, QWidget* parent = nullptr);
  void setNotes(const std::vector<Note>& notes);

 private:
  QWidget* row(const Note& note);

  const Theme* m_theme;
  QVBoxLayout* m_layout;
};

}  // namespace opscope::ui
