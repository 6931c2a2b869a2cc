// SPDX-License-Identifier: GPL-3.0-or-later
// A list to choose from that has a shorter text for what is chosen, for where its whole text has no room. GUI
// thread.
#pragma once

#include <QComboBox>

namespace opscope::ui {

class BriefCombo : public QComboBox {
  Q_OBJECT
 public:
  /// QString of an item; without one its text is cut in the middle.
  static constexpr int BriefRole = Qt::UserRole + 90;
  using QComboBox::QComboBox;
  /// What is shown at the width that it has now.
  QString shownText() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
};

}  // namespace opscope::ui
