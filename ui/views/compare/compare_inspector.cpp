// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare/compare_inspector.h"

#include <QPainter>
#include <algorithm>
#include <array>

#include "engine/report/comparison_words.h"
#include "engine/report/statistics.h"
#include "ui/models/format.h"
#include "ui/views/compare/paired_histogram.h"
#include "ui/views/compare/verdict_look.h"
#include "ui/views/widgets/broken_name.h"
#include "ui/views/widgets/kind_swatch.h"

namespace opscope::ui {
namespace {

QString runsText(const std::optional<report::ComparedSide>& side) {
  if (!side) return format::missing();
  return format::integer(std::max<qint64>(1, qint64(side->runMediansUs.size())));
}

/// How much the medians of the runs differ.
QString betweenText(const std::optional<report::ComparedSide>& side) {
  return side && side->betweenRuns ? format::fixed(*side->betweenRuns * 100, 1) : format::missing();
}

/// "The interval holds 1"; a p-value keeps its letter.
QString capitalised(QString words) {
  if (!words.startsWith(QLatin1String("p "))) words[0] = words[0].toUpper();
  return words;
}

}  // namespace

CompareInspector::CompareInspector(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setMinimumWidth(theme->px(280));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  m_stack = new QStackedWidget;
  auto* empty = new EmptyState(theme, "info");
  empty->setTexts({}, QStringLiteral("Select an op to see its repeats in both runs."));
  m_scroll = new QScrollArea;
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setAccessibleName(QStringLiteral("The op in both runs"));
  m_stack->addWidget(empty);
  m_stack->addWidget(m_scroll);
  layout->addWidget(m_stack);
  connect(theme, &Theme::changed, this, &CompareInspector::rebuild);
}

void CompareInspector::show(const std::shared_ptr<const CompareView>& view, int op) {
  if (m_view == view && m_op == op) return;
  m_view = view;
  m_op = view && op >= 0 && op < int(view->comparison->ops.size()) ? op : -1;
  rebuild();
}

Text* CompareInspector::text(const QString& words, double size, QColor Colours::*colour,
                             QFont::Weight weight) const {
  auto* label = new Text(m_theme, size, colour, weight);
  label->setText(words);
  return label;
}

void CompareInspector::rebuild() {
  if (!m_view || m_op < 0) {
    m_stack->setCurrentIndex(0);
    return;
  }
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  m_layout = new QVBoxLayout(content);
  m_layout->setContentsMargins(m_theme->px(12), m_theme->px(12), m_theme->px(12), m_theme->px(12));
  m_layout->setSpacing(m_theme->px(6));
  const report::ComparedOp& op = m_view->op(m_op);
  addHead(op);
  addRepeats();
  addNumbers(op);
  addArguments(op);
  addActions();
  m_layout->addStretch(1);
  m_scroll->setWidget(content);
  m_stack->setCurrentIndex(1);
}

void CompareInspector::addHead(const report::ComparedOp& op) {
  auto* title = new QHBoxLayout;
  title->setSpacing(m_theme->px(7));
  auto* swatch = new KindSwatch(m_theme, m_theme->kindFill(m_view->kinds[std::size_t(m_op)]));
  title->addWidget(swatch, 0, Qt::AlignTop);
  title->addWidget(new BrokenName(m_theme, format::fromUtf8(op.shown().name)), 1);
  m_layout->addLayout(title);
  QStringList facts = {format::fromUtf8(report::kindName(m_view->kinds[std::size_t(m_op)]))};
  if (!op.shown().device.empty()) facts << format::fromUtf8(op.shown().device);
  facts << QStringLiteral("%1 a repeat").arg(format::counted(op.shown().calls, "call", "calls"));
  auto* fact = text(facts.join(QStringLiteral(" · ")), 12, &Colours::textSecondary);
  fact->setWordWrap(true);
  m_layout->addWidget(fact);
  auto* row = new QHBoxLayout;
  QColor Colours::*ink = op.verdict == report::Verdict::Faster     ? &Colours::faster
                         : op.verdict == report::Verdict::Slower   ? &Colours::slower
                         : op.verdict == report::Verdict::TooNoisy ? &Colours::noisy
                                                                   : &Colours::text;
  const QString change = op.ratio ? changeText(op.ratio) : verdictText(op.verdict);
  row->addWidget(text(verdictGlyph(op.verdict) + QLatin1Char(' ') + change, 26, ink, QFont::DemiBold));
  row->addStretch(1);
  if (op.ratio) {
    auto* verdict = text(verdictText(op.verdict), 13, ink, QFont::DemiBold);
    verdict->setContentsMargins(0, 0, 0, baseLineGap(*m_theme, 26, 13));
    row->addWidget(verdict, 0, Qt::AlignBottom);
  }
  m_layout->addLayout(row);
  addReasons(op);
}

/// Why the verdict is what it is, what else to mind, and the interval.
void CompareInspector::addReasons(const report::ComparedOp& op) {
  QStringList words;
  const std::string why = op.verdict == report::Verdict::TooNoisy ? report::noisyWords(op) : op.why;
  for (const std::string& reason : {why, op.note}) {
    if (!reason.empty()) words << capitalised(oldAndNew(reason, m_view->comparison->isOfGroups()));
  }
  if (op.ratioLow && op.ratioHigh)
    words << QStringLiteral("95\u00A0% interval of the ratio: %1").arg(intervalText(op));
  for (const QString& line : words) {
    auto* reason = text(line, 12, &Colours::textSecondary);
    reason->setWordWrap(true);
    m_layout->addWidget(reason);
  }
}

void CompareInspector::addActions() {
  m_layout->addSpacing(m_theme->px(4));
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(6));
  auto* code = new ActionButton(m_theme, nullptr, QStringLiteral("Show code"));
  code->setToolTip(QStringLiteral("Show the op's instructions and machine code"));
  connect(code, &QPushButton::clicked, this, &CompareInspector::codeRequested);
  auto* repeats = new ActionButton(m_theme, nullptr, QStringLiteral("Against repeat"));
  repeats->setToolTip(QStringLiteral("Show the op's time in each repeat of the run that is shown"));
  connect(repeats, &QPushButton::clicked, this, &CompareInspector::repeatsRequested);
  row->addWidget(code);
  row->addWidget(repeats);
  row->addStretch(1);
  m_layout->addLayout(row);
}

