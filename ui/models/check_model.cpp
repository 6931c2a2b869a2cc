// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/check_model.h"

#include <algorithm>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

struct KnownStep {
  const char* id;
  const char* title;
};
/// As engine/session/board_check tells them; one that is not here is shown as it comes.
constexpr KnownStep kTrackerSteps[] = {
    {"tracker-name", "Name of the tracker"},
    {"tracker", "Tracker answers"},
    {"key", "Key is known"},
    {"board", "A board is free"},
};
constexpr KnownStep kBoardSteps[] = {
    {"name", "Name of the board"},   {"tcp", "TCP connection"},
    {"magic", "Magic of TVM's RPC"}, {"match-key", "Match key"},
    {"protocol", "Protocol 0.8.0"},  {"encoding", "Encoding of values"},
    {"functions", "Functions"},      {"devices", "Devices"},
    {"memory", "Free memory"},       {"clock", "Clock"},
};

QString timeText(double ms) {
  return ms < 0 ? QString() : format::duration(ms * 1000).text();
}

CheckModel::State stateOfOutcome(session::CheckStep::Outcome outcome) {
  switch (outcome) {
    case session::CheckStep::Outcome::Passed:
      return CheckModel::State::Passed;
    case session::CheckStep::Outcome::Noted:
      return CheckModel::State::Noted;
    case session::CheckStep::Outcome::Failed:
      return CheckModel::State::Failed;
  }
  return CheckModel::State::Failed;
}

QString stateWords(CheckModel::State state) {
  switch (state) {
    case CheckModel::State::ToCome:
      return QStringLiteral("not tried");
    case CheckModel::State::Now:
      return QStringLiteral("trying");
    case CheckModel::State::Passed:
      return QStringLiteral("passed");
    case CheckModel::State::Noted:
      return QStringLiteral("passed, with less than there could be");
    case CheckModel::State::Failed:
      return QStringLiteral("failed");
  }
  return {};
}

}  // namespace

void CheckModel::prepare(bool throughTracker) {
  beginResetModel();
  m_rows.clear();
  const auto add = [this](const KnownStep& step) {
    m_rows.push_back({QString::fromLatin1(step.id), QString::fromUtf8(step.title), State::ToCome, {}, -1});
  };
  if (throughTracker) {
    for (const KnownStep& step : kTrackerSteps) add(step);
  }
  for (const KnownStep& step : kBoardSteps) add(step);
  m_next = 0;
  m_running = m_stopped = false;
  m_result.reset();
  endResetModel();
}

void CheckModel::begin() {
  m_running = true;
  markNow(0);
}

void CheckModel::changeRow(std::size_t row) {
  Q_EMIT dataChanged(index(int(row), 0), index(int(row), kColumns - 1));
}

void CheckModel::markNow(std::size_t row) {
  if (row >= m_rows.size()) return;
  m_rows[row].state = State::Now;
  changeRow(row);
}

void CheckModel::addStep(const session::CheckStep& step) {
  const QString id = QString::fromStdString(step.id);
  std::size_t row = m_next;
  while (row < m_rows.size() && m_rows[row].id != id) ++row;
  if (row == m_rows.size()) {
    row = std::min(m_next, m_rows.size());
    beginInsertRows({}, int(row), int(row));
    m_rows.insert(m_rows.begin() + std::ptrdiff_t(row), Row{id, {}, State::ToCome, {}, -1});
    endInsertRows();
  }
  for (std::size_t passed = m_next; passed < row; ++passed) {
    // The way left it out.
    m_rows[passed].state = State::ToCome;
    changeRow(passed);
  }
  Row& done = m_rows[row];
  done.title = QString::fromStdString(step.title);
  done.state = stateOfOutcome(step.outcome);
  done.words = QString::fromStdString(step.words);
  done.ms = step.ms;
  changeRow(row);
  m_next = row + 1;
  if (m_running && done.state != State::Failed) markNow(m_next);
}

void CheckModel::finish(const session::BoardCheck& check) {
  m_running = false;
  m_result = check;
  if (check.failure && failedRow() < 0) {
    // It ended before its first step, or within one that was not told.
    const std::size_t row = std::min(m_next, m_rows.size() - 1);
    m_rows[row].state = State::Failed;
    m_rows[row].words = QString::fromStdString(check.failure->message);
    changeRow(row);
  }
  endNow();
}

void CheckModel::stop() {
  if (!m_running) return;
  m_running = false;
  m_stopped = true;
  endNow();
}

void CheckModel::endNow() {
  for (std::size_t row = 0; row < m_rows.size(); ++row) {
    if (m_rows[row].state != State::Now) continue;
    m_rows[row].state = State::ToCome;
    changeRow(row);
  }
}

int CheckModel::failedRow() const {
  for (std::size_t row = 0; row < m_rows.size(); ++row) {
    if (m_rows[row].state == State::Failed) return int(row);
  }
  return -1;
}

double CheckModel::spentMs() const {
  double spent = 0;
  for (const Row& row : m_rows) spent += std::max(0.0, row.ms);
  return spent;
}

QString CheckModel::summary() const {
  const auto count = int(m_rows.size());
  if (m_running) return QStringLiteral("step %1 of %2").arg(std::min(int(m_next) + 1, count)).arg(count);
  if (m_stopped)
    return QStringLiteral("ended by you at step %1 of %2").arg(std::min(int(m_next) + 1, count)).arg(count);
  if (!m_result) return QStringLiteral("not checked yet");
  const QString spent = format::duration(spentMs() * 1000).text();
  const int failed = failedRow();
  if (failed >= 0)
    return QStringLiteral("stopped at step %1 of %2 after %3").arg(failed + 1).arg(count).arg(spent);
  return QStringLiteral("all steps passed in %1").arg(spent);
}

int CheckModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_rows.size());
}

int CheckModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QVariant CheckModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = m_rows[std::size_t(index.row())];
  const QString words = row.words.isEmpty() ? stateWords(row.state) : row.words;
  if (role == StateRole) return int(row.state);
  if (role == Qt::TextAlignmentRole && index.column() == Time) return int(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole)
    return QStringLiteral("%1, %2: %3").arg(row.title, stateWords(row.state), words);
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case Title:
      return row.title;
    case Words:
      return words;
    default:
      return timeText(row.ms);
  }
}

QVariant CheckModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const char* const titles[] = {"Step", "What came out", "Time"};
  return section >= 0 && section < kColumns ? QVariant(QString::fromLatin1(titles[section])) : QVariant();
}

}  // namespace opscope::ui
