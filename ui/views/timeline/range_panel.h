// SPDX-License-Identifier: GPL-3.0-or-later
// The panel below the Timeline: what the selected range was spent on, or, without one, the part in view. GUI
// thread.
#pragma once

#include <QAbstractTableModel>
#include <QWidget>

#include "ui/models/timeline_data.h"
#include "ui/views/widgets/data_table.h"
#include "ui/views/widgets/panels.h"

namespace opscope::ui {

class RangeModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Duration, Percent, Count, Mean, Columns };
  using QAbstractTableModel::QAbstractTableModel;

  void setTotals(std::shared_ptr<const Timeline> timeline, RangeTotals totals, double rangeNs, bool ofView);
  const RangeTotals& totals() const { return m_totals; }
  OpId opAt(int row) const;
  int rowOf(const OpId& op) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString shown(const RangeTotals::Row& row, int column) const;
  QString plain(const RangeTotals::Row& row, int column) const;
  double percentOf(const RangeTotals::Row& row) const;

  std::shared_ptr<const Timeline> m_timeline;
  RangeTotals m_totals;
  double m_rangeNs = 1;
  bool m_ofView = false;
};

class RangePanel : public QWidget {
  Q_OBJECT
 public:
  RangePanel(const Theme* theme, Selection* selection, QWidget* parent = nullptr);
  /// `ofView`: the range is what the Timeline shows, nobody chose it.
  void setTotals(std::shared_ptr<const Timeline> timeline, const TimeRange& range, RangeTotals totals,
                 bool ofView);
  bool isOfView() const { return m_ofView; }
  const RangeModel* model() const { return m_model; }
  QString summary() const { return m_summary->text(); }
  QSize sizeHint() const override;

 Q_SIGNALS:
  void zoomRequested();
  void opsRequested();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void layoutColumns();
  void showSelection();

  const Theme* m_theme;
  Selection* m_selection;
  RangeModel* m_model;
  DataTable* m_table;
  Text* m_title;
  ElidedText* m_summary;
  ActionButton* m_choose;
  ActionButton* m_zoom;
  ActionButton* m_ops;
  QToolButton* m_close;
  TimeRange m_range;
  bool m_ofView = false;
  bool m_showing = false;
};

}  // namespace opscope::ui
