// SPDX-License-Identifier: GPL-3.0-or-later
// What every chart is: a widget that draws one run, follows the selection, answers the mouse and the
// keyboard, and can be painted into a picture. GUI thread; a ChartFrame owns it.
#pragma once

#include <QMenu>
#include <QPen>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "ui/models/run_view.h"
#include "ui/models/selection.h"
#include "ui/models/sweep_view.h"
#include "ui/views/look/theme.h"

class QCPPainter;

namespace opscope::ui {

/// What charts are built with; all of it outlives them.
struct ChartContext {
  const Theme* theme = nullptr;
  Selection* selection = nullptr;
};

class Chart : public QWidget {
  Q_OBJECT
 public:
  explicit Chart(const ChartContext& context, QWidget* parent = nullptr);

  void setRun(std::shared_ptr<const RunView> run);
  /// A chart that nobody sees waits with its drawing until it is seen, or until somebody asks for it.
  void setWaits(bool waits);
  void bringUpToDate();
  /// For charts of a sweep; others have no use of it.
  virtual void setSweep(std::shared_ptr<const SweepView> sweep) { Q_UNUSED(sweep); }
  virtual std::shared_ptr<const SweepView> sweep() const { return nullptr; }

  /// Of the title row: bold, then quiet.
  virtual QString title() const = 0;
  virtual QString detail() const { return {}; }
  /// Why there is nothing to draw; empty when there is something.
  virtual QString emptyText() const { return {}; }
  /// A control for the title row; null when there is none.
  virtual QWidget* titleControl() { return nullptr; }
  /// How wide a frame must be to have the control.
  virtual int roomForControl() const { return theme()->px(300); }
  /// Further entries of the chart's menu.
  virtual void fillMenu(QMenu* menu) { Q_UNUSED(menu); }
  /// Takes over how another chart of the same class is shown (its switches, how deep it is zoomed).
  virtual void takeView(const Chart& other) { Q_UNUSED(other); }

  /// Under a saved picture: what was measured, and when.
  virtual QString caption() const;
  /// Size of a saved picture's drawing, in pixels of the design.
  virtual QSize pictureSize() const { return {760, 430}; }
  /// Paints the drawing without title into (0, 0) to `size`.
  virtual void paintPicture(QCPPainter* painter, const QSize& size) = 0;

  /// The ops that are drawn, in the order in which the arrow keys go.
  virtual std::vector<OpId> ops() const { return {}; }
  /// The op at a point; null when there is none.
  virtual OpId opAt(const QPointF& point) const;
  /// Where an op is drawn.
  virtual std::optional<QRectF> areaOf(const OpId& op) const;

 Q_SIGNALS:
  /// title(), detail() or emptyText() say something else now.
  void textsChanged();

 protected:
  /// There is something to draw, or to say that there is not.
  virtual bool hasData() const { return m_run != nullptr; }
  void rebuildAll();
  /// Another run, other colours or fonts.
  virtual void rebuild() = 0;
  /// Another op is chosen.
  virtual void showSelection() { update(); }
  /// The drawing is of the chosen op: another one is drawn anew, in place of showSelection().
  virtual bool isOfOneOp() const { return false; }
  /// Another thing lies under the mouse; empty: nothing.
  virtual void showHover(const std::optional<QPointF>& point) { Q_UNUSED(point); }
  /// Plain text of the tooltip at a point, first line the name; empty: none.
  virtual QString hoverText(const QPointF& point) const;

  const Theme* theme() const { return m_context.theme; }
  Selection* selection() const { return m_context.selection; }
  const std::shared_ptr<const RunView>& run() const { return m_run; }
  /// "conv2d8", then time, share, calls and kind, for tooltips and for reading out.
  QString describe(const report::OpRow& row) const;
  const report::OpRow* rowOf(const OpId& op) const;
  /// The chosen op, or the largest where none of the run's is chosen; null in a run without ops.
  const report::OpRow* shownRow() const;
  /// The colour of a row of the run's table, by what is chosen: its kind, its device or its name.
  const Fill& fillOf(const report::OpRow& row) const;
  /// As in legends: "VM and checks".
  QString kindText(report::OpKind kind) const;
  void paintFocus(QPainter* painter) const;

  bool event(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void readOut();
  /// Whether the drawing waits; then it is known to be out of date.
  bool putOff();

  ChartContext m_context;
  std::shared_ptr<const RunView> m_run;
  bool m_waits = false;
  bool m_outOfDate = false;
};

/// Dashes that are alike at every scale: square caps would lengthen them where a pixel of the design is more
/// than one of the screen.
inline QPen dashedPen(const QColor& colour, double width = 1, Qt::PenStyle style = Qt::DashLine) {
  return QPen(colour, width, style, Qt::FlatCap);
}

/// The op of a row of the run's table.
inline OpId opOf(const report::OpRow& row) {
  return {row.name, row.shapes, row.device};
}

/// The colour of a plot line thinner than 3 px.
inline QColor lineColour(const Theme& theme, const Fill& fill) {
  return theme.isDark() ? fill.lineOnDark : fill.lineOnLight;
}

}  // namespace opscope::ui
