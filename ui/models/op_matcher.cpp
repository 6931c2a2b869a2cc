// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/op_matcher.h"

#include <QRegularExpression>
#include <algorithm>
#include <functional>

#include "ui/models/format.h"

namespace opscope::ui {
namespace {

enum class Field { Any, Name, Shapes, Device, Kind, Depth, Step };

struct Wanted {
  Field field = Field::Any;
  QString text;
};

Wanted wantedOf(const OpFilter& filter) {
  if (filter.isRegularExpression) return {Field::Any, filter.text};
  static const std::pair<const char*, Field> kFields[] = {
      {"name:", Field::Name},     {"shape:", Field::Shapes}, {"shapes:", Field::Shapes},
      {"device:", Field::Device}, {"kind:", Field::Kind},    {"depth:", Field::Depth},
      {"step:", Field::Step}};
  for (const auto& [prefix, field] : kFields) {
    const auto length = qsizetype(qstrlen(prefix));
    if (filter.text.size() > length && filter.text.startsWith(QLatin1String(prefix), Qt::CaseInsensitive))
      return {field, filter.text.mid(length).trimmed()};
  }
  return {Field::Any, filter.text};
}

using Passes = std::function<bool(const QString&)>;

std::vector<char> matches(const std::vector<std::string>& texts, const Passes& passes) {
  std::vector<char> result(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) result[i] = passes(QString::fromStdString(texts[i]));
  return result;
}

/// "decode #1" is that step alone, though "decode #10" holds it.
std::vector<char> matchingSteps(const std::vector<std::string>& steps, const QString& wanted,
                                const Passes& passes) {
  std::vector<char> whole =
      matches(steps, [&](const QString& step) { return step.compare(wanted, Qt::CaseInsensitive) == 0; });
  return std::ranges::count(whole, 1) > 0 ? whole : matches(steps, passes);
}

}  // namespace

OpMatcher::OpMatcher(const report::Run& run, const OpFilter& filter) {
  if (filter.isEmpty() || !filterProblem(filter).isEmpty()) return;
  m_passesAll = false;
  const Wanted wanted = wantedOf(filter);
  const QRegularExpression expression(filter.isRegularExpression ? filter.text : QString(),
                                      QRegularExpression::CaseInsensitiveOption);
  const Passes passes = [&](const QString& text) {
    return filter.isRegularExpression ? text.contains(expression)
                                      : text.contains(wanted.text, Qt::CaseInsensitive);
  };
  const auto looksAt = [&](Field field) { return wanted.field == Field::Any || wanted.field == field; };
  if (looksAt(Field::Name)) m_names = matches(run.names, passes);
  if (looksAt(Field::Shapes)) m_shapes = matches(run.shapes, passes);
  if (looksAt(Field::Device)) m_devices = matches(run.devices, passes);
  if (wanted.field == Field::Kind) {
    for (const std::string& name : run.names)
      m_names.push_back(passes(format::fromUtf8(report::kindName(report::kindOf(name)))) ? 1 : 0);
  }
  bool isNumber = false;
  const std::uint32_t depth = wanted.text.toUInt(&isNumber);
  if (wanted.field == Field::Depth && isNumber) m_depth = depth;
  if (wanted.field == Field::Step) m_steps = matchingSteps(run.steps, wanted.text, passes);
  m_looksAtCalls = ui::looksAtCalls(filter);
}

bool looksAtCalls(const OpFilter& filter) {
  const Field field = wantedOf(filter).field;
  return field == Field::Depth || field == Field::Step;
}

QString filterProblem(const OpFilter& filter) {
  if (!filter.isRegularExpression) return {};
  const QRegularExpression expression(filter.text);
  if (expression.isValid()) return {};
  return QStringLiteral("Not a regular expression: %1 at character %2")
      .arg(expression.errorString())
      .arg(expression.patternErrorOffset() + 1);
}

}  // namespace opscope::ui
