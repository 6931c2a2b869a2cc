// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/code_model.h"

#include <algorithm>

#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/models/row_search.h"

namespace opscope::ui {
namespace {

using session::CodeLine;

constexpr double kLeastShare = 0.00005;
constexpr double kLeastBar = 0.002;

struct ColumnWords {
  const char* title;
  const char* description;
};

constexpr ColumnWords kWords[CodeModel::kColumns] = {
    {"#", "Number of the instruction in the executable"},
    {"Duration (µs)", "Own time of one repeat: mean over repeats, summed over its calls"},
    {"Percent", "Part of the total"},
    {"Calls", "What the instruction calls, or does"},
    {"Arguments", "%1 a register, c[1] a constant, i1 a number, f[…] a function"},
    {"Into", "Register of the result"},
};

}  // namespace

const CodeTimes::Entry* CodeTimes::at(std::uint64_t instruction) const {
  if (instruction >= entries.size() || entries[instruction].calls == 0) return nullptr;
  return &entries[instruction];
}

std::shared_ptr<const CodeTimes> makeCodeTimes(const RunView& view, const session::ProgramCode& code) {
  const SlowWork work("times of instructions");
  auto times = std::make_shared<CodeTimes>();
  const report::Run& run = view.run();
  if (run.executableHash.empty() || run.executableHash != code.hash || run.repeats == 0) return times;
  std::uint64_t count = 0;
  for (const session::CodeFunction& function : code.functions)
    count = std::max(count, function.first + function.lines.size());
  times->entries.resize(count);
  for (std::uint32_t index = 0; index < run.calls.size(); ++index) {
    const report::Call& call = run.calls[index];
    if (call.instruction >= count) continue;
    CodeTimes::Entry& entry = times->entries[call.instruction];
    double sumNs = 0;
    for (const double ns : report::ownSamples(run, call)) sumNs += ns;
    entry.us += sumNs / 1000 / run.repeats;
    if (entry.calls++ == 0) entry.firstCall = index;
  }
  times->totalUs = view.byOp.totals.totalUs;
  return times;
}

CodeModel::CodeModel(QObject* parent) : QAbstractTableModel(parent) {}

void CodeModel::setCode(std::shared_ptr<const session::ProgramCode> code,
                        const session::CodeFunction* function) {
  m_code = std::move(code);
  m_function = m_code ? function : nullptr;
  rebuild();
}

void CodeModel::setTimes(std::shared_ptr<const CodeTimes> times) {
  m_times = std::move(times);
  rebuild();
}

void CodeModel::setHidesHousekeeping(bool hides) {
  if (m_hidesHousekeeping == hides) return;
  m_hidesHousekeeping = hides;
  rebuild();
}

void CodeModel::rebuild() {
  beginResetModel();
  m_rows.clear();
  m_longestUs = 0;
  m_functionUs = 0;
  if (m_function != nullptr) {
    for (std::uint32_t i = 0; i < m_function->lines.size(); ++i) {
      if (const auto* time = m_times ? m_times->at(m_function->first + i) : nullptr) {
        m_longestUs = std::max(m_longestUs, time->us);
        m_functionUs += time->us;
      }
      if (!m_hidesHousekeeping || !m_function->lines[i].housekeeping) m_rows.push_back(i);
    }
  }
  endResetModel();
}

int CodeModel::rowOf(std::uint64_t instruction) const {
  if (m_function == nullptr || instruction < m_function->first) return -1;
  const std::uint64_t offset = instruction - m_function->first;
  const auto found = std::lower_bound(m_rows.begin(), m_rows.end(), offset);
  return found == m_rows.end() || *found != offset ? -1 : int(found - m_rows.begin());
}

const CodeTimes::Entry* CodeModel::timeAt(int row) const {
  return m_times ? m_times->at(instructionAt(row)) : nullptr;
}

std::vector<int> CodeModel::hottest() const {
  std::vector<int> rows;
  for (int row = 0; row < rowCount(); ++row) {
    const CodeTimes::Entry* time = timeAt(row);
    if (time != nullptr && time->us > 0) rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [this](int a, int b) { return timeAt(a)->us > timeAt(b)->us; });
  return rows;
}

bool CodeModel::matches(int row, const QString& text) const {
  for (const int column : {Number, Calls, Arguments, Into}) {
    if (this->text(row, column).contains(text, Qt::CaseInsensitive)) return true;
  }
  const auto& words = lineAt(row).words;
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return format::fromUtf8(word).contains(text, Qt::CaseInsensitive);
  });
}

int CodeModel::find(const QString& text, int from, bool backwards) const {
  if (text.isEmpty()) return -1;
  return findRow(rowCount(), from, backwards, [&](int row) { return matches(row, text); });
}

