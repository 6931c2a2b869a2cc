// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare_page.h"

#include <QHeaderView>
#include <QMenu>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/compare/compare_head.h"
#include "ui/views/compare/waterfall.h"
#include "ui/views/delegates/compare_delegates.h"
#include "ui/views/widgets/page_bar.h"

namespace opscope::ui {
namespace {

constexpr double kPercent = 100;

}  // namespace

ComparePage::ComparePage(const PageContext& context, QWidget* parent)
    : RunPage(context, "list", QString(), parent), m_model(new CompareModel(this)) {
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_head = new CompareHead(theme());
  connect(m_head, &CompareHead::choiceMade, this, &ComparePage::choiceMade);
  connect(m_head, &CompareHead::fileRequested, this, &ComparePage::fileRequested);
  m_warnings = new InfoBar(theme());
  m_saved = new InfoBar(theme());
  m_saved->hide();
  m_againBar = new InfoBar(theme());
  m_againBar->hide();
  m_emptyState = new EmptyState(theme(), "list");
  m_before = m_emptyState->addButton(nullptr, QStringLiteral("Compare with the run before"));
  m_before->setPrimary(true);
  connect(m_before, &QPushButton::clicked, this, &ComparePage::beforeRequested);
  auto* files = m_emptyState->addButton("open", QStringLiteral("Choose two files"));
  connect(files, &QPushButton::clicked, this, &ComparePage::twoFilesRequested);
  auto* whole = new QWidget;
  auto* column = new QVBoxLayout(whole);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_warnings);
  column->addWidget(m_saved);
  m_bar = buildBar();
  column->addWidget(m_bar);
  m_filterProblem = new FilterProblem(theme(), m_filter);
  column->addWidget(m_filterProblem);
  column->addWidget(buildTable(), 1);
  m_foot = buildFoot();
  column->addWidget(m_foot);
  m_stack = new QStackedWidget;
  m_stack->addWidget(m_emptyState);
  m_stack->addWidget(whole);
  layout->addWidget(m_head);
  layout->addWidget(m_againBar);
  layout->addWidget(m_stack, 1);
  setContent(content);
  showContent();
  connect(m_model, &CompareModel::rowsChanged, this, &ComparePage::showRows);
  connect(context.selection, &Selection::opChanged, this, &ComparePage::showSelection);
  connect(context.selection, &Selection::filterChanged, this, &ComparePage::showFilter);
  showState();
}

QWidget* ComparePage::buildBar() {
  auto* bar = new PageBar(theme());
  m_filter = new FilterField;
  m_filter->setPlaceholderText(QStringLiteral("Filter ops"));
  m_filter->setAccessibleName(QStringLiteral("Filter ops"));
  m_filter->setToolTip(QStringLiteral("Show only ops that hold these words (Ctrl+F or /)"));
  m_filter->addAction(lookIcon(theme(), "filter", IconInk::Secondary), QLineEdit::LeadingPosition);
  m_filter->setMinimumWidth(theme()->px(120));
  m_filter->setMaximumWidth(theme()->px(210));
  connect(m_filter, &QLineEdit::textEdited, this, [this](const QString& text) {
    context().selection->setFilter({text, context().selection->filter().isRegularExpression});
  });
  bar->row()->addWidget(m_filter, 2);
  for (const auto verdict :
       {report::Verdict::Faster, report::Verdict::Slower, report::Verdict::Same, report::Verdict::TooNoisy,
        report::Verdict::New, report::Verdict::Gone, report::Verdict::NoSamples}) {
    auto* chip = new VerdictChip(theme(), verdict);
    connect(chip, &QAbstractButton::toggled, this, [this, verdict](bool on) { toggleVerdict(verdict, on); });
    m_chips[verdict] = chip;
    bar->row()->addWidget(chip);
  }
  bar->row()->addStretch(1);
  m_effectWords = new Text(theme(), 12, &Colours::textSecondary);
  m_effectWords->setText(QStringLiteral("Same within"));
  m_effect = new QDoubleSpinBox;
  m_effect->setRange(0, 50);
  m_effect->setDecimals(1);
  m_effect->setSingleStep(1);
  m_effect->setSuffix(QStringLiteral("\u00A0%"));
  m_effect->setLocale(QLocale::c());
  m_effect->setValue(report::CompareOptions().minimumEffect * kPercent);
  m_effect->setAlignment(Qt::AlignRight);
  m_effect->setKeyboardTracking(false);
  m_effect->setAccessibleName(QStringLiteral("Same within"));
  m_effect->setToolTip(QStringLiteral("A smaller change counts as none"));
  m_effect->setFixedWidth(theme()->px(76));
  connect(m_effect, &QDoubleSpinBox::valueChanged, this,
          [this](double percent) { Q_EMIT minimumEffectChanged(percent / kPercent); });
  bar->row()->addWidget(m_effectWords);
  bar->row()->addWidget(m_effect);
  buildAgainButton();
  bar->row()->addWidget(m_again);
  buildCopyMenu();
  bar->row()->addWidget(m_copy);
  return bar;
}

