// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/boards/boards_dialog.h"

#include <QKeyEvent>
#include <QScreen>
#include <QShortcut>
#include <QStackedLayout>
#include <QTimer>

#include "ui/models/format.h"
#include "ui/views/boards/target_combo.h"

namespace opscope::ui {
namespace {

/// A server that was let go takes this long at most to tell its tracker.
constexpr int kGivenBackMs = 500;

constexpr double kListWidth = 230;
constexpr double kUndoWidth = kListWidth - 24;
constexpr double kWidth = 900;
constexpr double kHeight = 790;
constexpr double kCheckSeconds = 10;

}  // namespace

BoardsDialog::BoardsDialog(const Theme* theme, BoardList* boards, QWidget* parent)
    : QDialog(parent), m_theme(theme), m_boards(boards) {
  setWindowTitle(QStringLiteral("Boards"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(0);
  middle->addWidget(buildList());
  middle->addWidget(new Hairline(theme, Qt::Vertical));
  middle->addWidget(buildDetails(), 1);
  layout->addLayout(middle, 1);
  layout->addWidget(new Hairline(theme));
  layout->addWidget(buildFoot());
  connectAll();
  // It fits into the window that it belongs to.
  const QSize most =
      parent != nullptr ? parent->size() - QSize(theme->px(24), theme->px(24)) : QSize(4000, 4000);
  resize(QSize(theme->px(kWidth), theme->px(kHeight)).boundedTo(most));
  choose({});
}

QWidget* BoardsDialog::buildList() {
  auto* side = new QWidget;
  side->setFixedWidth(m_theme->px(kListWidth));
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_list = new QListView;
  m_list->setModel(m_boards);
  m_list->setFrameShape(QFrame::NoFrame);
  m_list->setAccessibleName(QStringLiteral("Saved boards"));
  m_list->viewport()->setMouseTracking(true);
  BoardDelegate::Roles roles;
  roles.detail = BoardList::PlaceRole;
  m_list->setItemDelegate(new BoardDelegate(m_theme, roles, nullptr, m_list));
  column->addWidget(m_list, 1);
  column->addWidget(new Hairline(m_theme));
  auto* acts = new QHBoxLayout;
  acts->setContentsMargins(m_theme->px(8), m_theme->px(8), m_theme->px(8), m_theme->px(4));
  acts->setSpacing(m_theme->px(6));
  m_add = new ActionButton(m_theme, nullptr, QStringLiteral("Add"));
  m_add->setToolTip(QStringLiteral("A new board (Ctrl+N)"));
  m_duplicate = new ActionButton(m_theme, nullptr, QStringLiteral("Duplicate"));
  m_duplicate->setToolTip(QStringLiteral("A copy of this board, to change it"));
  m_remove = new ActionButton(m_theme, nullptr, QStringLiteral("Remove"));
  m_remove->setToolTip(QStringLiteral("Take this board out of the list (Delete); Ctrl+Z brings it back"));
  for (ActionButton* button : {m_add, m_duplicate, m_remove}) acts->addWidget(button);
  acts->addStretch(1);
  column->addLayout(acts);
  m_undo = new LinkButton(m_theme, QStringLiteral("Undo"));
  auto* undoRow = new QHBoxLayout;
  undoRow->setContentsMargins(m_theme->px(10), 0, m_theme->px(8), m_theme->px(8));
  undoRow->addWidget(m_undo);
  undoRow->addStretch(1);
  column->addLayout(undoRow);
  return side;
}

QWidget* BoardsDialog::buildDetails() {
  auto* stack = new QWidget;
  auto* stackLayout = new QVBoxLayout(stack);
  stackLayout->setContentsMargins(0, 0, 0, 0);
  m_details = new QWidget;
  auto* column = new QVBoxLayout(m_details);
  column->setContentsMargins(m_theme->px(18), m_theme->px(14), m_theme->px(18), m_theme->px(14));
  column->setSpacing(m_theme->px(14));
  m_form = new BoardForm(m_theme);
  m_check = new CheckPanel(m_theme);
  m_tracker = new TrackerPanel(m_theme);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_form, m_check, m_tracker})
    column->addWidget(widget);
  column->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setWidget(m_details);
  m_empty = new EmptyState(m_theme, "board");
  m_empty->setTexts(
      QStringLiteral("No boards yet"),
      QStringLiteral("A board runs TVM's RPC server or opscope-server. Add it by its address, or "
                     "through a tracker that knows it."));
  connect(m_empty->addButton("plus", QStringLiteral("Add a board")), &QPushButton::clicked, this,
          &BoardsDialog::addBoard);
  stackLayout->addWidget(scroll, 1);
  stackLayout->addWidget(m_empty, 1);
  return stack;
}

QWidget* BoardsDialog::buildFoot() {
  auto* foot = new QWidget;
  auto* row = new QHBoxLayout(foot);
  row->setContentsMargins(m_theme->px(12), m_theme->px(10), m_theme->px(12), m_theme->px(10));
  row->setSpacing(m_theme->px(8));
  auto* words = new ElidedText(m_theme, 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  words->setText(QStringLiteral("A board is given back when a run ends, and when Opscope closes or dies."));
  row->addWidget(words, 1);
  m_checkButton = new ActionButton(m_theme, nullptr, QStringLiteral("Check the board"));
  m_checkButton->setToolTip(QStringLiteral("Go the way to the board step by step (F5)"));
  m_checkButton->setPrimary(true);
  m_use = new ActionButton(m_theme, nullptr, QStringLiteral("Use as target"));
  m_use->setToolTip(QStringLiteral("Run goes to this board from now on (Ctrl+Return)"));
  auto* close = new ActionButton(m_theme, nullptr, QStringLiteral("Close"));
  close->setToolTip(QStringLiteral("Close (Esc)"));
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_checkButton, m_use, close}) row->addWidget(widget);
  return foot;
}

