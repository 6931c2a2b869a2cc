// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDateTime>
#include <QHeaderView>
#include <algorithm>
#include <array>

#include "ui/models/format.h"
#include "ui/views/summary_page.h"

namespace opscope::ui {

/// A number with its name above and what it means below.
class SummaryResult::Card : public Panel {
 public:
  explicit Card(const Theme* theme) : Panel(theme, {}) {
    m_stale = new IconLabel(lookIcon(theme, "clock", IconInk::Secondary), theme->px(16));
    m_stale->setToolTip(QStringLiteral("Measured before the inputs or the file changed"));
    m_stale->hide();
    m_title = new Text(theme, 12, &Colours::textSecondary, QFont::DemiBold);
    m_number = new Text(theme, 26, &Colours::text, QFont::DemiBold);
    m_unit = new Text(theme, 13, &Colours::textSecondary);
    m_below = new Text(theme, 12, &Colours::textSecondary);
    auto* box = new QVBoxLayout;
    box->setContentsMargins(theme->px(14), theme->px(10), theme->px(14), theme->px(10));
    box->setSpacing(theme->px(2));
    auto* row = new QHBoxLayout;
    row->setSpacing(theme->px(5));
    row->addWidget(m_number, 0, Qt::AlignBottom);
    m_unit->setContentsMargins(0, 0, 0, theme->px(4));
    row->addWidget(m_unit, 0, Qt::AlignBottom);
    row->addStretch(1);
    row->addWidget(m_stale, 0, Qt::AlignVCenter);
    box->addWidget(m_title);
    box->addLayout(row);
    box->addWidget(m_below);
    body()->addLayout(box);
  }
  void setStale(bool stale) { m_stale->setVisible(stale); }
  void set(const QString& title, const format::Quantity& value, const QString& below) {
    m_title->setText(title);
    m_number->setText(value.number);
    m_unit->setText(value.unit);
    m_below->setText(below);
    setAccessibleName(QStringLiteral("%1: %2, %3").arg(title, value.text(), below));
  }

 private:
  IconLabel* m_stale;
  Text* m_title;
  Text* m_number;
  Text* m_unit;
  Text* m_below;
};

namespace {

constexpr int kTopOps = 10;

/// "2026-11-24 15:02:11" of this place; a time that is written another way stays as it is.
QString localTime(const std::string& iso) {
  const QString text = format::fromUtf8(iso);
  const QDateTime time = QDateTime::fromString(text, Qt::ISODate);
  return time.isValid() ? time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")) : text;
}

}  // namespace

SummaryResult::SummaryResult(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  const Theme* theme = context.theme;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(14), theme->px(14), theme->px(14), theme->px(14));
  layout->setSpacing(theme->px(12));
  m_cards = new QGridLayout;
  m_cards->setSpacing(theme->px(12));
  for (Card** card : {&m_total, &m_kernels, &m_between, &m_noise}) *card = new Card(theme);
  placeCards(4);
  layout->addLayout(m_cards);
  buildTop(layout);
  buildBottom(layout);
  layout->addStretch(1);
}

/// `across` cards stand side by side.
void SummaryResult::placeCards(int across) {
  m_cardsAcross = across;
  int place = 0;
  for (Card* card : {m_total, m_kernels, m_between, m_noise}) {
    m_cards->addWidget(card, place / across, place % across);
    ++place;
  }
  for (int column = 0; column < 4; ++column) m_cards->setColumnStretch(column, column < across ? 1 : 0);
}

/// As many as the page is wide, which the cards themselves may have made wider than what is seen of it.
void SummaryResult::shareWidth() {
  const int seen = parentWidget() != nullptr ? parentWidget()->width() : width();
  const QMargins margins = layout()->contentsMargins();
  int widest = 0;
  for (Card* card : {m_total, m_kernels, m_between, m_noise})
    widest = std::max(widest, card->minimumSizeHint().width());
  const int room = seen - margins.left() - margins.right() + m_cards->spacing();
  const int fit = room / std::max(1, widest + m_cards->spacing());
  const int across = fit >= 4 ? 4 : fit >= 2 ? 2 : 1;
  if (across != m_cardsAcross) placeCards(across);
}

