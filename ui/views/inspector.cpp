// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/inspector.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPainter>
#include <algorithm>
#include <numeric>

#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"
#include "ui/views/delegates/cell_delegate.h"
#include "ui/views/widgets/broken_name.h"
#include "ui/views/widgets/kind_swatch.h"

namespace opscope::ui {

Inspector::Inspector(const Theme* theme, Selection* selection, Background* background, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_selection(selection), m_background(background) {
  setMinimumWidth(theme->px(280));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  m_stack = new QStackedWidget;
  m_empty = new EmptyState(theme, "info");
  m_empty->setTexts({},
                    QStringLiteral("Select an op to see its arguments, statistics and place in the code."));
  m_scroll = new QScrollArea;
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setAccessibleName(QStringLiteral("About the op"));
  m_stack->addWidget(m_empty);
  m_stack->addWidget(m_scroll);
  layout->addWidget(m_stack);
  connect(selection, &Selection::opChanged, this, [this]() {
    m_allCalls = false;
    m_group.reset();
    refreshLater();
  });
  connect(theme, &Theme::changed, this, &Inspector::refreshLater);
}

void Inspector::setRun(std::shared_ptr<const RunView> run) {
  m_run = std::move(run);
  m_group.reset();
  refresh();
}

void Inspector::loadCode() {
  const report::Run& run = m_run->run();
  if (run.executableHash == m_codeHash) return;
  m_code.reset();
  m_codeHash = run.executableHash;
  if (!hasCode()) return;
  using Answer = base::Result<std::shared_ptr<const session::ProgramCode>>;
  m_background->run(
      this,
      [path = run.executablePath, hash = run.executableHash]() {
        const SlowWork work("the bytecode");
        return session::readProgramCode(path, hash);
      },
      [this, hash = run.executableHash](const Answer& answer) {
        // Without the file the names are not told; the Code page says why.
        if (!answer || hash != m_codeHash) return;
        m_code = *answer;
        refreshLater();
      });
}

void Inspector::refreshLater() {
  // A link of the old content may be the sender: it must not be deleted under its own click.
  if (m_refreshPending) return;
  m_refreshPending = true;
  QMetaObject::invokeMethod(
      this, [this]() { refresh(); }, Qt::QueuedConnection);
}

void Inspector::refresh() {
  m_refreshPending = false;
  const auto details = m_run ? detailsOf(*m_run, m_selection->op()) : nullptr;
  const bool storage = m_box && m_memory->run == m_run;
  if (!details && !storage && !m_group) {
    m_stack->setCurrentWidget(m_empty);
    return;
  }
  loadCode();
  build(details.get());
  m_stack->setCurrentWidget(m_scroll);
}

void Inspector::build(const OpDetails* details) {
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  content->setBackgroundRole(QPalette::Base);
  m_layout = new QVBoxLayout(content);
  m_layout->setContentsMargins(m_theme->px(12), m_theme->px(12), m_theme->px(12), m_theme->px(12));
  m_layout->setSpacing(m_theme->px(6));
  if (m_box && m_memory->run == m_run) {
    addStorage();
    if (details) {
      m_layout->addSpacing(m_theme->px(4));
      m_layout->addWidget(new Hairline(m_theme));
    }
  }
  if (m_group) {
    addGroup(*m_group);
  } else if (details) {
    addOp(*details);
  }
  m_layout->addStretch(1);
  m_scroll->setWidget(content);
}

void Inspector::addOp(const OpDetails& details) {
  addHead(details);
  const Fill& fill = m_theme->kindFill(details.kind);
  if (details.samplesUs.size() > 1) {
    addSpread(QStringLiteral("Spread of the %1 repeats").arg(details.samplesUs.size()), details.samplesUs,
              fill);
    addStatistics(details.statistics);
    addRemarks(details);
  }
  if (details.callsUs.size() > 1) {
    addSpread(QStringLiteral("Spread of the %1 calls").arg(details.callsUs.size()), details.callsUs, fill);
    if (details.samplesUs.size() <= 1) addStatistics(report::computeStatistics(details.callsUs));
  }
  addArguments(details);
  addKernel(details);
  addCalls(details);
}

void Inspector::addHead(const OpDetails& details) {
  addName(details.name, details.kind);
  QStringList facts = {format::fromUtf8(report::kindName(details.kind))};
  if (!details.device.isEmpty()) facts << details.device;
  facts << QStringLiteral("%1, called %2")
               .arg(details.kernel ? QStringLiteral("kernel") : QStringLiteral("builtin"),
                    format::counted(details.count, "time", "times"));
  auto* fact = plainText(m_theme, facts.join(QStringLiteral(" · ")), 12, &Colours::textSecondary);
  fact->setWordWrap(true);
  m_layout->addWidget(fact);
  addDuration(details.durationUs, details.percent, m_run->byOp.totals.totalUs);
}

void Inspector::addName(const QString& words, std::optional<report::OpKind> kind) {
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(8));
  if (kind) row->addWidget(new KindSwatch(m_theme, m_theme->kindFill(*kind)), 0, Qt::AlignTop);
  auto* name = new BrokenName(m_theme, words);
  // Its first line lies in the middle of the swatch and the button.
  name->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  name->setContentsMargins(0, m_theme->px(4), 0, 0);
  row->addWidget(name, 1);
  auto* copy = iconButton(m_theme, "copy", QStringLiteral("Copy the name"), this);
  connect(copy, &QToolButton::clicked, this, [words]() { QGuiApplication::clipboard()->setText(words); });
  row->addWidget(copy, 0, Qt::AlignTop);
  m_layout->addLayout(row);
}

void Inspector::addDuration(double us, std::optional<double> part, double wholeUs) {
  const format::Quantity duration = format::duration(us);
  auto* numbers = new QHBoxLayout;
  numbers->setSpacing(m_theme->px(4));
  numbers->addWidget(plainText(m_theme, duration.number, 26, &Colours::text, QFont::DemiBold), 0,
                     Qt::AlignBottom);
  auto* unit = plainText(m_theme, duration.unit, 13, &Colours::textSecondary);
  unit->setContentsMargins(0, 0, 0, m_theme->px(4));
  numbers->addWidget(unit, 0, Qt::AlignBottom);
  numbers->addStretch(1);
  if (part) {
    auto* percent = plainText(m_theme, format::percent(*part, 1) + QStringLiteral("\u00A0%"), 15,
                              &Colours::text, QFont::DemiBold);
    percent->setContentsMargins(0, 0, 0, m_theme->px(3));
    numbers->addWidget(percent, 0, Qt::AlignBottom);
  }
  m_layout->addLayout(numbers);
  const bool ofRun = wholeUs == m_run->byOp.totals.totalUs;
  const QString whole = !ofRun                          ? QStringLiteral("the range")
                        : m_run->run().function.empty() ? QStringLiteral("the total")
                                                        : format::fromUtf8(m_run->run().function);
  m_layout->addWidget(plainText(m_theme,
                                QStringLiteral("of %1, %2").arg(whole, format::duration(wholeUs).text()), 12,
                                &Colours::textSecondary));
}

Text* Inspector::addSection(const QString& title, const QString& right) {
  m_layout->addSpacing(m_theme->px(4));
  m_layout->addWidget(new Hairline(m_theme));
  auto* row = new QHBoxLayout;
  row->addWidget(plainText(m_theme, title, 12, &Colours::text, QFont::DemiBold));
  row->addStretch(1);
  auto* note = plainText(m_theme, right, 12, &Colours::textSecondary);
  row->addWidget(note);
  m_layout->addLayout(row);
  return note;
}

void Inspector::addSpread(const QString& title, const std::vector<double>& samples, const Fill& fill) {
  addSection(title, QStringLiteral("µs"));
  auto* plot = new HistogramPlot(m_theme);
  plot->setSamples(samples, fill);
  m_layout->addWidget(plot);
}

void Inspector::paintEvent(QPaintEvent*) {
  QPainter(this).fillRect(rect(), m_theme->colours().base);
}

}  // namespace opscope::ui
