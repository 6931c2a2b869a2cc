// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/compare_view.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"
#include "ui/models/runs_model.h"
#include "ui/models/window_words.h"

namespace opscope::ui {
namespace {

OpId idOf(const report::OpRow& row) {
  return {row.name, row.shapes, row.device};
}

QString keyOf(std::string_view name, std::string_view shapes, std::string_view device) {
  return format::fromUtf8(name) + QLatin1Char('\n') + format::fromUtf8(shapes) + QLatin1Char('\n') +
         format::fromUtf8(device);
}

QHash<QString, std::size_t> rowsByKey(const RunView& view) {
  QHash<QString, std::size_t> rows;
  for (std::size_t i = 0; i < view.byOp.rows.size(); ++i) {
    const report::OpRow& row = view.byOp.rows[i];
    rows.insert(keyOf(report::nameOf(view.run(), row), report::shapesOf(view.run(), row),
                      report::deviceOf(view.run(), row)),
                i);
  }
  return rows;
}

void addIds(const CompareSide& side, std::optional<report::ComparedSide> report::ComparedOp::*which,
            const std::vector<report::ComparedOp>& ops, std::vector<OpId>& ids) {
  const auto rows = rowsByKey(*side.view);
  for (const report::ComparedOp& op : ops) {
    const auto& compared = op.*which;
    const auto found =
        compared ? rows.constFind(keyOf(compared->name, compared->shapes, compared->device)) : rows.cend();
    ids.push_back(found == rows.cend() ? OpId() : idOf(side.view->byOp.rows[*found]));
  }
}

double valueOf(const std::optional<report::ComparedSide>& side) {
  return side && std::isfinite(side->valueUs) ? std::max(0.0, side->valueUs) : 0.0;
}

double changeOf(const report::ComparedOp& op) {
  return valueOf(op.b) - valueOf(op.a);
}

std::vector<WaterfallStep> stepsOf(const report::Comparison& comparison) {
  using Kind = WaterfallStep::Kind;
  std::vector<int> order(comparison.ops.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int x, int y) {
    return std::abs(changeOf(comparison.ops[std::size_t(x)])) >
           std::abs(changeOf(comparison.ops[std::size_t(y)]));
  });
  const double before = valueOf(comparison.total.a), after = valueOf(comparison.total.b);
  std::vector<WaterfallStep> steps = {{Kind::OldTotal, -1, 0, 0, before}};
  double now = before;
  const auto add = [&](Kind kind, int op, int others, double change) {
    steps.push_back({kind, op, others, now, now + change});
    now += change;
  };
  double rest = 0;
  int others = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double change = changeOf(comparison.ops[std::size_t(order[i])]);
    if (i < kWaterfallOps && change != 0) {
      add(Kind::Op, order[i], 0, change);
    } else {
      rest += change;
      ++others;
    }
  }
  if (others > 0) add(Kind::OtherOps, -1, others, rest);
  add(Kind::Rest, -1, 0, after - now);
  steps.push_back({Kind::NewTotal, -1, 0, 0, after});
  return steps;
}

}  // namespace

QString groupTitle(const QStringList& executables) {
  QStringList names = executables;
  names.removeDuplicates();
  names.removeAll(QString());
  QString title = format::counted(executables.size(), "run", "runs");
  if (!names.isEmpty()) title += QStringLiteral(" of %1").arg(names.front());
  return names.size() > 1 ? title + QStringLiteral(" and others") : title;
}

CompareSide compareSideOf(const std::vector<report::Document>& documents) {
  const SlowWork work("a side of a comparison");
  if (documents.size() == 1) return compareSideOf(makeRunView(documents.front()));
  const auto pool = std::make_shared<const report::RunPool>(report::poolRuns(documents));
  CompareSide side = compareSideOf(makeRunView(pool->document));
  QStringList names;
  for (const auto& run : pool->runs)
    names << format::fromUtf8(run->executablePath).section(QLatin1Char('/'), -1);
  side.pool = pool;
  side.title = groupTitle(names);
  side.detail += QStringLiteral(" of %1 runs").arg(pool->size());
  return side;
}