bool SummaryResult::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) shareWidth();
  return QWidget::eventFilter(watched, event);
}

void SummaryResult::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (parentWidget() != nullptr) parentWidget()->installEventFilter(this);
  shareWidth();
}

void SummaryResult::buildTop(QVBoxLayout* layout) {
  const Theme* theme = m_context.theme;
  auto* row = m_topRow = new QBoxLayout(QBoxLayout::LeftToRight);
  row->setSpacing(theme->px(12));
  m_top = new Panel(theme, QStringLiteral("Top ten ops"));
  m_topWords = new ElidedText(theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  m_topWords->setAlignment(Qt::AlignRight);
  m_topWords->setWholeOnly(true);
  m_top->addTitleWidget(m_topWords);
  m_allOps = new LinkButton(theme, QStringLiteral("All in Ops"));
  connect(m_allOps, &QAbstractButton::clicked, this, &SummaryResult::opsRequested);
  m_top->addTitleWidget(m_allOps);
  m_model = new OpsModel(m_context.background, this);
  m_model->setRowLimit(kTopOps);
  m_table = new DataTable(theme);
  m_table->setModel(m_model);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setAccessibleName(QStringLiteral("Top ten ops"));
  m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->setFixedHeight(theme->px(26) + 10 * theme->px(24) + 2);
  m_table->horizontalHeader()->setSectionsMovable(false);
  m_top->body()->addWidget(m_table);
  m_plotPanel = new Panel(theme, QStringLiteral("Total of each repeat"));
  m_plotPanel->setTitleLine(true);
  m_plot = new RepeatPlot(theme);
  m_plotPanel->body()->addWidget(m_plot, 1);
  row->addWidget(m_top, 11);
  row->addWidget(m_plotPanel, 9);
  layout->addLayout(row);
  connect(m_model, &OpsModel::columnsChanged, this, &SummaryResult::layoutColumns);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &SummaryResult::takeSelection);
  connect(m_table, &DataTable::rowActivated, this, &SummaryResult::opsRequested);
}

void SummaryResult::buildBottom(QVBoxLayout* layout) {
  const Theme* theme = m_context.theme;
  auto* row = m_bottomRow = new QBoxLayout(QBoxLayout::LeftToRight);
  row->setSpacing(theme->px(12));
  auto* notes = m_notesPanel =
      new Panel(theme, QStringLiteral("What to know before you trust these numbers"));
  notes->setTitleLine(true);
  m_notes = new NoteList(theme);
  notes->body()->addWidget(m_notes);
  notes->body()->addStretch(1);
  auto* facts = new Panel(theme, QStringLiteral("Measured on"));
  m_moreFacts = new LinkButton(theme, QStringLiteral("More"));
  facts->addTitleWidget(m_moreFacts);
  connect(m_moreFacts, &QAbstractButton::clicked, this, [this]() {
    m_allFacts = !m_allFacts;
    showFacts();
  });
  m_facts = new FactList(theme);
  auto* box = new QVBoxLayout;
  box->setContentsMargins(theme->px(14), 0, theme->px(14), theme->px(12));
  box->addWidget(m_facts);
  facts->body()->addLayout(box);
  facts->body()->addStretch(1);
  row->addWidget(notes, 11);
  row->addWidget(facts, 9);
  layout->addLayout(row);
}

