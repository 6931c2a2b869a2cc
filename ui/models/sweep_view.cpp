// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/sweep_view.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kMostValues = 256;
constexpr std::int64_t kLargestValue = std::int64_t{1} << 40;

QString fileOf(const std::string& path) {
  return format::fromUtf8(path).section(QLatin1Char('/'), -1);
}

/// "2..5" or "7".
std::optional<std::pair<std::int64_t, std::int64_t>> rangeOf(const QString& part) {
  static const QRegularExpression range(QStringLiteral("^(\\d+)(?:\\.\\.(\\d+))?$"));
  const auto match = range.match(part);
  if (!match.hasMatch()) return std::nullopt;
  bool okFirst = false, okLast = true;
  const std::int64_t first = match.captured(1).toLongLong(&okFirst);
  const std::int64_t last = match.captured(2).isEmpty() ? first : match.captured(2).toLongLong(&okLast);
  if (!okFirst || !okLast || first < 1 || last < first || last > kLargestValue) return std::nullopt;
  return std::pair(first, last);
}

}  // namespace

std::vector<OpId> opsOf(const RunView* run, std::span<const report::ScalingRow> rows) {
  std::vector<OpId> ops(rows.size());
  if (run == nullptr) return ops;
  std::map<std::pair<std::string_view, std::string_view>, OpId> known;
  for (const report::OpRow& row : run->byOp.rows) {
    known.try_emplace({report::nameOf(run->run(), row), report::deviceOf(run->run(), row)},
                      OpId{row.name, row.shapes, row.device});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto found = known.find({rows[i].name, rows[i].device});
    if (found != known.end()) ops[i] = found->second;
  }
  return ops;
}

QString sweptTimeText(const report::ScalingRow& row, std::size_t value) {
  if (row.tooShort[value]) return QStringLiteral("too short to measure");
  return row.us[value] ? format::duration(*row.us[value]).text() : format::missing();
}

std::shared_ptr<const SweepView> makeSweepView(const QString& over, std::vector<report::ScalingPoint> points,
                                               std::vector<QString> problems) {
  const SlowWork work("a sweep");
  auto view = std::make_shared<SweepView>();
  view->over = over;
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.value < b.value; });
  std::vector<report::ScalingPoint> kept;
  for (report::ScalingPoint& point : points) {
    if (!kept.empty() && kept.back().value == point.value) kept.pop_back();
    kept.push_back(std::move(point));
  }
  view->scaling = report::buildScaling(kept);
  QStringList words;
  for (const report::ScalingPoint& point : kept) {
    if (!point.document.run) continue;
    const report::Run& run = *point.document.run;
    words << fileOf(run.executablePath) << format::fromUtf8(run.function)
          << QStringLiteral("%1 = %2").arg(over, valuesText(view->scaling.values))
          << format::counted(run.repeats, "repeat", "repeats");
    words.removeAll(QString());
    break;
  }
  view->caption = words.join(QStringLiteral(" · "));
  view->problems = std::move(problems);
  return view;
}

std::optional<SweptValue> sweptValueOf(const QString& note) {
  static const QRegularExpression pattern(QStringLiteral("(?:^|, )([A-Za-z_][A-Za-z0-9_]*)=(\\d+)$"));
  const auto match = pattern.match(note);
  bool ok = false;
  const std::int64_t value = match.captured(2).toLongLong(&ok);
  if (!match.hasMatch() || !ok) return std::nullopt;
  return SweptValue{match.captured(1), value};
}

QString noteOfSwept(const QString& over, std::int64_t value) {
  return QStringLiteral("%1=%2").arg(over).arg(value);
}

std::vector<SavedSweep> savedSweeps(std::span<const store::StoredRun> runs) {
  using Key = std::tuple<std::string, std::string, std::string, std::vector<std::string>, QString>;
  std::vector<SavedSweep> sweeps;
  std::map<Key, std::size_t> open;
  for (std::size_t i = runs.size(); i-- > 0;) {
    const store::StoredRun& run = runs[i];
    const auto swept = sweptValueOf(format::fromUtf8(run.note));
    if (!swept || !run.medianUs) continue;
    const Key key{run.hash, run.function, run.target, run.tags, swept->over};
    const auto place = open.find(key);
    const bool again =
        place != open.end() &&
        std::any_of(sweeps[place->second].points.begin(), sweeps[place->second].points.end(),
                    [&](const SavedSweep::Point& point) { return point.value == swept->value; });
    if (place == open.end() || again) {
      // A value that comes again is of the next sweep.
      open[key] = sweeps.size();
      sweeps.push_back(
          {swept->over,
           format::fromUtf8(run.executable) + QStringLiteral(" · ") + format::fromUtf8(run.function),
           {}});
    }
    sweeps[open[key]].points.push_back({swept->value, run.id});
  }
  std::erase_if(sweeps, [](const SavedSweep& sweep) { return sweep.points.size() < 2; });
  for (SavedSweep& sweep : sweeps) {
    std::sort(sweep.points.begin(), sweep.points.end(),
              [](const auto& a, const auto& b) { return a.value < b.value; });
    std::vector<std::int64_t> values;
    for (const SavedSweep::Point& point : sweep.points) values.push_back(point.value);
    sweep.words = QStringLiteral("%1 = %2 · %3").arg(sweep.over, valuesText(values), sweep.words);
  }
  std::reverse(sweeps.begin(), sweeps.end());
  return sweeps;
}

std::vector<std::int64_t> sweepValues(const QString& text, QString* problem) {
  problem->clear();
  std::set<std::int64_t> values;
  for (const QString& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    const auto range = rangeOf(part.trimmed());
    if (!range) {
      *problem = QStringLiteral("“%1” is no value. Write whole numbers from 1, as in 1, 2, 4..8")
                     .arg(part.trimmed());
      return {};
    }
    if (range->second - range->first >= std::int64_t(kMostValues)) {
      *problem = QStringLiteral("At most %1 values").arg(kMostValues);
      return {};
    }
    for (std::int64_t value = range->first; value <= range->second; ++value) values.insert(value);
  }
  if (values.size() < 2) *problem = QStringLiteral("A sweep needs two values or more, as in 1, 2, 4..8");
  if (values.size() > kMostValues) *problem = QStringLiteral("At most %1 values").arg(kMostValues);
  if (!problem->isEmpty()) return {};
  return {values.begin(), values.end()};
}

QString valuesText(std::span<const std::int64_t> values) {
  constexpr std::size_t kMostShown = 8;
  QStringList words;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values.size() > kMostShown && i + 2 == kMostShown) {
      words << QStringLiteral("…");
      i = values.size() - 1;
    }
    words << format::integer(values[i]);
  }
  return words.join(QStringLiteral(", "));
}

}  // namespace opscope::ui
