// SPDX-License-Identifier: GPL-3.0-or-later
// How the time of ops is split between devices: one stacked bar a device, by kind. GUI thread; painted with
// QPainter.
#pragma once

#include <array>

#include "ui/models/device_shares.h"
#include "ui/views/charts/chart.h"
#include "ui/views/charts/kind_legend.h"

namespace opscope::ui {

class DeviceChart : public Chart {
  Q_OBJECT
 public:
  explicit DeviceChart(const ChartContext& context, QWidget* parent = nullptr);
  QString title() const override { return QStringLiteral("Time by device"); }
  QString detail() const override;
  QString emptyText() const override;
  QWidget* titleControl() override { return m_legend; }
  int roomForControl() const override;
  const KindLegend& legend() const { return *m_legend; }
  /// Calls, time and percent, a column each.
  std::array<QString, 3> numbersOf(std::size_t device) const;
  /// The largest op of each kind on each device.
  std::vector<OpId> ops() const override;
  OpId opAt(const QPointF& point) const override;
  std::optional<QRectF> areaOf(const OpId& op) const override;
  QSize pictureSize() const override;
  void paintPicture(QCPPainter* painter, const QSize& size) override;
  const DeviceShares& shares() const { return m_shares; }
  /// Of part `part` of device `device`, within a drawing of `size`.
  QRectF partRect(std::size_t device, std::size_t part, const QSizeF& size) const;

 protected:
  void rebuild() override;
  void showHover(const std::optional<QPointF>& point) override;
  QString hoverText(const QPointF& point) const override;
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Place {
    std::size_t device = 0;
    std::size_t part = 0;
    bool operator==(const Place&) const = default;
  };
  QRectF rowRect(std::size_t device, const QSizeF& size) const;
  std::optional<Place> placeAt(const QPointF& point) const;
  std::optional<Place> placeOf(const OpId& op) const;
  const Fill& fillOf(const Place& place) const;
  OpId opOf(const Place& place) const;
  void paint(QPainter* painter, const QSizeF& size) const;
  void paintRow(QPainter* painter, std::size_t device, const QSizeF& size) const;
  /// Returns where the numbers begin.
  double paintNumbers(QPainter* painter, std::size_t device, const QRectF& words) const;
  /// Under the bars, where the title row has no room for it.
  void paintLegend(QPainter* painter, const QSizeF& size) const;
  void fillLegend();

  DeviceShares m_shares;
  KindLegend* m_legend = nullptr;
  std::optional<Place> m_hovered;
};

}  // namespace opscope::ui
