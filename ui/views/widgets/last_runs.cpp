// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/widgets/last_runs.h"

#include <QPainter>
#include <QStyle>
#include <QStyleOption>
#include <array>

#include "ui/models/format.h"
#include "ui/models/ops_model.h"
#include "ui/models/runs_model.h"
#include "ui/views/look/digits.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kRows = 4;

struct ColumnPlace {
  RunsModel::Column column;
  double left;  ///< of the width
  double right;
  bool isNumber;
};
constexpr std::array kColumns = {
    ColumnPlace{RunsModel::Model, 0, 0.29, false}, ColumnPlace{RunsModel::Target, 0.29, 0.53, false},
    ColumnPlace{RunsModel::Device, 0.53, 0.67, false}, ColumnPlace{RunsModel::Total, 0.67, 0.85, true},
    ColumnPlace{RunsModel::Repeats, 0.85, 1, true}};

/// One line of the table; the first has the titles and does nothing.
class Line : public QAbstractButton {
 public:
  Line(const Theme* theme, const QStringList& cells, const QString& name, bool isTitle, bool isOdd)
      : m_theme(theme), m_cells(cells), m_isTitle(isTitle), m_isOdd(isOdd) {
    setFixedHeight(theme->px(isTitle ? 26 : 24));
    setText(name);
    setEnabled(!isTitle);
    setFocusPolicy(isTitle ? Qt::NoFocus : Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    if (!isTitle) setToolTip(QStringLiteral("Open %1").arg(name));
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Colours& c = m_theme->colours();
    const bool hovered = underMouse() && !m_isTitle;
    painter.fillRect(rect(), hovered ? c.hover : m_isTitle ? c.window : m_isOdd ? c.alternateBase : c.base);
    const QFont font = m_isTitle ? m_theme->font(12, QFont::DemiBold) : m_theme->font(13);
    painter.setFont(font);
    painter.setPen(m_isTitle ? c.textSecondary : c.text);
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const ColumnPlace& place = kColumns[i];
      const int left = int(width() * place.left) + m_theme->px(8);
      const QRect cell(left, 0, int(width() * place.right) - m_theme->px(8) - left, height());
      const QString text = m_cells[qsizetype(i)];
      if (place.isNumber && !m_isTitle) {
        DigitPainter(font).drawRight(&painter, QRectF(cell), text);
      } else {
        painter.drawText(cell, Qt::AlignVCenter | (place.isNumber ? Qt::AlignRight : Qt::AlignLeft),
                         painter.fontMetrics().elidedText(text, Qt::ElideMiddle, cell.width()));
      }
    }
    if (!hasFocus()) return;
    QStyleOptionFocusRect option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_FrameFocusRect, &option, &painter, this);
  }

 private:
  const Theme* m_theme;
  QStringList m_cells;
  bool m_isTitle;
  bool m_isOdd;
};

}  // namespace

LastRuns::LastRuns(const Theme* theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, m_theme->px(12), 0, 0);
  layout->setSpacing(theme->px(6));
  auto* title = new Text(theme, 12, &Colours::textSecondary, QFont::DemiBold);
  title->setText(QStringLiteral("Last runs"));
  layout->addWidget(title);
  auto* panel = new Panel(theme, {});
  m_rows = new QVBoxLayout;
  m_rows->setSpacing(0);
  panel->body()->addLayout(m_rows);
  layout->addWidget(panel);
  hide();
}

void LastRuns::setRuns(const std::vector<store::StoredRun>& runs) {
  std::vector<store::StoredRun> newest(runs.begin(),
                                       runs.begin() + std::ptrdiff_t(std::min(kRows, runs.size())));
  std::vector<store::RunId> ids;
  for (const store::StoredRun& run : newest) ids.push_back(run.id);
  if (ids == m_shown) return;
  m_shown = ids;
  clearLayout(m_rows);
  setVisible(!ids.empty());
  RunsModel model;
  model.setRuns(std::make_shared<const RunsModel::Runs>(newest));
  QStringList titles;
  for (const ColumnPlace& place : kColumns)
    titles << model.headerData(place.column, Qt::Horizontal, Qt::DisplayRole).toString();
  m_rows->addWidget(new Line(m_theme, titles, QStringLiteral("Last runs"), true, false));
  for (int row = 0; row < model.rowCount(); ++row) {
    QStringList cells;
    for (const ColumnPlace& place : kColumns) cells << model.index(row, place.column).data().toString();
    const store::RunId id = model.runAt(row).id;
    auto* line = new Line(m_theme, cells, runTitle(model.runAt(row)), false, row % 2 == 1);
    connect(line, &QAbstractButton::clicked, this, [this, id]() { Q_EMIT openRequested(id); });
    m_rows->addWidget(line);
  }
}

}  // namespace opscope::ui
