// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/summary_running.h"

#include <QHeaderView>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/delegates/cell_delegate.h"

namespace opscope::ui {

namespace {

/// "median 87.6 ms, 79.9 – 91.8 ms, noise 3.9 %".
QString totalWords(const report::Statistics& s) {
  QStringList words = {QStringLiteral("median %1").arg(format::duration(s.median).text())};
  if (s.count > 1) words << format::durationRange(s.min, s.max);
  if (s.noise) words << QStringLiteral("noise %1\u00A0%").arg(format::noise(*s.noise * 100));
  return words.join(QStringLiteral(" · "));
}

QString opWords(const LiveRun& run) {
  const QString repeats = format::counted(qint64(run.opRepeats()), "repeat", "repeats");
  if (run.done() == 1) return QStringLiteral("of the first repeat");
  // A long run tells the ops of some of its newest repeats.
  return run.opRepeats() < run.done() ? QStringLiteral("medians of %1 of %2")
                                            .arg(format::integer(qint64(run.opRepeats())),
                                                 format::counted(qint64(run.done()), "repeat", "repeats"))
                                      : QStringLiteral("medians of %1").arg(repeats);
}

ElidedText* titleWords(const Theme* theme, Panel* panel) {
  auto* words = new ElidedText(theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  words->setAlignment(Qt::AlignRight);
  panel->addTitleWidget(words);
  return words;
}

}  // namespace

SummaryRunning::SummaryRunning(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(14), theme->px(14), theme->px(14), theme->px(14));
  layout->setSpacing(theme->px(12));
  m_plotPanel = new Panel(theme, QStringLiteral("Total of each repeat"));
  m_plotPanel->setTitleLine(true);
  m_plotWords = titleWords(theme, m_plotPanel);
  m_plot = new RepeatPlot(theme);
  m_plotPanel->body()->addWidget(m_plot, 1);
  m_opsPanel = new Panel(theme, QStringLiteral("Ops so far"));
  m_opsWords = titleWords(theme, m_opsPanel);
  setUpTable();
  m_opsPanel->body()->addWidget(m_table, 1);
  layout->addWidget(m_plotPanel, 4);
  layout->addWidget(m_opsPanel, 5);
}

void SummaryRunning::setUpTable() {
  m_model = new LiveOpsModel(this);
  m_table = new DataTable(m_theme);
  m_table->setModel(m_model);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setAccessibleName(QStringLiteral("Ops so far"));
  m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->setMinimumHeight(m_theme->px(26) + 5 * m_theme->px(24));
  m_table->setItemDelegateForColumn(LiveOpsModel::Name, new NameDelegate(m_theme, m_table));
  m_table->setItemDelegateForColumn(LiveOpsModel::Duration, new NumberDelegate(m_theme, m_table));
  m_table->setItemDelegateForColumn(LiveOpsModel::Percent, new ShareBarDelegate(m_theme, m_table));
  m_table->setItemDelegateForColumn(LiveOpsModel::Count, new NumberDelegate(m_theme, m_table));
  m_table->setItemDelegateForColumn(LiveOpsModel::Deviation, new NumberDelegate(m_theme, m_table));
  QHeaderView* header = m_table->horizontalHeader();
  header->setSectionsMovable(false);
  header->setSectionsClickable(false);
  header->setSortIndicatorShown(false);
  header->setSectionResizeMode(LiveOpsModel::Name, QHeaderView::Stretch);
}

void SummaryRunning::setRun(const LiveRun& run) {
  const report::Statistics statistics = run.statistics();
  m_plotWords->setText(totalWords(statistics));
  // Of a run of very many repeats the newest are shown, and the axis would not begin with the first.
  const std::uint64_t left = run.done() - run.totalsUs().size();
  m_plot->setFirst(std::size_t(left) + 1);
  m_plot->setGoing(true);
  m_plot->setTotals(run.totalsUs(), std::size_t(run.wanted() - std::min(run.wanted(), left)));
  m_opsWords->setText(opWords(run));
  m_model->setRun(run);
  layoutColumns();
}

void SummaryRunning::clear() {
  m_plot->setTotals({}, 0);
  m_model->clear();
}

void SummaryRunning::layoutColumns() {
  QHeaderView* header = m_table->horizontalHeader();
  const QFontMetrics cell(m_theme->font(13));
  const QFontMetrics title(m_theme->font(12, QFont::DemiBold));
  // Below this the names need the room; the two columns are in Ops when the run is over.
  const bool narrow = width() < m_theme->px(640);
  m_table->setColumnHidden(LiveOpsModel::Count, narrow);
  m_table->setColumnHidden(LiveOpsModel::Deviation, narrow);
  for (const int column : {LiveOpsModel::Duration, LiveOpsModel::Count, LiveOpsModel::Deviation}) {
    int wanted =
        title.horizontalAdvance(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    for (int row = 0; row < std::min(m_model->rowCount(), 100); ++row)
      wanted = std::max(wanted, cell.horizontalAdvance(m_model->index(row, column).data().toString()));
    header->resizeSection(column, wanted + m_theme->px(20));
  }
  header->resizeSection(LiveOpsModel::Percent, m_theme->px(narrow ? 112 : 200));
}

void SummaryRunning::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layoutColumns();
}

}  // namespace opscope::ui
