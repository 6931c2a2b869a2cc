// SPDX-License-Identifier: GPL-3.0-or-later
// Bars whose fill and edge lie on the same pixels: QCPBars rounds the two by different rules, so that a line
// of the edge stands outside the fill. GUI thread; the plot owns them.
#pragma once

#include "ui/views/charts/custom_plot.h"

namespace opscope::ui {

class SnappedBars : public QCPBars {
 public:
  using QCPBars::QCPBars;

 protected:
  void draw(QCPPainter* painter) override;
};

}  // namespace opscope::ui
