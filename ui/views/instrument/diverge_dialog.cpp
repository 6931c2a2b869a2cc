// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/instrument/diverge_dialog.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>

#include "ui/models/format.h"
#include "ui/views/boards/target_combo.h"
#include "ui/views/delegates/runs_delegates.h"
#include "ui/views/look/properties.h"
#include "ui/views/widgets/header_width.h"

namespace opscope::ui {
namespace {

constexpr double kWidth = 1000;
constexpr double kHeight = 520;

/// From 0 on; below 0 when it is no such number.
double toleranceOf(const QString& text) {
  bool ok = false;
  const double value = text.trimmed().toDouble(&ok);
  return ok && value >= 0 && value < 1e300 ? value : -1;
}

}  // namespace

DivergeDialog::DivergeDialog(const Theme* theme, BoardList* boards, QWidget* parent)
    : QDialog(parent),
      m_theme(theme),
      m_model(new DivergenceModel(this)),
      m_targets(new TargetList(boards, this)) {
  setWindowTitle(QStringLiteral("First op that differs"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(18), theme->px(14), theme->px(18), theme->px(14));
  layout->setSpacing(theme->px(12));
  layout->addLayout(buildSides());
  m_problem = new Text(theme, 12, &Colours::error);
  m_problem->setWordWrap(true);
  layout->addWidget(m_problem);
  auto* progress = new QHBoxLayout;
  m_bar = new QProgressBar;
  m_bar->setRange(0, 0);
  m_bar->setTextVisible(false);
  m_bar->setAccessibleName(QStringLiteral("Progress"));
  m_words = new Text(theme, 12, &Colours::textSecondary);
  progress->addWidget(m_bar, 1);
  progress->addWidget(m_words);
  layout->addLayout(progress);
  layout->addWidget(buildResult(), 1);
  layout->addStretch(0);  // keeps the fields together while there is no result
  auto* foot = new QHBoxLayout;
  foot->setSpacing(theme->px(8));
  foot->addStretch(1);
  m_find = new ActionButton(theme, nullptr, QStringLiteral("Find the first difference"));
  m_find->setPrimary(true);
  m_find->setDefault(true);
  m_show = new ActionButton(theme, nullptr, QStringLiteral("Show the op"));
  m_show->setToolTip(QStringLiteral("Select the op of the row on every page"));
  auto* close = new ActionButton(theme, nullptr, QStringLiteral("Close"));
  for (ActionButton* button : {m_find, m_show, close}) foot->addWidget(button);
  layout->addLayout(foot);
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  connect(m_find, &QPushButton::clicked, this, [this]() {
    if (m_running) {
      Q_EMIT stopRequested();
    } else {
      Q_EMIT findRequested(m_fileB->text(), m_targets->idAt(m_targetB->currentIndex()),
                           toleranceOf(m_rtol->text()), toleranceOf(m_atol->text()));
    }
  });
  const auto showRow = [this](int row) {
    const QString op = m_model->index(row, 0).data(DivergenceModel::OpRole).toString();
    if (!op.isEmpty()) Q_EMIT opRequested(op);
  };
  connect(m_table, &DataTable::rowActivated, this, showRow);
  connect(m_show, &QPushButton::clicked, this, [this, showRow]() {
    const int row = m_table->currentIndex().isValid() ? m_table->currentIndex().row() : m_model->firstRow();
    if (row >= 0) showRow(row);
  });
  const QSize most =
      parent != nullptr ? parent->size() - QSize(theme->px(24), theme->px(24)) : QSize(4000, 4000);
  resize(QSize(theme->px(kWidth), theme->px(kHeight)).boundedTo(most));
  m_result->hide();
  setRunning(false, {});
}

void DivergeDialog::addCell(QHBoxLayout* row, const QString& label, QWidget* field) {
  auto* cell = new QVBoxLayout;
  cell->setSpacing(m_theme->px(4));
  auto* text = new Text(m_theme, 12, &Colours::textSecondary);
  text->setText(label);
  text->setBuddy(field);
  field->setAccessibleName(label);
  cell->addWidget(text);
  cell->addWidget(field);
  row->addLayout(cell);
}

QLayout* DivergeDialog::buildSides() {
  auto* column = new QVBoxLayout;
  column->setSpacing(m_theme->px(10));
  m_sideA = new ElidedText(m_theme, 13, &Colours::text);
  auto* a = new QHBoxLayout;
  addCell(a, QStringLiteral("A, what is open: the reference"), m_sideA);
  column->addLayout(a);
  auto* b = new QHBoxLayout;
  b->setSpacing(m_theme->px(10));
  m_fileB = new QLineEdit;
  m_fileB->setMinimumWidth(m_theme->px(300));
  m_fileB->setToolTip(QStringLiteral("Another build of the model, or the same file for another target"));
  QAction* choose =
      m_fileB->addAction(lookIcon(m_theme, "open", IconInk::Secondary), QLineEdit::TrailingPosition);
  choose->setToolTip(QStringLiteral("Choose the file of B"));
  connect(choose, &QAction::triggered, this, &DivergeDialog::chooseFile);
  addCell(b, QStringLiteral("B, the executable"), m_fileB);
  m_targetB = new TargetCombo(m_theme);
  m_targetB->setModel(m_targets);
  m_targetB->setFixedWidth(m_theme->px(170));
  m_targetB->setToolTip(QStringLiteral("Where B runs"));
  addCell(b, QStringLiteral("B runs on"), m_targetB);
  m_rtol = new QLineEdit(QStringLiteral("1e-5"));
  m_atol = new QLineEdit(QStringLiteral("1e-5"));
  for (QLineEdit* field : {m_rtol, m_atol}) {
    field->setFixedWidth(m_theme->px(76));
    field->setToolTip(QStringLiteral("Values agree when |b − a| is at most absolute + relative × |a|"));
    connect(field, &QLineEdit::textChanged, this, &DivergeDialog::forgetResult);
  }
  addCell(b, QStringLiteral("Relative"), m_rtol);
  addCell(b, QStringLiteral("Absolute"), m_atol);
  b->setStretch(0, 1);
  column->addLayout(b);
  connect(m_fileB, &QLineEdit::textChanged, this, &DivergeDialog::forgetResult);
  connect(m_targetB, &QComboBox::currentIndexChanged, this, &DivergeDialog::forgetResult);
  return column;
}

QWidget* DivergeDialog::buildResult() {
  m_result = new QWidget;
  auto* column = new QVBoxLayout(m_result);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(m_theme->px(8));
  auto* head = new QHBoxLayout;
  head->setSpacing(m_theme->px(10));
  m_icon = new IconLabel(QIcon(), m_theme->px(18));
  auto* texts = new QVBoxLayout;
  texts->setSpacing(m_theme->px(2));
  m_title = new Text(m_theme, 15, &Colours::text, QFont::DemiBold);
  m_text = new Text(m_theme, 12, &Colours::textSecondary);
  for (Text* text : {m_title, m_text}) {
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    texts->addWidget(text);
  }
  head->addWidget(m_icon, 0, Qt::AlignTop);
  head->addLayout(texts, 1);
  column->addLayout(head);
  auto* panel = new Panel(m_theme, {});
  m_table = new DataTable(m_theme);
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Outputs that differ"));
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  for (const int number : {DivergenceModel::Call, DivergenceModel::Absolute, DivergenceModel::Relative})
    m_table->setItemDelegateForColumn(number, new NumberDelegate(m_theme, m_table));
  m_table->setItemDelegateForColumn(DivergenceModel::Op, new BodyTextDelegate(m_theme, m_table));
  m_table->horizontalHeader()->setStretchLastSection(true);
  panel->body()->addWidget(m_table);
  column->addWidget(panel, 1);
  column->addStretch(0);  // keeps the words together where there is no table
  connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this, &DivergeDialog::refresh);
  connect(m_theme, &Theme::changed, this, &DivergeDialog::layoutTable);
  layoutTable();
  return m_result;
}

void DivergeDialog::layoutTable() {
  constexpr double kWidths[] = {52, 180, 180, 124, 96, 104};
  for (int column = 0; column < DivergenceModel::First; ++column)
    m_table->setColumnWidth(column, headerWidth(m_theme, m_table->model(), column, kWidths[column]));
}

void DivergeDialog::setSideA(const QString& path, const QString& targetName) {
  const QString words = QStringLiteral("%1 on %2").arg(format::shortPath(path), targetName);
  if (words == m_sideA->text()) return;
  m_sideA->setText(words);
  forgetResult();
}

void DivergeDialog::setSideB(const QString& path) {
  // A file that was chosen stays; the one that was proposed with another executable does not.
  if (m_fileB->text().isEmpty() || m_fileB->text() == m_proposedB) m_fileB->setText(path);
  m_proposedB = path;
}

/// What was found was found of other sides, or with other tolerances.
void DivergeDialog::forgetResult() {
  if (!m_running) m_result->hide();
  m_model->setDivergence({});
  refresh();
}

void DivergeDialog::chooseFile() {
  auto* dialog =
      new QFileDialog(this, QStringLiteral("Choose the file of B"), QFileInfo(m_fileB->text()).path(),
                      QStringLiteral("Executables (*.so *.tar);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, m_fileB, &QLineEdit::setText);
  dialog->open();
}

QString DivergeDialog::problem() const {
  if (m_fileB->text().trimmed().isEmpty()) return QStringLiteral("B needs a file.");
  if (m_targets->idAt(m_targetB->currentIndex()) == TargetList::manageId())
    return QStringLiteral("Choose where B runs.");
  if (toleranceOf(m_rtol->text()) < 0)
    return QStringLiteral("Relative needs a number from 0 on, such as 1e-5.");
  if (toleranceOf(m_atol->text()) < 0)
    return QStringLiteral("Absolute needs a number from 0 on, such as 1e-5.");
  return {};
}

void DivergeDialog::refresh() {
  const QString words = problem();
  m_problem->setText(words);
  m_problem->setVisible(!words.isEmpty());
  for (const auto& [field, wrong] : {std::pair(m_rtol, toleranceOf(m_rtol->text()) < 0),
                                     std::pair(m_atol, toleranceOf(m_atol->text()) < 0),
                                     std::pair(m_fileB, m_fileB->text().trimmed().isEmpty())}) {
    field->setProperty(kInvalid, wrong);
    field->setEnabled(!m_running);
    field->update();
  }
  m_targetB->setEnabled(!m_running);
  m_find->setText(m_running ? QStringLiteral("Stop") : QStringLiteral("Find the first difference"));
  m_find->setEnabled(m_running || (words.isEmpty() && m_possible));
  m_find->updateGeometry();
  const QModelIndex current = m_table->currentIndex();
  const int row = current.isValid() ? current.row() : m_model->firstRow();
  m_show->setEnabled(row >= 0 && !m_model->index(row, 0).data(DivergenceModel::OpRole).toString().isEmpty());
}

void DivergeDialog::setPossible(bool possible) {
  m_possible = possible;
  refresh();
}

void DivergeDialog::setRunning(bool running, const QString& words) {
  m_running = running;
  m_bar->setVisible(running);
  m_words->setVisible(running);
  m_words->setText(words);
  if (running) m_result->hide();
  refresh();
}

void DivergeDialog::showResult(const char* icon, IconInk ink, const QString& title, const QString& text) {
  m_icon->setIcon(lookIcon(m_theme, icon, ink));
  m_title->setText(title);
  m_text->setText(text);
  m_result->show();
}

void DivergeDialog::setDivergence(const session::Divergence& divergence) {
  setRunning(false, {});
  m_model->setDivergence(divergence);
  QStringList lines = {divergenceSummary(divergence)};
  for (const std::string& note : divergence.notes)
    lines << QStringLiteral("Not known: %1").arg(format::fromUtf8(note));
  const bool differs = divergence.differs();
  showResult(differs ? "warning" : "ok", differs ? IconInk::Warning : IconInk::Success,
             divergenceTitle(divergence), lines.join(QLatin1Char('\n')));
  m_table->parentWidget()->setVisible(m_model->rowCount() > 0);
  if (const int first = m_model->firstRow(); first >= 0) m_table->setCurrentIndex(m_model->index(first, 0));
  refresh();
}

void DivergeDialog::setProblem(const base::Error& error) {
  setRunning(false, {});
  m_model->setDivergence({});
  showResult("error", IconInk::Error, format::fromUtf8(error.message), format::errorAdvice(error));
  m_table->parentWidget()->hide();
  refresh();
}

void DivergeDialog::setStopped() {
  setRunning(false, {});
}

}  // namespace opscope::ui