void SummaryResult::layoutColumns() {
  if (m_model->opsData() == nullptr) return;
  const Theme* theme = m_context.theme;
  m_table->applyDelegates(*m_model);
  QHeaderView* header = m_table->horizontalHeader();
  const auto& columns = m_model->opsData()->columns;
  for (int i = 0; i < int(columns.size()); ++i) {
    const auto kind = columns[std::size_t(i)].kind;
    const bool shown = kind == OpsColumn::Kind::Name || kind == OpsColumn::Kind::Duration ||
                       kind == OpsColumn::Kind::Percent;
    m_table->setColumnHidden(i, !shown);
    if (kind == OpsColumn::Kind::Name) header->setSectionResizeMode(i, QHeaderView::Stretch);
    if (kind == OpsColumn::Kind::Duration) {
      const QFontMetrics title(theme->font(12, QFont::DemiBold));
      const int titleWidth = title.horizontalAdvance(columns[std::size_t(i)].title) + theme->px(20);
      // A number is never cut.
      const QFontMetrics cell(theme->font(13));
      int wanted = std::max(theme->px(104), titleWidth);
      for (int row = 0; row < m_model->rowCount(); ++row) {
        const QString text = m_model->index(row, i).data().toString();
        wanted = std::max(wanted, cell.horizontalAdvance(text) + theme->px(20));
      }
      header->resizeSection(i, wanted);
    }
    // In a narrow window the bars give way to the names.
    if (kind == OpsColumn::Kind::Percent)
      header->resizeSection(i, theme->px(width() < theme->px(1000) ? 112 : 152));
  }
}

void SummaryResult::takeSelection() {
  const QModelIndex index = m_table->currentIndex();
  if (index.isValid()) m_context.selection->setOp(m_model->opAt(index.row()));
}

void SummaryResult::setRun(const std::shared_ptr<const RunView>& run) {
  m_model->setDocument(run ? run->document : report::Document{});
  if (!run) return;
  const auto ops = qint64(run->byOp.rows.size());
  m_top->setTitle(ops > kTopOps ? QStringLiteral("Top ten ops") : QStringLiteral("Ops"));
  m_table->setAccessibleName(ops > kTopOps ? QStringLiteral("Top ten ops") : QStringLiteral("Ops"));
  m_allOps->setText(ops > kTopOps ? QStringLiteral("All %1 in Ops").arg(format::integer(ops))
                                  : QStringLiteral("Show in Ops"));
  m_allOps->updateGeometry();
  // The headline is a median, the ops' times are means: in a run with outliers they lie far apart.
  const auto& totals = run->figures.totalsUs;
  const double mean = totals.empty() ? 0 : report::computeStatistics(totals).mean;
  m_allOps->setVisible(ops > 0);
  m_topWords->setText(ops == 0 ? QStringLiteral("this report lists no calls")
                      : totals.size() < 2 || mean <= 0
                          ? QString()
                          : QStringLiteral("means of %1 repeats, %2 in all")
                                .arg(format::integer(qint64(totals.size())), format::duration(mean).text()));
  m_plotPanel->setVisible(run->figures.totalsUs.size() > 1);
  m_plot->setTotals(run->figures.totalsUs, run->run().repeatsWanted);
  setCards(*run);
  setNotes(*run);
  setFacts(*run);
  shareWidth();
}

void SummaryResult::setCards(const RunView& run) {
  const RunFigures& f = run.figures;
  const bool many = f.totalsUs.size() > 1;
  m_total->set(many ? QStringLiteral("Total, median of %1").arg(run.repeatsText()) : QStringLiteral("Total"),
               format::duration(f.totalUs),
               many ? format::durationRange(f.minUs, f.maxUs) : QStringLiteral("one repeat"));
  const auto part = [](const std::optional<double>& us) {
    return us ? format::duration(*us) : format::Quantity{format::missing(), {}};
  };
  // Beside a dash for "none" a percent would be a number about nothing.
  const auto ofTotal = [](const std::optional<double>& us, const std::optional<double>& percent) {
    if (us && *us <= 0) return QStringLiteral("none in this report");
    return us && percent ? QStringLiteral("%1\u00A0% of the total").arg(format::percent(*percent, 1))
                         : QStringLiteral("not told by this report");
  };
  const QString overlap =
      QStringLiteral("Calls nest in each other or run at the same time; each counts whole");
  m_kernels->set(QStringLiteral("In kernels"), part(f.kernelsUs),
                 f.opsOverlap ? QStringLiteral("more than the total: calls overlap")
                              : ofTotal(f.kernelsUs, f.kernelsPercent));
  m_between->set(
      QStringLiteral("In the VM and between"), part(f.betweenUs),
      f.opsOverlap ? QStringLiteral("not known: calls overlap") : ofTotal(f.betweenUs, f.betweenPercent));
  for (Card* card : {m_kernels, m_between}) card->setToolTip(f.opsOverlap ? overlap : QString());
  m_noise->set(QStringLiteral("Noise"),
               f.noisePercent ? format::Quantity{format::noise(*f.noisePercent), QStringLiteral("%")}
                              : format::Quantity{format::missing(), {}},
               f.noisePercent ? QStringLiteral("standard deviation / mean")
                              : QStringLiteral("unknown with one repeat"));
}

