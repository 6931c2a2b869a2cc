// SPDX-License-Identifier: GPL-3.0-or-later
// The Ops table as an item model. GUI thread; the page owns it. Large documents are grouped, sorted and
// filtered in the background: the old rows stay until the new are whole.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "ui/bridge/background.h"
#include "ui/models/op_group.h"
#include "ui/models/ops_folds.h"

namespace opscope::ui {

enum OpsRole {
  PlainTextRole = Qt::UserRole + 1,  ///< what copying a cell gives
  NumberRole,                        ///< the double behind the text
  KindRole,                          ///< int of report::OpKind; invalid where a row holds several
  ShareRole,                         ///< 0 to 1: length of the share bar
  FileTitleRole,                     ///< of a header, as in files
  FoldRole,                          ///< int of Fold; invalid in tables that do not fold
  LevelRole,                         ///< int: 0 a group, 1 its member, 2 a call of that
  ProblemRole,                       ///< bool: the text says what went wrong
};

enum class Fold { Leaf, Folded, Unfolded };

class OpsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  /// `background` must outlive the model.
  explicit OpsModel(Background* background, QObject* parent = nullptr);

  void setDocument(const report::Document& document, OpsWhole whole = OpsWhole::Run);
  void setGrouping(report::Grouping grouping);
  report::Grouping grouping() const { return m_grouping; }
  void setFilter(const OpFilter& filter);
  const OpFilter& filter() const { return m_filter; }

  /// At most this many rows, for a top ten.
  void setRowLimit(std::size_t rows) { m_rowLimit = rows; }

  /// Null until a document is there.
  const OpsData* opsData() const { return m_data.get(); }
  bool isBusy() const { return m_wanted != m_shown; }
  int sortColumn() const { return m_sortColumn; }
  Qt::SortOrder sortOrder() const { return m_sortOrder; }
  /// Of the group, or the member that stands there.
  const report::OpRow& opRow(int row) const;
  /// Rows without members of those that are unfolded.
  int groupCount() const { return int(m_rows.order.size()); }
  /// Sums over these rows: what the filter lets pass.
  double shownUs() const { return m_shownUs; }
  std::int64_t shownCalls() const { return m_shownCalls; }
  int levelOf(int row) const;
  Fold foldOf(int row) const;
  /// The group that a member stands under; -1: it is a group.
  int parentOf(int row) const;
  /// Members come under their row, sorted as the groups are and filtered; of a large run a moment later.
  void setUnfolded(int row, bool unfolded);
  /// Whether any row is unfolded.
  bool hasUnfolded() const { return !m_unfolded.empty(); }
  void foldAll();
  /// Of a coarse row: what it sums, with its ops; groupDescribed brings it, of a large run a moment later.
  /// Null for other rows, and where the group is one op.
  void describeGroup(int row);
  /// Of a coarse row: the longest of its ops.
  OpId opAt(int row) const;
  /// The filter that leaves a coarse row's ops alone; empty for other rows.
  QString filterOf(int row) const;
  /// The call that a row stands for when there is one row for each call.
  std::optional<std::uint32_t> callAt(int row) const;
  /// -1 when it is not shown.
  int rowOf(const OpId& op, std::optional<std::uint32_t> call) const;
  int columnOf(OpsColumn::Kind kind) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 Q_SIGNALS:
  /// New rows are whole (another document, grouping, filter or order).
  void rowsChanged();
  void columnsChanged();
  void groupDescribed(const std::shared_ptr<const OpGroup>& group);
  /// Members came or went; groups stay as they are.
  void membersChanged();

 private:
  static constexpr std::size_t kAllRows = std::size_t(-1);
  struct Prepared {
    std::shared_ptr<const OpsData> data;
    FoldedRows rows;
    FoldMembers members;
    double shownUs = 0;
    std::int64_t shownCalls = 0;
  };
  const OpsData& dataOf(const FoldItem& item) const {
    return item.part == 0 ? *m_data : *m_rows.parts[item.part - 1].data;
  }
  bool folds() const;
  FoldKey keyAt(int row) const;
  int endOfMembers(int row) const;
  void unfold(int row);
  void insertMembers(int row, std::vector<FoldPart> parts, std::vector<FoldItem> items);
  void fold(int row);
  int memberRowOf(int row, const OpId& op, std::optional<std::uint32_t> call) const;
  QVariant foldText(int row, const QString& text) const;
  void rebuild(bool regroup);
  int coarseRowOf(const OpId& op, std::optional<std::uint32_t> call) const;
  void show(Prepared prepared);
  QString nameAt(int row) const;
  QString twinMark(int row) const;
  QVariant cellTooltip(int row, const OpsColumn& column) const;

  Background* m_background;
  report::Document m_document;
  OpsWhole m_whole = OpsWhole::Run;
  report::Grouping m_grouping = report::Grouping::ByOp;
  OpFilter m_filter;
  int m_sortColumn = 1;
  Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
  std::shared_ptr<const OpsData> m_data;
  FoldedRows m_rows;
  FoldKeys m_unfolded;
  FoldMembers m_members;  ///< that were made already, of m_data
  quint64 m_wanted = 0;   ///< number of the newest state asked for
  quint64 m_shown = 0;
  bool m_regroupPending = false;
  double m_shownUs = 0;
  std::int64_t m_shownCalls = 0;
  quint64 m_groupAsked = 0;
  std::size_t m_rowLimit = kAllRows;
};

}  // namespace opscope::ui