void ComparePage::buildAgainButton() {
  m_again = new ActionButton(theme(), "run", QStringLiteral("Run both again"));
  m_again->setToolTip(QStringLiteral("Measure both anew with the same settings, by turns (Ctrl+Shift+D)"));
  connect(m_again, &QPushButton::clicked, this, &ComparePage::againRequested);
}

void ComparePage::setAgain(bool running, const QString& progress, const QString& problem) {
  m_again->setEnabled(!running);
  if (running) {
    // The button stays while words change.
    if (!m_againRuns) {
      m_againBar->clearButtons();
      QPushButton* stop = m_againBar->addButton(QStringLiteral("Stop and keep what is measured"));
      connect(stop, &QPushButton::clicked, this, &ComparePage::againStopRequested);
    }
    m_againBar->showMessage(InfoBar::Kind::Info, QStringLiteral("Running both again"), progress);
  } else if (!problem.isEmpty()) {
    m_againBar->clearButtons();
    m_againBar->showMessage(InfoBar::Kind::Warning, QStringLiteral("Not run again"), problem);
  } else {
    m_againBar->hide();
  }
  m_againRuns = running;
}

void ComparePage::buildCopyMenu() {
  m_copy = new ActionButton(theme(), "copy", QStringLiteral("Copy"));
  m_copy->setToolTip(QStringLiteral("Copy the selected rows, or all"));
  auto* menu = new QMenu(m_copy);
  const std::pair<const char*, TextFormat> formats[] = {{"Parted by tabs\tCtrl+C", TextFormat::TabSeparated},
                                                        {"Markdown\tCtrl+Shift+C", TextFormat::Markdown},
                                                        {"CSV\tCtrl+Alt+C", TextFormat::Csv}};
  for (const auto& [words, format] : formats) {
    menu->addAction(QString::fromUtf8(words), this, [this, format = format]() { m_table->copyRows(format); });
  }
  connect(m_copy, &QPushButton::clicked, this,
          [this, menu]() { menu->popup(m_copy->mapToGlobal(QPoint(0, m_copy->height()))); });
}

QWidget* ComparePage::buildTable() {
  m_table = new DataTable(theme());
  m_table->setHorizontalHeader(new CompareHeader(theme(), CompareModel::RatioBar, m_table));
  m_table->horizontalHeader()->setFixedHeight(theme()->px(26));
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Ops of both runs"));
  m_table->horizontalHeader()->setSortIndicator(m_model->sortColumn(), m_model->sortOrder());
  m_table->setSortingEnabled(true);
  for (int column = 0; column < CompareModel::kColumns; ++column) {
    CellDelegate* delegate = nullptr;
    if (column == CompareModel::Name) {
      delegate = new NameDelegate(theme(), m_table);
    } else if (column == CompareModel::RatioBar) {
      delegate = new RatioDelegate(theme(), m_table);
    } else if (column == CompareModel::Verdict) {
      delegate = new VerdictDelegate(theme(), m_table);
    } else {
      delegate = new NumberDelegate(theme(), m_table);
    }
    m_table->setItemDelegateForColumn(column, delegate);
  }
  m_table->viewport()->installEventFilter(this);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &ComparePage::takeSelection);
  connect(m_table, &DataTable::rowActivated, this, &ComparePage::opsRequested);
  connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, &ComparePage::layoutColumns);
  m_nothingFound = new EmptyState(theme(), "filter");
  auto* clear = m_nothingFound->addButton(nullptr, QStringLiteral("Clear the filter"));
  connect(clear, &QPushButton::clicked, this, [this]() {
    for (const auto& [verdict, chip] : m_chips) chip->setChecked(false);
    context().selection->setFilter({});
  });
  m_tableStack = new QStackedWidget;
  m_tableStack->addWidget(m_table);
  m_tableStack->addWidget(m_nothingFound);
  return m_tableStack;
}