void SummaryResult::setNotes(const RunView& run) {
  std::vector<NoteList::Note> notes;
  for (const RunNote& note : run.notes) {
    notes.push_back({note.isWarning ? "warning" : "info",
                     note.isWarning ? IconInk::Warning : IconInk::Secondary, note.title, note.detail});
  }
  if (notes.empty())
    notes.push_back({"info", IconInk::Secondary, QStringLiteral("Nothing speaks against them"),
                     QStringLiteral("The repeats agree and the computer was quiet.")});
  m_notes->setNotes(notes);
}

void SummaryResult::setFacts(const RunView& run) {
  // What a reader asks first; the rest is behind More.
  static constexpr std::array kFirst = {"Board", "CPU",           "Threads",
                                        "Timer", "Load at start", "Compiled by TVM"};
  m_firstFacts.clear();
  m_otherFacts.clear();
  for (const char* name : kFirst) {
    const auto& facts = run.run().environment;
    // Once: runs on boards that were saved by older versions tell their threads twice.
    const auto fact = std::ranges::find(facts, name, &report::Fact::name);
    if (fact != facts.end())
      m_firstFacts.push_back({QString::fromLatin1(name), format::fromUtf8(fact->value), false});
  }
  for (const report::Fact& fact : run.run().environment) {
    if (std::find(kFirst.begin(), kFirst.end(), fact.name) == kFirst.end())
      m_otherFacts.push_back({format::fromUtf8(fact.name), format::fromUtf8(fact.value), false});
  }
  const auto add = [this](const char* name, const QString& value) {
    if (!value.isEmpty()) m_firstFacts.push_back({QString::fromLatin1(name), value, false});
  };
  add("Inputs", format::fromUtf8(run.run().inputs));
  if (run.run().warmup > 0 || run.run().repeats > 1) {
    add("Warm-up, repeats",
        QStringLiteral("%1, %2").arg(format::integer(run.run().warmup), run.repeatsText()));
  }
  add("Started", localTime(run.run().startedAt));
  if (m_firstFacts.empty()) add("File", run.fileName());
  m_moreFacts->setVisible(!m_otherFacts.empty());
  showFacts();
}

void SummaryResult::showFacts() {
  std::vector<FactList::Row> rows = m_firstFacts;
  if (m_allFacts) rows.insert(rows.end(), m_otherFacts.begin(), m_otherFacts.end());
  m_facts->setRows(rows);
  m_moreFacts->setText(m_allFacts ? QStringLiteral("Less") : QStringLiteral("More"));
  m_moreFacts->updateGeometry();
  // Two short panels share their lower edge; beside a long list the notes keep their own height.
  m_bottomRow->setAlignment(m_notesPanel, m_allFacts ? Qt::AlignTop : Qt::Alignment());
}

void SummaryResult::setStale(bool stale) {
  m_total->setStale(stale);
}

void SummaryResult::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const auto direction =
      width() < m_context.theme->px(820) ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
  shareWidth();
  m_topRow->setDirection(direction);
  m_bottomRow->setDirection(direction);
  layoutColumns();
}

}  // namespace opscope::ui
