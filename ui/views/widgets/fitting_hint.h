// SPDX-License-Identifier: GPL-3.0-or-later
// The hint in an empty field, shorter where the whole has no room. GUI thread; the field owns it.
#pragma once

#include <QLineEdit>

namespace opscope::ui {

class FittingHint : public QObject {
  Q_OBJECT
 public:
  FittingHint(QLineEdit* field, const QString& whole, const QString& brief);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void choose();

  QLineEdit* m_field;
  QString m_whole;
  QString m_brief;
};

}  // namespace opscope::ui
