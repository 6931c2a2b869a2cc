// SPDX-License-Identifier: GPL-3.0-or-later
// Paints a TimelineScene. GUI thread; one for each view, it keeps texts that were cut and the picture of the
// whole run.
#pragma once

#include <QHash>
#include <QPainter>
#include <QPixmap>

#include "ui/models/timeline_scale.h"
#include "ui/views/look/icons.h"
#include "ui/views/timeline/timeline_scene.h"

namespace opscope::ui {

class TimelinePainter {
 public:
  /// Fonts or colours changed.
  void forget();
  void paint(QPainter* painter, TimelineScene& scene);

 private:
  using Key = std::pair<std::uint32_t, int>;

  void paintStrip();
  void paintWindow(const QRect& strip);
  void renderCoverage(const QRect& strip);
  void paintColumns(QPainter* painter, const QSize& size) const;
  void paintCoverage(const QRect& strip);
  void paintRuler();
  void paintGrid();
  void paintRows(bool pinned);
  void paintTitle(const SceneRow& row, const QRect& rect, int index);
  void paintIcon(const SceneRow& row, const QRect& rect);
  void paintIcon(const char* name, IconInk ink, const QPoint& corner);
  void paintNote(const SceneRow& row, const QRect& rect);
  void paintCurve(const SceneRow& row, const QRect& rect);
  void paintTensors(const SceneRow& row, const QRect& rect);
  void paintFrame(const SceneRow& row, const QRect& rect);
  void paintBlocks(const SceneRow& row, const QRect& rect);
  void paintPiece(const SceneRow& row, const QRect& rect, const LanePiece& piece, const PieceLook& look);
  QColor colourOf(const SceneRow& row, const PieceLook& look) const;
  void paintHatch(const SceneRow& row, const QRect& rect);
  void paintLabel(const SceneRow& row, const QRectF& block, const report::Span& span, const QColor& ink);
  void paintChosen(const SceneRow& row, int index);
  void paintHovered();
  void paintRange();
  void paintCrosshair();
  void paintPill(const QRectF& rect, const QString& text, const QColor& fill, const QColor& ink);
  QRectF pillRect(double x, const QString& text) const;
  /// Beside the pill of the range where it would hide it.
  QRectF cursorPill() const;
  /// Without what lies far outside of the view.
  QRectF seen(const QRectF& block) const;
  QString cutText(const QString& text, double width) const;
  QString stepLabel(const report::Span& span, double width) const;
  QString cutName(const report::Span& span, double width);
  /// Left edge of a device pixel of a lane, in the viewport's coordinates.
  double deviceX(int pixel) const { return m_scene->titleWidth() + pixel / m_scene->pixelRatio; }

  QPainter* m_painter = nullptr;
  TimelineScene* m_scene = nullptr;
  Ruler m_ruler;
  QFont m_font;
  QFont m_bold;
  QHash<Key, QString> m_cut;
  QHash<QByteArray, QPixmap> m_icons;
  QPixmap m_coverage;
  const Timeline* m_coverageOf = nullptr;
  TimelineColour m_coverageColour = TimelineColour::Kind;
};

}  // namespace opscope::ui
