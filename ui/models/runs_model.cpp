// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/models/board_names.h"
#include "ui/models/column_words.h"
#include "ui/models/format.h"
#include "ui/models/recent_files.h"
#include "ui/models/saved_board.h"

namespace opscope::ui {
namespace {

constexpr std::array<ColumnWords, RunsModel::kColumns> kWords = {{
    {"", "", "Tick two runs to compare them, or make groups: old and new", false},
    {"Model", "Model", "File that was run", false},
    {"Function", "Function", "Function or scenario that was run", false},
    {"Target", "Target", "Computer or board", false},
    {"Device", "Device", "Device that the kernels ran on", false},
    {"Time", "Time", "When it was run", false},
    {"Total (ms)", "Total (ms)", "Median of the total over the repeats", true},
    {"Noise (%)", "Noise (%)", "Standard deviation / mean of the totals", true},
    {"Repeats", "Repeats", "Complete repeats, of those that were wanted", true},
    {"Tags", "Tags", "Words to find runs by, with commas between", false},
    {"Note", "Note", "What you want to remember of it", false},
}};

int order(double a, double b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/// Missing values are the smallest.
int order(const std::optional<double>& a, const std::optional<double>& b) {
  if (a && b) return order(*a, *b);
  return int(a.has_value()) - int(b.has_value());
}

int order(const std::string& a, const std::string& b) {
  return QString::fromStdString(a).compare(QString::fromStdString(b), Qt::CaseInsensitive);
}

QStringList fromTexts(const std::vector<std::string>& texts) {
  QStringList list;
  for (const std::string& text : texts) list << format::fromUtf8(text);
  return list;
}

}  // namespace

const std::string& momentOf(const store::StoredRun& run) {
  return run.startedAt.empty() ? run.savedAt : run.startedAt;
}

QDateTime timeOf(const store::StoredRun& run) {
  return QDateTime::fromString(QString::fromStdString(momentOf(run)), Qt::ISODate).toLocalTime();
}

QString targetText(const std::string& target) {
  const QString own = ownTargetName(target.empty() ? kLocalTarget : QString::fromStdString(target));
  if (!own.isEmpty()) return own;
  // How long a board was waited for does not tell where it ran.
  return QString::fromStdString(target).section(QLatin1Char('?'), 0, 0);
}

QString runTitle(const store::StoredRun& run, bool withFunction, bool withDate) {
  QStringList parts = {run.executable.empty() ? QStringLiteral("Run %1").arg(run.id)
                                              : format::fromUtf8(run.executable)};
  if (withFunction && !run.function.empty()) parts << format::fromUtf8(run.function);
  const QString moment = momentText(timeOf(run), QDateTime::currentDateTime());
  if (withDate && !moment.isEmpty()) parts << moment;
  return parts.join(QStringLiteral(" · "));
}

RunsModel::RunsModel(QObject* parent) : QAbstractTableModel(parent), m_runs(std::make_shared<const Runs>()) {}

void RunsModel::setRuns(const std::shared_ptr<const Runs>& runs) {
  m_pending.clear();
  std::vector<std::uint32_t> rows = orderOf(*runs);
  changeRows(runs, std::move(rows));
  const auto isGone = [&](RunId id) {
    return std::ranges::find(*m_runs, id, &store::StoredRun::id) == m_runs->end();
  };
  const auto gone = std::erase_if(m_ticked, isGone);
  const auto left =
      m_groups.removeIf([&](const QHash<RunId, Choice>::iterator& entry) { return isGone(entry.key()); });
  if (gone > 0 || left > 0) Q_EMIT ticksChanged();
}

void RunsModel::setFilter(const QString& words) {
  if (m_filter == words) return;
  m_filter = words;
  rebuild();
}

void RunsModel::setBoards(const std::vector<SavedBoard>& boards) {
  QHash<QString, QString> names;
  for (const SavedBoard& board : boards) {
    if (!board.name.isEmpty())
      names.insert(board.target().section(QLatin1Char('?'), 0, 0), distinctName(boards, board));
  }
  if (names == m_boardNames) return;
  m_boardNames = names;
  rebuild();
}

void RunsModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= kColumns || (m_sortColumn == column && m_sortOrder == order)) return;
  m_sortColumn = column;
  m_sortOrder = order;
  rebuild();
}

