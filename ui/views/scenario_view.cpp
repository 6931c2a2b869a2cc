// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenario_view.h"

#include <QFileDialog>
#include <QPainter>
#include <QStyledItemDelegate>

#include "ui/models/format.h"
#include "ui/views/look/properties.h"
#include "ui/views/widgets/reveal.h"

namespace opscope::ui {
namespace {

constexpr double kRowHeight = 40;
constexpr double kNumberWidth = 26;

/// Number, function and the key of its result; below them the arguments.
class StepDelegate : public QStyledItemDelegate {
 public:
  StepDelegate(const Theme* theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {0, m_theme->px(kRowHeight)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Colours& c = m_theme->colours();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    if (selected || hovered) painter->fillRect(option.rect, selected ? c.selection : c.hover);
    const bool wrong = !index.data(ScenarioStepsModel::ProblemRole).toString().isEmpty();
    const QColor quiet = selected ? c.onSelection : c.textSecondary;
    QRect top = option.rect.adjusted(m_theme->px(12), m_theme->px(3), -m_theme->px(12), 0);
    top.setHeight(option.rect.height() / 2 - m_theme->px(3));
    QRect bottom = top.translated(0, top.height());
    const auto draw = [&](const QRect& r, int flags, const QString& text, double size, const QColor& ink,
                          Qt::TextElideMode mode) {
      painter->setFont(m_theme->font(size));
      painter->setPen(ink);
      const QString shown = painter->fontMetrics().elidedText(text, mode, r.width());
      painter->drawText(r, Qt::AlignVCenter | Qt::TextSingleLine | flags, shown);
      return painter->fontMetrics().horizontalAdvance(shown);
    };
    const int number = m_theme->px(kNumberWidth);
    draw(QRect(top.left(), top.top(), number - m_theme->px(8), top.height()), Qt::AlignRight,
         QString::number(index.row()), 12, quiet, Qt::ElideNone);
    top.setLeft(top.left() + number);
    bottom.setLeft(top.left());
    const QString out = index.data(ScenarioStepsModel::OutRole).toString();
    if (!out.isEmpty()) {
      const QRect right(top.right() - top.width() * 2 / 5, top.top(), top.width() * 2 / 5 + 1, top.height());
      top.setRight(top.right() - draw(right, Qt::AlignRight, out, 12, quiet, Qt::ElideMiddle) -
                   m_theme->px(8));
    }
    draw(top, Qt::AlignLeft, index.data(ScenarioStepsModel::FunctionRole).toString(), 13,
         wrong      ? c.error
         : selected ? c.onSelection
                    : c.text,
         Qt::ElideMiddle);
    draw(bottom, Qt::AlignLeft, index.data(ScenarioStepsModel::ArgumentsRole).toString(), 12, quiet,
         Qt::ElideRight);
    if (option.state.testFlag(QStyle::State_HasFocus)) {
      painter->setPen(c.focus);
      painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
  }

 private:
  const Theme* m_theme;
};

/// A name of a file that is chosen by a dialog; its folder is in the tooltip.
QLineEdit* fileField(const QString& name) {
  auto* field = new QLineEdit;
  field->setReadOnly(true);
  field->setAccessibleName(name);
  return field;
}

void showFile(QLineEdit* field, const QString& path) {
  const QString name = path.section(QLatin1Char('/'), -1);
  if (field->toolTip() == path && field->text() == name) return;
  field->setText(name);
  field->setCursorPosition(0);
  field->setToolTip(path);
}

}  // namespace

ScenarioView::ScenarioView(const Theme* theme, ScenarioForm* form, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_form(form) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, theme->px(8), 0, theme->px(8));
  layout->setSpacing(theme->px(6));
  auto* fields = new QVBoxLayout;
  fields->setContentsMargins(theme->px(12), 0, theme->px(12), 0);
  fields->setSpacing(theme->px(6));
  buildHead(fields);
  buildArrays(fields);
  layout->addLayout(fields);
  buildSteps(layout);
  connect(form, &ScenarioForm::choiceChanged, this, &ScenarioView::refresh);
  connect(form, &ScenarioForm::changed, this, &ScenarioView::refresh);
  connect(theme, &Theme::changed, this, &ScenarioView::fit);
  refresh();
}

Text* ScenarioView::addProblem(QVBoxLayout* layout) {
  auto* problem = new Text(m_theme, 12, &Colours::error);
  problem->setWordWrap(true);
  layout->addWidget(problem);
  return problem;
}

void ScenarioView::buildHead(QVBoxLayout* layout) {
  auto* head = new QHBoxLayout;
  head->addWidget(plainText(m_theme, QStringLiteral("Scenario"), 13, &Colours::text, QFont::DemiBold));
  head->addStretch(1);
  auto* function = new LinkButton(m_theme, QStringLiteral("Run a function instead"));
  function->setToolTip(QStringLiteral("Leave the scenario and run a function (Ctrl+Alt+R)"));
  connect(function, &QAbstractButton::clicked, m_form, &ScenarioForm::drop, Qt::QueuedConnection);
  head->addWidget(function);
  layout->addLayout(head);
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(6));
  m_file = fileField(QStringLiteral("File of the scenario"));
  row->addWidget(m_file, 1);
  m_choose = iconButton(m_theme, "open", QStringLiteral("Choose another scenario"), this);
  connect(m_choose, &QToolButton::clicked, this, &ScenarioView::scenarioWanted);
  row->addWidget(m_choose);
  layout->addLayout(row);
  m_problem = addProblem(layout);
}

void ScenarioView::buildArrays(QVBoxLayout* layout) {
  m_arraysRow = new QWidget;
  auto* block = new QVBoxLayout(m_arraysRow);
  block->setContentsMargins(0, m_theme->px(4), 0, 0);
  block->setSpacing(m_theme->px(6));
  block->addWidget(plainText(m_theme, QStringLiteral("Arrays"), 12, &Colours::text, QFont::DemiBold));
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme->px(6));
  m_arrays = fileField(QStringLiteral("File of the arrays"));
  row->addWidget(m_arrays, 1);
  m_chooseArrays = iconButton(m_theme, "open", QStringLiteral("Choose another .npz file"), this);
  connect(m_chooseArrays, &QToolButton::clicked, this, &ScenarioView::askArrays);
  row->addWidget(m_chooseArrays);
  block->addLayout(row);
  m_take = new ActionButton(m_theme, "open", QStringLiteral("Take from a .npz file"));
  m_take->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(m_take, &QPushButton::clicked, this, &ScenarioView::askArrays);
  block->addWidget(m_take);
  m_arraysProblem = addProblem(block);
  layout->addWidget(m_arraysRow);
}