void ComparePage::setRun(std::shared_ptr<const RunView> run) {
  RunPage::setRun(std::move(run));
  showContent();
  showSelection();
}

void ComparePage::setStatus(const PageStatus& status) {
  RunPage::setStatus(status);
  showContent();
}

bool ComparePage::focusSearch() {
  if (!m_view) return false;
  m_filter->setFocus(Qt::ShortcutFocusReason);
  m_filter->selectAll();
  return true;
}

QString ComparePage::note() const {
  if (!m_view) return {};
  if (!m_view->comparison->hasSamples) return QStringLiteral("Values only: a report holds no samples");
  return m_view->comparison->isOfGroups() ? QStringLiteral("Interval: with the spread between runs, 95 %")
                                          : QStringLiteral("Interval: bootstrap of the medians, 95 %");
}

DataTable* ComparePage::rowsTable() {
  return m_view ? m_table : nullptr;
}

void ComparePage::setComparison(const std::shared_ptr<const CompareView>& view) {
  m_view = view;
  m_chosen = -1;
  m_head->setComparison(view.get());
  m_waterfall->setComparison(view);
  for (const auto& [verdict, chip] : m_chips) {
    const std::size_t count = view ? view->comparison->count(verdict) : 0;
    chip->setCount(count);
    if (count == 0) chip->setChecked(false);
  }
  showChips();
  m_footDetail->setText(view ? stepsText(*view) : QString());
  m_footSave->setEnabled(view != nullptr);
  m_model->setFilter(context().selection->filter());
  m_model->setComparison(view);
  showState();
  showWarnings();
  showSelection();
  Q_EMIT chosenOpChanged();
  Q_EMIT noteChanged();
}

/// What gives way first where there is no room: chips that count nothing, words of a button, of a field.
void ComparePage::showChips() {
  // Without samples there is one verdict for all that both runs have, with samples never.
  const bool values = m_view && !m_view->comparison->hasSamples;
  const auto showAll = [&](bool ample) {
    for (const auto& [verdict, chip] : m_chips) {
      const bool either = verdict == report::Verdict::New || verdict == report::Verdict::Gone;
      const bool fits = either || (verdict == report::Verdict::NoSamples) == values;
      const bool counts = m_view && m_view->comparison->count(verdict) > 0;
      chip->setVisible(fits && (ample || counts || chip->isChecked()));
    }
  };
  const auto fits = [this]() {
    const int field = m_filter->sizeHint().width() - m_filter->minimumWidth();
    return m_bar->sizeHint().width() - field <= width();
  };
  m_effectWords->setVisible(true);
  m_again->setText(QStringLiteral("Run both again"));
  showAll(true);
  if (!fits()) showAll(false);
  if (!fits()) m_again->setText(QStringLiteral("Again"));
  const bool words = fits();
  m_effectWords->setVisible(words);
  // Without its words the number still says that it goes to both sides.
  m_effect->setPrefix(words ? QString() : QStringLiteral("±\u00A0"));
}

void ComparePage::setChoices(const std::vector<CompareOption>& options, const CompareChoice& before,
                             const CompareChoice& after) {
  m_head->setChoices(options, before, after);
}

void ComparePage::setBusy(bool busy) {
  m_busy = busy;
  showState();
}

void ComparePage::setProblem(const QString& problem) {
  m_problem = problem;
  showState();
}

void ComparePage::setBeforePossible(bool possible) {
  m_before->setVisible(possible);
}

void ComparePage::showState() {
  m_stack->setCurrentIndex(m_view && m_problem.isEmpty() ? 1 : 0);
  if (!m_problem.isEmpty()) {
    m_emptyState->setTexts(QStringLiteral("These runs cannot be compared"), m_problem);
  } else if (m_busy) {
    m_emptyState->setTexts(QStringLiteral("Comparing"),
                           QStringLiteral("Both sides are read and held together."));
  } else {
    m_emptyState->setTexts(
        QStringLiteral("Nothing to compare yet"),
        QStringLiteral("Choose an old and a new run above, or tick two in Runs. Groups of runs "
                       "are made there too."));
  }
}

