// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/memory_page.h"

#include <QHeaderView>
#include <QScrollArea>
#include <QSignalBlocker>
#include <algorithm>

#include "engine/report/remote_words.h"
#include "ui/models/format.h"
#include "ui/views/delegates/cell_delegate.h"
#include "ui/views/look/properties.h"
#include "ui/views/widgets/fitting_hint.h"
#include "ui/views/widgets/page_bar.h"

namespace opscope::ui {

MemoryPage::MemoryPage(const PageContext& context, QWidget* parent)
    : RunPage(context, "kernel", QStringLiteral("Memory shows what %1 takes when, and who holds it."),
              parent) {
  m_model = new StorageModel(this);
  m_axis = new TimeAxis(this);
  m_charts = new QWidget;
  auto* layout = new QVBoxLayout(m_charts);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  m_curve = new LiveBytesChart(theme(), m_axis, m_charts);
  m_map = new StorageMap(theme(), m_axis, m_charts);
  m_curveLegend = new Legend(theme());
  m_mapLegend = new Legend(theme());
  m_splitter = new QSplitter(Qt::Vertical);
  m_splitter->setChildrenCollapsible(false);
  m_splitter->setHandleWidth(1);
  const auto add = [this](QWidget* head, QWidget* body, int stretch) {
    auto* part = new QWidget;
    auto* rows = new QVBoxLayout(part);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(head);
    rows->addWidget(body, 1);
    m_splitter->addWidget(part);
    m_splitter->setStretchFactor(m_splitter->count() - 1, stretch);
  };
  add(buildHead(QStringLiteral("Live bytes over time"), m_curveNote, m_curveLegend), m_curve, 3);
  add(buildHead(QStringLiteral("Storages"), m_mapNote, m_mapLegend), m_map, 4);
  m_splitter->addWidget(buildTable());
  m_splitter->setStretchFactor(2, 3);
  // In a low window the page scrolls rather than drawing charts that tell nothing.
  m_curve->setMinimumHeight(theme()->px(110));
  m_map->setMinimumHeight(theme()->px(130));
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidget(m_splitter);
  layout->addWidget(scroll, 1);
  m_missing = new EmptyState(theme(), "kernel");
  m_runWithMemory = m_missing->addButton("run", QStringLiteral("Run with memory"));
  m_runWithMemory->setPrimary(true);
  connect(m_runWithMemory, &QPushButton::clicked, this, &MemoryPage::memoryRunRequested);
  m_views = new QStackedWidget;
  m_views->addWidget(m_charts);
  m_views->addWidget(m_missing);
  setContent(m_views);
  connect(m_axis, &TimeAxis::momentChanged, this, &MemoryPage::showMoment);
  connect(m_axis, &TimeAxis::viewChanged, this, &MemoryPage::noteZoom);
  connect(m_axis, &TimeAxis::hoverChanged, this, &RunPage::noteChanged);
  connect(m_map, &StorageMap::boxChosen, this, &MemoryPage::chooseBox);
  connect(context.selection, &Selection::opChanged, this, &MemoryPage::showSelection);
  connect(context.selection, &Selection::filterChanged, this, &MemoryPage::showFilter);
  connect(theme(), &Theme::changed, this, &MemoryPage::showLegends);
}

QWidget* MemoryPage::buildBar() {
  auto* bar = new PageBar(theme());
  m_filter = new QLineEdit;
  new FittingHint(m_filter, QStringLiteral("Filter by name, shape or device"),
                  QStringLiteral("Filter by op"));
  m_filter->setAccessibleName(QStringLiteral("Filter storages by their op"));
  m_filter->setToolTip(QStringLiteral("Show only storages of ops that hold these words (Ctrl+F)"));
  m_filter->addAction(lookIcon(theme(), "filter", IconInk::Secondary), QLineEdit::LeadingPosition);
  m_filter->setMinimumWidth(theme()->px(120));
  m_filter->setMaximumWidth(theme()->px(256));
  connect(m_filter, &QLineEdit::textEdited, this, [this]() {
    context().selection->setFilter({m_filter->text(), context().selection->filter().isRegularExpression});
  });
  m_figures = new ElidedText(theme(), 12, &Colours::text, QFont::Normal, Qt::ElideRight);
  m_toPeak = new ActionButton(theme(), nullptr, QStringLiteral("Go to peak"));
  m_toPeak->setToolTip(QStringLiteral("Show the moment with the most live bytes and who held them"));
  connect(m_toPeak, &QPushButton::clicked, this, &MemoryPage::goToPeak);
  m_record = new QCheckBox(QStringLiteral("Record with each run"));
  m_record->setToolTip(QStringLiteral("Runs from the next one on record memory too (Ctrl+Shift+M)"));
  connect(m_record, &QCheckBox::toggled, this, &MemoryPage::recordingChosen);
  bar->row()->addWidget(m_filter, 2);
  bar->row()->addSpacing(theme()->px(10));
  bar->row()->addWidget(m_figures, 5);
  bar->row()->addSpacing(theme()->px(10));
  bar->row()->addWidget(m_record);
  bar->row()->addWidget(m_toPeak);
  return bar;
}

QWidget* MemoryPage::buildHead(const QString& title, ElidedText*& note, QWidget* right) {
  auto* head = new QWidget;
  head->setAutoFillBackground(true);
  head->setBackgroundRole(QPalette::Base);
  head->setFixedHeight(theme()->px(30));
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(theme()->px(12), 0, theme()->px(12), 0);
  row->setSpacing(theme()->px(10));
  auto* name = new Text(theme(), 12, &Colours::text, QFont::DemiBold);
  name->setText(title);
  row->addWidget(name);
  note = new ElidedText(theme(), 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  note->setWholeOnly(true);
  row->addWidget(note, 1);
  if (right != nullptr) row->addWidget(right);
  return head;
}

QWidget* MemoryPage::buildTable() {
  m_table = new DataTable(theme());
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Storages"));
  m_table->setMinimumHeight(theme()->px(110));
  m_table->setSortingEnabled(true);
  QHeaderView* header = m_table->horizontalHeader();
  header->setSortIndicator(StorageModel::Size, Qt::DescendingOrder);
  const int widths[StorageModel::kColumns] = {70, 260, 96, 130, 120, 84, 96, 96};
  for (int column = 0; column < StorageModel::kColumns; ++column) {
    m_table->setItemDelegateForColumn(column,
                                      column == StorageModel::HeldFor ? new NameDelegate(theme(), m_table)
                                      : column == StorageModel::Percent
                                          ? new ShareBarDelegate(theme(), m_table)
                                          : static_cast<CellDelegate*>(new NumberDelegate(theme(), m_table)));
    header->resizeSection(column, theme()->px(widths[column]));
  }
  header->setSectionResizeMode(StorageModel::HeldFor, QHeaderView::Stretch);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &MemoryPage::takeRow);
  connect(m_table, &DataTable::rowActivated, this, &MemoryPage::timelineRequested);
  m_alive = new ActionButton(theme(), nullptr, QStringLiteral("Live then"));
  m_alive->setToolTip(
      QStringLiteral("Storages that were live at the chosen moment: a click on the curve chooses it"));
  m_all = new ActionButton(theme(), nullptr, QStringLiteral("All"));
  m_all->setToolTip(QStringLiteral("All storages of the repeat"));
  joinSegments({m_alive, m_all});
  m_alive->setChecked(true);
  connect(m_alive, &QPushButton::clicked, this, &MemoryPage::showMoment);
  connect(m_all, &QPushButton::clicked, this, &MemoryPage::showMoment);
  auto* segments = new QWidget;
  auto* row = new QHBoxLayout(segments);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(m_alive);
  row->addSpacing(-1);
  row->addWidget(m_all);
  auto* part = new QWidget;
  auto* rows = new QVBoxLayout(part);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  QWidget* head = buildHead({}, m_tableNote, segments);
  head->setFixedHeight(theme()->px(36));
  m_tableTitle = qobject_cast<Text*>(head->layout()->itemAt(0)->widget());
  rows->addWidget(head);
  m_nothingFound = new EmptyState(theme(), "filter");
  connect(m_nothingFound->addButton(nullptr, QStringLiteral("Clear the filter")), &QPushButton::clicked, this,
          [this]() { context().selection->setFilter({}); });
  m_tableStack = new QStackedWidget;
  m_tableStack->addWidget(m_table);
  m_tableStack->addWidget(m_nothingFound);
  rows->addWidget(m_tableStack, 1);
  return part;
}

void MemoryPage::setRun(std::shared_ptr<const RunView> run) {
  RunPage::setRun(run);
  showWords();
  const quint64 number = ++m_number;
  if (!run || !run->run().memory) {
    showMemory(nullptr);
    return;
  }
  // Packing many storages takes a moment; the old page stays until the new is whole.
  context().background->run(
      this, [run]() { return makeMemoryData(run); },
      [this, number](const std::shared_ptr<const MemoryData>& made) {
        if (number == m_number) showMemory(made);
      });
}

void MemoryPage::showMemory(std::shared_ptr<const MemoryData> made) {
  m_data = std::move(made);
  m_box.reset();
  m_views->setCurrentWidget(m_data ? m_charts : m_missing);
  m_curve->setMemory(m_data);
  m_map->setMemory(m_data);
  m_model->setData(m_data);
  if (m_data) {
    m_axis->setEnd(m_data->endNs);
    m_axis->setMoment(m_data->peakNs());
  }
  showTexts();
  showLegends();
  showFilter();
  showMoment();
  Q_EMIT undoChanged();
}

void MemoryPage::setStatus(const PageStatus& status) {
  RunPage::setStatus(status);
  m_status = status;
  showWords();
}

void MemoryPage::setRecording(bool records) {
  const QSignalBlocker block(m_record);
  m_record->setChecked(records);
}

void MemoryPage::showWords() {
  const std::string why = run() ? report::whyNotRecorded(run()->run()) : std::string();
  if (!why.empty()) {
    m_runWithMemory->hide();
    m_missing->setTexts(QStringLiteral("This run holds no memory"), format::fromUtf8(why));
    return;
  }
  m_runWithMemory->setVisible(m_status.hasExecutable);
  m_runWithMemory->setEnabled(m_status.canRun && !m_status.running);
  const QString function = m_status.function.isEmpty() ? QStringLiteral("it") : m_status.function;
  m_runWithMemory->setText(QStringLiteral("Run %1 with memory").arg(function));
  m_missing->setTexts(
      QStringLiteral("This run did not record memory"),
      m_status.hasExecutable
          ? QStringLiteral(
                "Run again with memory: then each storage, tensor and scratch buffer is recorded. The "
                "command line does the same with --memory.")
          : QStringLiteral(
                "Open the executable and run it with memory recorded, or profile it on the command "
                "line with --memory. A report of TVM never holds memory."));
}

void MemoryPage::showTexts() {
  if (!m_data) return;
  const report::MemoryTrack& track = m_data->track();
  const auto bytes = [](std::int64_t value) { return format::bytes(double(value)); };
  QStringList figures = {QStringLiteral("Peak %1").arg(bytes(track.storage.peakBytes)),
                         QStringLiteral("%1 of it in tensors").arg(bytes(track.peakTensorBytes)),
                         QStringLiteral("%1 allocated in all").arg(bytes(track.takenBytes)),
                         QStringLiteral("constants %1, not in the peak").arg(bytes(track.constantBytes))};
  if (track.workspaces.peakBytes > 0)
    figures << QStringLiteral("workspaces at most %1").arg(bytes(track.workspaces.peakBytes));
  if (track.cacheBytes > 0)
    figures.insert(2, QStringLiteral("%1 in key-value caches").arg(bytes(track.cacheBytes)));
  if (track.lostEvents > 0)
    figures.prepend(QStringLiteral("Not complete: %1 lost")
                        .arg(format::counted(qint64(track.lostEvents), "event", "events")));
  m_figures->setText(figures.join(QStringLiteral(" · ")));
  const report::Run& run = m_data->run->run();
  const QString repeat = run.repeats > 1 ? QStringLiteral("repeat %1 of %2, with the highest peak")
                                               .arg(track.repeat + 1)
                                               .arg(m_data->run->repeatsText())
                                         : QStringLiteral("the repeat");
  m_curveNote->setText(repeat);
  m_mapNote->setText(QStringLiteral("bytes against time, each laid where there is room: not the addresses"));
}

void MemoryPage::showLegends() {
  if (!m_data) return;
  std::vector<Legend::Entry> series = {{&LiveBytesChart::areaFill(theme()), QStringLiteral("Storages")}};
  if (m_data->track().tensors.peakBytes > 0)
    series.push_back({&LiveBytesChart::tensorsFill(theme()), QStringLiteral("Tensors in them")});
  if (m_data->track().workspaces.peakBytes > 0)
    series.push_back({&LiveBytesChart::workspacesFill(theme()), QStringLiteral("Workspaces")});
  m_curveLegend->setEntries(std::move(series));
  std::vector<Legend::Entry> kinds;
  for (const report::OpKind kind : report::kOpKinds) {
    const bool there = std::ranges::any_of(m_data->boxes, [&](const StorageBox& box) {
      return box.kind == kind && (box.call != report::kNone || kind == report::OpKind::Other);
    });
    if (there) kinds.push_back({&theme()->kindFill(kind), format::fromUtf8(report::kindName(kind))});
  }
  m_mapLegend->setEntries(std::move(kinds));
}

void MemoryPage::showFilter() {
  const OpFilter& filter = context().selection->filter();
  if (m_filter->text() != filter.text) m_filter->setText(filter.text);
  const QString problem = filterProblem(filter);
  m_filter->setProperty(kInvalid, !problem.isEmpty());
  m_filter->setToolTip(problem.isEmpty()
                           ? QStringLiteral("Show only storages of ops that hold these words (Ctrl+F)")
                           : problem);
  m_filter->update();
  m_map->setFilter(filter);
  m_showing = true;
  m_model->setFilter(filter);
  m_showing = false;
  showSelection();
}

void MemoryPage::showMoment() {
  m_showing = true;
  m_model->setMoment(m_alive->isChecked() ? m_axis->moment() : std::nullopt);
  m_showing = false;
  showSelection();
}

void MemoryPage::goToPeak() {
  if (!m_data) return;
  const double peak = m_data->peakNs();
  if (peak < m_axis->fromNs() || peak > m_axis->untilNs()) {
    const double half = m_axis->spanNs() / 2;
    m_axis->show(peak - half, peak + half);
  }
  m_alive->setChecked(true);
  m_axis->setMoment(peak);
  showMoment();
}

void MemoryPage::chooseBox(std::uint32_t box) {
  m_box = box;
  const std::uint32_t call = m_data->boxes[box].call;
  const bool same = call == report::kNone || context().selection->call() == call;
  if (call != report::kNone) context().selection->setCall(m_data->run->run(), call);
  if (same) showSelection();
}

void MemoryPage::takeRow() {
  if (m_showing || !m_data) return;
  const auto rows = m_table->selectedRows();
  if (rows.empty()) return;
  const int current = m_table->currentIndex().row();
  const int row = std::find(rows.begin(), rows.end(), current) != rows.end() ? current : rows.front();
  chooseBox(m_model->boxAt(row));
}

void MemoryPage::showSelection() {
  if (!m_data) {
    m_told.reset();
    Q_EMIT storageChosen();
    return;
  }
  const OpId& op = context().selection->op();
  const auto& boxes = m_data->boxes;
  if (m_box && boxes[*m_box].call != report::kNone && !(boxes[*m_box].op == op)) m_box.reset();
  int row = m_box ? m_model->rowOf(*m_box) : -1;
  for (int i = 0; i < m_model->rowCount() && row < 0 && !m_box && !op.isNull(); ++i) {
    if (boxes[m_model->boxAt(i)].op == op) row = i;
  }
  m_map->setChosen(m_box, op);
  m_told = m_box ? m_box : row >= 0 ? std::optional(m_model->boxAt(row)) : std::nullopt;
  Q_EMIT storageChosen();
  const auto selected = m_table->selectedRows();
  m_showing = true;
  if (row < 0) {
    m_table->clearSelection();
  } else if (std::find(selected.begin(), selected.end(), row) == selected.end()) {
    m_table->setCurrentIndex(m_model->index(row, StorageModel::HeldFor));
    m_table->scrollTo(m_model->index(row, StorageModel::HeldFor));
  }
  m_showing = false;
  const bool atPeak = m_axis->moment() == m_data->peakNs();
  m_tableTitle->setText(!m_model->moment() ? QStringLiteral("All storages")
                        : atPeak           ? QStringLiteral("Live at the peak")
                                           : QStringLiteral("Live at %1")
                                       .arg(*m_model->moment() > 0
                                                ? format::duration(*m_model->moment() / 1000).text()
                                                : QStringLiteral("the start")));
  const int shown = m_model->rowCount(), all = m_model->unfilteredCount();
  const QString count = format::counted(all, "storage", "storages");
  m_tableNote->setText(QStringLiteral("%1, %2").arg(
      shown == all ? count : QStringLiteral("%1 of %2").arg(format::integer(shown), count),
      format::bytes(double(m_model->totalBytes()))));
  m_tableStack->setCurrentIndex(shown == 0 ? 1 : 0);
  m_nothingFound->setTexts(all == 0 ? QStringLiteral("No storage was live then")
                                    : QStringLiteral("No storage matches “%1”").arg(m_filter->text()),
                           {});
  m_nothingFound->findChild<ActionButton*>()->setVisible(all > 0);
}

void MemoryPage::resizeEvent(QResizeEvent* event) {
  RunPage::resizeEvent(event);
  const bool narrow = width() < theme()->px(900);
  for (const int column : {StorageModel::InTensors, StorageModel::TakenBy})
    m_table->setColumnHidden(column, narrow);
}

bool MemoryPage::focusSearch() {
  if (!m_data) return false;
  m_filter->setFocus(Qt::ShortcutFocusReason);
  m_filter->selectAll();
  return true;
}

/// All zooms together are one step.
void MemoryPage::noteZoom() {
  if (m_axis->isWhole()) {
    m_zoomStep = 0;
  } else if (m_zoomStep == 0) {
    m_zoomStep = nextUndoStep();
  }
  Q_EMIT undoChanged();
}

void MemoryPage::undo() {
  m_axis->showAll();
}

UndoStep MemoryPage::undoStep() const {
  return m_axis->isWhole() ? 0 : m_zoomStep;
}

QString MemoryPage::note() const {
  if (!m_data || !m_axis->hover()) return {};
  return QStringLiteral("%1 at %2")
      .arg(format::bytes(double(bytesAt(m_data->storage, *m_axis->hover()))),
           format::duration(*m_axis->hover() / 1000).text());
}

}  // namespace opscope::ui
