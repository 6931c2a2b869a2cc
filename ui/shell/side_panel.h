// SPDX-License-Identifier: GPL-3.0-or-later
// A dock with our title bar that folds to a rail at the window's edge. GUI thread.
#pragma once

#include <QDockWidget>
#include <QToolBar>

#include "ui/views/widgets/labels.h"

namespace opscope::ui {

class SidePanel : public QDockWidget {
  Q_OBJECT
 public:
  /// `iconName` is a literal; the rail shows it with the title written upwards.
  SidePanel(const Theme* theme, const QString& id, const QString& title, const char* iconName, Qt::Edge edge,
            QWidget* content, QMainWindow* window);
  QString id() const { return m_id; }
  void setTitle(const QString& title);
  bool isFolded() const { return m_folded; }
  /// What F6 comes to: the panel, or its rail.
  QWidget* area() { return m_folded ? static_cast<QWidget*>(m_rail) : this; }
  /// As wide as the user made it; at first as the look has it. What a narrow window leaves of it for a moment
  /// does not count.
  int keptWidth() const { return m_width; }
  void setKeptWidth(int width) { m_width = width; }
  void setFolded(bool folded);
  /// Neither the panel nor its rail are shown (start page).
  void setAway(bool away);

 Q_SIGNALS:
  void foldRequested(bool folded);

 protected:
  /// The line beside the panel is the window's own: what it is dragged to is the width that is kept.
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void apply();

  QString m_id;
  ElidedText* m_titleText;
  QToolBar* m_rail;
  int m_width;
  int m_pressedWidth = 0;  ///< while a button of the mouse is held in the window
  bool m_folded = false;
  bool m_away = false;
};

}  // namespace opscope::ui
