// SPDX-License-Identifier: GPL-3.0-or-later
// The spread of the chosen op (the largest, when none is): histogram or ECDF, dots for few values. GUI
// thread.
#pragma once

#include "ui/views/charts/plot_chart.h"

namespace opscope::ui {

class SpreadChart : public PlotChart {
  Q_OBJECT
 public:
  explicit SpreadChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override;
  QString detail() const override;
  QString emptyText() const override;
  QWidget* titleControl() override { return m_control; }
  void takeView(const Chart& other) override;
  QSize pictureSize() const override { return {760, 300}; }

  enum class Form { Histogram, Ecdf };
  void setForm(Form form);
  Form form() const { return m_form; }
  const Spread& spread() const { return m_spread; }
  /// Where the names of median and p95 stand, and the plot under them.
  std::vector<QRectF> labelRects() const;
  QRectF plotRect() const;

 protected:
  void rebuild() override;
  bool isOfOneOp() const override { return true; }
  QString hoverText(const QPointF& point) const override;
  void fit(const QSize& size) override;

 protected:
  QString opName() const { return m_details ? m_details->name : QStringLiteral("one op"); }
  void hideControl() { m_control->hide(); }

 private:
  void buildControl();
  void addBins(const QColor& fill);
  void addDots(const QColor& fill);
  void addEcdf(const QColor& line);
  void addMarks();
  /// The halo in the base colour parts the line from edges of bins.
  void addHaloedMark(double at, Qt::PenStyle style, double width);
  void addLabel(double at, const QString& text);
  /// Names of the lines stand above the plot, beside each other, each as near to its line as there is room.
  void placeLabels();
  void addRug();
  double place(double us) const { return m_unit.from(us); }

  Form m_form = Form::Histogram;
  QWidget* m_control = nullptr;
  QAbstractButton* m_histogramButton = nullptr;
  QAbstractButton* m_ecdfButton = nullptr;
  std::shared_ptr<const OpDetails> m_details;
  Spread m_spread;
  Histogram m_histogram;
  TimeUnit m_unit;
  struct Label {
    QCPItemText* item = nullptr;
    double at = 0;
  };
  std::vector<Label> m_labels;  ///< from left to right
};

/// One of the forms alone.
class HistogramChart : public SpreadChart {
  Q_OBJECT
 public:
  explicit HistogramChart(const ChartContext& context, QWidget* parent = nullptr);
  QWidget* titleControl() override { return nullptr; }
  void takeView(const Chart&) override {}
};

class EcdfChart : public SpreadChart {
  Q_OBJECT
 public:
  explicit EcdfChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override;
  QWidget* titleControl() override { return nullptr; }
  void takeView(const Chart&) override {}
};

}  // namespace opscope::ui
