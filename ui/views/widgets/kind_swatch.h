// SPDX-License-Identifier: GPL-3.0-or-later
// The colour of a kind of ops beside the first line of a name. GUI thread.
#pragma once

#include <QPainter>
#include <QWidget>

#include "ui/views/delegates/cell_delegate.h"

namespace opscope::ui {

class KindSwatch : public QWidget {
 public:
  KindSwatch(const Theme* theme, const Fill& fill) : m_theme(theme), m_fill(fill) {
    setFixedSize(theme->px(12), theme->px(28));
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    drawSwatch(&painter, m_theme, m_fill, rect().center());
  }

 private:
  const Theme* m_theme;
  Fill m_fill;
};

}  // namespace opscope::ui
