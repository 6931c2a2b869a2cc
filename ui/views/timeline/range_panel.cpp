// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/timeline/range_panel.h"

#include <QHeaderView>
#include <QPainter>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/views/delegates/cell_delegate.h"
#include "ui/views/widgets/header_width.h"

namespace opscope::ui {

void RangeModel::setTotals(std::shared_ptr<const Timeline> timeline, RangeTotals totals, double rangeNs,
                           bool ofView) {
  beginResetModel();
  m_ofView = ofView;
  m_timeline = std::move(timeline);
  m_totals = std::move(totals);
  m_rangeNs = std::max(rangeNs, 1e-3);
  endResetModel();
}

OpId RangeModel::opAt(int row) const {
  if (row < 0 || row >= rowCount()) return {};
  return m_timeline->ops().ops[m_totals.rows[std::size_t(row)].op];
}

int RangeModel::rowOf(const OpId& op) const {
  for (int row = 0; row < rowCount(); ++row) {
    if (opAt(row) == op) return row;
  }
  return -1;
}

int RangeModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_totals.rows.size());
}

int RangeModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : Columns;
}

double RangeModel::percentOf(const RangeTotals::Row& row) const {
  return std::clamp(row.durationNs / m_rangeNs * 100, 0.0, 100.0);
}

QString RangeModel::shown(const RangeTotals::Row& row, int column) const {
  switch (column) {
    case Name:
      return format::fromUtf8(m_timeline->run().names[m_timeline->ops().ops[row.op].name]);
    case Duration:
      return format::microseconds(row.durationNs / 1000);
    case Percent:
      return format::percent(percentOf(row));
    case Count:
      return format::integer(row.count);
    case Mean:
      return format::microseconds(row.durationNs / 1000 / double(row.count));
    default:
      return {};
  }
}

QString RangeModel::plain(const RangeTotals::Row& row, int column) const {
  switch (column) {
    case Duration:
      return format::plain(row.durationNs / 1000);
    case Percent:
      return format::plain(percentOf(row));
    case Count:
      return QString::number(row.count);
    case Mean:
      return format::plain(row.durationNs / 1000 / double(row.count));
    default:
      return shown(row, column);
  }
}

