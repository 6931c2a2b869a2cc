// SPDX-License-Identifier: GPL-3.0-or-later
// A field for a whole number that tells when what was typed is out of its range: it goes back to the number
// before, and nobody should have to guess why. GUI thread.
#pragma once

#include <QSpinBox>

namespace opscope::ui {

class CountBox : public QSpinBox {
  Q_OBJECT
 public:
  using QSpinBox::QSpinBox;

 Q_SIGNALS:
  void refused(const QString& typed) const;

 protected:
  void fixup(QString& text) const override;
};

}  // namespace opscope::ui
