// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/board_list.h"

#include <QUuid>
#include <algorithm>
#include <utility>

namespace opscope::ui {

const SavedBoard* BoardList::find(const QString& id) const {
  const int row = rowOf(id);
  return row < 0 ? nullptr : &m_boards[std::size_t(row)];
}

int BoardList::rowOf(const QString& id) const {
  const auto found = std::ranges::find(m_boards, id, &SavedBoard::id);
  return found == m_boards.end() ? -1 : int(found - m_boards.begin());
}

void BoardList::restore(const QJsonArray& array) {
  beginResetModel();
  m_boards.clear();
  m_past.clear();
  for (const QJsonValue& value : array) {
    SavedBoard board = boardFromJson(value.toObject());
    if (board.id.isEmpty() || rowOf(board.id) >= 0) board.id = newId();
    m_boards.push_back(std::move(board));
  }
  endResetModel();
}

QJsonArray BoardList::save() const {
  QJsonArray array;
  for (const SavedBoard& board : m_boards) array.append(toJson(board));
  return array;
}

QString BoardList::newId() const {
  return QUuid::createUuid().toString(QUuid::WithoutBraces).left(8);
}

QString BoardList::freeName(const QString& name) const {
  const auto taken = [this](const QString& candidate) {
    return std::ranges::any_of(m_boards, [&](const SavedBoard& board) { return board.name == candidate; });
  };
  for (int number = 2;; ++number) {
    const QString candidate = QStringLiteral("%1 (%2)").arg(name).arg(number);
    if (!taken(candidate)) return candidate;
  }
}

void BoardList::keepStep(const QString& id, const QString& words, bool isEdit) {
  if (isEdit && !m_past.empty() && m_past.back().isEdit && m_past.back().id == id) return;
  m_past.push_back({m_boards, id, words, isEdit});
  if (m_past.size() > kMostSteps) m_past.erase(m_past.begin());
}

int BoardList::add(SavedBoard board) {
  board.id = newId();
  keepStep(board.id, QStringLiteral("Add “%1”").arg(board.name), false);
  const int row = int(m_boards.size());
  beginInsertRows({}, row, row);
  m_boards.push_back(std::move(board));
  endInsertRows();
  Q_EMIT changed();
  return row;
}

int BoardList::duplicate(int row) {
  SavedBoard copy = m_boards[std::size_t(row)];
  copy.id = newId();
  copy.name = freeName(copy.name);
  keepStep(copy.id, QStringLiteral("Duplicate “%1”").arg(m_boards[std::size_t(row)].name), false);
  beginInsertRows({}, row + 1, row + 1);
  m_boards.insert(m_boards.begin() + row + 1, std::move(copy));
  endInsertRows();
  Q_EMIT changed();
  return row + 1;
}

void BoardList::remove(int row) {
  const SavedBoard& board = m_boards[std::size_t(row)];
  keepStep(board.id, QStringLiteral("Remove “%1”").arg(board.name), false);
  beginRemoveRows({}, row, row);
  m_boards.erase(m_boards.begin() + row);
  endRemoveRows();
  Q_EMIT changed();
}

void BoardList::change(const SavedBoard& board) {
  const int row = rowOf(board.id);
  if (row < 0 || m_boards[std::size_t(row)] == board) return;
  keepStep(board.id, QStringLiteral("Edit “%1”").arg(m_boards[std::size_t(row)].name), true);
  SavedBoard& own = m_boards[std::size_t(row)];
  const bool moved = own.address != board.address || own.kind != board.kind;
  // What a check told is not the form's to change, and it told of the address before.
  const SavedBoard::Server server = moved ? SavedBoard::Server::Unknown : own.server;
  own = board;
  own.server = server;
  Q_EMIT dataChanged(index(row), index(row));
  Q_EMIT changed();
}

void BoardList::setState(const QString& id, bool passed, const QString& state, const QStringList& devices) {
  tell(id, [&](SavedBoard& board) {
    board.checkedAt = QDateTime::currentDateTime();
    board.passed = passed;
    board.state = state;
    if (!devices.isEmpty()) board.devices = devices;
  });
}

void BoardList::setServer(const QString& id, SavedBoard::Server server) {
  const SavedBoard* board = find(id);
  if (board == nullptr || board->server == server) return;
  tell(id, [server](SavedBoard& told) { told.server = server; });
}

void BoardList::tell(const QString& id, const std::function<void(SavedBoard&)>& change) {
  const auto apply = [&](std::vector<SavedBoard>& boards) {
    const auto found = std::ranges::find(boards, id, &SavedBoard::id);
    if (found != boards.end()) change(*found);
  };
  for (Step& step : m_past) apply(step.before);
  apply(m_boards);
  const int row = rowOf(id);
  if (row < 0) return;
  Q_EMIT dataChanged(index(row), index(row));
  Q_EMIT changed();
}

int BoardList::undo() {
  if (m_past.empty()) return -1;
  Step step = std::move(m_past.back());
  m_past.pop_back();
  beginResetModel();
  m_boards = std::move(step.before);
  endResetModel();
  Q_EMIT changed();
  return rowOf(step.id);
}

QString BoardList::undoText() const {
  return m_past.empty() ? QString() : m_past.back().words;
}

int BoardList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_boards.size());
}

QVariant BoardList::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= int(m_boards.size())) return {};
  const SavedBoard& board = m_boards[std::size_t(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return board.name;
    case Qt::ToolTipRole:
      return QStringLiteral("%1\n%2\n%3").arg(board.name, board.target(), board.stateToday());
    case Qt::AccessibleDescriptionRole:
      return board.place();
    case IdRole:
      return board.id;
    case PlaceRole:
      return board.place();
    case StateRole:
      return board.stateToday();
    case PassedRole:
      return board.passed;
    case KindRole:
      return int(board.kind);
    default:
      return {};
  }
}

}  // namespace opscope::ui
