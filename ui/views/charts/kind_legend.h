// SPDX-License-Identifier: GPL-3.0-or-later
// Which colour stands for which kind, in one line. GUI thread; the theme outlives it.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/views/look/theme.h"

namespace opscope::ui {

class KindLegend : public QWidget {
  Q_OBJECT
 public:
  struct Entry {
    QString name;
    QColor fill;
  };
  explicit KindLegend(const Theme* theme, QWidget* parent = nullptr);
  /// In the order in which they are to stand.
  void setEntries(std::vector<Entry> entries);
  const std::vector<Entry>& entries() const { return m_entries; }
  QSize sizeHint() const override;
  /// Paints what has room in `box`, beginning at its top left.
  void paint(QPainter* painter, const QRectF& box) const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double widthOf(const Entry& entry) const;

  const Theme* m_theme;
  std::vector<Entry> m_entries;
};

}  // namespace opscope::ui
