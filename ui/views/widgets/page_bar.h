// SPDX-License-Identifier: GPL-3.0-or-later
// The bar under the tabs (40 px) or at the foot of a page (26 px). Where it is too narrow for what stands in
// it, two arrows at its end move that along, and it follows the focus. GUI thread.
#pragma once

#include <QHBoxLayout>
#include <QToolButton>
#include <QWidget>

#include "ui/views/look/theme.h"

namespace opscope::ui {

class PageBar : public QWidget {
  Q_OBJECT
 public:
  enum class Place { Top, Bottom };
  explicit PageBar(const Theme* theme, Place place = Place::Top, QWidget* parent = nullptr);
  QHBoxLayout* row() { return m_row; }
  /// What the row lays out; it may be wider than the bar.
  const QWidget* content() const { return m_content; }
  /// What stands in it is wider than the bar.
  bool isTooNarrow() const { return !m_arrows->isHidden(); }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  QToolButton* addArrow(const char* icon, const QString& words, int direction);
  void arrange();
  void moveBy(int pixels);
  void follow(QWidget* focus);
  /// How far the content can be moved.
  int most() const;

  const Theme* m_theme;
  Place m_place;
  QWidget* m_content;
  QHBoxLayout* m_row;
  QWidget* m_arrows;
  QToolButton* m_back;
  QToolButton* m_forward;
  int m_offset = 0;  ///< of the content, to the left
};

}  // namespace opscope::ui
