// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/sharp_plots.h"

#include "ui/views/charts/custom_plot.h"

namespace opscope::ui {

SharpPlots::SharpPlots(QWidget* within, double scale) : m_within(within), m_scale(scale) {
  if (scale != within->devicePixelRatioF()) draw(scale);
}

SharpPlots::~SharpPlots() {
  if (m_scale != m_within->devicePixelRatioF()) draw(m_within->devicePixelRatioF());
}

void SharpPlots::draw(double scale) const {
  for (QCustomPlot* plot : m_within->findChildren<QCustomPlot*>()) {
    if (!plot->isVisible()) continue;
    plot->setBufferDevicePixelRatio(scale);
    plot->replot(QCustomPlot::rpImmediateRefresh);
  }
}

}  // namespace opscope::ui
