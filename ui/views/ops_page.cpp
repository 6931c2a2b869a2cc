// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/ops_page.h"

#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "engine/report/metrics.h"
#include "ui/models/format.h"
#include "ui/views/look/properties.h"
#include "ui/views/widgets/fitting_hint.h"
#include "ui/views/widgets/page_bar.h"
#include "ui/views/widgets/tick_menu.h"

namespace opscope::ui {

namespace {

// Between the parts of the two lines of sums.
const QString kSelectedGap = QStringLiteral("    ");
const QString kTotalsGap = QStringLiteral(" · ");

}  // namespace

OpsPage::OpsPage(const PageContext& context, QWidget* parent)
    : RunPage(context, "list", QStringLiteral("Ops fills with one row for each op when %1 has run."),
              parent) {
  m_model = new OpsModel(context.background, this);
  m_table = new DataTable(theme());
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Ops"));
  m_table->setSortingEnabled(true);
  QHeaderView* header = m_table->horizontalHeader();
  header->setSortIndicator(1, Qt::DescendingOrder);
  header->setFirstSectionMovable(false);
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_table, &QWidget::customContextMenuRequested, this, &OpsPage::showRowMenu);
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(header, &QHeaderView::customContextMenuRequested, this, &OpsPage::showHeaderMenu);
  connect(header, &QHeaderView::sectionMoved, this, [this]() {
    if (!m_orderingColumns) orderColumns();
  });
  // The mark of sorting takes room in the title that has it.
  connect(header, &QHeaderView::sortIndicatorChanged, this, &OpsPage::layoutColumns);
  m_nothingFound = new EmptyState(theme(), "filter");
  m_clearFilter = m_nothingFound->addButton(nullptr, QStringLiteral("Clear the filter"));
  connect(m_clearFilter, &QPushButton::clicked, this, [this]() { this->context().selection->setFilter({}); });
  m_clearRange = m_nothingFound->addButton(nullptr, QStringLiteral("Show the whole run"));
  connect(m_clearRange, &QPushButton::clicked, this,
          [this]() { this->context().selection->setRange(std::nullopt); });
  m_tableStack = new QStackedWidget;
  m_tableStack->addWidget(m_table);
  m_tableStack->addWidget(m_nothingFound);
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  m_filterProblem = new FilterProblem(theme(), m_filter);
  layout->addWidget(m_filterProblem);
  layout->addWidget(m_tableStack, 1);
  layout->addWidget(buildTotals());
  setContent(content);
  connectAll();
}

void OpsPage::connectAll() {
  // The bar at the right comes and goes with the rows, and the columns share what it leaves.
  connect(m_table->verticalScrollBar(), &QAbstractSlider::rangeChanged, this,
          [this, scrolled = false](int, int most) mutable {
            if (std::exchange(scrolled, most > 0) == (most > 0)) return;
            QMetaObject::invokeMethod(
                this, [this]() { layoutColumns(); }, Qt::QueuedConnection);
          });
  connect(m_model, &OpsModel::columnsChanged, this, &OpsPage::applyColumns);
  connect(m_model, &OpsModel::rowsChanged, this, [this]() {
    showSelection();
    // What the filter or another grouping leaves of the group.
    if (m_groupShown) m_model->describeGroup(m_table->currentIndex().row());
  });
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &OpsPage::takeSelection);
  connect(m_table, &DataTable::rowActivated, this, &OpsPage::activateRow);
  connect(m_table, &DataTable::foldRequested, m_model, &OpsModel::setUnfolded);
  connect(m_table, &DataTable::parentRequested, this, [this](int row) {
    m_table->setCurrentIndex(m_model->index(m_model->parentOf(row), m_table->currentIndex().column()));
  });
  connect(m_model, &OpsModel::membersChanged, this, &OpsPage::showTotals);
  connect(m_model, &OpsModel::groupDescribed, this, [this](const std::shared_ptr<const OpGroup>& group) {
    m_groupShown = group != nullptr;
    Q_EMIT groupChosen(group);
  });
  connect(context().selection, &Selection::opChanged, this, [this]() {
    m_groupShown = false;
    showSelection();
  });
  connect(context().selection, &Selection::filterChanged, this, &OpsPage::showFilter);
}