void RunsModel::rebuild() {
  changeRows(m_runs, orderOf(*m_runs));
}

bool RunsModel::passes(const store::StoredRun& run, const QStringList& words) const {
  QStringList texts = tagsOf(run);
  texts << noteOf(run);
  for (const int column : {Model, Function, Target, Device, When}) texts << shownText(run, column);
  // A board is found by its address, too.
  texts << targetText(run.target);
  texts << QString::fromStdString(run.path) << QString::fromStdString(run.inputs);
  return std::ranges::all_of(words, [&](const QString& word) {
    return std::ranges::any_of(texts,
                               [&](const QString& text) { return text.contains(word, Qt::CaseInsensitive); });
  });
}

int RunsModel::compare(const store::StoredRun& a, const store::StoredRun& b) const {
  switch (m_sortColumn) {
    case Tick:
      return int(choiceOf(a.id)) - int(choiceOf(b.id));
    case Model:
      return order(a.executable, b.executable);
    case Function:
      return order(a.function, b.function);
    case Target:
      return targetOf(a).compare(targetOf(b), Qt::CaseInsensitive);
    case Device:
      return order(a.device, b.device);
    case Total:
      return order(a.medianUs, b.medianUs);
    case Noise:
      return order(a.noise, b.noise);
    case Repeats:
      return order(double(a.repeats), double(b.repeats));
    case Tags:
      return tagsOf(a).join(QLatin1Char(' ')).compare(tagsOf(b).join(QLatin1Char(' ')), Qt::CaseInsensitive);
    case Note:
      return noteOf(a).compare(noteOf(b), Qt::CaseInsensitive);
    default:
      return momentOf(a).compare(momentOf(b));
  }
}

std::vector<std::uint32_t> RunsModel::orderOf(const Runs& runs) const {
  std::vector<std::uint32_t> rows;
  const QStringList words = m_filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (std::uint32_t i = 0; i < runs.size(); ++i) {
    if (words.isEmpty() || passes(runs[i], words)) rows.push_back(i);
  }
  const bool down = m_sortOrder == Qt::DescendingOrder;
  // The store tells the newest first, and equal rows stay so.
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    const int sign = compare(runs[a], runs[b]);
    return down ? sign > 0 : sign < 0;
  });
  return rows;
}

void RunsModel::changeRows(const std::shared_ptr<const Runs>& runs, std::vector<std::uint32_t> order) {
  QHash<RunId, int> places;
  for (std::size_t row = 0; row < order.size(); ++row) places.insert((*runs)[order[row]].id, int(row));
  for (int row = int(m_order.size()) - 1; row >= 0; --row) {
    if (places.contains(runAt(row).id)) continue;
    int first = row;
    while (first > 0 && !places.contains(runAt(first - 1).id)) --first;
    beginRemoveRows({}, first, row);
    m_order.erase(m_order.begin() + first, m_order.begin() + row + 1);
    endRemoveRows();
    row = first;
  }
  // What is left, in the order that it will have.
  std::vector<int> left;
  for (std::size_t row = 0; row < m_order.size(); ++row) left.push_back(places.value(runAt(int(row)).id));
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  QModelIndexList after;
  std::vector<int> sorted = left;
  std::ranges::sort(sorted);
  for (const QModelIndex& index : before) {
    const auto place = std::ranges::lower_bound(sorted, left[std::size_t(index.row())]) - sorted.begin();
    after << createIndex(int(place), index.column());
  }
  std::vector<std::uint32_t> kept;
  for (const int place : sorted) kept.push_back(order[std::size_t(place)]);
  m_runs = runs;
  m_order = std::move(kept);
  chooseDecimals();
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged();
  for (std::size_t row = 0; row < order.size(); ++row) {
    if (row < m_order.size() && m_order[row] == order[row]) continue;
    std::size_t last = row;
    while (last + 1 < order.size() && (row >= m_order.size() || m_order[row] != order[last + 1])) ++last;
    beginInsertRows({}, int(row), int(last));
    m_order.insert(m_order.begin() + std::ptrdiff_t(row), order.begin() + std::ptrdiff_t(row),
                   order.begin() + std::ptrdiff_t(last) + 1);
    endInsertRows();
    row = last;
  }
  tellChanges();
  Q_EMIT rowsChanged();
}

