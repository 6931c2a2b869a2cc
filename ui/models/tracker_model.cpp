// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/tracker_model.h"

#include <QDateTime>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

QString heldBy(const session::KeyOverview& key) {
  if (key.busy == 0) return format::missing();
  QStringList holders;
  for (const session::BoardHolder& holder : key.holders) holders << holderText(holder);
  // Only servers of ours tell.
  return holders.isEmpty() ? QStringLiteral("not told by the board") : holders.join(QStringLiteral("; "));
}

QString tooltip(const session::KeyOverview& key) {
  QStringList lines = {format::fromUtf8(key.key)};
  for (const std::string& address : key.addresses) lines << format::fromUtf8(address);
  for (const session::BoardHolder& holder : key.holders) {
    lines << QStringLiteral("%1: %2").arg(format::fromUtf8(holder.board), holderText(holder));
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace

QString holderText(const session::BoardHolder& holder) {
  QString who = format::fromUtf8(holder.holder);
  if (who.isEmpty()) who = format::fromUtf8(holder.peer).section(QLatin1Char(':'), 0, -2);
  if (holder.sinceUnixS <= 0) return who;
  const QDateTime since = QDateTime::fromSecsSinceEpoch(holder.sinceUnixS);
  const bool today = since.date() == QDate::currentDate();
  return QStringLiteral("%1, since %2")
      .arg(who, since.toString(today ? QStringLiteral("HH:mm") : QStringLiteral("d MMM HH:mm")));
}

void TrackerModel::setOverview(const session::TrackerOverview& overview) {
  beginResetModel();
  m_overview = overview;
  endResetModel();
}

void TrackerModel::clear() {
  setOverview({});
}

QStringList TrackerModel::keys() const {
  QStringList names;
  for (const session::KeyOverview& key : m_overview.keys) names << format::fromUtf8(key.key);
  return names;
}

QString TrackerModel::words(const QString& key) const {
  std::int64_t free = 0, busy = 0;
  bool known = false;
  for (const session::KeyOverview& overview : m_overview.keys) {
    if (!key.isEmpty() && format::fromUtf8(overview.key) != key) continue;
    known = true;
    free += overview.free;
    busy += overview.busy;
  }
  return known ? QStringLiteral("%1 free, %2 busy").arg(free).arg(busy) : QString();
}

int TrackerModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_overview.keys.size());
}

int TrackerModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant TrackerModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const session::KeyOverview& key = m_overview.keys[std::size_t(index.row())];
  const bool isNumber = index.column() == Free || index.column() == Busy || index.column() == Waiting;
  if (role == Qt::ToolTipRole) return tooltip(key);
  if (role == Qt::TextAlignmentRole)
    return int((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Key:
      return format::fromUtf8(key.key);
    case Free:
      return format::integer(key.free);
    case Busy:
      return format::integer(key.busy);
    case Waiting:
      return format::integer(key.waiting);
    default:
      return heldBy(key);
  }
}

QVariant TrackerModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  if (role == Qt::TextAlignmentRole)
    return int((section >= Free && section <= Waiting ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  const char* const titles[] = {"Key", "Free", "Busy", "Waiting", "Held by"};
  return role == Qt::DisplayRole ? QVariant(QString::fromLatin1(titles[section])) : QVariant();
}

}  // namespace opscope::ui
