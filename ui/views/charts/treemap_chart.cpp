// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/treemap_chart.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/models/squarify.h"
#include "ui/views/charts/custom_plot.h"

namespace opscope::ui {
namespace {

constexpr double kSmallestArea = 12;  // px²: below, boxes are joined into one
constexpr double kHoverWhite = 0.18;

/// Snapped to pixels, with the gap to the right and below.
QRectF drawnBox(const QRectF& box) {
  const double left = std::round(box.left()), top = std::round(box.top());
  return QRectF(left, top, std::max(0.0, std::round(box.right()) - left - 1),
                std::max(0.0, std::round(box.bottom()) - top - 1));
}

}  // namespace

TreemapChart::TreemapChart(const ChartContext& context, QWidget* parent) : Chart(context, parent) {}

QString TreemapChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  if (m_inside) {
    return QStringLiteral("%1 only · Backspace shows all kinds").arg(kindText(*m_inside));
  }
  const QString words = QStringLiteral("area is duration, grouped by kind");
  const bool fused = std::ranges::any_of(run()->byOp.rows, [this](const report::OpRow& row) {
    return std::string_view(report::nameOf(run()->run(), row)).starts_with("fused_");
  });
  return fused ? words + QStringLiteral(" · long names without fused_") : words;
}

QString TreemapChart::emptyText() const {
  if (m_shares.kinds.empty()) return QStringLiteral("This report has no ops.");
  if (m_shares.opsUs <= 0) return QStringLiteral("All ops of this report took no time.");
  return {};
}

void TreemapChart::rebuild() {
  m_shares = kindShares(run()->byOp);
  const auto& kinds = m_shares.kinds;
  const bool there = std::any_of(kinds.begin(), kinds.end(), [&](const KindShare& share) {
    return share.kind == m_inside && share.us > 0;
  });
  if (!there) m_inside.reset();
  m_hoveredRow = report::kNone;
  m_layout = {};
  update();
}

void TreemapChart::setInside(std::optional<report::OpKind> kind) {
  if (kind == m_inside) return;
  m_inside = kind;
  m_layout = {};
  update();
  Q_EMIT textsChanged();
}

void TreemapChart::takeView(const Chart& other) {
  if (const auto* chart = qobject_cast<const TreemapChart*>(&other)) m_inside = chart->m_inside;
}

void TreemapChart::showSelection() {
  const report::OpRow* row = rowOf(selection()->op());
  // What was chosen elsewhere must be seen.
  if (row != nullptr && m_inside && row->kind != *m_inside) setInside(std::nullopt);
  update();
}

void TreemapChart::fillMenu(QMenu* menu) {
  QAction* out =
      menu->addAction(QStringLiteral("Show all kinds"), this, [this]() { setInside(std::nullopt); });
  out->setEnabled(m_inside.has_value());
}

const TreemapChart::Layout& TreemapChart::layoutFor(const QSizeF& size) const {
  if (m_layout.size == size) return m_layout;
  m_layout = {size, {}, {}};
  if (!emptyText().isEmpty()) return m_layout;
  const double margin = theme()->px(6);
  const QRectF area = QRectF(QPointF(), size).adjusted(margin, theme()->px(4), -margin, -margin);
  std::vector<double> values;
  for (const KindShare& share : m_shares.kinds)
    values.push_back(m_inside && share.kind != *m_inside ? 0 : share.us);
  // Descending order is kept when all but one are left out, as that one then comes first.
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  std::sort(values.begin(), values.end(), std::greater<>());
  const auto boxes = squarify(area, values);
  for (std::size_t i = 0; i < boxes.size() && values[i] > 0; ++i) layBlock(&m_layout, order[i], boxes[i]);
  return m_layout;
}

void TreemapChart::layBlock(Layout* layout, std::size_t kind, const QRectF& box) const {
  const KindShare& share = m_shares.kinds[kind];
  const double headerHeight = theme()->px(18);
  Block block{box, {}, kind};
  QRectF inner = box;
  if (box.width() >= theme()->px(58) && box.height() >= headerHeight + theme()->px(24)) {
    block.header = QRectF(box.topLeft(), QSizeF(box.width(), headerHeight));
    inner.setTop(box.top() + headerHeight);
  }
  layout->blocks.push_back(block);
  const double smallestUs = kSmallestArea * share.us / std::max(1.0, inner.width() * inner.height());
  std::vector<double> values;
  double restUs = 0;
  std::size_t own = 0;
  for (const std::uint32_t row : share.rows) {
    const double us = std::max(0.0, run()->byOp.rows[row].durationUs);
    if (us >= smallestUs) {
      values.push_back(us);
      ++own;
    } else {
      restUs += us;
    }
  }
  // The rest may be larger than the smallest op; boxes want descending values.
  const auto place =
      std::size_t(std::upper_bound(values.begin(), values.end(), restUs, std::greater<>()) - values.begin());
  if (restUs > 0) values.insert(values.begin() + std::ptrdiff_t(place), restUs);
  const auto boxes = squarify(inner, values);
  std::size_t next = 0;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const bool rest = restUs > 0 && i == place;
    Cell cell{boxes[i], report::kNone, kind, rest ? share.rows.size() - own : 0, values[i]};
    if (!rest) cell.row = share.rows[next++];
    layout->cells.push_back(cell);
  }
}