QWidget* OpsPage::buildBar() {
  auto* bar = new PageBar(theme());
  m_filter = new FilterField;
  new FittingHint(m_filter, QStringLiteral("Filter by name, shape or device"), QStringLiteral("Filter ops"));
  m_filter->setAccessibleName(QStringLiteral("Filter by name, shape or device"));
  m_filter->setToolTip(
      QStringLiteral("Show only ops that hold these words (Ctrl+F or /)\nkind:, name:, shape:, device:, "
                     "depth: or step: before them look there alone"));
  m_filter->setClearButtonEnabled(false);
  m_filter->addAction(lookIcon(theme(), "filter", IconInk::Secondary), QLineEdit::LeadingPosition);
  m_filter->setMinimumWidth(theme()->px(140));
  m_filter->setMaximumWidth(theme()->px(256));
  m_regex = new ActionButton(theme(), nullptr, QStringLiteral(".*"));
  m_regex->setCheckable(true);
  m_regex->setAccessibleName(QStringLiteral("Regular expression"));
  m_regex->setToolTip(QStringLiteral("Read the filter as a regular expression"));
  m_columns = new ActionButton(theme(), "columns", QStringLiteral("Columns"));
  m_columns->setToolTip(QStringLiteral("Choose columns"));
  m_columnsMenu = new TickMenu(m_columns);
  connect(m_columnsMenu, &QMenu::aboutToShow, this, &OpsPage::fillColumnsMenu);
  connect(m_columns, &QPushButton::clicked, this,
          [this]() { m_columnsMenu->popup(m_columns->mapToGlobal(QPoint(0, m_columns->height()))); });
  buildCopyButton();
  bar->row()->addWidget(m_filter, 40);
  bar->row()->addWidget(m_regex);
  m_range = new RangeChip(theme(), context().selection);
  bar->row()->addWidget(m_range);
  bar->row()->addSpacing(theme()->px(8));
  addGroupButtons(bar->row());
  bar->row()->addStretch(1);
  bar->row()->addWidget(m_columns);
  bar->row()->addWidget(m_copy);
  connectBar();
  return bar;
}

void OpsPage::connectBar() {
  const auto setFilter = [this]() {
    context().selection->setFilter({m_filter->text(), m_regex->isChecked()});
  };
  connect(m_filter, &QLineEdit::textEdited, this, setFilter);
  connect(m_regex, &QPushButton::toggled, this, setFilter);
  connect(m_eachCall, &QPushButton::clicked, this, [this]() { chooseGrouping(report::Grouping::EachCall); });
  connect(m_grouped, &QPushButton::clicked, this, [this]() { chooseGrouping(m_lastGrouped); });
}

void OpsPage::buildCopyButton() {
  m_copy = new ActionButton(theme(), "copy", QStringLiteral("Copy"));
  m_copy->setToolTip(QStringLiteral("Copy the selected rows, or all"));
  auto* copyMenu = new QMenu(m_copy);
  copyMenu->addAction(QStringLiteral("Parted by tabs\tCtrl+C"), this,
                      [this]() { m_table->copyRows(TextFormat::TabSeparated); });
  copyMenu->addAction(QStringLiteral("Markdown\tCtrl+Shift+C"), this,
                      [this]() { m_table->copyRows(TextFormat::Markdown); });
  copyMenu->addAction(QStringLiteral("CSV\tCtrl+Alt+C"), this,
                      [this]() { m_table->copyRows(TextFormat::Csv); });
  copyMenu->addAction(QStringLiteral("This cell"), this, [this]() { m_table->copyCell(); });
  connect(m_copy, &QPushButton::clicked, this,
          [this, copyMenu]() { copyMenu->popup(m_copy->mapToGlobal(QPoint(0, m_copy->height()))); });
}