CompareSide compareSideOf(const std::shared_ptr<const RunView>& view) {
  const report::Run& run = view->run();
  QStringList parts;
  if (!run.function.empty()) parts << format::fromUtf8(run.function);
  parts << targetText(run.target);
  for (const report::DeviceTotal& total : run.totals) parts << format::fromUtf8(total.device);
  parts << QStringLiteral("%1 %2").arg(view->repeatsText(), run.repeats == 1 && !view->isPartial()
                                                                ? QStringLiteral("repeat")
                                                                : QStringLiteral("repeats"));
  const auto pool = std::make_shared<const report::RunPool>(report::poolRuns({&view->document, 1}));
  return {view, pool, view->fileName(), parts.join(QStringLiteral(" · "))};
}

std::shared_ptr<const CompareView> makeCompareView(const CompareSide& a, const CompareSide& b,
                                                   const report::CompareOptions& options) {
  const SlowWork work("a comparison");
  auto view = std::make_shared<CompareView>();
  view->a = a;
  view->b = b;
  view->comparison = report::compareGroups(*a.pool, *b.pool, options);
  const auto& ops = view->comparison->ops;
  addIds(a, &report::ComparedOp::a, ops, view->opsA);
  addIds(b, &report::ComparedOp::b, ops, view->opsB);
  for (const report::ComparedOp& op : ops) view->kinds.push_back(report::kindOf(op.shown().name));
  view->steps = stepsOf(*view->comparison);
  return view;
}

OpId findOp(const RunView& view, const report::ComparedSide& side) {
  for (const report::OpRow& row : view.byOp.rows) {
    if (report::nameOf(view.run(), row) == side.name && report::shapesOf(view.run(), row) == side.shapes &&
        report::deviceOf(view.run(), row) == side.device) {
      return idOf(row);
    }
  }
  return {};
}

int comparedOpOf(const CompareView& compare, const RunView& view, const OpId& op) {
  if (op.isNull()) return -1;
  const auto indexIn = [&](const std::vector<OpId>& ids) {
    const auto found = std::ranges::find(ids, op);
    return found == ids.end() ? -1 : int(found - ids.begin());
  };
  if (view.document.run == compare.b.view->document.run) return indexIn(compare.opsB);
  if (view.document.run == compare.a.view->document.run) return indexIn(compare.opsA);
  const report::Run& run = view.run();
  const auto text = [](const std::vector<std::string>& texts, std::uint32_t index) {
    return index < texts.size() ? std::string_view(texts[index]) : std::string_view();
  };
  for (const bool withShapes : {true, false}) {
    for (std::size_t i = 0; i < compare.comparison->ops.size(); ++i) {
      const report::ComparedOp& candidate = compare.comparison->ops[i];
      for (const auto* side : {&candidate.b, &candidate.a}) {
        if (!*side || (*side)->name != text(run.names, op.name)) continue;
        if (!withShapes || (*side)->shapes == text(run.shapes, op.shapes)) return int(i);
      }
    }
  }
  return -1;
}

std::vector<double> samplesOf(const CompareSide& side, const OpId& op) {
  if (op.isNull()) return {};
  const auto& rows = side.view->byOp.rows;
  const auto found = std::ranges::find_if(rows, [&](const report::OpRow& row) { return idOf(row) == op; });
  if (found == rows.end()) return {};
  return report::samplesOf(side.view->run(), side.view->byOp.callsOf(*found));
}

QString oldAndNew(const std::string& sentence, bool ofGroups) {
  static const std::pair<QRegularExpression, QString> kWords[] = {
      {QRegularExpression(QStringLiteral("\\b(in|of) A\\b")), QStringLiteral("\\1 the old %1")},
      {QRegularExpression(QStringLiteral("\\b(in|of) B\\b")), QStringLiteral("\\1 the new %1")},
      {QRegularExpression(QStringLiteral("\\bRun A and B\\b")), QStringLiteral("Run both")},
      {QRegularExpression(QStringLiteral("\\bbetween A and B\\b")), QStringLiteral("between the two")}};
  QString text = windowWords(sentence);
  const QString side = ofGroups ? QStringLiteral("group") : QStringLiteral("run");
  for (const auto& [pattern, words] : kWords) {
    text.replace(pattern, words.contains(QLatin1String("%1")) ? words.arg(side) : words);
  }
  return text;
}