std::vector<OpId> TreemapChart::ops() const {
  std::vector<OpId> ops;
  for (const Cell& cell : layoutFor(size()).cells) {
    if (cell.rest == 0) ops.push_back(opOf(run()->byOp.rows[cell.row]));
  }
  return ops;
}

const TreemapChart::Cell* TreemapChart::cellAt(const QPointF& point) const {
  const auto& cells = layoutFor(size()).cells;
  const auto found =
      std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) { return cell.box.contains(point); });
  return found == cells.end() ? nullptr : &*found;
}

std::optional<std::size_t> TreemapChart::kindAt(const QPointF& point) const {
  for (const Block& block : layoutFor(size()).blocks) {
    if (block.box.contains(point)) return block.kind;
  }
  return std::nullopt;
}

OpId TreemapChart::opAt(const QPointF& point) const {
  const Cell* cell = cellAt(point);
  return cell == nullptr || cell->rest > 0 ? OpId() : opOf(run()->byOp.rows[cell->row]);
}

std::optional<QRectF> TreemapChart::areaOf(const OpId& op) const {
  for (const Cell& cell : layoutFor(size()).cells) {
    if (cell.rest == 0 && opOf(run()->byOp.rows[cell.row]) == op) return cell.box;
  }
  return std::nullopt;
}

void TreemapChart::showHover(const std::optional<QPointF>& point) {
  const Cell* cell = point ? cellAt(*point) : nullptr;
  const std::uint32_t row = cell == nullptr ? report::kNone : cell->row;
  if (row == m_hoveredRow) return;
  m_hoveredRow = row;
  update();
}

QString TreemapChart::hoverText(const QPointF& point) const {
  const Cell* cell = cellAt(point);
  if (cell != nullptr && cell->rest == 0) return describe(run()->byOp.rows[cell->row]);
  const auto kind = kindAt(point);
  if (!kind) return {};
  const KindShare& share = m_shares.kinds[*kind];
  const QString name = kindText(share.kind);
  if (cell != nullptr) {
    return QStringLiteral("%1 of %2, together %3")
        .arg(format::counted(std::int64_t(cell->rest), "small op", "small ops"), name,
             format::duration(cell->us).text());
  }
  return QStringLiteral("%1\n%2 · %3 % of the total\n%4")
      .arg(name, format::duration(share.us).text(), format::percent(share.percent),
           format::counted(std::int64_t(share.rows.size()), "group", "groups"));
}

void TreemapChart::paintRest(QPainter* painter, const Cell& cell, const QRectF& box) const {
  const Colours& c = theme()->colours();
  if (box.width() < theme()->px(58) || box.height() < theme()->px(20)) {
    const Fill& fill = theme()->kindFill(m_shares.kinds[cell.kind].kind);
    painter->fillRect(box, QBrush(fill.fill, Qt::Dense4Pattern));
    return;
  }
  painter->setPen(dashedPen(c.controlBorder));
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
  const QFont font = theme()->font(12);
  const QFontMetricsF metrics(font);
  const QRectF text = box.adjusted(theme()->px(5), theme()->px(3), -theme()->px(4), 0);
  painter->setPen(c.textSecondary);
  painter->setFont(font);
  const QString words = format::counted(std::int64_t(cell.rest), "small op", "small ops");
  painter->drawText(QRectF(text.topLeft(), QSizeF(text.width(), metrics.height())), Qt::AlignLeft,
                    metrics.elidedText(words, Qt::ElideRight, text.width()));
}

