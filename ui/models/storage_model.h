// SPDX-License-Identifier: GPL-3.0-or-later
// The table of storages: those that were live at a moment, or all of the repeat. GUI thread; the page owns
// it.
#pragma once

#include <QAbstractTableModel>
#include <optional>

#include "ui/models/memory_data.h"

namespace opscope::ui {

class StorageModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Number, HeldFor, Size, Percent, InTensors, TakenBy, From, Until, kColumns };

  explicit StorageModel(QObject* parent = nullptr);

  /// Null: no rows.
  void setData(std::shared_ptr<const MemoryData> data);
  /// The moment whose live storages are shown; nothing: all storages.
  void setMoment(std::optional<double> ns);
  std::optional<double> moment() const { return m_moment; }
  /// Rows whose op does not pass are left out.
  void setFilter(const OpFilter& filter);
  std::uint32_t boxAt(int row) const { return m_rows[std::size_t(row)]; }
  /// -1 when it is not shown.
  int rowOf(std::uint32_t box) const;
  /// Before the filter.
  int unfilteredCount() const { return m_unfiltered; }
  std::int64_t totalBytes() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  void rebuild();
  void order();
  std::optional<double> number(std::uint32_t box, int column) const;
  QString text(std::uint32_t box, int column) const;
  QString shown(std::uint32_t box, int column) const;

  std::shared_ptr<const MemoryData> m_data;
  std::optional<double> m_moment;
  OpFilter m_filter;
  std::vector<std::uint32_t> m_rows;
  int m_unfiltered = 0;
  double m_largest = 0;
  int m_sortColumn = Size;
  Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
};

}  // namespace opscope::ui