void ComparePage::showWarnings() {
  if (!m_view) {
    m_warnings->hide();
    return;
  }
  QStringList words;
  const bool ofGroups = m_view->comparison->isOfGroups();
  for (const std::string& difference : m_view->comparison->differences)
    words << oldAndNew(difference, ofGroups);
  const bool onlyDifferences = m_view->comparison->warnings.empty();
  for (const report::Warning& warning : m_view->comparison->warnings) {
    words << oldAndNew(warning.message, ofGroups) + QLatin1Char(' ') + oldAndNew(warning.hint, ofGroups);
  }
  m_warnings->setToolTip(words.join(QLatin1Char('\n')));
  if (words.isEmpty()) {
    m_warnings->hide();
    return;
  }
  // The weightiest first; the others in the tooltip.
  QString text = onlyDifferences ? words.front() : words[qsizetype(m_view->comparison->differences.size())];
  if (words.size() > 1)
    text += QStringLiteral(" And %1.").arg(format::counted(words.size() - 1, "more note", "more notes"));
  m_warnings->showMessage(onlyDifferences ? InfoBar::Kind::Info : InfoBar::Kind::Warning, {}, text);
}

void ComparePage::showRows() {
  const bool nothing = m_view && m_model->rowCount() == 0;
  m_tableStack->setCurrentIndex(nothing ? 1 : 0);
  m_copy->setEnabled(m_view && !nothing);
  const QString text = context().selection->filter().text;
  if (m_view && m_view->comparison->ops.empty()) {
    m_nothingFound->setTexts(QStringLiteral("No ops"), QStringLiteral("Neither of the runs lists a call."));
  } else {
    m_nothingFound->setTexts(text.isEmpty() ? QStringLiteral("No op of these verdicts")
                                            : QStringLiteral("No op matches “%1”").arg(text),
                             {});
  }
  layoutColumns();
  showSelection();
}

void ComparePage::showFilter() {
  const OpFilter& filter = context().selection->filter();
  const QSignalBlocker block(m_filter);
  if (m_filter->text() != filter.text) m_filter->setText(filter.text);
  m_filterProblem->tell(filter);
  m_model->setFilter(filter);
}

void ComparePage::toggleVerdict(report::Verdict verdict, bool shown) {
  std::set<report::Verdict> verdicts = m_model->verdicts();
  shown ? (void)verdicts.insert(verdict) : (void)verdicts.erase(verdict);
  m_model->setVerdicts(verdicts);
  Q_EMIT undoChanged();  // the command that shows all again is possible now, or no more
}

void ComparePage::takeSelection() {
  if (m_showing || !m_view) return;
  const auto rows = m_table->selectedRows();
  if (rows.empty()) return;
  const int current = m_table->currentIndex().row();
  const int row = std::ranges::find(rows, current) != rows.end() ? current : rows.front();
  choose(m_model->indexAt(row), true);
}

void ComparePage::choose(int op, bool tellAll) {
  m_chosen = op;
  m_waterfall->setSelected(op);
  Q_EMIT chosenOpChanged();
  if (!tellAll || op < 0 || !run()) {
    showSelection();
    return;
  }
  // The op of the run that the other pages show, where it has this one.
  const report::ComparedOp& compared = m_view->op(op);
  OpId id;
  for (const auto* side : {&compared.b, &compared.a}) {
    if (id.isNull() && *side) id = findOp(*run(), **side);
  }
  if (id.isNull() || id == context().selection->op()) {
    showSelection();
  } else {
    context().selection->setOp(id);
  }
}

void ComparePage::showSelection() {
  if (!m_view) return;
  const OpId& op = context().selection->op();
  const int found = run() ? comparedOpOf(*m_view, *run(), op) : -1;
  // What the run that is shown does not have stays chosen here.
  if (found >= 0 && found != m_chosen) {
    m_chosen = found;
    m_waterfall->setSelected(found);
    Q_EMIT chosenOpChanged();
  }
  const int row = m_model->rowOf(m_chosen);
  const auto selected = m_table->selectedRows();
  m_showing = true;
  if (row < 0) {
    m_table->clearSelection();
  } else if (std::ranges::find(selected, row) == selected.end()) {
    m_table->setCurrentRow(row);
    m_table->scrollTo(m_table->currentIndex());
  }
  m_showing = false;
}

bool ComparePage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) layoutColumns();
  return RunPage::eventFilter(watched, event);
}

void ComparePage::resizeEvent(QResizeEvent* event) {
  RunPage::resizeEvent(event);
  showChips();
  showFoot();
}

}  // namespace opscope::ui
