// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/runs_panel.h"

#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/models/compare_view.h"
#include "ui/models/format.h"
#include "ui/views/delegates/runs_delegates.h"

namespace opscope::ui {
namespace {

constexpr int kTitleHeight = 28;
constexpr int kLeastHeight = kTitleHeight + 26 + 2 * 24;
constexpr int kMostHeight = 600;
/// The upper edge can be dragged by so many pixels.
constexpr int kGrip = 5;

}  // namespace

RunsPanel::RunsPanel(const Theme* theme, RunStore* store, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_store(store), m_model(new RunsModel(this)) {
  setAccessibleName(QStringLiteral("Runs"));
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildTitle());
  layout->addWidget(buildBody(), 1);
  buildActions();
  connect(store, &RunStore::runsChanged, this, &RunsPanel::refresh);
  connect(store, &RunStore::removalChanged, this, &RunsPanel::refreshTitle);
  connect(m_model, &RunsModel::ticksChanged, this, &RunsPanel::refreshTitle);
  connect(m_model, &RunsModel::rowsChanged, this, &RunsPanel::refreshState);
  connect(m_model, &RunsModel::noteEdited, store, &RunStore::setNote);
  connect(m_model, &RunsModel::tagsEdited, store, &RunStore::setTags);
  connect(theme, &Theme::changed, this, [this]() {
    applyHeight();
    layoutColumns();
    update();
  });
  // The mark of sorting takes room in the title that has it.
  connect(m_table->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this, [this](int column) {
    const int width = titleWidth(column);
    if (m_table->columnWidth(column) < width) m_table->setColumnWidth(column, width);
  });
  layoutColumns();
  refresh();
  applyHeight();
}

QWidget* RunsPanel::buildTitle() {
  m_title = new QWidget;
  m_title->setMouseTracking(true);
  m_title->installEventFilter(this);
  auto* row = new QHBoxLayout(m_title);
  row->setContentsMargins(m_theme->px(10), 0, m_theme->px(8), 0);
  row->setSpacing(m_theme->px(6));
  m_unfold = iconButton(m_theme, "chevron-up", QStringLiteral("Open Runs"), m_title);
  connect(m_unfold, &QToolButton::clicked, this, [this]() { Q_EMIT foldRequested(false); });
  auto* name = new Text(m_theme, 12, &Colours::text, QFont::DemiBold);
  name->setText(QStringLiteral("Runs"));
  m_summary = new ElidedText(m_theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideMiddle);
  m_removedText = new Text(m_theme, 12, &Colours::text);
  m_undo = new LinkButton(m_theme, QStringLiteral("Undo"));
  m_undo->setToolTip(QStringLiteral("Bring the deleted runs back"));
  connect(m_undo, &QAbstractButton::clicked, m_store, &RunStore::undoRemoval);
  m_asOld = link(QStringLiteral("As old"), QStringLiteral("Put the selected runs into the old group (O)"),
                 &RunsPanel::groupAsOld);
  m_asNew = link(QStringLiteral("As new"), QStringLiteral("Put the selected runs into the new group (N)"),
                 &RunsPanel::groupAsNew);
  m_clearGroups = link(QStringLiteral("No groups"), QStringLiteral("Take all runs out of both groups"),
                       &RunsPanel::clearGroups);
  m_compare =
      link(QStringLiteral("Compare"), QStringLiteral("Compare the two ticked runs, or the two groups"),
           &RunsPanel::compareTicked);
  m_filter = new QLineEdit;
  m_filter->setPlaceholderText(QStringLiteral("Filter runs"));
  m_filter->setAccessibleName(QStringLiteral("Filter runs"));
  m_filter->setToolTip(QStringLiteral("Show only runs that hold these words"));
  m_filter->setFixedSize(m_theme->px(200), m_theme->px(22));
  m_filter->addAction(lookIcon(m_theme, "filter", IconInk::Secondary), QLineEdit::LeadingPosition);
  connect(m_filter, &QLineEdit::textEdited, m_model, &RunsModel::setFilter);
  m_fold = iconButton(m_theme, "close", QStringLiteral("Fold Runs"), m_title);
  connect(m_fold, &QToolButton::clicked, this, [this]() { Q_EMIT foldRequested(true); });
  for (QWidget* widget : std::initializer_list<QWidget*>{m_unfold, name}) row->addWidget(widget);
  row->addWidget(m_summary, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_removedText, m_undo, m_asOld, m_asNew,
                                                         m_clearGroups, m_compare, m_filter, m_fold}) {
    row->addWidget(widget);
  }
  return m_title;
}

