// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/boards/tracker_panel.h"

#include <QHeaderView>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/delegates/runs_delegates.h"

namespace opscope::ui {
namespace {

constexpr int kMostRows = 8;
constexpr int kTickMs = 1000;

}  // namespace

TrackerPanel::TrackerPanel(const Theme* theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_model(new TrackerModel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(theme->px(6));
  auto* head = new QHBoxLayout;
  head->setSpacing(theme->px(10));
  auto* title = new Text(theme, 13, &Colours::text, QFont::DemiBold);
  title->setText(QStringLiteral("Boards of this tracker"));
  m_state = new Text(theme, 12, &Colours::textSecondary);
  m_again = new LinkButton(theme, QStringLiteral("Read again"));
  head->addWidget(title);
  head->addStretch(1);
  head->addWidget(m_state);
  head->addWidget(m_again);
  layout->addLayout(head);
  auto* panel = new Panel(theme, {});
  m_table = new DataTable(theme);
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Boards of this tracker"));
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  for (int column = 0; column < TrackerModel::kColumns; ++column) {
    const bool number = column >= TrackerModel::Free && column <= TrackerModel::Waiting;
    m_table->setItemDelegateForColumn(column,
                                      number ? static_cast<CellDelegate*>(new NumberDelegate(theme, m_table))
                                             : new BodyTextDelegate(theme, m_table));
  }
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_words = new Text(theme, 12, &Colours::textSecondary);
  m_words->setWordWrap(true);
  m_words->setContentsMargins(theme->px(12), theme->px(10), theme->px(12), theme->px(10));
  panel->body()->addWidget(m_table);
  panel->body()->addWidget(m_words);
  layout->addWidget(panel);
  connect(m_again, &QAbstractButton::clicked, this, [this]() {
    if (m_reading) {
      Q_EMIT stopRequested();
    } else {
      Q_EMIT readRequested();
    }
  });
  connect(m_table, &DataTable::rowActivated, this,
          [this](int row) { Q_EMIT keyChosen(m_model->index(row, TrackerModel::Key).data().toString()); });
  connect(theme, &Theme::changed, this, &TrackerPanel::layoutTable);
  m_tick.setInterval(kTickMs);
  connect(&m_tick, &QTimer::timeout, this, &TrackerPanel::tellAge);
  clear();
}

void TrackerPanel::layoutTable() {
  constexpr double kWidths[] = {160, 60, 60, 76};
  for (int column = 0; column < TrackerModel::HeldBy; ++column)
    m_table->setColumnWidth(column, m_theme->px(kWidths[column]));
  const int rows = std::clamp(m_model->rowCount(), 1, kMostRows);
  m_table->setFixedHeight(m_theme->px(26) + rows * m_theme->px(24));
  m_table->setVisible(m_model->rowCount() > 0);
  m_words->setVisible(m_model->rowCount() == 0);
}

void TrackerPanel::clear() {
  m_model->clear();
  m_reading = false;
  m_tick.stop();
  m_state->setText(QStringLiteral("not read yet"));
  m_again->setText(QStringLiteral("Read"));
  m_words->setText(QStringLiteral("Its keys, how many boards of each are free, and who waits."));
  layoutTable();
}

void TrackerPanel::setReading() {
  m_reading = true;
  m_tick.stop();
  m_state->setText(QStringLiteral("reading"));
  m_again->setText(QStringLiteral("Stop"));
}

void TrackerPanel::setOverview(const session::TrackerOverview& overview) {
  m_reading = false;
  m_model->setOverview(overview);
  m_words->setText(
      QStringLiteral("The tracker answers, and knows no boards. Start a board's server with "
                     "--tracker and this address."));
  m_again->setText(QStringLiteral("Read again"));
  m_age.start();
  m_tick.start();
  tellAge();
  layoutTable();
}

void TrackerPanel::setProblem(const base::Error& error) {
  m_reading = false;
  m_tick.stop();
  m_model->clear();
  m_state->setText(QStringLiteral("could not be read"));
  m_again->setText(QStringLiteral("Read again"));
  m_words->setText(format::errorLines(error));
  layoutTable();
}

void TrackerPanel::tellAge() {
  const qint64 seconds = m_age.elapsed() / 1000;
  m_state->setText(seconds < 1     ? QStringLiteral("read just now")
                   : seconds < 120 ? QStringLiteral("read %1 s ago").arg(seconds)
                                   : QStringLiteral("read %1 min ago").arg(seconds / 60));
}

}  // namespace opscope::ui
