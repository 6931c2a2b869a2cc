// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours mean: swatch and word, as many as there is room for. GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/views/look/theme.h"

namespace opscope::ui {

class Legend : public QWidget {
  Q_OBJECT
 public:
  struct Entry {
    const Fill* fill;
    QString text;
  };
  explicit Legend(const Theme* theme, QWidget* parent = nullptr);
  void setEntries(std::vector<Entry> entries);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, m_theme->px(28)}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int entryWidth(const Entry& entry) const;

  const Theme* m_theme;
  std::vector<Entry> m_entries;
};

}  // namespace opscope::ui
