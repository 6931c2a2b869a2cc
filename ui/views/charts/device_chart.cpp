// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/charts/device_chart.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <set>

#include "ui/models/chart_data.h"
#include "ui/models/format.h"
#include "ui/views/charts/custom_plot.h"
#include "ui/views/look/digits.h"

namespace opscope::ui {

DeviceChart::DeviceChart(const ChartContext& context, QWidget* parent) : Chart(context, parent) {
  m_legend = new KindLegend(theme(), this);
  m_legend->hide();
}

int DeviceChart::roomForControl() const {
  constexpr double kTitleAndButtons = 460;
  if (m_legend->entries().empty()) return QWIDGETSIZE_MAX;
  return m_legend->sizeHint().width() + theme()->px(kTitleAndButtons);
}

QString DeviceChart::detail() const {
  if (!emptyText().isEmpty()) return {};
  return run()->run().repeats > 1 ? QStringLiteral("time in ops, mean of a repeat · % of the total")
                                  : QStringLiteral("time in ops · % of the total");
}

QString DeviceChart::emptyText() const {
  if (m_shares.devices.empty()) return QStringLiteral("This report has no ops.");
  if (m_shares.opsUs <= 0) return QStringLiteral("All ops of this report took no time.");
  return {};
}

QSize DeviceChart::pictureSize() const {
  return {760, 60 + 56 * int(std::max<std::size_t>(m_shares.devices.size(), 1))};
}

void DeviceChart::rebuild() {
  m_shares = deviceShares(*run());
  fillLegend();
  m_hovered.reset();
  update();
}

OpId DeviceChart::opOf(const Place& place) const {
  const std::uint32_t row = m_shares.devices[place.device].parts[place.part].largestRow;
  return ui::opOf(run()->byOp.rows[row]);
}

std::vector<OpId> DeviceChart::ops() const {
  std::vector<OpId> result;
  for (std::size_t device = 0; device < m_shares.devices.size(); ++device) {
    for (std::size_t part = 0; part < m_shares.devices[device].parts.size(); ++part)
      result.push_back(opOf({device, part}));
  }
  return result;
}

QRectF DeviceChart::rowRect(std::size_t device, const QSizeF& size) const {
  const double margin = theme()->px(12), top = theme()->px(10), foot = theme()->px(34);
  const double count = double(std::max<std::size_t>(m_shares.devices.size(), 1));
  const double height =
      std::clamp((size.height() - top - foot) / count, double(theme()->px(40)), double(theme()->px(64)));
  return QRectF(margin, top + height * double(device), std::max(0.0, size.width() - 2 * margin), height);
}

QRectF DeviceChart::partRect(std::size_t device, std::size_t part, const QSizeF& size) const {
  const QRectF row = rowRect(device, size);
  const DeviceShare& share = m_shares.devices[device];
  double before = 0;
  for (std::size_t i = 0; i < part; ++i) before += share.parts[i].us;
  const double scale = m_shares.largestUs > 0 ? row.width() / m_shares.largestUs : 0;
  const double left = std::round(row.left() + before * scale);
  const double right = std::round(row.left() + (before + share.parts[part].us) * scale);
  const double top = row.top() + theme()->px(20);
  return QRectF(left, top, right - left,
                std::min(row.bottom() - top - theme()->px(4), double(theme()->px(24))));
}

std::optional<DeviceChart::Place> DeviceChart::placeAt(const QPointF& point) const {
  for (std::size_t device = 0; device < m_shares.devices.size(); ++device) {
    for (std::size_t part = 0; part < m_shares.devices[device].parts.size(); ++part) {
      if (partRect(device, part, size()).contains(point)) return Place{device, part};
    }
  }
  return std::nullopt;
}

OpId DeviceChart::opAt(const QPointF& point) const {
  const auto place = placeAt(point);
  return place ? opOf(*place) : OpId();
}

std::optional<DeviceChart::Place> DeviceChart::placeOf(const OpId& op) const {
  const report::OpRow* row = rowOf(op);
  if (row == nullptr) return std::nullopt;
  const std::uint32_t device = row->device < run()->run().devices.size() ? row->device : report::kNone;
  for (std::size_t i = 0; i < m_shares.devices.size(); ++i) {
    if (m_shares.devices[i].device != device) continue;
    for (std::size_t part = 0; part < m_shares.devices[i].parts.size(); ++part) {
      if (m_shares.devices[i].parts[part].kind == row->kind) return Place{i, part};
    }
  }
  return std::nullopt;
}

std::optional<QRectF> DeviceChart::areaOf(const OpId& op) const {
  const auto place = placeOf(op);
  return place ? std::optional(partRect(place->device, place->part, size())) : std::nullopt;
}

const Fill& DeviceChart::fillOf(const Place& place) const {
  const DeviceShare& share = m_shares.devices[place.device];
  if (selection()->colourBy() == ColourBy::Device)
    return theme()->deviceFill(share.device == report::kNone ? 0 : int(share.device));
  return theme()->kindFill(share.parts[place.part].kind);
}

void DeviceChart::showHover(const std::optional<QPointF>& point) {
  const auto hovered = point ? placeAt(*point) : std::nullopt;
  if (hovered == m_hovered) return;
  m_hovered = hovered;
  update();
}

QString DeviceChart::hoverText(const QPointF& point) const {
  const auto place = placeAt(point);
  if (!place) return {};
  const DeviceShare& share = m_shares.devices[place->device];
  const DevicePart& part = share.parts[place->part];
  const report::OpRow& largest = run()->byOp.rows[part.largestRow];
  return QStringLiteral("%1 on %2\n%3 · %4 % of the device · %5\nLargest: %6")
      .arg(kindText(part.kind), share.name, format::duration(part.us).text(),
           format::percent(share.us > 0 ? part.us / share.us * 100 : 0),
           format::counted(part.calls, "call", "calls"),
           format::fromUtf8(report::nameOf(run()->run(), largest)));
}

void DeviceChart::paintRow(QPainter* painter, std::size_t device, const QSizeF& size) const {
  const Colours& c = theme()->colours();
  const DeviceShare& share = m_shares.devices[device];
  const QRectF row = rowRect(device, size);
  const QRectF words(row.left(), row.top(), row.width(), theme()->px(18));
  const QFont bold = theme()->font(12, QFont::DemiBold), plain = theme()->font(12);
  painter->setPen(c.textSecondary);
  const double room = paintNumbers(painter, device, words) - words.left() - theme()->px(12);
  painter->setFont(bold);
  painter->setPen(c.text);
  painter->drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
                    QFontMetricsF(bold).elidedText(share.name, Qt::ElideMiddle, std::max(0.0, room)));
  for (std::size_t part = 0; part < share.parts.size(); ++part) {
    const QRectF box = partRect(device, part, size);
    if (box.width() < 1) continue;
    const Fill& fill = fillOf({device, part});
    const bool hovered = m_hovered == Place{device, part};
    painter->fillRect(box, hovered ? fill.fill.lighter(115) : fill.fill);
    if (box.width() < 4) continue;
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(c.fillEdge, 1));
    painter->drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    const QString name = kindText(share.parts[part].kind);
    painter->setFont(plain);
    if (QFontMetricsF(plain).horizontalAdvance(name) + theme()->px(14) > box.width()) continue;
    painter->setPen(fill.ink);
    painter->drawText(box.adjusted(theme()->px(7), 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
  }
}

std::array<QString, 3> DeviceChart::numbersOf(std::size_t device) const {
  const DeviceShare& share = m_shares.devices[device];
  return {format::counted(share.calls, "call", "calls"),
          format::microseconds(share.us) + QStringLiteral("\u00A0µs"),
          format::percent(share.percent) + QStringLiteral("\u00A0%")};
}

double DeviceChart::paintNumbers(QPainter* painter, std::size_t device, const QRectF& words) const {
  const DigitPainter digits(theme()->font(12));
  std::array<double, 3> widths{};
  for (std::size_t i = 0; i < m_shares.devices.size(); ++i) {
    const auto texts = numbersOf(i);
    for (std::size_t column = 0; column < texts.size(); ++column)
      widths[column] = std::max(widths[column], digits.width(texts[column]));
  }
  const auto texts = numbersOf(device);
  QRectF cell = words;
  for (std::size_t column = texts.size(); column-- > 0;) {
    digits.drawRight(painter, cell, texts[column]);
    cell.setRight(cell.right() - widths[column] - theme()->px(16));
  }
  return cell.right();
}

void DeviceChart::fillLegend() {
  std::set<report::OpKind> present;
  for (const DeviceShare& share : m_shares.devices) {
    for (const DevicePart& part : share.parts) present.insert(part.kind);
  }
  std::vector<report::OpKind> kinds;
  if (selection()->colourBy() != ColourBy::Device) kinds.assign(present.begin(), present.end());
  // In the order of the fills, as on every page.
  std::stable_sort(kinds.begin(), kinds.end(), [this](report::OpKind a, report::OpKind b) {
    return &theme()->kindFill(a) < &theme()->kindFill(b);
  });
  std::vector<KindLegend::Entry> entries;
  for (const report::OpKind kind : kinds) entries.push_back({kindText(kind), theme()->kindFill(kind).fill});
  m_legend->setEntries(std::move(entries));
}

void DeviceChart::paintLegend(QPainter* painter, const QSizeF& size) const {
  if (!m_legend->isHidden()) return;
  const QRectF last = rowRect(m_shares.devices.size() - 1, size);
  m_legend->paint(painter,
                  QRectF(last.left(), last.bottom() + theme()->px(8), last.width(), theme()->px(20)));
}

void DeviceChart::paint(QPainter* painter, const QSizeF& size) const {
  if (!emptyText().isEmpty()) return;
  for (std::size_t device = 0; device < m_shares.devices.size(); ++device) paintRow(painter, device, size);
  paintLegend(painter, size);
  const auto chosen = placeOf(selection()->op());
  if (!chosen) return;
  painter->setPen(QPen(theme()->colours().text, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
  painter->setBrush(Qt::NoBrush);
  painter->drawRect(partRect(chosen->device, chosen->part, size).adjusted(1, 1, -1, -1).normalized());
}

void DeviceChart::paintPicture(QCPPainter* painter, const QSize& size) {
  paint(painter, size);
}

void DeviceChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme()->colours().base);
  if (run() != nullptr) paint(&painter, size());
  paintFocus(&painter);
}

}  // namespace opscope::ui