void ScenarioView::buildSteps(QVBoxLayout* layout) {
  m_stepsTitle = new Text(m_theme, 12, &Colours::text, QFont::DemiBold);
  m_stepsTitle->setContentsMargins(m_theme->px(12), m_theme->px(4), m_theme->px(12), 0);
  layout->addWidget(m_stepsTitle);
  m_model = new ScenarioStepsModel(this);
  m_steps = new QListView;
  m_steps->setModel(m_model);
  m_steps->setItemDelegate(new StepDelegate(m_theme, m_steps));
  m_steps->setFrameShape(QFrame::NoFrame);
  m_steps->setUniformItemSizes(true);
  m_steps->setMouseTracking(true);
  m_steps->setAccessibleName(QStringLiteral("Steps of the scenario"));
  // The panel scrolls as a whole.
  m_steps->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_steps->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(m_steps->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this](const QModelIndex& index) {
            if (m_steps->hasFocus()) revealInScrollAreas(m_steps, m_steps->visualRect(index));
          });
  layout->addWidget(m_steps);
}

void ScenarioView::refresh() {
  setVisible(m_form->isChosen());
  if (!m_form->isChosen()) return;
  showFile(m_file, m_form->file());
  const QString problem = m_form->problem();
  m_problem->setText(problem);
  m_problem->setVisible(!problem.isEmpty());
  setInvalid(m_file, !problem.isEmpty());
  m_arraysRow->setVisible(m_form->takesArrays());
  const bool given = !m_form->arraysFile().isEmpty();
  showFile(m_arrays, m_form->arraysFile());
  m_arrays->setVisible(given);
  m_chooseArrays->setVisible(given);
  m_take->setVisible(!given);
  const QString arraysProblem = m_form->arraysProblem();
  m_arraysProblem->setText(arraysProblem);
  m_arraysProblem->setVisible(!arraysProblem.isEmpty());
  setInvalid(m_arrays, !arraysProblem.isEmpty());
  const session::ScenarioInfo* info = m_form->info();
  m_model->setSteps(info != nullptr ? info->steps : std::vector<session::ScenarioStepInfo>());
  m_stepsTitle->setText(format::counted(m_model->rowCount(), "step", "steps"));
  m_stepsTitle->setVisible(m_model->rowCount() > 0);
  fit();
}

void ScenarioView::fit() {
  const qint64 height = qint64(m_model->rowCount()) * m_theme->px(kRowHeight);
  m_steps->setVisible(height > 0);
  m_steps->setFixedHeight(int(std::min<qint64>(height, QWIDGETSIZE_MAX)));
}

void ScenarioView::focusProblem() {
  if (!m_form->problem().isEmpty()) {
    m_choose->setFocus();
  } else {
    (m_take->isVisible() ? static_cast<QWidget*>(m_take) : m_chooseArrays)->setFocus();
  }
}

void ScenarioView::askArrays() {
  auto* dialog = new QFileDialog(this, QStringLiteral("Arrays of %1").arg(m_form->fileName()), QString(),
                                 QStringLiteral("Arrays (*.npz);;All files (*)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, m_form, &ScenarioForm::setArraysFile);
  dialog->open();
}

}  // namespace opscope::ui
