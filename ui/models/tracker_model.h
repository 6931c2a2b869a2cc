// SPDX-License-Identifier: GPL-3.0-or-later
// What a tracker knows, by key, as a table. GUI thread; the dialog owns it.
#pragma once

#include <QAbstractTableModel>

#include "ui/bridge/board_types.h"

namespace opscope::ui {

class TrackerModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Key, Free, Busy, Waiting, HeldBy, kColumns };
  using QAbstractTableModel::QAbstractTableModel;

  void setOverview(const session::TrackerOverview& overview);
  void clear();
  const session::TrackerOverview& overview() const { return m_overview; }
  QStringList keys() const;
  /// "2 free, 1 busy" of a key; of all keys when it is empty. Empty when the key is not known.
  QString words(const QString& key) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  session::TrackerOverview m_overview;
};

/// "ada@laptop, since 13:48".
QString holderText(const session::BoardHolder& holder);

}  // namespace opscope::ui
