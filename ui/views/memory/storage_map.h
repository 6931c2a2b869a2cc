// SPDX-License-Identifier: GPL-3.0-or-later
// Storages as boxes of bytes and time. One that is chosen is marked; those of the op that is chosen elsewhere
// too, and those that do not pass the filter are dimmed. GUI thread.
#pragma once

#include "ui/views/memory/time_chart.h"

namespace opscope::ui {

class StorageMap : public TimeChart {
  Q_OBJECT
 public:
  StorageMap(const Theme* theme, TimeAxis* axis, QWidget* around);
  void setMemory(std::shared_ptr<const MemoryData> shown) override;
  QSize sizeHint() const override { return {theme()->px(600), theme()->px(240)}; }
  /// The box that is chosen, if any, and the op.
  void setChosen(std::optional<std::uint32_t> box, const OpId& op);
  void setFilter(const OpFilter& filter);
  /// Where a box is drawn now.
  QRectF rectOf(std::uint32_t box) const;
  /// The box under a point.
  std::optional<std::uint32_t> boxAt(const QPointF& point) const;

 Q_SIGNALS:
  void boxChosen(std::uint32_t box);

 protected:
  double highest() const override;
  void paintData(QPainter* painter, const QRectF& plot) override;
  TipText tipAt(const QPointF& point) const override;
  void choose(const QPointF& point) override;

 private:
  void paintName(QPainter* painter, const QRectF& box, std::uint32_t index, const Fill& fill) const;
  const Fill& fillOf(std::uint32_t box) const;
  bool passes(std::uint32_t box) const { return m_dimmed.empty() || m_dimmed[box] == 0; }

  std::optional<std::uint32_t> m_chosen;
  OpId m_op;
  OpFilter m_filter;
  std::vector<char> m_dimmed;
};

}  // namespace opscope::ui
