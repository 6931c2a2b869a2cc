// SPDX-License-Identifier: GPL-3.0-or-later
// The way from the old total to the new one, step by step: the ops with the largest changes, the others, and
// what the total changed beside its ops. GUI thread; the page owns it.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "ui/models/chart_data.h"
#include "ui/models/compare_view.h"
#include "ui/views/look/theme.h"
#include "ui/views/widgets/picture.h"

namespace opscope::ui {

class Waterfall : public QWidget {
  Q_OBJECT
 public:
  explicit Waterfall(const Theme* theme, QWidget* parent = nullptr);
  void setComparison(const std::shared_ptr<const CompareView>& view);
  /// Of Comparison::ops; -1: none.
  void setSelected(int op);
  bool canSave() const { return m_view != nullptr; }
  /// Of the whole drawing in the light palette, with both runs below. There is a comparison.
  Picture picture(PictureFormat format) const;

 Q_SIGNALS:
  void opChosen(int op);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Scale {
    QRectF plot;
    TimeUnit unit;
    double top = 1;  ///< in the unit
    double y(double us) const { return plot.bottom() - unit.from(us) / top * plot.height(); }
  };
  void paint(QPainter* painter);
  Scale makeScale(int line) const;
  QRectF columnOf(const QRectF& plot, std::size_t step) const;
  std::optional<std::size_t> stepAt(const QPointF& place) const;
  void paintAxis(QPainter* painter, const Scale& scale) const;
  void paintStep(QPainter* painter, const Scale& scale, std::size_t index) const;
  void paintLabel(QPainter* painter, const Scale& scale, std::size_t index) const;
  QStringList labelOf(const WaterfallStep& step) const;
  QString toolTipOf(const WaterfallStep& step) const;
  QRectF barOf(const Scale& scale, std::size_t index) const;

  const Theme* m_theme;
  std::shared_ptr<const CompareView> m_view;
  std::optional<std::size_t> m_hovered;
  int m_selected = -1;
};

}  // namespace opscope::ui