LinkButton* RunsPanel::link(const QString& words, const QString& tooltip, void (RunsPanel::*act)()) {
  auto* button = new LinkButton(m_theme, words);
  button->setToolTip(tooltip);
  connect(button, &QAbstractButton::clicked, this, act);
  return button;
}

QWidget* RunsPanel::buildBody() {
  m_table = new DataTable(m_theme);
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Saved runs"));
  m_table->horizontalHeader()->setSortIndicator(m_model->sortColumn(), m_model->sortOrder());
  m_table->setSortingEnabled(true);
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_table->horizontalHeader()->setMinimumSectionSize(m_theme->px(30));
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  for (int column = 0; column < RunsModel::kColumns; ++column) {
    const bool number =
        column == RunsModel::Total || column == RunsModel::Noise || column == RunsModel::Repeats;
    CellDelegate* delegate = nullptr;
    if (column == RunsModel::Tick) {
      delegate = new TickDelegate(m_theme, m_table);
    } else if (number) {
      delegate = new NumberDelegate(m_theme, m_table);
    } else {
      delegate = new BodyTextDelegate(m_theme, m_table);
    }
    m_table->setItemDelegateForColumn(column, delegate);
  }
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPanel::refreshTitle);
  connect(m_table, &DataTable::rowActivated, this, [this](int row) {
    const int column = m_table->currentIndex().column();
    const bool editable = column == RunsModel::Note || column == RunsModel::Tags;
    // Double click in a cell that can be written edits it; Return opens the run from every cell.
    if (editable && (QGuiApplication::mouseButtons() & Qt::LeftButton) != 0) {
      m_table->edit(m_table->currentIndex());
    } else if (column != RunsModel::Tick || QGuiApplication::mouseButtons() == Qt::NoButton) {
      Q_EMIT openRequested(m_model->runAt(row).id);
    }
  });
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_table, &QWidget::customContextMenuRequested, this, &RunsPanel::showMenu);
  auto* empty = new QWidget;
  auto* column = new QVBoxLayout(empty);
  m_nothing = new Text(m_theme, 13, &Colours::textSecondary);
  m_nothing->setAlignment(Qt::AlignCenter);
  m_nothing->setWordWrap(true);
  m_clear = new LinkButton(m_theme, QStringLiteral("Clear the filter"));
  connect(m_clear, &QAbstractButton::clicked, this, [this]() {
    m_filter->clear();
    m_model->setFilter({});
  });
  column->addStretch(1);
  column->addWidget(m_nothing);
  column->addWidget(m_clear, 0, Qt::AlignHCenter);
  column->addStretch(1);
  m_body = new QStackedWidget;
  m_body->addWidget(m_table);
  m_body->addWidget(empty);
  return m_body;
}

QAction* RunsPanel::addAct(const QString& text, const QKeySequence& keys, void (RunsPanel::*act)()) {
  auto* action = new QAction(text, m_table);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetShortcut);
  connect(action, &QAction::triggered, this, act);
  m_table->addAction(action);
  m_actions.push_back(action);
  return action;
}

