// SPDX-License-Identifier: GPL-3.0-or-later
// The arrays of a .npz file to choose from, each with type and shape; a key can be typed too. GUI thread.
#pragma once

#include <QComboBox>

#include "ui/bridge/session_types.h"
#include "ui/views/look/theme.h"

namespace opscope::ui {

class ArrayKeyCombo : public QComboBox {
  Q_OBJECT
 public:
  explicit ArrayKeyCombo(const Theme* theme, QWidget* parent = nullptr);
  /// `listing` may be null.
  void setArrays(const session::ArrayListing* listing);
  /// Not while a key is typed.
  void setKey(const QString& key);
  void showPopup() override;

 Q_SIGNALS:
  void keyChosen(const QString& key);

 private:
  const Theme* m_theme;
};

}  // namespace opscope::ui