void BoardsDialog::connectAll() {
  connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& current) { showBoard(current.row()); });
  connect(m_boards, &BoardList::changed, this, &BoardsDialog::refresh);
  connect(m_add, &QPushButton::clicked, this, &BoardsDialog::addBoard);
  connect(m_duplicate, &QPushButton::clicked, this, [this]() {
    if (const int row = m_boards->rowOf(m_shown); row >= 0)
      m_list->setCurrentIndex(m_boards->index(m_boards->duplicate(row)));
  });
  connect(m_remove, &QPushButton::clicked, this, [this]() {
    if (const int row = m_boards->rowOf(m_shown); row >= 0) m_boards->remove(row);
  });
  connect(m_undo, &QAbstractButton::clicked, this, &BoardsDialog::undo);
  connect(m_form, &BoardForm::edited, this, &BoardsDialog::onEdited);
  connect(m_checkButton, &QPushButton::clicked, this, [this]() {
    if (m_service.isChecking()) {
      m_service.stopCheck();
      m_check->model()->stop();
      refreshCheck();
    } else {
      check();
    }
  });
  connect(m_use, &QPushButton::clicked, this, [this]() { Q_EMIT targetChosen(m_shown); });
  connect(&m_service, &BoardService::stepDone, this, [this](const session::CheckStep& step) {
    m_check->model()->addStep(step);
    refreshCheck();
  });
  connect(&m_service, &BoardService::checkFinished, this, &BoardsDialog::onChecked);
  connect(&m_service, &BoardService::trackerRead, this, [this](const session::TrackerOverview& overview) {
    m_tracker->setOverview(overview);
    const SavedBoard* board = m_boards->find(m_shown);
    const QString words = board == nullptr ? QString() : m_tracker->model()->words(board->key);
    if (!words.isEmpty()) m_boards->setState(m_shown, true, words, {});
    refreshCheck();
  });
  connect(&m_service, &BoardService::trackerFailed, m_tracker, &TrackerPanel::setProblem);
  connect(m_tracker, &TrackerPanel::readRequested, this, &BoardsDialog::readTracker);
  connect(m_tracker, &TrackerPanel::stopRequested, this, [this]() {
    m_service.stopReading();
    m_tracker->clear();
  });
  connect(m_tracker, &TrackerPanel::keyChosen, m_form, &BoardForm::setKey);
  connect(m_check, &CheckPanel::keyChosen, m_form, &BoardForm::setKey, Qt::QueuedConnection);
}