void RunsPanel::buildActions() {
  // Return is the table's own; here it is only told.
  auto* open = new QAction(QStringLiteral("Open\tReturn"), m_table);
  connect(open, &QAction::triggered, this, &RunsPanel::openCurrent);
  m_actions.push_back(open);
  addAct(QStringLiteral("Edit the note"), QKeySequence(Qt::Key_F2), &RunsPanel::editNote);
  addAct(QStringLiteral("Edit the tags"), QKeySequence(Qt::SHIFT | Qt::Key_F2), &RunsPanel::editTags);
  addAct(QStringLiteral("Tick to compare"), QKeySequence(Qt::Key_Space), &RunsPanel::tickChosen);
  addAct(QStringLiteral("Compare"), QKeySequence(Qt::Key_C), &RunsPanel::compareChosen);
  addAct(QStringLiteral("Compare as old"), QKeySequence(Qt::Key_O), &RunsPanel::groupAsOld);
  addAct(QStringLiteral("Compare as new"), QKeySequence(Qt::Key_N), &RunsPanel::groupAsNew);
  addAct(QStringLiteral("Save as a session file…"), {}, &RunsPanel::exportCurrent);
  addAct(QStringLiteral("Delete"), QKeySequence(QKeySequence::Delete), &RunsPanel::deleteChosen);
}

void RunsPanel::showMenu(const QPoint& place) {
  if (chosen().empty()) return;
  QMenu menu(this);
  for (QAction* action : m_actions) menu.addAction(action);
  menu.exec(m_table->viewport()->mapToGlobal(place));
}

void RunsPanel::refresh() {
  m_model->setRuns(m_store->runs());
  refreshTitle();
  refreshState();
  setShownRun(m_shownRun);
}

QString RunsPanel::summary() const {
  if (!m_store->isListed()) return QStringLiteral("reading");
  if (m_store->listProblem()) return QStringLiteral("cannot be read");
  const qint64 count = qint64(m_model->runCount());
  if (count == 0) return QStringLiteral("none saved yet");
  QString text = QStringLiteral("%1 saved").arg(format::integer(count));
  if (!m_model->filter().isEmpty())
    text += QStringLiteral(", %1 shown").arg(format::integer(m_model->rowCount()));
  if (m_model->hasGroups()) {
    return text + QStringLiteral(" · old: %1 · new: %2")
                      .arg(groupWords(RunsModel::Choice::Old), groupWords(RunsModel::Choice::New));
  }
  QStringList names;
  for (const store::RunId id : m_model->ticked()) {
    if (const store::StoredRun* run = m_store->find(id)) names << format::fromUtf8(run->executable);
  }
  if (names.isEmpty() && !m_compared.isEmpty()) return text + QStringLiteral(" · compared: ") + m_compared;
  if (names.isEmpty())
    return count < 2 ? text : text + QStringLiteral(" · tick two to compare, or select some for a group");
  return text + QStringLiteral(" · %1 ticked: %2").arg(names.size()).arg(names.join(QStringLiteral(" and ")));
}

QString RunsPanel::groupWords(RunsModel::Choice which) const {
  const RunGroup ids = m_model->group(which);
  if (ids.empty()) return QStringLiteral("none yet");
  QStringList names;
  for (const store::RunId id : ids) {
    const store::StoredRun* run = m_store->find(id);
    names << (run != nullptr ? format::fromUtf8(run->executable) : QString());
  }
  return groupTitle(names);
}

void RunsPanel::setCompared(const QString& words) {
  m_compared = words;
  refreshTitle();
}

void RunsPanel::refreshTitle() {
  m_summary->setText(summary());
  const int removed = m_store->removedCount();
  m_removedText->setVisible(removed > 0);
  m_undo->setVisible(removed > 0);
  if (removed > 0)
    m_removedText->setText(QStringLiteral("%1 deleted").arg(format::counted(removed, "run", "runs")));
  const bool groups = m_model->hasGroups();
  const std::size_t selected = m_folded ? 0 : chosen().size();
  m_asOld->setVisible(selected > 1 || (groups && selected > 0));
  m_asNew->setVisible(m_asOld->isVisibleTo(m_title));
  m_clearGroups->setVisible(groups);
  const bool bothGroups =
      !m_model->group(RunsModel::Choice::Old).empty() && !m_model->group(RunsModel::Choice::New).empty();
  m_compare->setVisible(groups ? bothGroups : m_model->ticked().size() == RunsModel::kTicksAtMost);
}

