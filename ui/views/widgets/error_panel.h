// SPDX-License-Identifier: GPL-3.0-or-later
// What went wrong, why, where, and what can be done. GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/views/widgets/panels.h"

namespace opscope::ui {

struct ErrorText {
  QString title;
  QString summary;
  QString why;
  QString whatToDo;
  std::vector<FactList::Row> where;
  struct Line {
    QString time, stage, words;
    bool isError = false;
  };
  std::vector<Line> log;
};

class ErrorPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ErrorPanel(const Theme* theme, QWidget* parent = nullptr);
  /// Takes away all buttons and the note.
  void setError(const ErrorText& text);
  ActionButton* addButton(const QString& text, bool primary);
  /// "7 finished repeats were kept" with its own buttons.
  void setKept(const QString& title, const QString& text);
  ActionButton* addKeptButton(const QString& text);

 private:
  QString reportText() const;
  void addLog(const std::vector<ErrorText::Line>& lines);

  const Theme* m_theme;
  QVBoxLayout* m_layout;
  QHBoxLayout* m_buttons = nullptr;
  QHBoxLayout* m_keptButtons = nullptr;
  ErrorText m_text;
};

}  // namespace opscope::ui