void RunsModel::tellChanges() {
  const int last = int(m_order.size()) - 1;
  if (last < 0) return;
  Q_EMIT dataChanged(index(0, Tick), index(last, Repeats));
  // A field that is being written is filled anew when its cell is told to have changed.
  QHash<RunId, QString> written;
  for (int row = 0; row <= last; ++row) {
    const store::StoredRun& run = runAt(row);
    const QString texts = tagsOf(run).join(QLatin1Char(',')) + QLatin1Char('\n') + noteOf(run);
    written.insert(run.id, texts);
    if (m_written.value(run.id) != texts) Q_EMIT dataChanged(index(row, Tags), index(row, Note));
  }
  m_written = written;
}

void RunsModel::chooseDecimals() {
  double least = 1e12;
  for (const store::StoredRun& run : *m_runs) {
    if (run.medianUs && *run.medianUs > 0) least = std::min(least, *run.medianUs);
  }
  m_decimals = least < 1e3 ? 3 : least < 1e4 ? 2 : 1;
}

int RunsModel::rowOf(RunId id) const {
  for (std::size_t row = 0; row < m_order.size(); ++row) {
    if ((*m_runs)[m_order[row]].id == id) return int(row);
  }
  return -1;
}

int RunsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_order.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QString RunsModel::noteOf(const store::StoredRun& run) const {
  const auto pending = m_pending.constFind(run.id);
  if (pending != m_pending.cend() && pending->hasNote) return pending->note;
  return QString::fromStdString(run.note);
}

QString RunsModel::targetOf(const store::StoredRun& run) const {
  const QString target = targetText(run.target);
  return m_boardNames.value(target, target);
}

QStringList RunsModel::tagsOf(const store::StoredRun& run) const {
  const auto pending = m_pending.constFind(run.id);
  if (pending != m_pending.cend() && pending->hasTags) return pending->tags;
  return fromTexts(run.tags);
}

QString RunsModel::shownText(const store::StoredRun& run, int column) const {
  switch (column) {
    case Model:
      return run.executable.empty() ? format::missing() : format::fromUtf8(run.executable);
    case Function:
      return run.function.empty() ? format::missing() : format::fromUtf8(run.function);
    case Target:
      return targetOf(run);
    case Device:
      return run.device.empty() ? format::missing() : format::fromUtf8(run.device);
    case When:
      return dayText(timeOf(run), QDateTime::currentDateTime());
    case Total:
      if (!run.medianUs || !std::isfinite(*run.medianUs) || *run.medianUs <= 0) return format::missing();
      if (*run.medianUs / 1e3 < 0.5 * std::pow(10.0, -m_decimals)) return QStringLiteral("<0.001");
      return format::fixed(*run.medianUs / 1e3, m_decimals);
    case Noise:
      return run.noise ? format::noise(*run.noise * 100) : format::missing();
    case Repeats:
      return run.complete ? format::integer(run.repeats)
                          : QStringLiteral("%1 of %2")
                                .arg(format::integer(run.repeats), format::integer(run.repeatsWanted));
    case Tags:
      return tagsOf(run).join(QStringLiteral(", "));
    case Note:
      return format::shown(noteOf(run).simplified());
    default:
      return {};
  }
}

