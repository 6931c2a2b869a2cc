// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/boards/fleet_dialog.h"

#include <QHeaderView>
#include <QItemSelectionModel>

#include "ui/models/format.h"
#include "ui/views/delegates/runs_delegates.h"
#include "ui/views/widgets/header_width.h"

namespace opscope::ui {
namespace {

constexpr double kWidth = 860;

}  // namespace

FleetDialog::FleetDialog(const Theme* theme, FleetModel* model, QWidget* parent)
    : QDialog(parent), m_theme(theme), m_model(model) {
  setWindowTitle(QStringLiteral("Fleet"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(theme->px(18), theme->px(14), theme->px(18), theme->px(14));
  layout->setSpacing(theme->px(10));
  m_title = new Text(theme, 15, &Colours::text, QFont::DemiBold);
  m_text = new Text(theme, 12, &Colours::textSecondary);
  m_text->setWordWrap(true);
  m_bar = new QProgressBar;
  m_bar->setTextVisible(false);
  m_bar->setAccessibleName(QStringLiteral("Boards that are done"));
  layout->addWidget(m_title);
  layout->addWidget(m_text);
  layout->addWidget(m_bar);
  auto* panel = new Panel(theme, {});
  panel->body()->addWidget(buildTable());
  layout->addWidget(panel, 1);
  layout->addLayout(buildFoot());
  connect(theme, &Theme::changed, this, &FleetDialog::layoutTable);
  // Room for what a board tells, and never wider than the window that it belongs to.
  const int most = parent != nullptr ? parent->width() - theme->px(24) : theme->px(kWidth);
  resize(std::min(theme->px(kWidth), most), theme->px(340));
  layoutTable();
}

DataTable* FleetDialog::buildTable() {
  m_table = new DataTable(m_theme);
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Boards of the fleet"));
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  for (int column = 0; column < FleetModel::kColumns; ++column) {
    CellDelegate* delegate = nullptr;
    if (column == FleetModel::Tick) {
      delegate = new TickDelegate(m_theme, m_table);
    } else if (column >= FleetModel::Median) {
      delegate = new NumberDelegate(m_theme, m_table);
    } else {
      delegate = new BodyTextDelegate(m_theme, m_table);
    }
    m_table->setItemDelegateForColumn(column, delegate);
  }
  connect(m_table, &DataTable::rowActivated, this, [this](int row) {
    if (const auto id = m_model->rows()[std::size_t(row)].saved) Q_EMIT runRequested(*id);
  });
  return m_table;
}

QHBoxLayout* FleetDialog::buildFoot() {
  auto* foot = new QHBoxLayout;
  foot->setSpacing(m_theme->px(8));
  foot->addStretch(1);
  m_compare = new ActionButton(m_theme, nullptr, QStringLiteral("Compare"));
  m_compare->setPrimary(true);
  m_compare->setToolTip(QStringLiteral(
      "The ticked boards, as one group, against the one that is chosen in the list; against the "
      "fastest when none is"));
  m_stop = new ActionButton(m_theme, "stop", QStringLiteral("Stop"));
  m_stop->setIconInk(IconInk::Error);
  m_stop->setToolTip(QStringLiteral("Ask all boards to end; what is measured is kept"));
  auto* close = new ActionButton(m_theme, nullptr, QStringLiteral("Close"));
  for (ActionButton* button : {m_compare, m_stop, close}) foot->addWidget(button);
  connect(m_compare, &QPushButton::clicked, this, [this]() {
    if (const auto sides = m_model->sidesFor(chosenRow()))
      Q_EMIT compareRequested(sides->before, sides->after);
  });
  connect(m_model, &QAbstractItemModel::dataChanged, this, &FleetDialog::refreshCompare);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &FleetDialog::refreshCompare);
  connect(m_stop, &QPushButton::clicked, this, &FleetDialog::stopRequested);
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  return foot;
}

void FleetDialog::layoutTable() {
  constexpr double kWidths[] = {30, 190, 230, 92, 80, 76};
  for (int column = 0; column < FleetModel::Slower; ++column)
    m_table->setColumnWidth(column, headerWidth(m_theme, m_table->model(), column, kWidths[column]));
  m_table->horizontalHeader()->setStretchLastSection(true);
}

int FleetDialog::chosenRow() const {
  const auto rows = m_table->selectedRows();
  return rows.empty() ? -1 : rows.front();
}

void FleetDialog::refreshCompare() {
  const auto sides = m_running ? std::nullopt : m_model->sidesFor(chosenRow());
  m_compare->setEnabled(sides.has_value());
  QString words = QStringLiteral("Compare");
  if (sides) {
    const auto& rows = m_model->rows();
    words = QStringLiteral("Compare %1 with %2")
                .arg(format::counted(qint64(sides->after.size()), "board", "boards"),
                     rows[sides->reference].board);
  }
  m_compare->setText(words);
}

void FleetDialog::begin(const QString& function, const QString& target) {
  m_function = function;
  setWindowTitle(QStringLiteral("Fleet – %1").arg(target));
  refresh(true);
}

/// "main measured on 2 of 4 boards, on 1 more in part".
QString FleetDialog::resultWords() const {
  const int boards = m_model->rowCount(), whole = m_model->measured(), part = m_model->measuredInPart();
  const QString all = format::counted(boards, "board", "boards");
  QString words = whole == boards
                      ? QStringLiteral("%1 measured on %2").arg(m_function, all)
                      : QStringLiteral("%1 measured on %2 of %3").arg(m_function).arg(whole).arg(all);
  if (part > 0) words += QStringLiteral(", on %1 more in part").arg(part);
  return words;
}

void FleetDialog::refresh(bool running) {
  const int boards = m_model->rowCount(), ended = m_model->ended();
  if (running && boards == 0) {
    m_title->setText(QStringLiteral("Asking the tracker for free boards"));
  } else if (running) {
    m_title->setText(QStringLiteral("Measuring %1: %2 of %3 done")
                         .arg(m_function)
                         .arg(ended)
                         .arg(format::counted(boards, "board", "boards")));
  } else {
    m_title->setText(resultWords());
  }
  m_text->setText(
      QStringLiteral("The same file with the same inputs on every free board, at the same time. Each "
                     "is saved in Runs as soon as it is done; a board that fails does not keep the "
                     "others."));
  m_bar->setVisible(running);
  m_bar->setRange(0, boards);
  m_bar->setValue(ended);
  m_stop->setVisible(running);
  m_running = running;
  refreshCompare();
  // One filled button: while it runs there is nothing to compare.
  m_compare->setPrimary(!running);
}

void FleetDialog::setProblem(const base::Error& error) {
  refresh(false);
  QString title = format::fromUtf8(error.message);
  if (!title.isEmpty()) title[0] = title[0].toUpper();
  m_title->setText(title);
  m_text->setText(format::errorAdvice(error));
}

}  // namespace opscope::ui
