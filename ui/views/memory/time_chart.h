// SPDX-License-Identifier: GPL-3.0-or-later
// What the charts of the Memory page share: axes of bytes and time, the lines at the pointer and at the
// chosen moment, wheel and keys. GUI thread; theme and axis outlive it.
#pragma once

#include <QPixmap>
#include <QWidget>
#include <memory>

#include "ui/models/memory_data.h"
#include "ui/views/look/theme.h"
#include "ui/views/memory/time_axis.h"
#include "ui/views/timeline/timeline_tip.h"

namespace opscope::ui {

class TimeChart : public QWidget {
  Q_OBJECT
 public:
  /// The card beside the pointer stays within `around`, which holds the chart.
  TimeChart(const Theme* theme, TimeAxis* axis, QWidget* around);
  virtual void setMemory(std::shared_ptr<const MemoryData> shown);
  /// Where the data is drawn.
  QRectF plot() const;
  double xOf(double ns) const;
  double nsAt(double x) const;
  double yOf(double bytes) const;
  const TimelineTip* tip() const { return m_tip; }

 protected:
  const Theme* theme() const { return m_theme; }
  TimeAxis* axis() const { return m_axis; }
  const std::shared_ptr<const MemoryData>& memory() const { return m_data; }
  /// The highest value that is drawn, in bytes.
  virtual double highest() const = 0;
  virtual void paintData(QPainter* painter, const QRectF& plot) = 0;
  /// What lies under the pointer; name empty: nothing to tell.
  virtual TipText tipAt(const QPointF& point) const = 0;
  /// A click without moving.
  virtual void choose(const QPointF& point) = 0;

  /// Draws the data anew; what update() paints is kept from the last time.
  void refresh();
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void paintPicture();
  void paintContents(QPainter* painter);
  void paintAxes(QPainter* painter, const QRectF& plot) const;
  void paintMoments(QPainter* painter, const QRectF& plot) const;

  const Theme* m_theme;
  TimeAxis* m_axis;
  std::shared_ptr<const MemoryData> m_data;
  TimelineTip* m_tip;
  double m_highest = 1;  ///< bytes, of the data
  double m_ceiling = 1;  ///< bytes of the upper edge: a round number of units
  // Each point that is drawn asks for it, and fonts take long to measure.
  mutable QRectF m_plot;
  mutable QSize m_plotOf;  ///< not this widget's size: m_plot is not known
  QPixmap m_picture;
  QPointF m_pressed;
  double m_pressedFromNs = 0;
  bool m_isPressed = false;
  bool m_isDragged = false;
};

}  // namespace opscope::ui
