// SPDX-License-Identifier: GPL-3.0-or-later
// The saved runs as an item model: sorting, filter, ticks, notes and tags that can be written in place. GUI
// thread; the panel owns it. A new list changes rows in place, so that selection, scrolling and a note that
// is being written stay.
#pragma once

#include <QAbstractTableModel>
#include <QDateTime>
#include <QHash>
#include <memory>
#include <vector>

#include "ui/bridge/run_store.h"
#include "ui/models/saved_board.h"

namespace opscope::ui {

using RunGroup = std::vector<store::RunId>;

class RunsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using RunId = store::RunId;
  using Runs = RunStore::Runs;
  enum Column { Tick, Model, Function, Target, Device, When, Total, Noise, Repeats, Tags, Note, kColumns };
  static constexpr std::size_t kTicksAtMost = 2;
  /// What a run is chosen for: one of two, or one of a group.
  enum class Choice { None, Ticked, Old, New };
  static constexpr int kChoiceRole = Qt::UserRole + 60;  ///< int of Choice, of the tick's cell

  explicit RunsModel(QObject* parent = nullptr);

  void setRuns(const std::shared_ptr<const Runs>& runs);
  /// Runs on one of these boards show its name in place of its address.
  void setBoards(const std::vector<SavedBoard>& boards);
  /// Runs that hold each of the words in some text; case does not count.
  void setFilter(const QString& words);
  const QString& filter() const { return m_filter; }
  std::size_t runCount() const { return m_runs->size(); }
  const store::StoredRun& runAt(int row) const { return (*m_runs)[m_order[std::size_t(row)]]; }
  /// -1 when it is not shown.
  int rowOf(RunId id) const;
  int sortColumn() const { return m_sortColumn; }
  Qt::SortOrder sortOrder() const { return m_sortOrder; }

  /// Older first: what is compared with what.
  std::vector<RunId> ticked() const;
  /// A tick more than two takes the first one away.
  void setTicked(RunId id, bool ticked);
  void clearTicks();
  Choice choiceOf(RunId id) const;
  /// Into a group, or out of both with None. Plain ticks go away: what is compared is told by one of both.
  void setGroup(const RunGroup& ids, Choice group);
  /// Of Old or New, ascending.
  RunGroup group(Choice which) const;
  bool hasGroups() const { return !m_groups.isEmpty(); }
  void clearGroups();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  void sort(int column, Qt::SortOrder order) override;

 Q_SIGNALS:
  void ticksChanged();
  /// Written by the user; the list has it when the store has it.
  void noteEdited(store::RunId id, const QString& note);
  void tagsEdited(store::RunId id, const QStringList& tags);
  /// Rows came, went or moved.
  void rowsChanged();

 private:
  struct Pending {
    QString note;
    QStringList tags;
    bool hasNote = false;
    bool hasTags = false;
  };
  void rebuild();
  void tellTicks();
  /// A click in the cell once there are groups: from one to the next, to none.
  void step(RunId id);
  /// Rows in another order, some new, some gone, with the least of notifications. `runs` is the new list.
  void changeRows(const std::shared_ptr<const Runs>& runs, std::vector<std::uint32_t> order);
  std::vector<std::uint32_t> orderOf(const Runs& runs) const;
  bool passes(const store::StoredRun& run, const QStringList& words) const;
  int compare(const store::StoredRun& a, const store::StoredRun& b) const;
  QString noteOf(const store::StoredRun& run) const;
  QString targetOf(const store::StoredRun& run) const;
  QStringList tagsOf(const store::StoredRun& run) const;
  QString shownText(const store::StoredRun& run, int column) const;
  QString plainText(const store::StoredRun& run, int column) const;
  QString tooltip(const store::StoredRun& run, int column) const;
  QString tickWords(const store::StoredRun& run) const;
  void chooseDecimals();
  void tellChanges();

  std::shared_ptr<const Runs> m_runs;
  std::vector<std::uint32_t> m_order;
  QString m_filter;
  int m_sortColumn = When;
  Qt::SortOrder m_sortOrder = Qt::DescendingOrder;
  std::vector<RunId> m_ticked;  ///< in the order in which they were ticked
  QHash<RunId, Choice> m_groups;
  QHash<QString, QString> m_boardNames;  ///< by target without what stands behind "?"
  QHash<RunId, Pending> m_pending;
  QHash<RunId, QString> m_written;  ///< tags and note of each row, as views know them
  int m_decimals = 1;
};

/// When a run was made (saved, when it does not tell), as the store has it.
const std::string& momentOf(const store::StoredRun& run);
/// Of the time a run was made (saved, when it does not tell); invalid when neither can be read. Local time.
QDateTime timeOf(const store::StoredRun& run);
/// "This computer", or the target as it is.
QString targetText(const std::string& target);
/// "basic_pitch.so · main · Today 14:02:31", for choices and titles.
QString runTitle(const store::StoredRun& run, bool withFunction = true, bool withDate = true);

}  // namespace opscope::ui
