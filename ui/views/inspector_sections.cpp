// SPDX-License-Identifier: GPL-3.0-or-later
// The Inspector's numbers, arguments and places of an op.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/report/modes.h"
#include "engine/report/quantity_words.h"
#include "engine/report/trend.h"
#include "ui/models/format.h"
#include "ui/views/inspector.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kCallsAtFirst = 3;
constexpr std::size_t kCallsAtMost = 200;
constexpr double kPercent = 100;

}  // namespace

void Inspector::addStatistics(const report::Statistics& s) {
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(m_theme->px(8));
  grid->setVerticalSpacing(m_theme->px(4));
  int place = 0;
  const auto put = [&](const char* name, const QString& value) {
    const int row = place / 2, column = place % 2 == 0 ? 0 : 3;
    ++place;
    grid->addWidget(plainText(m_theme, QString::fromUtf8(name), 12, &Colours::textSecondary), row, column);
    auto* number = plainText(m_theme, value, 12, &Colours::text);
    number->setAlignment(Qt::AlignRight);
    number->setAccessibleName(QString::fromUtf8(name) + QLatin1String(": ") + value);
    grid->addWidget(number, row, column + 1);
  };
  put("Mean", format::microseconds(s.mean));
  put("Max", format::microseconds(s.max));
  put("Median", format::microseconds(s.median));
  put("p99", format::microseconds(s.p99));
  put("Min", format::microseconds(s.min));
  put("p95", format::microseconds(s.p95));
  put("Std dev.", format::microseconds(s.standardDeviation));
  put("p5", format::microseconds(s.p5));
  put("MAD", s.medianDeviation > 0 ? format::microseconds(s.medianDeviation) : QStringLiteral("0.0"));
  put("n", format::integer(qint64(s.count)));
  grid->setColumnStretch(1, 1);
  grid->setColumnMinimumWidth(2, m_theme->px(20));
  grid->setColumnStretch(4, 1);
  m_layout->addLayout(grid);
  auto* row = new QHBoxLayout;
  row->addWidget(plainText(m_theme, QStringLiteral("Median, 95\u00A0%"), 12, &Colours::textSecondary));
  row->addStretch(1);
  const bool known = s.medianLow && s.medianHigh;
  const QString interval = known ? QStringLiteral("%1 %2 %3")
                                       .arg(format::microseconds(*s.medianLow), QString(format::kEnDash),
                                            format::microseconds(*s.medianHigh))
                                 : format::missing();
  auto* value = plainText(m_theme, interval, 12, &Colours::text);
  value->setToolTip(known ? QStringLiteral("The median lies within, with 95 % confidence")
                          : QStringLiteral("Told from 6 repeats on"));
  row->addWidget(value);
  m_layout->addLayout(row);
}

void Inspector::addRemark(const QString& words) {
  auto* remark = plainText(m_theme, words, 12, &Colours::textSecondary);
  remark->setWordWrap(true);
  m_layout->addWidget(remark);
}

void Inspector::addRemarks(const OpDetails& details) {
  const report::Statistics& s = details.statistics;
  const std::vector<double>& samples = details.samplesUs;
  if (s.outliers > 0) {
    addRemark(
        QStringLiteral("%1 of %2 repeats %3 far out, more than 3 interquartile ranges from the quartiles. "
                       "All numbers count %4.")
            .arg(format::integer(qint64(s.outliers)), format::integer(qint64(s.count)),
                 s.outliers == 1 ? QStringLiteral("lies") : QStringLiteral("lie"),
                 s.outliers == 1 ? QStringLiteral("it") : QStringLiteral("them")));
  } else if (s.count >= 8) {
    addRemark(QStringLiteral("No repeat lies far out."));
  }
  std::vector<double> ascending = samples;
  std::sort(ascending.begin(), ascending.end());
  if (const auto modes = report::findTwoModes(ascending)) {
    addRemark(QStringLiteral("Two groups: %1\u00A0% around %2\u00A0µs, the others around %3\u00A0µs.")
                  .arg(format::percent(modes->lowPart * kPercent, 0), format::microseconds(modes->low),
                       format::microseconds(modes->high)));
  }
  const auto trend = report::trendOf(samples);
  if (trend && trend->isDrift()) {
    addRemark(QStringLiteral("It gets %1: %2.")
                  .arg(trend->change > 0 ? QStringLiteral("slower") : QStringLiteral("faster"),
                       format::fromUtf8(report::fromQuarterToQuarter(trend->begin, trend->end))));
  }
}

void Inspector::addArguments(const OpDetails& details) {
  const auto arguments = argumentsOf(details.shapes);
  if (arguments.empty()) return;
  std::vector<std::string> names;
  if (m_code) {
    const auto known = m_code->kernelParameters.find(details.name.toStdString());
    if (known != m_code->kernelParameters.end()) names = known->second;
  }
  // With scalars among them, it cannot be told which name is whose.
  if (names.size() != arguments.size()) names.clear();
  addSection(QStringLiteral("Arguments"), {});
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(m_theme->px(10));
  grid->setVerticalSpacing(m_theme->px(2));
  grid->setColumnStretch(1, 1);
  int line = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto* number = plainText(m_theme, QString::number(i), 12, &Colours::textSecondary);
    number->setFixedFont(true);
    grid->addWidget(number, line, 0);
    auto* bytes = plainText(m_theme, arguments[i].bytes > 0 ? format::bytes(arguments[i].bytes) : QString(),
                            12, &Colours::textSecondary);
    grid->addWidget(bytes, line, 2, Qt::AlignRight);
    if (!names.empty()) {
      auto* name = new ElidedText(m_theme, 12, &Colours::text);
      name->setText(format::fromUtf8(names[i]));
      grid->addWidget(name, line++, 1);
    }
    auto* type = new ElidedText(m_theme, 12, names.empty() ? &Colours::text : &Colours::textSecondary,
                                QFont::Normal, Qt::ElideRight);
    type->setFixedFont(true);
    type->setText(arguments[i].text);
    grid->addWidget(type, line++, 1);
  }
  m_layout->addLayout(grid);
}