void CompareInspector::addSection(const QString& title, const QString& right) {
  m_layout->addSpacing(m_theme->px(4));
  m_layout->addWidget(new Hairline(m_theme));
  auto* row = new QHBoxLayout;
  row->addWidget(text(title, 12, &Colours::text, QFont::DemiBold));
  row->addStretch(1);
  row->addWidget(text(right, 12, &Colours::textSecondary));
  m_layout->addLayout(row);
}

void CompareInspector::addRepeats() {
  const auto before = samplesOf(m_view->a, m_view->opsA[std::size_t(m_op)]);
  const auto after = samplesOf(m_view->b, m_view->opsB[std::size_t(m_op)]);
  if (before.size() + after.size() == 0 || !m_view->comparison->hasSamples) return;
  addSection(QStringLiteral("Repeats, old against new"), {});
  auto* plot = new PairedHistogram(m_theme);
  const report::ComparedOp& op = m_view->op(m_op);
  const auto medians = [](const auto& side) { return side ? side->runMediansUs : std::vector<double>(); };
  plot->setSamples(before, after, medians(op.a), medians(op.b));
  m_layout->addWidget(plot);
}

void CompareInspector::addNumbers(const report::ComparedOp& op) {
  addSection(QStringLiteral("Numbers (µs)"), {});
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(m_theme->px(8));
  grid->setVerticalSpacing(m_theme->px(4));
  const auto put = [&](int row, int column, const QString& words, QColor Colours::*colour) {
    auto* label = text(words, 12, colour);
    if (column > 0) label->setAlignment(Qt::AlignRight);
    grid->addWidget(label, row, column);
  };
  put(0, 1, QStringLiteral("Old"), &Colours::textSecondary);
  put(0, 2, QStringLiteral("New"), &Colours::textSecondary);
  const bool samples = m_view->comparison->hasSamples;
  const std::array<const std::optional<report::ComparedSide>*, 2> sides = {&op.a, &op.b};
  const std::array<std::vector<double>, 2> values = {samplesOf(m_view->a, m_view->opsA[std::size_t(m_op)]),
                                                     samplesOf(m_view->b, m_view->opsB[std::size_t(m_op)])};
  const char* names[] = {
      samples ? "Median" : "Value", "Mean", "Min", "Max", "Std dev.", "p95", "Runs", "Between runs (%)"};
  const int rows = samples && m_view->comparison->isOfGroups() ? 8 : 6;
  for (int side = 0; side < 2; ++side) {
    const report::Statistics s = report::computeStatistics(values[std::size_t(side)]);
    const auto& compared = *sides[std::size_t(side)];
    const bool several = samples && s.count > 1;
    const auto known = [&](double us) { return several ? format::microseconds(us) : format::missing(); };
    const QString cells[] = {compared ? format::microseconds(compared->valueUs) : format::missing(),
                             known(s.mean),
                             known(s.min),
                             known(s.max),
                             several ? format::microseconds(s.standardDeviation) : format::missing(),
                             known(s.p95),
                             runsText(compared),
                             betweenText(compared)};
    for (int row = 0; row < rows; ++row) put(row + 1, side + 1, cells[row], &Colours::text);
  }
  for (int row = 0; row < rows; ++row)
    put(row + 1, 0, QString::fromUtf8(names[row]), &Colours::textSecondary);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(2, 1);
  m_layout->addLayout(grid);
}

void CompareInspector::addArguments(const report::ComparedOp& op) {
  const bool equal = op.a && op.b && op.a->shapes == op.b->shapes;
  const auto list = [this](const std::string& shapes) {
    for (const ArgumentText& argument : argumentsOf(format::fromUtf8(shapes))) {
      auto* line = new ElidedText(m_theme, 12, &Colours::text, QFont::Normal, Qt::ElideRight);
      line->setFixedFont(true);
      line->setText(argument.text);
      m_layout->addWidget(line);
    }
  };
  if (op.a && op.b && !equal) {
    addSection(QStringLiteral("Arguments, old"), {});
    list(op.a->shapes);
    addSection(QStringLiteral("Arguments, new"), {});
    list(op.b->shapes);
    return;
  }
  if (op.shown().shapes.empty()) return;
  addSection(QStringLiteral("Arguments"), equal ? QStringLiteral("equal in both") : QString());
  list(op.shown().shapes);
}

void CompareInspector::paintEvent(QPaintEvent*) {
  QPainter(this).fillRect(rect(), m_theme->colours().base);
}

}  // namespace opscope::ui
