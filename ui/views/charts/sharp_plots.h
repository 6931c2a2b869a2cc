// SPDX-License-Identifier: GPL-3.0-or-later
// Plots keep what they drew in pictures of the screen's resolution: while one of these lives, those within a
// widget are drawn for a picture of another one. GUI thread.
#pragma once

#include <QWidget>

namespace opscope::ui {

class SharpPlots {
 public:
  /// `scale` device pixels to a point.
  SharpPlots(QWidget* within, double scale);
  ~SharpPlots();
  SharpPlots(const SharpPlots&) = delete;
  SharpPlots& operator=(const SharpPlots&) = delete;

 private:
  void draw(double scale) const;

  QWidget* m_within;
  double m_scale;
};

}  // namespace opscope::ui
