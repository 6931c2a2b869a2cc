// SPDX-License-Identifier: GPL-3.0-or-later
// The repeats of one op in two runs: old upwards in grey, new downwards in the accent, in the same bins; dots
// where there are few. GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/models/chart_data.h"
#include "ui/views/look/theme.h"

namespace opscope::ui {

class PairedHistogram : public QWidget {
  Q_OBJECT
 public:
  explicit PairedHistogram(const Theme* theme, QWidget* parent = nullptr);
  /// In us, in any order; either may be empty.
  void setSamples(std::vector<double> before, std::vector<double> after) {
    setSamples(std::move(before), std::move(after), {}, {});
  }
  /// Of groups, with the median of each run: marked, so that what is between runs can be told from what is
  /// within them.
  void setSamples(std::vector<double> before, std::vector<double> after, std::vector<double> runsBefore,
                  std::vector<double> runsAfter);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  /// Empty bins over both runs; `width` in pixels.
  Histogram binsFor(double width) const;
  void paintBins(QPainter* painter, const QRectF& plot) const;
  void paintDots(QPainter* painter, const QRectF& plot) const;
  void paintRuns(QPainter* painter, const QRectF& plot) const;
  double xOf(const QRectF& plot, double us) const;

  const Theme* m_theme;
  std::vector<double> m_before;  ///< ascending
  std::vector<double> m_after;   ///< ascending
  std::vector<double> m_runsBefore;
  std::vector<double> m_runsAfter;
  double m_lowUs = 0;
  double m_highUs = 1;
};

}  // namespace opscope::ui
