// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline as a picture for files: the part in view with all its rows, in the light palette.
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/charts/custom_plot.h"
#include "ui/views/timeline/timeline_view.h"

namespace opscope::ui {
namespace {

constexpr int kLeastWidth = 900;
/// Device pixels of a vector drawing's pixel: edges of blocks are exact to a quarter of one.
constexpr double kVectorRatio = 4;
constexpr double kPngRatio = 2;

}  // namespace

Picture TimelineView::picture(PictureFormat format) const {
  Theme light;
  light.choose(ThemeChoice::Light);
  TimelineScene scene(&light);
  scene.timeline = m_scene.timeline;
  scene.colour = m_scene.colour;
  scene.matches = m_scene.matches;
  scene.range = m_scene.range;
  scene.op = m_scene.op;
  scene.span = m_scene.span;
  scene.scale = target();
  scene.isPicture = true;
  scene.pixelRatio = format == PictureFormat::Png ? kPngRatio : kVectorRatio;
  // All rows are in it, so that none has to be scrolled to.
  scene.size = QSize(std::max(m_scene.size.width(), light.px(kLeastWidth)), 1 << 20);
  scene.scale.width = scene.size.width() - scene.titleWidth();
  scene.arrange(scenePins(), m_folds);
  scene.currentRow = scene.span == report::kNone ? -1 : scene.rowOfSpan(scene.span, -1);
  scene.size.setHeight(scene.scrollTop() + scene.contentHeight() + 1);
  TimelinePainter painter;
  Sheet sheet;
  sheet.title = QStringLiteral("Timeline");
  sheet.detail = QStringLiteral("%1 of repeat %2 of %3")
                     .arg(rangeText(scene.scale.startNs, scene.scale.endNs),
                          format::integer(m_scene.timeline->repeat() + 1),
                          format::integer(m_scene.timeline->run().repeats));
  if (!m_scene.timeline->hasStartTimes()) sheet.detail += QStringLiteral(" · calls placed in order");
  sheet.caption = pictureCaption(*m_scene.timeline->view());
  sheet.drawing = scene.size;
  sheet.paint = [&](QCPPainter* target) { painter.paint(target, scene); };
  return drawSheet(light, sheet, format);
}

}  // namespace opscope::ui