QWidget* OpsPage::buildTotals() {
  auto* bar = new PageBar(theme(), PageBar::Place::Bottom);
  m_selectedTotals = new ElidedText(theme(), 12, &Colours::text, QFont::DemiBold, Qt::ElideRight);
  m_allTotals = new ElidedText(theme(), 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  m_allTotals->setAlignment(Qt::AlignRight);
  m_selectedTotals->setParts(kSelectedGap);
  m_allTotals->setParts(kTotalsGap);
  bar->row()->addWidget(m_selectedTotals);
  bar->row()->addSpacing(theme()->px(16));
  bar->row()->addWidget(m_allTotals, 1);
  return bar;
}

void OpsPage::setRun(std::shared_ptr<const RunView> run) {
  RunPage::setRun(run);
  showPart(nullptr);
}

void OpsPage::setRange(std::shared_ptr<const RunView> part) {
  if (part != m_part) showPart(std::move(part));
}

void OpsPage::showPart(std::shared_ptr<const RunView> part) {
  m_part = std::move(part);
  m_range->setPart(m_part);
  applyGrouping();
  if (m_part) {
    m_model->setDocument(m_part->document, OpsWhole::Range);
  } else {
    m_model->setDocument(run() ? run()->document : report::Document{});
  }
}

void OpsPage::setStatus(const PageStatus& status) {
  RunPage::setStatus(status);
}

bool OpsPage::focusSearch() {
  if (!run()) return false;
  m_filter->setFocus(Qt::ShortcutFocusReason);
  m_filter->selectAll();
  return true;
}

void OpsPage::showFilter() {
  const OpFilter& filter = context().selection->filter();
  const QSignalBlocker blockText(m_filter), blockRegex(m_regex);
  if (m_filter->text() != filter.text) m_filter->setText(filter.text);
  m_regex->setChecked(filter.isRegularExpression);
  m_filterProblem->tell(filter);
  m_model->setFilter(filter);
}

void OpsPage::takeSelection() {
  showTotals();
  if (m_showing || m_model->opsData() == nullptr) return;
  const auto rows = m_table->selectedRows();
  if (rows.empty()) return;
  const int current = m_table->currentIndex().row();
  const int row = std::find(rows.begin(), rows.end(), current) != rows.end() ? current : rows.front();
  if (const auto call = m_model->callAt(row)) {
    context().selection->setCall(*m_model->opsData()->document.run, *call);
  } else {
    context().selection->setOp(m_model->opAt(row));
  }
  m_model->describeGroup(row);
}

void OpsPage::showSelection() {
  m_showing = true;
  const bool nothing = m_model->opsData() != nullptr && m_model->rowCount() == 0;
  m_tableStack->setCurrentIndex(nothing ? 1 : 0);
  // Coarse rows are made of what passes the filter: without any, the filter must stay in reach.
  const bool any = m_model->opsData() != nullptr &&
                   (!m_model->opsData()->table.rows.empty() || !m_model->filter().isEmpty());
  for (QWidget* control : std::initializer_list<QWidget*>{m_filter, m_regex, m_eachCall, m_grouped,
                                                          m_groupChoice, m_columns, m_copy}) {
    control->setEnabled(any);
  }
  if (nothing) showNothingFound();
  const int row = m_model->opsData() == nullptr
                      ? -1
                      : m_model->rowOf(context().selection->op(), context().selection->call());
  const auto selected = m_table->selectedRows();
  // A group stands for its longest op, also while that is among its members below.
  const bool stands = std::ranges::any_of(selected, [this](int at) {
    return at < m_model->rowCount() && m_model->opAt(at) == context().selection->op() &&
           m_model->callAt(at) == context().selection->call();
  });
  if (row < 0) {
    m_table->clearSelection();
  } else if (!stands && std::find(selected.begin(), selected.end(), row) == selected.end()) {
    m_table->setCurrentRow(row);
    m_table->scrollTo(m_table->currentIndex());
  }
  m_showing = false;
  showTotals();
}

void OpsPage::showNothingFound() {
  const QString text = m_model->filter().text;
  m_clearFilter->setVisible(!text.isEmpty());
  m_clearRange->setVisible(m_part != nullptr);
  const QString range = m_part ? QStringLiteral(" in %1").arg(m_part->rangeText) : QString();
  if (!text.isEmpty()) {
    m_nothingFound->setTexts(QStringLiteral("No op matches “%1”").arg(text) + range, QString());
  } else if (m_part) {
    m_nothingFound->setTexts(QStringLiteral("No op") + range,
                             QStringLiteral("No call of the report reaches into the chosen range."));
  } else {
    m_nothingFound->setTexts(QStringLiteral("No ops"), QStringLiteral("This report lists no calls."));
  }
}

void OpsPage::showTotals() {
  const OpsData* opsRows = m_model->opsData();
  if (opsRows == nullptr) return;
  const auto rows = m_table->selectedRows();
  double us = 0, percent = 0;
  std::int64_t calls = 0;
  for (const int row : rows) {
    if (row >= m_model->rowCount() || isWithin(row, rows)) continue;
    const report::OpRow& op = m_model->opRow(row);
    us += op.durationUs;
    calls += op.count;
    percent += op.percent.value_or(0);
  }
  const QString& gap = kSelectedGap;
  m_selectedTotals->setText(rows.empty() ? QString()
                                         : QStringLiteral("%1 selected").arg(rows.size()) + gap +
                                               format::counted(calls, "call", "calls") + gap +
                                               format::microseconds(us) + QStringLiteral("\u00A0µs") + gap +
                                               format::percent(percent) + QStringLiteral("\u00A0%"));
  m_allTotals->setText(totalsText(*opsRows));
}

bool OpsPage::isWithin(int row, const std::vector<int>& rows) const {
  for (int at = m_model->parentOf(row); at >= 0; at = m_model->parentOf(at)) {
    if (std::ranges::binary_search(rows, at)) return true;
  }
  return false;
}

QString OpsPage::totalsText(const OpsData& rows) const {
  const report::OpTotals& totals = rows.table.totals;
  const bool grouped = rows.table.grouping != report::Grouping::EachCall;
  QStringList words;
  if (m_part) words << QStringLiteral("in %1").arg(m_part->rangeText);
  const std::int64_t all = std::int64_t(rows.table.rows.size());
  const std::int64_t shown = m_model->groupCount();
  // Groups of a kind or a device hold only what passes the filter already: their number tells no part.
  const bool part = shown > 0 && (shown != all || m_model->shownCalls() != totals.calls);
  const QString rowsText =
      grouped ? format::counted(all, "group", "groups") : format::counted(all, "row", "rows");
  words << (shown == all ? rowsText : QStringLiteral("%1 of %2").arg(format::integer(shown), rowsText));
  if (grouped) {
    const QString calls = format::counted(totals.calls, "call", "calls");
    words << (part ? QStringLiteral("%1 of %2").arg(format::integer(m_model->shownCalls()), calls) : calls);
  }
  if (rows.document.run->devices.size() == 1) {
    words << QStringLiteral("all on %1").arg(format::fromUtf8(rows.document.run->devices.front()));
  }
  if (totals.opsUs > 0) {
    const QString whole = format::microseconds(totals.opsUs);
    words
        << (part ? QStringLiteral("sum %1 of %2\u00A0µs").arg(format::microseconds(m_model->shownUs()), whole)
                 : QStringLiteral("ops sum %1\u00A0µs").arg(whole));
  }
  if (totals.betweenUs > 0) {
    words << QStringLiteral("between ops %1\u00A0µs (%2\u00A0%)")
                 .arg(format::microseconds(totals.betweenUs), format::percent(totals.betweenPercent));
  }
  if (rows.meanIsDuration && !rows.table.rows.empty() && isHidden(QStringLiteral("mean")))
    words << QStringLiteral("Mean is Duration");
  return words.join(kTotalsGap);
}

}  // namespace opscope::ui
