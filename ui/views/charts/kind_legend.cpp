// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/kind_legend.h"

#include <QPainter>
#include <cmath>

namespace opscope::ui {
namespace {

constexpr double kSide = 10, kGap = 6, kBetween = 16;

}  // namespace

KindLegend::KindLegend(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void KindLegend::setEntries(std::vector<Entry> entries) {
  m_entries = std::move(entries);
  QStringList names;
  for (const Entry& entry : m_entries) names << entry.name;
  setAccessibleName(QStringLiteral("Kinds: %1").arg(names.join(QStringLiteral(", "))));
  updateGeometry();
  update();
}

double KindLegend::widthOf(const Entry& entry) const {
  return m_theme->px(kSide + kGap) + QFontMetricsF(m_theme->font(12)).horizontalAdvance(entry.name);
}

QSize KindLegend::sizeHint() const {
  double width = 0;
  for (const Entry& entry : m_entries) width += widthOf(entry) + m_theme->px(kBetween);
  return {int(std::ceil(width)), QFontMetrics(m_theme->font(12)).height()};
}

void KindLegend::paint(QPainter* painter, const QRectF& box) const {
  const QFont font = m_theme->font(12);
  const QFontMetricsF metrics(font);
  const double side = m_theme->px(kSide);
  double x = box.left();
  painter->setFont(font);
  for (const Entry& entry : m_entries) {
    if (x + widthOf(entry) > box.right() + 0.5) return;
    painter->setPen(QPen(m_theme->colours().fillEdge, 1));
    painter->setBrush(entry.fill);
    painter->drawRect(QRectF(std::round(x) + 0.5, std::round(box.top() + (metrics.height() - side) / 2) + 0.5,
                             side - 1, side - 1));
    painter->setPen(m_theme->colours().text);
    painter->drawText(QPointF(x + m_theme->px(kSide + kGap), box.top() + metrics.ascent()), entry.name);
    x += widthOf(entry) + m_theme->px(kBetween);
  }
}

void KindLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(&painter, rect());
}

}  // namespace opscope::ui
