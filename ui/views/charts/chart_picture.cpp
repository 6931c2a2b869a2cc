// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/chart_picture.h"

#include "ui/views/charts/custom_plot.h"

namespace opscope::ui {

Picture drawPicture(const ChartEntry& entry, const Chart& shown, const std::shared_ptr<const RunView>& run,
                    Selection* selection, PictureFormat format) {
  Theme light;
  light.choose(ThemeChoice::Light);
  const std::unique_ptr<Chart> chart(entry.make({&light, selection}));
  chart->takeView(shown);
  chart->setRun(run);
  if (shown.sweep() != nullptr) chart->setSweep(shown.sweep());
  const QSize design = chart->pictureSize();
  Sheet sheet;
  sheet.title = chart->title();
  sheet.detail = chart->detail();
  sheet.caption = chart->caption();
  sheet.drawing = QSize(light.px(design.width()), light.px(design.height()));
  sheet.paint = [&](QCPPainter* painter) { chart->paintPicture(painter, sheet.drawing); };
  return drawSheet(light, sheet, format);
}

}  // namespace opscope::ui
