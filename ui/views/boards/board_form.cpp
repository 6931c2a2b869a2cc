// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/boards/board_form.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/views/look/properties.h"

namespace opscope::ui {
namespace {

/// Numbers need little room; everything else takes what the row has.
bool isWide(SavedBoard::Field field) {
  return field != SavedBoard::Field::Priority && field != SavedBoard::Field::Wait;
}

}  // namespace

BoardForm::BoardForm(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(theme->px(8));
  auto* first = new QHBoxLayout;
  auto* second = new QHBoxLayout;
  for (QHBoxLayout* row : {first, second}) {
    row->setSpacing(theme->px(10));
    layout->addLayout(row);
  }
  first->addWidget(buildKind());
  addField(first, Field::Name, QStringLiteral("Name"), 150, QStringLiteral("What the lists call it"));
  addField(first, Field::Address, QStringLiteral("Address"), 170,
           QStringLiteral("HOST:PORT; servers listen from 9090 on, trackers on 9190"));
  addField(second, Field::Key, QStringLiteral("Board key"), 150,
           QStringLiteral(
               "The kind of board that a tracker is asked for; of a server its --key, where it has one"));
  addField(second, Field::Priority, QStringLiteral("Priority"), 70,
           QStringLiteral("Requests with a higher number are served first"));
  addField(second, Field::Wait, QStringLiteral("Wait (s)"), 76,
           QStringLiteral("How long to wait for a free board"));
  QLineEdit* secret = addField(second, Field::SecretFile, QStringLiteral("Secret file"), 170,
                               QStringLiteral("The file that opscope-server was started with, if it was"));
  QAction* choose =
      secret->addAction(lookIcon(theme, "open", IconInk::Secondary), QLineEdit::TrailingPosition);
  choose->setToolTip(QStringLiteral("Choose the secret file"));
  connect(choose, &QAction::triggered, this, &BoardForm::chooseSecretFile);
  m_problem = new Text(theme, 12, &Colours::error);
  m_problem->setWordWrap(true);
  layout->addWidget(m_problem);
  setBoard({});
}

QWidget* BoardForm::buildKind() {
  auto* cell = new QWidget;
  auto* column = new QVBoxLayout(cell);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(m_theme->px(4));
  auto* label = new Text(m_theme, 12, &Colours::textSecondary);
  label->setText(QStringLiteral("Connect"));
  column->addWidget(label);
  auto* row = new QHBoxLayout;
  row->setSpacing(0);
  m_direct = new ActionButton(m_theme, nullptr, QStringLiteral("Direct"));
  m_direct->setToolTip(QStringLiteral("To a server at an address that you know"));
  m_tracker = new ActionButton(m_theme, nullptr, QStringLiteral("Through a tracker"));
  m_tracker->setToolTip(QStringLiteral("To any free board with a key, which a tracker gives"));
  joinSegments({m_direct, m_tracker});
  row->addWidget(m_direct);
  row->addWidget(m_tracker);
  column->addLayout(row);
  connect(m_direct, &QAbstractButton::clicked, this, [this]() { setKind(SavedBoard::Kind::Direct); });
  connect(m_tracker, &QAbstractButton::clicked, this, [this]() { setKind(SavedBoard::Kind::Tracker); });
  return cell;
}

QLineEdit* BoardForm::addField(QHBoxLayout* row, Field field, const QString& label, double width,
                               const QString& tooltip) {
  auto* cell = new QWidget;
  auto* column = new QVBoxLayout(cell);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(m_theme->px(4));
  auto* text = new Text(m_theme, 12, &Colours::textSecondary);
  text->setText(label);
  auto* edit = new QLineEdit;
  edit->setMinimumWidth(m_theme->px(width));
  edit->setToolTip(tooltip);
  edit->setAccessibleName(label);
  text->setBuddy(edit);
  column->addWidget(text);
  column->addWidget(edit);
  row->addWidget(cell, isWide(field) ? int(width) : 0);
  connect(edit, &QLineEdit::textEdited, this, [this]() {
    m_touched = true;
    take();
  });
  m_fields[field] = edit;
  m_cells[field] = cell;
  return edit;
}

void BoardForm::setBoard(const SavedBoard& board) {
  const bool same = board.id == m_board.id;
  m_board = board;
  if (!same) m_touched = !board.address.isEmpty();
  const auto fill = [this](Field field, const QString& text) {
    if (m_fields[field]->text() == text) return;
    m_fields[field]->setText(text);
    m_fields[field]->setCursorPosition(0);  // the beginning of a long one tells more
  };
  fill(Field::Name, board.name);
  fill(Field::Address, board.address);
  fill(Field::Key, board.key);
  fill(Field::SecretFile, board.secretFile);
  fill(Field::Priority, board.priority);
  fill(Field::Wait, board.wait);
  const bool tracker = board.kind == SavedBoard::Kind::Tracker;
  (tracker ? m_tracker : m_direct)->setChecked(true);
  m_cells[Field::Priority]->setVisible(tracker);
  m_cells[Field::Wait]->setVisible(tracker);
  showProblems();
}

void BoardForm::setKey(const QString& key) {
  m_fields[Field::Key]->setText(key);
  m_touched = true;
  take();
}

void BoardForm::focusFirst() {
  m_fields[Field::Address]->setFocus(Qt::OtherFocusReason);
}

void BoardForm::take() {
  const QString before = m_board.name;
  const bool follows = before == usualName(m_board);
  m_board.address = m_fields[Field::Address]->text();
  m_board.key = m_fields[Field::Key]->text();
  m_board.secretFile = m_fields[Field::SecretFile]->text();
  m_board.priority = m_fields[Field::Priority]->text();
  m_board.wait = m_fields[Field::Wait]->text();
  m_board.name = m_fields[Field::Name]->text();
  // A name that nobody chose follows the address.
  if (follows && m_board.name == before) {
    m_board.name = usualName(m_board);
    m_fields[Field::Name]->setText(m_board.name);
  }
  showProblems();
  Q_EMIT edited(m_board);
}

void BoardForm::setKind(SavedBoard::Kind kind) {
  if (m_board.kind == kind) return;
  const bool follows = m_board.name == usualName(m_board);
  m_board.kind = kind;
  if (follows) m_fields[Field::Name]->setText(usualName(m_board));
  m_cells[Field::Priority]->setVisible(kind == SavedBoard::Kind::Tracker);
  m_cells[Field::Wait]->setVisible(kind == SavedBoard::Kind::Tracker);
  take();
}

void BoardForm::chooseSecretFile() {
  auto* dialog = new QFileDialog(this, QStringLiteral("Choose the secret file"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    m_fields[Field::SecretFile]->setText(file);
    m_touched = true;
    take();
  });
  dialog->open();
}

void BoardForm::showProblems() {
  QString first;
  for (const Field field : SavedBoard::kFields) {
    const QString problem = m_touched ? m_board.problem(field) : QString();
    QLineEdit* edit = m_fields[field];
    edit->setProperty(kInvalid, !problem.isEmpty());
    edit->setAccessibleDescription(problem);
    edit->update();
    if (first.isEmpty() && !problem.isEmpty())
      first = QStringLiteral("%1: %2").arg(edit->accessibleName(), problem);
  }
  m_problem->setText(first);
  m_problem->setVisible(!first.isEmpty());
}

}  // namespace opscope::ui