QString RunsModel::plainText(const store::StoredRun& run, int column) const {
  switch (column) {
    case When:
      return QString::fromStdString(momentOf(run));
    case Total:
      return run.medianUs ? format::plain(*run.medianUs / 1e3) : QString();
    case Noise:
      return run.noise ? format::plain(*run.noise * 100) : QString();
    case Repeats:
      return QString::number(run.repeats);
    case Note:
      return noteOf(run);
    case Model:
      return QString::fromStdString(run.executable);
    case Function:
      return QString::fromStdString(run.function);
    case Device:
      return QString::fromStdString(run.device);
    default:
      return shownText(run, column);
  }
}

QString RunsModel::tooltip(const store::StoredRun& run, int column) const {
  if (column == Tick) {
    return hasGroups() ? QStringLiteral("A click goes from old to new to neither")
                       : QStringLiteral("Tick two runs to compare them");
  }
  if (column == Note && !noteOf(run).isEmpty()) return format::shownLines(noteOf(run));
  // What a narrow column cuts stands here.
  QStringList lines = {QStringLiteral("Run %1").arg(run.id)};
  QStringList about = fromTexts({run.executable, run.function, run.device});
  about.removeAll(QString());
  if (!about.isEmpty()) lines << about.join(QStringLiteral(" · "));
  if (!run.tags.empty()) lines << fromTexts(run.tags).join(QStringLiteral(", "));
  if (!run.path.empty()) lines << format::shortPath(QString::fromStdString(run.path));
  if (!run.inputs.empty()) lines << format::fromUtf8(run.inputs);
  if (const QString target = targetText(run.target); target != ownTargetName(kLocalTarget)) lines << target;
  if (timeOf(run).isValid()) lines << timeOf(run).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
  if (!run.failure.empty()) lines << format::fromUtf8(run.failure);
  return lines.join(QLatin1Char('\n'));
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const store::StoredRun& run = runAt(index.row());
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return shownText(run, column);
    case Qt::EditRole:
      return column == Note ? noteOf(run) : shownText(run, column);
    case PlainTextRole:
      return plainText(run, column);
    case Qt::CheckStateRole:
      if (column != Tick) return {};
      return choiceOf(run.id) != Choice::None ? Qt::Checked : Qt::Unchecked;
    case kChoiceRole:
      return int(choiceOf(run.id));
    case Qt::ToolTipRole:
      return tooltip(run, column);
    case Qt::AccessibleTextRole:
      return column == Tick ? tickWords(run) : shownText(run, column);
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter | (kWords[std::size_t(column)].isNumber ? Qt::AlignRight : Qt::AlignLeft));
    default:
      return {};
  }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  return headerCell(kWords[std::size_t(section)], role);
}

Qt::ItemFlags RunsModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = QAbstractTableModel::flags(index);
  if (!index.isValid()) return flags;
  if (index.column() == Tick) flags |= Qt::ItemIsUserCheckable;
  if (index.column() == Note || index.column() == Tags) flags |= Qt::ItemIsEditable;
  return flags;
}

bool RunsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid()) return false;
  const RunId id = runAt(index.row()).id;
  if (index.column() == Tick && role == Qt::CheckStateRole) {
    if (hasGroups()) {
      step(id);
    } else {
      setTicked(id, value.toInt() == Qt::Checked);
    }
    return true;
  }
  if (role != Qt::EditRole) return false;
  if (index.column() == Note) {
    const QString note = value.toString().trimmed();
    if (note == noteOf(runAt(index.row()))) return false;
    m_pending[id].note = note;
    m_pending[id].hasNote = true;
    Q_EMIT dataChanged(index, index);
    Q_EMIT noteEdited(id, note);
    return true;
  }
  if (index.column() != Tags) return false;
  QStringList tags;
  for (const QString& word : value.toString().split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    if (!word.trimmed().isEmpty()) tags << word.trimmed();
  }
  tags.removeDuplicates();
  if (tags == tagsOf(runAt(index.row()))) return false;
  m_pending[id].tags = tags;
  m_pending[id].hasTags = true;
  Q_EMIT dataChanged(index, index);
  Q_EMIT tagsEdited(id, tags);
  return true;
}

}  // namespace opscope::ui
