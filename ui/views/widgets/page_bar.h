// SPDX-License-Identifier: GPL-3.0-or-later
// The bar under the tabs (40 px) or at the foot of a page (26 px). GUI thread.
#pragma once

#include <QHBoxLayout>
#include <QWidget>

#include "ui/views/look/theme.h"

namespace opscope::ui {

class PageBar : public QWidget {
  Q_OBJECT
 public:
  enum class Place { Top, Bottom };
  explicit PageBar(const Theme* theme, Place place = Place::Top, QWidget* parent = nullptr);
  QHBoxLayout* row() { return m_row; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const Theme* m_theme;
  Place m_place;
  QHBoxLayout* m_row;
};

}  // namespace opscope::ui