void Inspector::addKernel(const OpDetails& details) {
  if (!details.kernel || !hasCode()) return;
  addSection(QStringLiteral("Kernel"), {});
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(10));
  auto* name = new ElidedText(m_theme, 12, &Colours::text);
  name->setText(details.name);
  row->addWidget(name, 1);
  auto* link = new LinkButton(m_theme, QStringLiteral("Machine code"));
  link->setAccessibleName(QStringLiteral("Show the machine code of %1").arg(details.name));
  connect(link, &QAbstractButton::clicked, this,
          [this, kernel = details.name]() { Q_EMIT kernelRequested(kernel); });
  row->addWidget(link);
  m_layout->addLayout(row);
}

QString Inspector::functionOf(std::uint32_t instruction) const {
  const session::CodeFunction* function = m_code ? m_code->functionOf(instruction) : nullptr;
  return function == nullptr ? QString() : format::fromUtf8(function->name);
}

void Inspector::addCall(const OpDetails& details, std::size_t position) {
  const std::uint32_t call = details.calls[position];
  const report::Call& about = m_run->run().calls[call];
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(8));
  const QString number = QStringLiteral("#%1").arg(about.instruction);
  const QString function = functionOf(about.instruction);
  if (hasCode()) {
    auto* place = new LinkButton(m_theme, number);
    const QString in = function.isEmpty() ? QString() : QStringLiteral(" of %1").arg(function);
    place->setToolTip(QStringLiteral("Show instruction %1%2 in Code").arg(number, in));
    place->setAccessibleName(place->toolTip());
    connect(place, &QAbstractButton::clicked, this, [this, call, instruction = about.instruction]() {
      m_selection->setCall(m_run->run(), call);
      Q_EMIT instructionRequested(instruction);
    });
    place->setMinimumWidth(m_theme->px(44));
    row->addWidget(place);
  } else {
    auto* place = plainText(m_theme, number, 12, &Colours::text);
    place->setMinimumWidth(m_theme->px(44));
    place->setToolTip(QStringLiteral("Instruction %1 of the executable").arg(number));
    row->addWidget(place);
  }
  if (!function.isEmpty()) {
    auto* name = new ElidedText(m_theme, 12, &Colours::textSecondary);
    name->setText(function);
    row->addWidget(name, 1);
  }
  const bool chosen = m_selection->call() == call;
  row->addWidget(plainText(m_theme, format::microseconds(details.callsUs[position]), 12, &Colours::text,
                           chosen ? QFont::DemiBold : QFont::Normal));
  if (function.isEmpty()) row->addStretch(1);
  auto* link = new LinkButton(m_theme, QStringLiteral("Timeline"));
  const QString which =
      QStringLiteral("call %1 of %2")
          .arg(format::integer(qint64(call) + 1), format::integer(qint64(m_run->run().calls.size())));
  link->setToolTip(QStringLiteral("Show %1 on the Timeline").arg(which));
  link->setAccessibleName(link->toolTip());
  connect(link, &QAbstractButton::clicked, this, [this, call]() {
    m_selection->setCall(m_run->run(), call);
    Q_EMIT timelineRequested();
  });
  row->addWidget(link);
  m_layout->addLayout(row);
}

void Inspector::addCalls(const OpDetails& details) {
  addSection(QStringLiteral("Where it is called"),
             QStringLiteral("%1 of %2")
                 .arg(format::integer(qint64(details.calls.size())),
                      format::counted(qint64(details.reportCalls), "call", "calls")));
  std::vector<std::size_t> order(details.calls.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  // The call that is chosen comes first, wherever it is.
  std::stable_partition(order.begin(), order.end(),
                        [&](std::size_t i) { return m_selection->call() == details.calls[i]; });
  const std::size_t shown = std::min(order.size(), m_allCalls ? kCallsAtMost : kCallsAtFirst);
  for (std::size_t i = 0; i < shown; ++i) addCall(details, order[i]);
  addMore(details.calls.size() - shown, &m_allCalls,
          QStringLiteral("and %1 more: see Ops with a row for each call."));
}

void Inspector::addMore(std::size_t left, bool* all, const QString& remark) {
  if (left == 0) return;
  const QString more = format::integer(qint64(left));
  if (*all) {
    addRemark(remark.arg(more));
    return;
  }
  auto* link = new LinkButton(m_theme, QStringLiteral("%1 more").arg(more));
  connect(link, &QAbstractButton::clicked, this, [this, all]() {
    *all = true;
    refreshLater();
  });
  m_layout->addWidget(link);
}

}  // namespace opscope::ui