void BoardsDialog::choose(const QString& id) {
  int row = m_boards->rowOf(id);
  if (row < 0 && m_boards->rowCount() > 0) row = 0;
  if (row >= 0) {
    m_list->setCurrentIndex(m_boards->index(row));
    showBoard(row);
  }
  refresh();
}

QString BoardsDialog::currentId() const {
  return m_shown;
}

void BoardsDialog::showBoard(int row) {
  const QString id = row < 0 ? QString() : m_boards->boards()[std::size_t(row)].id;
  if (id == m_shown) return;
  m_service.stopCheck();
  m_service.stopReading();
  m_shown = id;
  const SavedBoard* board = m_boards->find(id);
  if (board != nullptr) {
    m_form->setBoard(*board);
    m_check->model()->prepare(board->kind == SavedBoard::Kind::Tracker);
    m_tracker->clear();
    if (board->kind == SavedBoard::Kind::Tracker && board->problem(SavedBoard::Field::Address).isEmpty())
      readTracker();
  }
  refresh();
}

void BoardsDialog::addBoard() {
  SavedBoard board;
  board.name = usualName(board);
  m_list->setCurrentIndex(m_boards->index(m_boards->add(board)));
  m_form->focusFirst();
}

void BoardsDialog::undo() {
  const int row = m_boards->undo();
  m_shown.clear();
  const int shown = row >= 0 ? row : m_boards->rowCount() > 0 ? 0 : -1;
  m_list->setCurrentIndex(m_boards->index(shown));
  showBoard(shown);
  refresh();
}

void BoardsDialog::onEdited(const SavedBoard& board) {
  const SavedBoard* before = m_boards->find(board.id);
  if (before == nullptr) return;
  const bool otherPlace = before->target() != board.target() || before->secretFile != board.secretFile;
  const bool otherTracker = before->kind != board.kind || before->address != board.address;
  SavedBoard next = board;
  if (otherPlace) {
    // What was told of the old place does not hold for the new one.
    m_service.stopCheck();
    m_check->model()->prepare(board.kind == SavedBoard::Kind::Tracker);
    next.checkedAt = {};
    next.state.clear();
    next.passed = false;
    next.devices.clear();
    m_form->setBoard(next);
  }
  if (otherTracker) {
    m_service.stopReading();
    m_tracker->clear();
  }
  m_boards->change(next);
}

BoardAddress BoardsDialog::addressOf(const SavedBoard& board, const QString& target) const {
  return {target, board.secretFile, kCheckSeconds};
}

void BoardsDialog::check() {
  const SavedBoard* board = m_boards->find(m_shown);
  if (board == nullptr || !board->isValid()) return;
  m_check->model()->prepare(board->kind == SavedBoard::Kind::Tracker);
  m_check->model()->begin();
  m_checking = board->id;
  m_service.check(addressOf(*board, board->target()));
  if (board->kind == SavedBoard::Kind::Tracker) readTracker();
  refreshCheck();
}

void BoardsDialog::onChecked(const session::BoardCheck& check) {
  m_check->model()->finish(check);
  QStringList devices;
  for (const std::string& device : check.devices) devices << QString::fromStdString(device);
  const SavedBoard* board = m_boards->find(m_checking);
  if (board == nullptr) return;
  QString state = check.passed() ? QStringLiteral("answers") : QString();
  if (!check.passed()) {
    const QString title = check.steps.empty() ? QString() : format::fromUtf8(check.steps.back().title);
    state = title.isEmpty() ? QStringLiteral("cannot be checked") : QStringLiteral("failed: %1").arg(title);
  } else if (const QString words = m_tracker->model()->words(board->key);
             board->kind == SavedBoard::Kind::Tracker && !words.isEmpty()) {
    state = words;
  }
  m_boards->setState(m_checking, check.passed(), state, devices);
  if (check.passed()) {
    using Server = SavedBoard::Server;
    m_boards->setServer(m_checking, check.isOurServer ? Server::Opscope : Server::Tvm);
  }
  refreshCheck();
  // The check held a board itself: read while it did, the tracker counts that as busy.
  const bool held = check.passed() && board->kind == SavedBoard::Kind::Tracker && m_checking == m_shown;
  if (held) QTimer::singleShot(kGivenBackMs, this, &BoardsDialog::readTracker);
}