int CodeModel::countOf(const QString& text) const {
  if (text.isEmpty()) return 0;
  return countRows(rowCount(), [&](int row) { return matches(row, text); });
}

QString CodeModel::originsOf(int row) const {
  const auto instruction = std::int64_t(instructionAt(row));
  QStringList origins;
  for (std::size_t i = 0; i < m_function->lines.size() && origins.size() < 6; ++i) {
    if (m_function->lines[i].target == instruction)
      origins << QStringLiteral("#%1").arg(m_function->first + i);
  }
  return origins.join(QStringLiteral(", "));
}

QString CodeModel::detailOf(int row) const {
  const CodeLine& line = lineAt(row);
  QStringList parts;
  for (const std::string& word : line.words) parts << format::fromUtf8(word);
  if (line.target >= 0) {
    parts << (line.op == CodeLine::Op::If ? QStringLiteral("goes to #%1 when %2 is zero")
                                                .arg(line.target)
                                                .arg(format::fromUtf8(line.arguments))
                                          : QStringLiteral("goes to #%1").arg(line.target));
  }
  const QString origins = originsOf(row);
  if (!origins.isEmpty()) parts << QStringLiteral("reached from %1").arg(origins);
  return parts.join(QStringLiteral(" · "));
}

int CodeModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(m_rows.size());
}

int CodeModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(kColumns);
}

QString CodeModel::text(int row, int column) const {
  const CodeLine& line = lineAt(row);
  const CodeTimes::Entry* time = timeAt(row);
  switch (column) {
    case Number:
      return QString::number(instructionAt(row));
    case Duration:
      return time == nullptr ? QString() : format::microseconds(time->us);
    case Percent:
      // What rounds to nothing has its duration beside it; hundreds of "<0.01" would hide the others.
      return time == nullptr || m_times->totalUs <= 0 || time->us / m_times->totalUs < kLeastShare
                 ? QString()
                 : format::percent(time->us / m_times->totalUs * 100);
    case Calls:
      return format::fromUtf8(line.name);
    case Arguments: {
      const QString arguments = format::fromUtf8(line.arguments);
      if (line.target < 0) return arguments;
      const QString target = QStringLiteral("→ #%1").arg(line.target);
      return arguments.isEmpty() ? target : arguments + QLatin1Char(' ') + target;
    }
    case Into:
      return format::fromUtf8(line.into);
    default:
      return {};
  }
}

QString CodeModel::plain(int row, int column) const {
  const CodeTimes::Entry* time = timeAt(row);
  if (column == Duration) return time == nullptr ? QString() : format::plain(time->us);
  if (column == Percent) {
    return time == nullptr || m_times->totalUs <= 0
               ? QString()
               : format::plain(std::min(time->us / m_times->totalUs * 100, 100.0));
  }
  return text(row, column);
}

QVariant CodeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || m_function == nullptr) return {};
  const int row = index.row(), column = index.column();
  const CodeTimes::Entry* time = timeAt(row);
  switch (role) {
    case Qt::DisplayRole:
      return text(row, column);
    case PlainTextRole:
      return plain(row, column);
    case Qt::TextAlignmentRole:
      return int(
          Qt::AlignVCenter |
          (column == Number || column == Duration || column == Percent ? Qt::AlignRight : Qt::AlignLeft));
    case NumberRole:
      return time == nullptr ? QVariant() : QVariant(time->us);
    case KindRole:
      return int(report::kindOf(lineAt(row).name));
    case ShareRole:
      return time == nullptr || m_longestUs <= 0 || time->us / m_longestUs < kLeastBar
                 ? 0.0
                 : time->us / m_longestUs;
    case HousekeepingRole:
      return lineAt(row).housekeeping;
    case CalleeRole:
      return int(lineAt(row).callee);
    case Qt::ToolTipRole:
      if (column == Calls) return format::brokenName(text(row, column)).join(QLatin1Char('\n'));
      if (column == Duration && time != nullptr)
        return format::counted(time->calls, "call in one repeat", "calls in one repeat");
      return detailOf(row).replace(QStringLiteral(" · "), QStringLiteral("\n"));
    default:
      return {};
  }
}

QVariant CodeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  switch (role) {
    case Qt::DisplayRole:
      return QString::fromUtf8(kWords[section].title);
    case FileTitleRole:
      return section == Duration ? QStringLiteral("Duration (us)") : QString::fromUtf8(kWords[section].title);
    case Qt::ToolTipRole:
      return QString::fromUtf8(kWords[section].description);
    case Qt::TextAlignmentRole:
      return int(Qt::AlignVCenter |
                 (section == Number || section == Duration ? Qt::AlignRight : Qt::AlignLeft));
    default:
      return {};
  }
}

}  // namespace opscope::ui
