// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/again_plan.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>

#include "engine/report/run_report.h"
#include "ui/models/format.h"
#include "ui/models/run_options.h"

namespace opscope::ui {
namespace {

QString factOf(const report::Run& run, std::string_view name) {
  for (const report::Fact& fact : run.environment) {
    if (fact.name == name) return QString::fromStdString(fact.value);
  }
  return {};
}

runtime::RuntimeOptions runtimeOf(const report::Run& run) {
  runtime::RuntimeOptions options;
  const report::Metric* threads = run.configuration.find("Number of threads");
  if (const auto* count = threads != nullptr ? std::get_if<report::Count>(threads) : nullptr)
    options.threads = int(count->value);
  options.pin = factOf(run, "Threads pinned") != QLatin1String("no");
  bool known = false;
  const int spin = factOf(run, "Threads spin").section(QLatin1Char(' '), 0, 0).toInt(&known);
  if (known) options.spinUs = spin;
  if (factOf(run, "Allocator") == QLatin1String("naive")) options.allocator = runtime::AllocatorKind::Naive;
  return options;
}

/// What was measured besides times, as far as the run tells.
RunOptions measuringOf(const report::Run& run) {
  RunOptions options;
  for (const auto check : {profile::OverheadCheck::Off, profile::OverheadCheck::Full}) {
    if (factOf(run, "Overhead check") == overheadWord(check)) options.overhead = check;
  }
  for (const report::CounterColumn& column : run.counters) {
    using Kind = report::CounterColumn::Kind;
    // The others are made of these.
    const bool isEvent = column.kind == Kind::Count || column.kind == Kind::Duration;
    if (isEvent && column.name.find(' ') == std::string::npos)
      options.counters << QString::fromStdString(column.name);
  }
  return options;
}

/// "cpu0" is told by reports, "cpu:0" is asked for.
std::string deviceOf(const report::Run& run) {
  const report::DeviceTotal* total = report::largestTotal(run);
  if (total == nullptr) return {};
  static const QRegularExpression parts(QStringLiteral("^([a-z]+)(\\d+)$"));
  const auto match = parts.match(QString::fromStdString(total->device));
  return match.hasMatch() ? (match.captured(1) + QLatin1Char(':') + match.captured(2)).toStdString()
                          : std::string();
}

/// "float32 [1, 3] random:0" as "1x3:float32:random:0"; empty where it cannot be told.
QString valueFromWords(const QString& words) {
  static const QRegularExpression tensor(QStringLiteral("^(\\S+) \\[([0-9, ]*)\\] (\\S.*)$"));
  static const QRegularExpression shape(QStringLiteral("^shape \\[([0-9, ]*)\\]$"));
  const auto joined = [](const QString& sizes) {
    const QString text = QString(sizes).remove(QLatin1Char(' ')).replace(QLatin1Char(','), QLatin1Char('x'));
    return text.isEmpty() ? QStringLiteral("scalar") : text;
  };
  if (const auto match = tensor.match(words); match.hasMatch()) {
    const QString kind = match.captured(3);
    // A file tells shape and type itself.
    if (kind.startsWith(QLatin1Char('@'))) return kind;
    return joined(match.captured(2)) + QLatin1Char(':') + match.captured(1) + QLatin1Char(':') + kind;
  }
  if (const auto match = shape.match(words); match.hasMatch()) return joined(match.captured(1));
  return {};
}

bool isOfScenario(const report::Run& run) {
  return run.steps.size() > 1 || !factOf(run, report::kScenarioFact).isEmpty() ||
         QString::fromStdString(run.function).endsWith(QLatin1String(".json"));
}

QString problemOf(const report::Run& run, const AgainPlan& plan, bool inputsKnown) {
  if (run.executablePath.empty() || run.executableHash.empty())
    return QStringLiteral("%1 is a report: it does not tell which file was run.").arg(plan.name);
  if (isOfScenario(run)) {
    if (!plan.request.plan.scenarioFile.empty()) return {};
    return QStringLiteral("%1 was run by a scenario before runs told which. Run it again by hand.")
        .arg(plan.name);
  }
  if (!inputsKnown) {
    return QStringLiteral("The inputs of %1 cannot be made again from “%2”.")
        .arg(plan.name, QString::fromStdString(run.inputs));
  }
  return {};
}

}  // namespace

bool inputsFromWords(const std::string& words, session::InputPlan& plan) {
  static const QRegularExpression dimension(QStringLiteral("^(\\S+) = (\\d+)$"));
  for (const QString& part : QString::fromStdString(words).split(QStringLiteral("; "), Qt::SkipEmptyParts)) {
    if (const auto match = dimension.match(part); match.hasMatch()) {
      plan.dimensions[match.captured(1).toStdString()] = match.captured(2).toLongLong();
      continue;
    }
    const QString name = part.section(QLatin1Char(' '), 0, 0);
    const QString value = valueFromWords(part.section(QLatin1Char(' '), 1));
    if (name.isEmpty() || value.isEmpty() || !session::parseInputSpec(value.toStdString())) return false;
    plan.values[name.toStdString()] = value.toStdString();
  }
  return true;
}

AgainPlan againPlanOf(const report::Run& run, const std::vector<SavedBoard>& boards) {
  AgainPlan plan;
  plan.name = QString::fromStdString(run.executablePath).section(QLatin1Char('/'), -1);
  if (plan.name.isEmpty()) plan.name = QStringLiteral("One of both");
  plan.hash = run.executableHash;
  session::ProfileRequest& request = plan.request;
  request.path = run.executablePath;
  request.plan.function = run.function;
  request.settings.target = run.target.empty() ? kLocalTarget.toStdString() : run.target;
  request.settings.device = deviceOf(run);
  request.settings.runtime = runtimeOf(run);
  measuringOf(run).applyTo(request);
  for (const SavedBoard& board : boards) {
    if (board.target().toStdString() == run.target)
      request.settings.secretFile = board.secretFile.toStdString();
  }
  request.warmup = run.warmup;
  request.repeats = std::max<std::uint32_t>(1, run.repeatsWanted);
  if (isOfScenario(run)) {
    // It names its functions itself; its arrays are all its inputs.
    request.plan.function.clear();
    request.plan.scenarioFile = factOf(run, report::kScenarioFact).toStdString();
    request.plan.inputs.arraysFile = run.inputs;
    plan.scenarioHash = factOf(run, report::kScenarioHashFact).toStdString();
    plan.problem = problemOf(run, plan, true);
    return plan;
  }
  plan.problem = problemOf(run, plan, inputsFromWords(run.inputs, request.plan.inputs));
  return plan;
}

std::vector<AgainTurn> turnsOf(const std::vector<AgainPlan>& before, const std::vector<AgainPlan>& after) {
  std::vector<AgainTurn> turns;
  const std::vector<AgainPlan>* const sides[] = {&before, &after};
  const bool groups = before.size() > 1 || after.size() > 1;
  const std::size_t rounds = groups ? std::max(before.size(), after.size()) : kAgainTurns;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (int side = 0; side < 2; ++side) {
      const std::vector<AgainPlan>& plans = *sides[side];
      if (groups && round >= plans.size()) continue;
      const session::ProfileRequest& request = plans[groups ? round : 0].request;
      if (groups) {
        turns.push_back({side, round, request.repeats, request.warmup, true});
        continue;
      }
      // Equal parts; the first ones take what is left over.
      const auto part = std::uint32_t(round);
      const std::uint32_t repeats =
          request.repeats / kAgainTurns + (part < request.repeats % kAgainTurns ? 1 : 0);
      if (repeats == 0) continue;
      const std::uint32_t warmup = part == 0 ? request.warmup : std::min<std::uint32_t>(1, request.warmup);
      turns.push_back({side, 0, repeats, warmup, part == 0});
    }
  }
  return turns;
}

}  // namespace opscope::ui