QString verdictGlyph(report::Verdict verdict) {
  switch (verdict) {
    case report::Verdict::Faster:
      return QStringLiteral("▼");
    case report::Verdict::Slower:
      return QStringLiteral("▲");
    case report::Verdict::Same:
      return QStringLiteral("=");
    case report::Verdict::TooNoisy:
      return QStringLiteral("~");
    case report::Verdict::New:
      return QStringLiteral("+");
    case report::Verdict::Gone:
      return QStringLiteral("−");
    case report::Verdict::NoSamples:
      return QStringLiteral("·");
  }
  return {};
}

QString verdictText(report::Verdict verdict) {
  switch (verdict) {
    case report::Verdict::TooNoisy:
      return QStringLiteral("noisy");
    case report::Verdict::NoSamples:
      return QStringLiteral("values only");
    default:
      return format::fromUtf8(report::verdictName(verdict));
  }
}

QString signedMicroseconds(double us) {
  if (!std::isfinite(us)) return format::missing();
  if (us == 0) return QStringLiteral("0.0");
  // Also what is too small to be told has a direction.
  const QString size = std::abs(us) < 0.05 ? QStringLiteral("<0.1") : format::fixed(std::abs(us), 1);
  return (us > 0 ? QLatin1Char('+') : format::kMinus) + size;
}

QString intervalText(const report::ComparedOp& op) {
  if (!op.ratioLow || !op.ratioHigh) return format::missing();
  const auto ends = [&](int decimals) {
    return QStringList{format::fixed(*op.ratioLow, decimals), format::fixed(*op.ratioHigh, decimals)};
  };
  // Both ends alike would look like no interval.
  const bool alike = ends(2).front() == ends(2).back() && *op.ratioLow < *op.ratioHigh;
  return ends(alike ? 3 : 2).join(QStringLiteral(" – "));
}

QString stepText(double us, const TimeUnit& unit) {
  if (!std::isfinite(us)) return format::missing();
  const int decimals = unit.us > 1 ? 2 : 1;
  if (us == 0) return format::fixed(0, decimals);
  const double size = std::abs(us);
  const QString sign = us > 0 ? QStringLiteral("+") : QString(format::kMinus);
  if (unit.us == 1) return signedMicroseconds(us);
  // What would keep one digit or none is told in the smaller unit.
  if (unit.from(size) >= 0.0995) return sign + format::fixed(unit.from(size), decimals);
  if (size >= 99.5) return sign + format::fixed(size / 1e3, 2) + QStringLiteral("\u00A0ms");
  return signedMicroseconds(us) + QStringLiteral("\u00A0µs");
}

QString stepsText(const CompareView& view) {
  using Kind = WaterfallStep::Kind;
  const auto ops = std::ranges::count(view.steps, Kind::Op, &WaterfallStep::kind);
  const auto others = std::ranges::find(view.steps, Kind::OtherOps, &WaterfallStep::kind);
  if (ops == 0) return QStringLiteral("no op changed");
  const QString changed = QStringLiteral("%1 changed").arg(format::counted(ops, "op", "ops"));
  if (others == view.steps.end()) return changed;
  // Less than all that have room: the others did not change at all.
  if (std::size_t(ops) < kWaterfallOps)
    return QStringLiteral("%1, %2 did not").arg(changed, format::integer(others->others));
  return QStringLiteral("%1 largest changes, then the rest").arg(ops);
}

QString changeText(const std::optional<double>& ratio) {
  if (!ratio || !std::isfinite(*ratio) || *ratio < 0) return format::missing();
  if (*ratio >= 2) return QStringLiteral("×") + format::fixed(*ratio, 2);
  return format::fixed(std::abs(*ratio - 1) * 100, 1) + QStringLiteral("\u00A0%");
}

}  // namespace opscope::ui
