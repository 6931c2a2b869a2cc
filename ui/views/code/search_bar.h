// SPDX-License-Identifier: GPL-3.0-or-later
// A field to search with, how many there are, previous and next. Return goes on, Shift+Return back. GUI
// thread.
#pragma once

#include <QLineEdit>
#include <QToolButton>

#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class SearchBar : public QWidget {
  Q_OBJECT
 public:
  /// `brief` stands in the field where the whole placeholder has no room.
  SearchBar(const Theme* theme, const QString& placeholder, const QString& brief, QWidget* parent = nullptr);
  QString text() const { return m_field->text(); }
  QLineEdit* field() { return m_field; }
  /// Rows that hold the text; told beside the field.
  void setCount(int count);
  void focusField();

 Q_SIGNALS:
  /// Another text: look from where the cursor is.
  void textChanged();
  void nextRequested();
  void previousRequested();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QLineEdit* m_field;
  Text* m_count;
  QToolButton* m_previous;
  QToolButton* m_next;
};

}  // namespace opscope::ui