void RunsPanel::refreshState() {
  refreshTitle();
  QString words;
  if (m_store->listProblem()) {
    words = format::errorLines(*m_store->listProblem());
  } else if (m_store->isListed() && m_model->runCount() == 0) {
    words = QStringLiteral("No saved run yet. Every run is kept here when it ends.");
  } else if (m_model->rowCount() == 0 && !m_model->filter().isEmpty()) {
    words = QStringLiteral("No run matches “%1”.").arg(m_model->filter());
  }
  m_nothing->setText(words);
  m_clear->setVisible(!m_model->filter().isEmpty());
  m_body->setCurrentIndex(words.isEmpty() ? 0 : 1);
  m_filter->setEnabled(m_model->runCount() > 0);
}

int RunsPanel::titleWidth(int column) const {
  const QFontMetrics metrics(m_theme->font(12, QFont::DemiBold));
  const int mark = m_table->horizontalHeader()->sortIndicatorSection() == column ? 14 : 0;
  const QString text = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  return metrics.horizontalAdvance(text) + m_theme->px(2 * 8 + 2 + mark);
}

void RunsPanel::layoutColumns() {
  constexpr std::pair<RunsModel::Column, int> kWidths[] = {
      {RunsModel::Tick, 30},    {RunsModel::Model, 200}, {RunsModel::Function, 96}, {RunsModel::Target, 124},
      {RunsModel::Device, 76},  {RunsModel::When, 104},  {RunsModel::Total, 96},    {RunsModel::Noise, 90},
      {RunsModel::Repeats, 84}, {RunsModel::Tags, 150}};
  for (const auto& [column, width] : kWidths) {
    const int least = column == RunsModel::Tick ? 0 : titleWidth(column);
    // "590 of 3 000", whatever the font.
    const int text =
        column != RunsModel::Repeats
            ? 0
            : QFontMetrics(m_theme->font(13)).horizontalAdvance(QStringLiteral("9 999 of 9 999")) +
                  m_theme->px(2 * 8 + 2);
    m_table->setColumnWidth(column, std::max({least, text, m_theme->px(width)}));
  }
}

void RunsPanel::setFolded(bool folded) {
  const QWidget* focus = QApplication::focusWidget();
  const bool within = folded != m_folded && focus != nullptr && isAncestorOf(focus);
  m_folded = folded;
  if (within && folded) {
    m_unfold->show();
    m_unfold->setFocus(Qt::OtherFocusReason);
  }
  applyHeight();
  refreshTitle();
  if (within && !folded) keyboardStart()->setFocus(Qt::OtherFocusReason);
}

QWidget* RunsPanel::keyboardStart() const {
  if (m_folded) return m_unfold;
  return m_body->currentIndex() == 0 ? static_cast<QWidget*>(m_table) : m_fold;
}

void RunsPanel::setOpenHeight(int height) {
  m_openHeight = std::clamp(height, kLeastHeight, kMostHeight);
  applyHeight();
}

void RunsPanel::applyHeight() {
  m_title->setFixedHeight(m_theme->px(kTitleHeight));
  m_body->setVisible(!m_folded);
  m_unfold->setVisible(m_folded);
  m_fold->setVisible(!m_folded);
  m_filter->setVisible(!m_folded);
  setFixedHeight(m_theme->px(m_folded ? kTitleHeight : m_openHeight));
}

void RunsPanel::setShownRun(std::optional<store::RunId> id) {
  m_shownRun = id;
  const int row = id ? m_model->rowOf(*id) : -1;
  if (row < 0 || m_table->currentIndex().row() == row) return;
  m_table->setCurrentIndex(m_model->index(row, RunsModel::Model));
  m_table->scrollTo(m_model->index(row, RunsModel::Model));
}

bool RunsPanel::focusSearch() {
  if (m_folded || !m_filter->isEnabled()) return false;
  m_filter->setFocus(Qt::ShortcutFocusReason);
  m_filter->selectAll();
  return true;
}

