// SPDX-License-Identifier: GPL-3.0-or-later
// How one board is reached, as fields; each is told in words when it cannot be used. GUI thread; the dialog
// owns it.
#pragma once

#include <QHBoxLayout>
#include <QLineEdit>
#include <QWidget>
#include <map>

#include "ui/models/saved_board.h"
#include "ui/views/widgets/buttons.h"
#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class BoardForm : public QWidget {
  Q_OBJECT
 public:
  explicit BoardForm(const Theme* theme, QWidget* parent = nullptr);
  void setBoard(const SavedBoard& board);
  const SavedBoard& board() const { return m_board; }
  /// For a tracker's answer that the key is not known.
  void setKey(const QString& key);
  void focusFirst();

 Q_SIGNALS:
  /// The user changed something.
  void edited(const opscope::ui::SavedBoard& board);

 private:
  using Field = SavedBoard::Field;
  QLineEdit* addField(QHBoxLayout* row, Field field, const QString& label, double width,
                      const QString& tooltip);
  QWidget* buildKind();
  void take();
  void setKind(SavedBoard::Kind kind);
  void chooseSecretFile();
  void showProblems();

  const Theme* m_theme;
  SavedBoard m_board;
  bool m_touched = false;  ///< problems of a fresh board are not told before the user wrote something
  std::map<Field, QLineEdit*> m_fields;
  std::map<Field, QWidget*> m_cells;
  QAbstractButton* m_direct;
  QAbstractButton* m_tracker;
  Text* m_problem;
};

}  // namespace opscope::ui