QVariant RangeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const RangeTotals::Row& row = m_totals.rows[std::size_t(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return shown(row, index.column());
    case PlainTextRole:
      return plain(row, index.column());
    case Qt::ToolTipRole:
      return index.column() == Name ? QVariant(shown(row, Name)) : QVariant();
    case Qt::TextAlignmentRole:
      return int((index.column() == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case KindRole:
      return int(m_timeline->ops().slotsOfOp[row.op][std::size_t(TimelineColour::Kind)]);
    case ShareRole: {
      const double largest = m_totals.rows.front().durationNs;
      return largest > 0 ? row.durationNs / largest : 0.0;
    }
    default:
      return {};
  }
}

QVariant RangeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= Columns) return {};
  if (role == Qt::TextAlignmentRole) {
    return int((section == Name || section == Percent ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  }
  static const char* const titles[] = {"Name", "Duration (µs)", "Percent of range", "Count", "Mean (µs)"};
  static const char* const fileTitles[] = {"Name", "Duration (us)", "Percent of range", "Count", "Mean (us)"};
  static const char* const tips[] = {"The op", "Own time of its calls within the range",
                                     "Part of the length of the range", "Calls that reach into the range",
                                     "Duration / Count: of calls at the edges only what lies within"};
  if (role == Qt::DisplayRole && section == Percent && m_ofView) return QStringLiteral("Percent of view");
  if (role == Qt::DisplayRole) return QString::fromUtf8(titles[section]);
  if (role == FileTitleRole) return QString::fromUtf8(fileTitles[section]);
  if (role == Qt::ToolTipRole) return QString::fromUtf8(tips[section]);
  return {};
}

/// Ops has a row for those that take tensors alone, and both name one sum.
QString callsText(const RangeTotals& totals) {
  const QString all = format::counted(totals.calls, "call", "calls");
  if (totals.reportCalls == totals.calls) return all;
  return QStringLiteral("%1 of %2 %3 tensors")
      .arg(format::integer(totals.reportCalls), all,
           totals.reportCalls == 1 ? QStringLiteral("takes") : QStringLiteral("take"));
}

RangePanel::RangePanel(const Theme* theme, Selection* selection, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_selection(selection) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(theme->px(8), theme->px(5), theme->px(6), theme->px(4));
  head->setSpacing(theme->px(8));
  m_title = new Text(theme, 13, &Colours::text, QFont::DemiBold);
  head->addWidget(m_title);
  m_summary = new ElidedText(theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  head->addWidget(m_summary, 1);
  m_choose = new ActionButton(theme, nullptr, QStringLiteral("Make it the range"));
  m_choose->setToolTip(
      QStringLiteral("Ops and Charts then show this part alone, until Esc clears the range"));
  m_zoom = new ActionButton(theme, nullptr, QStringLiteral("Zoom to range"));
  m_zoom->setToolTip(QStringLiteral("Show the range over the whole width (F)"));
  m_ops = new ActionButton(theme, nullptr, QStringLiteral("Show in Ops"));
  m_ops->setToolTip(QStringLiteral("Ops shows the calls of the report that lie within the range"));
  m_close = iconButton(theme, "close", QStringLiteral("Clear the range (Esc)"), this);
  for (QWidget* button : std::initializer_list<QWidget*>{m_choose, m_zoom, m_ops, m_close})
    head->addWidget(button);
  connect(m_choose, &QPushButton::clicked, this, [this]() { m_selection->setRange(m_range); });
  connect(m_ops, &QPushButton::clicked, this, &RangePanel::opsRequested);
  layout->addLayout(head);
  m_model = new RangeModel(this);
  m_table = new DataTable(theme);
  m_table->setModel(m_model);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->horizontalHeader()->setSectionsMovable(false);
  m_table->setItemDelegateForColumn(RangeModel::Name, new NameDelegate(theme, m_table));
  m_table->setItemDelegateForColumn(RangeModel::Percent, new ShareBarDelegate(theme, m_table));
  for (const int column : {RangeModel::Duration, RangeModel::Count, RangeModel::Mean}) {
    m_table->setItemDelegateForColumn(column, new NumberDelegate(theme, m_table));
  }
  layout->addWidget(m_table, 1);
  connect(m_zoom, &QPushButton::clicked, this, &RangePanel::zoomRequested);
  connect(m_close, &QToolButton::clicked, this, [this]() { m_selection->setRange(std::nullopt); });
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (!m_showing && current.isValid()) m_selection->setOp(m_model->opAt(current.row()));
          });
  connect(m_table, &DataTable::rowActivated, this,
          [this](int row) { m_selection->setOp(m_model->opAt(row)); });
  connect(selection, &Selection::opChanged, this, &RangePanel::showSelection);
  connect(theme, &Theme::changed, this, &RangePanel::layoutColumns);
}

void RangePanel::setTotals(std::shared_ptr<const Timeline> timeline, const TimeRange& range,
                           RangeTotals totals, bool ofView) {
  m_range = range;
  m_ofView = ofView;
  m_title->setText(ofView ? QStringLiteral("In view") : QStringLiteral("Selected range"));
  m_table->setAccessibleName(ofView ? QStringLiteral("Ops in view")
                                    : QStringLiteral("Ops of the selected range"));
  m_choose->setVisible(ofView);
  for (QWidget* button : std::initializer_list<QWidget*>{m_zoom, m_ops, m_close}) button->setVisible(!ofView);
  const double length = range.endNs - range.startNs;
  const auto us = [](double ns) { return format::microseconds(ns / 1000) + QStringLiteral("\u00A0µs"); };
  QStringList words;
  words << rangeText(range.startNs, range.endNs) << callsText(totals);
  if (length > 0 && totals.opsNs > 0) {
    words << QStringLiteral("ops %1 (%2\u00A0%)")
                 .arg(us(totals.opsNs), format::percent(totals.opsNs / length * 100, 1));
  }
  if (totals.betweenNs > 0) words << QStringLiteral("between ops %1").arg(us(totals.betweenNs));
  m_summary->setText(words.join(QStringLiteral(" · ")));
  m_showing = true;
  m_model->setTotals(std::move(timeline), std::move(totals), length, ofView);
  m_showing = false;
  layoutColumns();
  showSelection();
}

void RangePanel::showSelection() {
  const int row = m_model->rowOf(m_selection->op());
  if (row == m_table->currentIndex().row()) return;
  m_showing = true;
  if (row < 0) {
    m_table->clearSelection();
    m_table->setCurrentIndex({});
  } else {
    m_table->setCurrentRow(row);
  }
  m_showing = false;
}

void RangePanel::layoutColumns() {
  auto* header = m_table->horizontalHeader();
  const auto numbers = [this](int column) { return headerWidth(m_theme, m_model, column, 104); };
  header->setSectionResizeMode(RangeModel::Name, QHeaderView::Stretch);
  header->resizeSection(RangeModel::Duration, numbers(RangeModel::Duration));
  header->resizeSection(RangeModel::Percent, std::clamp(width() / 4, m_theme->px(130), m_theme->px(360)));
  header->resizeSection(RangeModel::Count, m_theme->px(76));
  header->resizeSection(RangeModel::Mean, numbers(RangeModel::Mean));
}

QSize RangePanel::sizeHint() const {
  return {m_theme->px(400), m_theme->px(220)};
}

void RangePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layoutColumns();
}

void RangePanel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().window);
}

}  // namespace opscope::ui