void BoardsDialog::readTracker() {
  const SavedBoard* board = m_boards->find(m_shown);
  if (board == nullptr || board->kind != SavedBoard::Kind::Tracker) return;
  m_tracker->setReading();
  m_service.readTracker(addressOf(*board, board->trackerTarget()));
}

QString BoardsDialog::serverCommand() const {
  const SavedBoard* board = m_boards->find(m_shown);
  if (board == nullptr) return {};
  const QString key = board->key.isEmpty() ? QString() : QStringLiteral(" --key %1").arg(board->key);
  if (board->kind == SavedBoard::Kind::Tracker)
    return QStringLiteral("opscope-server --host 0.0.0.0 --tracker %1%2").arg(board->address.trimmed(), key);
  return QStringLiteral("opscope-server --host 0.0.0.0 --port %1%2")
      .arg(board->address.section(QLatin1Char(':'), -1), key);
}

void BoardsDialog::refreshCheck() {
  const bool checking = m_service.isChecking();
  const SavedBoard* board = m_boards->find(m_shown);
  const bool valid = board != nullptr && board->isValid();
  const auto& result = m_check->model()->result();
  const bool unknownKey = result && !result->steps.empty() && result->steps.back().id == "key" &&
                          result->steps.back().outcome == session::CheckStep::Outcome::Failed;
  m_check->refresh(unknownKey ? m_tracker->model()->keys() : QStringList(), serverCommand());
  m_checkButton->setText(checking             ? QStringLiteral("Stop the check")
                         : result.has_value() ? QStringLiteral("Check again")
                                              : QStringLiteral("Check the board"));
  m_checkButton->setEnabled(checking || valid);
  m_checkButton->updateGeometry();
  m_use->setEnabled(valid);
}

void BoardsDialog::refresh() {
  const SavedBoard* board = m_boards->find(m_shown);
  if (board == nullptr && m_boards->rowCount() > 0 && !m_shown.isEmpty()) {
    // It was removed: the one that stands in its place is shown.
    showBoard(m_list->currentIndex().isValid() ? m_list->currentIndex().row() : 0);
    return;
  }
  if (board == nullptr) m_shown.clear();
  m_details->parentWidget()->parentWidget()->setVisible(board != nullptr);
  m_empty->setVisible(board == nullptr);
  m_tracker->setVisible(board != nullptr && board->kind == SavedBoard::Kind::Tracker);
  m_duplicate->setEnabled(board != nullptr);
  m_remove->setEnabled(board != nullptr);
  m_undo->setVisible(m_boards->canUndo());
  const QString undo = QStringLiteral("Undo: %1").arg(m_boards->undoText());
  m_undo->setText(QFontMetrics(m_theme->font(12)).elidedText(undo, Qt::ElideRight, m_theme->px(kUndoWidth)));
  m_undo->setToolTip(QStringLiteral("%1 (Ctrl+Z)").arg(undo));
  refreshCheck();
}

void BoardsDialog::keyPressEvent(QKeyEvent* event) {
  const bool control = event->modifiers() == Qt::ControlModifier;
  if (event->matches(QKeySequence::Undo)) {
    undo();
  } else if (control && event->key() == Qt::Key_N) {
    addBoard();
  } else if (event->key() == Qt::Key_F5) {
    check();
  } else if (event->key() == Qt::Key_Delete && m_list->hasFocus()) {
    m_remove->click();
  } else if (control && event->key() == Qt::Key_Return) {
    m_use->click();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    // Return in a field must not close the dialog.
    event->accept();
  } else {
    QDialog::keyPressEvent(event);
  }
}

}  // namespace opscope::ui
