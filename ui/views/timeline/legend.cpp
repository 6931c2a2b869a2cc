// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/timeline/legend.h"

#include <QPainter>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/delegates/cell_delegate.h"

namespace opscope::ui {

Legend::Legend(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void Legend::setEntries(std::vector<Entry> entries) {
  m_entries = std::move(entries);
  QStringList words;
  for (const Entry& entry : m_entries) words << entry.text;
  setToolTip(words.join(QStringLiteral("\n")));
  setAccessibleName(QStringLiteral("Colours: %1").arg(words.join(QStringLiteral(", "))));
  updateGeometry();
  update();
}

int Legend::entryWidth(const Entry& entry) const {
  return m_theme->px(15) + QFontMetrics(m_theme->font(12)).horizontalAdvance(entry.text) + m_theme->px(14);
}

QSize Legend::sizeHint() const {
  int width = 0;
  for (const Entry& entry : m_entries) width += entryWidth(entry);
  return {width, m_theme->px(28)};
}

void Legend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(m_theme->font(12));
  int x = 0;
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    const int own = entryWidth(m_entries[i]);
    const bool last = i + 1 == m_entries.size();
    const QString more = QStringLiteral("%1 more").arg(format::integer(std::int64_t(m_entries.size() - i)));
    const int needed = own + (last ? -m_theme->px(14) : painter.fontMetrics().horizontalAdvance(more));
    painter.setPen(m_theme->colours().text);
    if (x + needed > width()) {
      if (x + painter.fontMetrics().horizontalAdvance(more) <= width()) {
        painter.setPen(m_theme->colours().textSecondary);
        painter.drawText(QRect(x, 0, width() - x, height()), Qt::AlignLeft | Qt::AlignVCenter, more);
      }
      return;
    }
    drawSwatch(&painter, m_theme, *m_entries[i].fill, QPoint(x + m_theme->px(5), height() / 2));
    painter.drawText(QRect(x + m_theme->px(15), 0, own, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     m_entries[i].text);
    x += own;
  }
}

}  // namespace opscope::ui
