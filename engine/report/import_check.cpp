// SPDX-License-Identifier: Apache-2.0
#include "engine/report/import_check.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "engine/base/printable.h"

namespace opscope::report {

namespace {

/// What rounding makes of the parts of a whole.
constexpr double kMostPercent = 100.05;

/// What is wrong with the value, as it stands in the file; nothing when it may stand there.
using Judge = std::optional<std::string> (*)(const Metric&);

std::string numberWords(double value) {
  if (std::isnan(value)) return "no number";
  return std::isinf(value) ? "an endless one" : fmt::format("{:g}", value);
}

std::optional<std::string> wrongDuration(const Metric& metric) {
  const Duration* duration = std::get_if<Duration>(&metric);
  if (duration == nullptr) return std::nullopt;
  const double us = duration->microseconds;
  return us >= 0 && us * 1e3 <= kMostImportedNs ? std::nullopt : std::optional(numberWords(us));
}

std::optional<std::string> wrongPercent(const Metric& metric) {
  const Percent* percent = std::get_if<Percent>(&metric);
  if (percent == nullptr) return std::nullopt;
  const double value = percent->percent;
  return value >= 0 && value <= kMostPercent ? std::nullopt : std::optional(numberWords(value));
}

std::optional<std::string> wrongCount(const Metric& metric) {
  const Count* count = std::get_if<Count>(&metric);
  if (count == nullptr || count->value >= 1) return std::nullopt;
  return fmt::format("{}", count->value);
}

struct CheckedColumn {
  std::string_view name;
  Judge judge;
  const char* expected;
};

constexpr CheckedColumn kColumns[] = {
    {kDurationUs, wrongDuration,
     "A duration is from 0 to 31 years. It counts as the nearest of these; what is no number, as not "
     "measured."},
    {kPercent, wrongPercent, "A percent is from 0 to 100. It is shown as the nearest of these."},
    {kCount, wrongCount, "A row stands for one call or more."}};

std::string rowName(const MetricMap& row, std::size_t number) {
  const Metric* name = row.find(kName);
  const std::string* text = name != nullptr ? std::get_if<std::string>(name) : nullptr;
  if (text == nullptr || text->empty()) return fmt::format("row {}", number);
  return fmt::format("row {} ({})", number, base::printable(*text));
}

/// Collects what is wrong in one column.
class ColumnCheck {
 public:
  explicit ColumnCheck(const CheckedColumn& column) : m_column(column) {}

  template <class Where>
  void look(const MetricMap& row, const Where& where) {
    const Metric* metric = row.find(m_column.name);
    const auto wrong = metric != nullptr ? m_column.judge(*metric) : std::nullopt;
    if (!wrong) return;
    if (m_wrongRows++ == 0) m_first = fmt::format("{} has {}", where(), *wrong);
  }

  std::optional<Warning> warning() const {
    if (m_wrongRows == 0) return std::nullopt;
    return Warning{fmt::format("{} of the report cannot be true: {}{}.", m_column.name, m_first,
                               m_wrongRows == 1 ? "" : fmt::format(", and {} more", m_wrongRows - 1)),
                   m_column.expected};
  }

 private:
  const CheckedColumn& m_column;
  std::size_t m_wrongRows = 0;
  std::string m_first;
};

}  // namespace

std::vector<Warning> impossibleValues(const Report& report) {
  std::vector<Warning> warnings;
  for (const CheckedColumn& column : kColumns) {
    ColumnCheck check(column);
    for (std::size_t i = 0; i < report.calls.size(); ++i) {
      check.look(report.calls[i], [&] { return rowName(report.calls[i], i + 1); });
    }
    for (const auto& [device, metrics] : report.deviceMetrics) {
      check.look(metrics, [&name = device] { return fmt::format("the total of {}", base::printable(name)); });
    }
    if (auto warning = check.warning()) warnings.push_back(std::move(*warning));
  }
  return warnings;
}

}  // namespace opscope::report