void TreemapChart::paintCell(QPainter* painter, const Cell& cell) const {
  const QRectF box = drawnBox(cell.box);
  if (box.isEmpty()) return;
  if (cell.rest > 0) {
    paintRest(painter, cell, box);
    return;
  }
  const Fill& fill = fillOf(run()->byOp.rows[cell.row]);
  painter->fillRect(box, fill.fill);
  if (cell.row == m_hoveredRow) painter->fillRect(box, QColor::fromRgbF(1, 1, 1, float(kHoverWhite)));
  if (box.width() < theme()->px(58) || box.height() < theme()->px(20)) return;
  const report::OpRow& row = run()->byOp.rows[cell.row];
  const QFont font = theme()->font(12, QFont::Medium);
  const QFontMetricsF metrics(font);
  const QRectF text = box.adjusted(theme()->px(5), theme()->px(3), -theme()->px(4), 0);
  painter->setPen(fill.ink);
  painter->setFont(font);
  painter->drawText(QRectF(text.topLeft(), QSizeF(text.width(), metrics.height())),
                    Qt::AlignLeft | Qt::AlignVCenter,
                    metrics.elidedText(shownName(row, text.width()), Qt::ElideMiddle, text.width()));
  if (box.height() < theme()->px(38)) return;
  const QFont small = theme()->font(11);
  const QFontMetricsF smallMetrics(small);
  QString numbers = format::duration(row.durationUs).text();
  if (row.count > 1) {
    const QString calls = numbers + QStringLiteral(" · ×%1").arg(format::integer(row.count));
    if (smallMetrics.horizontalAdvance(calls) <= text.width()) numbers = calls;
  }
  painter->setFont(small);
  painter->drawText(QRectF(text.left(), text.top() + metrics.height(), text.width(), smallMetrics.height()),
                    Qt::AlignLeft | Qt::AlignVCenter,
                    smallMetrics.elidedText(numbers, Qt::ElideRight, text.width()));
}

QString TreemapChart::shownName(const report::OpRow& row, double width) const {
  const QString name = format::fromUtf8(report::nameOf(run()->run(), row));
  return QFontMetricsF(theme()->font(12, QFont::Medium)).horizontalAdvance(name) <= width ? name
                                                                                          : shortName(name);
}

void TreemapChart::paintHeader(QPainter* painter, const Block& block) const {
  if (block.header.isEmpty()) return;
  const KindShare& share = m_shares.kinds[block.kind];
  const QRectF row = block.header.adjusted(theme()->px(4), 0, -theme()->px(5), 0);
  const QFont bold = theme()->font(11, QFont::DemiBold), plain = theme()->font(11);
  const QString percent = QStringLiteral("%1 %").arg(format::percent(share.percent, 1));
  const double percentWidth = QFontMetricsF(plain).horizontalAdvance(percent);
  const QFontMetricsF metrics(bold);
  const QString name = kindText(share.kind);
  const bool both = metrics.horizontalAdvance(name) + percentWidth + theme()->px(8) <= row.width();
  painter->setPen(theme()->colours().text);
  painter->setFont(bold);
  painter->drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                    metrics.elidedText(name, Qt::ElideRight, row.width()));
  if (!both) return;
  painter->setPen(theme()->colours().textSecondary);
  painter->setFont(plain);
  painter->drawText(row, Qt::AlignRight | Qt::AlignVCenter, percent);
}

void TreemapChart::paint(QPainter* painter, const QSizeF& size) const {
  const Layout& layout = layoutFor(size);
  const report::OpRow* chosen = rowOf(selection()->op());
  const Cell* outlined = nullptr;
  for (const Cell& cell : layout.cells) {
    paintCell(painter, cell);
    if (chosen != nullptr && cell.rest == 0 && &run()->byOp.rows[cell.row] == chosen) outlined = &cell;
  }
  for (const Block& block : layout.blocks) paintHeader(painter, block);
  if (outlined == nullptr) return;
  painter->setPen(QPen(theme()->colours().text, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(drawnBox(outlined->box));
}

void TreemapChart::paintPicture(QCPPainter* painter, const QSize& size) {
  paint(painter, size);
}

void TreemapChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme()->colours().base);
  if (run() != nullptr) paint(&painter, size());
  paintFocus(&painter);
}

void TreemapChart::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || run() == nullptr) return;
  if (const auto kind = kindAt(event->position())) setInside(m_shares.kinds[*kind].kind);
}

void TreemapChart::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const report::OpRow* row = run() == nullptr ? nullptr : rowOf(selection()->op());
  if (event->key() == Qt::Key_Backspace && m_inside) {
    setInside(std::nullopt);
  } else if (enter && row != nullptr && !m_inside) {
    setInside(row->kind);
  } else {
    Chart::keyPressEvent(event);
  }
}

}  // namespace opscope::ui
