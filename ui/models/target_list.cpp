// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/target_list.h"

#include "ui/models/board_names.h"

namespace opscope::ui {
namespace {

constexpr int kOwnRows = 2;  ///< this computer, and isolated

QVariant localData(int role) {
  switch (role) {
    case Qt::DisplayRole:
      return ownTargetName(kLocalTarget);
    case TargetList::DetailRole:
    case Qt::ToolTipRole:
      return QStringLiteral("in this process: fastest, least noise");
    case TargetList::IconRole:
      return QStringLiteral("kernel");
    case TargetList::IdRole:
      return kLocalTarget;
    default:
      return {};
  }
}

QVariant isolatedData(int role) {
  switch (role) {
    case Qt::DisplayRole:
      return ownTargetName(kIsolatedTarget);
    case TargetList::DetailRole:
    case Qt::ToolTipRole:
      return QStringLiteral("own process: a crash cannot close Opscope");
    case TargetList::IconRole:
      return QStringLiteral("lock");
    case TargetList::IdRole:
      return kIsolatedTarget;
    default:
      return {};
  }
}

QVariant manageData(int role) {
  switch (role) {
    case Qt::DisplayRole:
      return QStringLiteral("Add or check boards…");
    case Qt::ToolTipRole:
      return QStringLiteral("Open the Boards dialog (Ctrl+B)");
    case TargetList::IconRole:
      return QStringLiteral("plus");
    case TargetList::ShortcutRole:
      return QStringLiteral("Ctrl+B");
    case TargetList::IdRole:
      return TargetList::manageId();
    case TargetList::GroupStartRole:
      return true;
    default:
      return {};
  }
}

}  // namespace

TargetList::TargetList(BoardList* boards, QObject* parent) : QAbstractListModel(parent), m_boards(boards) {
  connect(boards, &QAbstractItemModel::rowsAboutToBeInserted, this,
          [this](const QModelIndex&, int first, int last) {
            beginInsertRows({}, first + kOwnRows, last + kOwnRows);
          });
  connect(boards, &QAbstractItemModel::rowsInserted, this, [this]() {
    endInsertRows();
    refreshNames();
  });
  connect(boards, &QAbstractItemModel::rowsAboutToBeRemoved, this,
          [this](const QModelIndex&, int first, int last) {
            beginRemoveRows({}, first + kOwnRows, last + kOwnRows);
          });
  connect(boards, &QAbstractItemModel::rowsRemoved, this, [this]() {
    endRemoveRows();
    refreshNames();
  });
  connect(boards, &QAbstractItemModel::modelAboutToBeReset, this, [this]() { beginResetModel(); });
  connect(boards, &QAbstractItemModel::modelReset, this, [this]() {
    endResetModel();
    refreshNames();
  });
  connect(boards, &QAbstractItemModel::dataChanged, this,
          [this](const QModelIndex& first, const QModelIndex& last) {
            refreshNames();
            Q_EMIT dataChanged(index(first.row() + kOwnRows), index(last.row() + kOwnRows));
          });
  refreshNames();
}

void TargetList::refreshNames() {
  QHash<QString, QString> names;
  for (const SavedBoard& board : m_boards->boards())
    names.insert(board.id, distinctName(m_boards->boards(), board));
  if (names == m_names) return;
  m_names = std::move(names);
  Q_EMIT dataChanged(index(kOwnRows), index(rowCount() - 1));
}

const QString& TargetList::manageId() {
  static const QString id = QStringLiteral("manage");
  return id;
}

int TargetList::rowOf(const QString& id) const {
  for (int row = 0; row < rowCount(); ++row) {
    if (idAt(row) == id) return row;
  }
  return -1;
}

QString TargetList::idAt(int row) const {
  return data(index(row), IdRole).toString();
}

int TargetList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : m_boards->rowCount() + kOwnRows + 1;
}

QVariant TargetList::boardData(const SavedBoard& board, int role) const {
  switch (role) {
    case Qt::DisplayRole:
      return m_names.value(board.id, board.name);
    case DetailRole:
      return QStringLiteral("%1 · %2").arg(board.place(), board.stateToday());
    case Qt::ToolTipRole:
      return QStringLiteral("%1\n%2\n%3")
          .arg(m_names.value(board.id, board.name), board.target(), board.stateToday());
    case IconRole:
      return QStringLiteral("board");
    case IdRole:
      return board.id;
    case GroupStartRole:
      return board.id == m_boards->boards().front().id;
    default:
      return {};
  }
}

QVariant TargetList::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (index.row() == 0) return localData(role);
  if (index.row() == 1) return isolatedData(role);
  const auto board = std::size_t(index.row() - kOwnRows);
  if (board < m_boards->boards().size()) return boardData(m_boards->boards()[board], role);
  return manageData(role);
}

QString targetName(const BoardList& boards, const QString& id) {
  const QString own = ownTargetName(id.isEmpty() ? kLocalTarget : id);
  if (!own.isEmpty()) return own;
  const SavedBoard* board = boards.find(id);
  return board != nullptr ? distinctName(boards.boards(), *board) : id;
}

}  // namespace opscope::ui