std::vector<store::RunId> RunsPanel::chosen() const {
  std::vector<store::RunId> ids;
  for (const int row : m_table->selectedRows()) ids.push_back(m_model->runAt(row).id);
  return ids;
}

void RunsPanel::openCurrent() {
  if (m_table->currentIndex().isValid())
    Q_EMIT openRequested(m_model->runAt(m_table->currentIndex().row()).id);
}

void RunsPanel::editCurrent(int column) {
  const QModelIndex current = m_table->currentIndex();
  if (!current.isValid()) return;
  const QModelIndex cell = m_model->index(current.row(), column);
  m_table->setCurrentIndex(cell);
  m_table->scrollTo(cell);
  m_table->edit(cell);
}

void RunsPanel::tickChosen() {
  const QModelIndex current = m_table->currentIndex();
  if (!current.isValid()) return;
  const QModelIndex cell = m_model->index(current.row(), RunsModel::Tick);
  const bool ticked = cell.data(Qt::CheckStateRole).toInt() == Qt::Checked;
  m_model->setData(cell, ticked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

void RunsPanel::compareChosen() {
  const std::vector<store::RunId> ids = chosen();
  // Two selected rows are as good as two ticks.
  if (!m_model->hasGroups() && m_model->ticked().size() != RunsModel::kTicksAtMost &&
      ids.size() == RunsModel::kTicksAtMost) {
    for (const store::RunId id : ids) m_model->setTicked(id, true);
  }
  if (m_compare->isVisibleTo(m_title)) compareTicked();
}

void RunsPanel::deleteChosen() {
  const std::vector<store::RunId> ids = chosen();
  if (!ids.empty()) m_store->remove(ids);
}

void RunsPanel::exportCurrent() {
  if (m_table->currentIndex().isValid())
    Q_EMIT sessionFileRequested(m_model->runAt(m_table->currentIndex().row()).id);
}

void RunsPanel::groupChosen(RunsModel::Choice group) {
  const std::vector<store::RunId> ids = chosen();
  if (!ids.empty()) m_model->setGroup(ids, group);
}

void RunsPanel::compareTicked() {
  if (m_model->hasGroups()) {
    Q_EMIT compareRequested(m_model->group(RunsModel::Choice::Old), m_model->group(RunsModel::Choice::New));
    return;
  }
  const std::vector<store::RunId> ids = m_model->ticked();
  if (ids.size() == RunsModel::kTicksAtMost) Q_EMIT compareRequested({ids[0]}, {ids[1]});
}

bool RunsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_title) return QWidget::eventFilter(watched, event);
  auto* mouse = dynamic_cast<QMouseEvent*>(event);
  if (mouse == nullptr) return false;
  const bool grip = !m_folded && mouse->position().y() < m_theme->px(kGrip);
  if (event->type() == QEvent::MouseMove && m_dragFrom) {
    const double unit = std::max(1.0, m_theme->px(100) / 100.0);
    setOpenHeight(m_dragHeight + int((*m_dragFrom - mouse->globalPosition().y()) / unit));
  } else if (event->type() == QEvent::MouseMove) {
    m_title->setCursor(grip ? Qt::SizeVerCursor : Qt::ArrowCursor);
  } else if (event->type() == QEvent::MouseButtonPress && grip) {
    m_dragFrom = int(mouse->globalPosition().y());
    m_dragHeight = m_openHeight;
  } else if (event->type() == QEvent::MouseButtonPress && m_folded) {
    Q_EMIT foldRequested(false);
  } else if (event->type() == QEvent::MouseButtonRelease && m_dragFrom) {
    m_dragFrom.reset();
    Q_EMIT openHeightChanged(m_openHeight);
  }
  return false;
}

void RunsPanel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colours& c = m_theme->colours();
  painter.fillRect(rect(), c.base);
  painter.fillRect(m_title->geometry(), c.window);
  painter.fillRect(QRect(0, 0, width(), 1), c.line);
  if (!m_folded) painter.fillRect(QRect(0, m_title->height() - 1, width(), 1), c.line);
}

}  // namespace opscope::ui
