// SPDX-License-Identifier: GPL-3.0-or-later
// Text as it is really painted, measured against what lies behind it. GUI thread.
//
// ContrastDevice is painted on in place of a screen. It makes the same picture, and whenever a text comes it
// looks at the points that the letters will cover: each colour found there is a ground of this text.
#pragma once

#include <QColor>
#include <QImage>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPointer>
#include <QWidget>
#include <memory>
#include <vector>

namespace opscope::ui::testing {

/// Of two colours, 1 … 21, as WCAG 2 defines it.
double contrastOf(const QColor& a, const QColor& b);
/// What is seen of `above` where it is not opaque.
QColor blended(const QColor& above, const QColor& below);

struct PaintedText {
  QString words;
  QRect place;         ///< device pixels
  QColor ink, ground;  ///< of all grounds that lie behind much of the text, the one with the least contrast
  double contrast = 21;
  const QWidget* widget = nullptr;  ///< that painted it
};

class ContrastDevice : public QPaintDevice {
 public:
  explicit ContrastDevice(const QSize& size);
  ~ContrastDevice() override;
  QPaintEngine* paintEngine() const override;

  /// Paints `widget` with all that it holds, charts with their words.
  void paint(QWidget* widget);
  const QImage& picture() const { return m_picture; }
  const std::vector<PaintedText>& texts() const { return m_texts; }

 protected:
  int metric(PaintDeviceMetric metric) const override;

 private:
  friend class ContrastEngine;

  QImage m_picture;
  std::vector<PaintedText> m_texts;
  QPointer<QWidget> m_painting;
  std::unique_ptr<QPaintEngine> m_engine;
};

}  // namespace opscope::ui::testing
