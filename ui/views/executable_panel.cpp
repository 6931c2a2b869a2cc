// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/executable_panel.h"

#include <QPainter>
#include <QStyledItemDelegate>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/views/delegates/cell_delegate.h"
#include "ui/views/look/icons.h"
#include "ui/views/widgets/reveal.h"

namespace opscope::ui {
namespace {

using NodeKind = ExecutableTreeModel::NodeKind;

const char* iconOf(NodeKind kind, const QString& text) {
  switch (kind) {
    case NodeKind::Section:
      if (text == QLatin1String("Functions")) return "function";
      if (text == QLatin1String("Kernels")) return "kernel";
      if (text == QLatin1String("Constants")) return "constants";
      return "modules";
    case NodeKind::Function:
      return "function";
    case NodeKind::Parameter:
      return "input";
    case NodeKind::Result:
      return "result";
    default:
      return nullptr;
  }
}

/// Icon or swatch, the text cut in the middle, a quiet text at the right edge.
class TreeDelegate : public QStyledItemDelegate {
 public:
  TreeDelegate(const Theme* theme, QObject* parent) : QStyledItemDelegate(parent), m_theme(theme) {}

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {0, m_theme->px(24)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Colours& c = m_theme->colours();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    if (selected || hovered) painter->fillRect(option.rect, selected ? c.selection : c.hover);
    const auto kind = NodeKind(index.data(NodeKindRole).toInt());
    const QString text = index.data(Qt::DisplayRole).toString();
    QRect r = option.rect.adjusted(m_theme->px(9), 0, -m_theme->px(8), 0);
    if (kind == NodeKind::Kernel) {
      drawSwatch(painter, m_theme, m_theme->kindFill(report::OpKind(index.data(NodeOpKindRole).toInt())),
                 QPoint(r.left() + m_theme->px(5), r.center().y() + 1));
      r.setLeft(r.left() + m_theme->px(18));
    } else if (const char* name = iconOf(kind, text)) {
      const int size = m_theme->px(14);
      lookIcon(m_theme, name, IconInk::Secondary)
          .paint(painter, QRect(r.left(), r.center().y() - size / 2 + 1, size, size), Qt::AlignCenter,
                 selected ? QIcon::Selected : QIcon::Normal);
      r.setLeft(r.left() + m_theme->px(20));
    }
    const QString right = index.data(RightTextRole).toString();
    // The name comes first; the other text has at least a third, and a kernel's time is a number: never cut.
    const int name = QFontMetrics(m_theme->font(13)).horizontalAdvance(text) + m_theme->px(10);
    painter->setFont(m_theme->font(12));
    const int least = kind == NodeKind::Kernel
                          ? std::min(painter->fontMetrics().horizontalAdvance(right) + 1, r.width() * 2 / 3)
                          : r.width() / 3;
    const int most = std::max(r.width() - name, least);
    const QString shown = painter->fontMetrics().elidedText(right, Qt::ElideRight, most);
    painter->setPen(selected ? c.onSelection : c.textSecondary);
    painter->drawText(r, Qt::AlignVCenter | Qt::AlignRight | Qt::TextSingleLine, shown);
    if (!shown.isEmpty())
      r.setRight(r.right() - painter->fontMetrics().horizontalAdvance(shown) - m_theme->px(10));
    painter->setFont(m_theme->font(13));
    painter->setPen(selected ? c.onSelection : kind == NodeKind::More ? c.accent : c.text);
    painter->drawText(r, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                      painter->fontMetrics().elidedText(text, Qt::ElideMiddle, r.width()));
    if (option.state.testFlag(QStyle::State_HasFocus)) {
      painter->setPen(c.focus);
      painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
  }

 private:
  const Theme* m_theme;
};

}  // namespace

ExecutablePanel::ExecutablePanel(const Theme* theme, InputForm* form, ScenarioForm* scenario,
                                 Selection* selection, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_selection(selection) {
  setMinimumWidth(theme->px(260));
  m_functionModel = new ExecutableTreeModel(ExecutableTreeModel::Part::Functions, this);
  m_restModel = new ExecutableTreeModel(ExecutableTreeModel::Part::Rest, this);
  auto* content = new QWidget;
  content->setBackgroundRole(QPalette::Base);
  // A long word is cut by itself; it does not push everything else out of sight.
  content->setMinimumWidth(theme->px(200));
  content->setAutoFillBackground(true);
  m_layout = new QVBoxLayout(content);
  m_layout->setContentsMargins(0, theme->px(4), 0, 0);
  m_layout->setSpacing(0);
  m_functionTree = addTree(m_functionModel, QStringLiteral("Functions"));
  m_layout->addSpacing(theme->px(4));
  m_layout->addWidget(new Hairline(theme));
  addForms(form, scenario);
  m_layout->addWidget(new Hairline(theme));
  m_restTree = addTree(m_restModel, QStringLiteral("Kernels, constants, modules"));
  m_layout->addStretch(1);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  // Its controls are stops of Tab; the area follows them.
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setWidget(content);
  m_none = new EmptyState(theme, "executable");
  m_open = m_none->addButton("open", QStringLiteral("Open it"));
  connect(m_open, &QPushButton::clicked, this, &ExecutablePanel::executableRequested);
  showNone();
  m_stack = new QStackedWidget;
  m_stack->addWidget(m_none);
  m_stack->addWidget(scroll);
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->addWidget(m_stack);
  connect(selection, &Selection::opChanged, this, &ExecutablePanel::showSelection);
  connect(theme, &Theme::changed, this, [this]() {
    fit(m_functionTree);
    fit(m_restTree);
  });
}

void ExecutablePanel::addForms(InputForm* form, ScenarioForm* scenario) {
  m_formView = new InputFormView(m_theme, form);
  m_scenarioView = new ScenarioView(m_theme, scenario);
  m_layout->addWidget(m_formView);
  m_layout->addWidget(m_scenarioView);
  connect(m_formView, &InputFormView::scenarioWanted, this, &ExecutablePanel::scenarioWanted);
  connect(m_scenarioView, &ScenarioView::scenarioWanted, this, &ExecutablePanel::scenarioWanted);
  const auto show = [this, scenario]() {
    if (m_formView->isSuppressed() == scenario->isChosen()) return;
    m_formView->setSuppressed(scenario->isChosen());
    unfold();
  };
  connect(scenario, &ScenarioForm::choiceChanged, this, show);
  show();
}

QTreeView* ExecutablePanel::addTree(ExecutableTreeModel* model, const QString& name) {
  auto* tree = new QTreeView;
  tree->setModel(model);
  tree->setItemDelegate(new TreeDelegate(m_theme, tree));
  tree->setHeaderHidden(true);
  tree->setFrameShape(QFrame::NoFrame);
  tree->setUniformRowHeights(true);
  tree->setMouseTracking(true);
  tree->setAccessibleName(name);
  tree->setExpandsOnDoubleClick(false);
  tree->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_layout->addWidget(tree);
  connect(tree, &QTreeView::expanded, this, [this, tree]() { fit(tree); });
  connect(tree, &QTreeView::collapsed, this, [this, tree]() { fit(tree); });
  connect(tree, &QTreeView::activated, this,
          [this, tree](const QModelIndex& index) { activate(tree, index); });
  connect(tree, &QTreeView::clicked, this, [this, tree](const QModelIndex& index) {
    const NodeKind kind = static_cast<ExecutableTreeModel*>(tree->model())->kindOf(index);
    if (kind == NodeKind::More || kind == NodeKind::Function) activate(tree, index);
  });
  connect(tree->selectionModel(), &QItemSelectionModel::currentChanged, this,
          [this, model, tree](const QModelIndex& index) {
            if (tree->hasFocus()) revealInScrollAreas(tree, tree->visualRect(index));
            if (m_showing || model->kindOf(index) != NodeKind::Kernel) return;
            const OpId op = model->opOf(index);
            if (!op.isNull()) m_selection->setOp(op);
          });
  return tree;
}

void ExecutablePanel::fit(QTreeView* tree) {
  // The panel scrolls as a whole, so each tree is as high as its rows.
  int rows = 0;
  for (QModelIndex index = tree->model()->index(0, 0); index.isValid(); index = tree->indexBelow(index))
    ++rows;
  tree->setFixedHeight(rows * m_theme->px(24) + 2);
}

void ExecutablePanel::activate(QTreeView* tree, const QModelIndex& index) {
  auto* model = static_cast<ExecutableTreeModel*>(tree->model());
  switch (model->kindOf(index)) {
    case NodeKind::More:
      model->showAll(index);
      fit(tree);
      break;
    case NodeKind::Function:
      // What runs is another one only when the run has ended.
      if (!m_formView->isEnabled()) break;
      Q_EMIT functionChosen(index.data(NodeNameRole).toString().section(QLatin1Char('('), 0, 0));
      break;
    default:
      break;
  }
}

void ExecutablePanel::setExecutable(std::shared_ptr<const session::ExecutableInfo> info) {
  m_stack->setCurrentIndex(info ? 1 : 0);
  m_functionCount = info ? info->functions.size() : 0;
  m_functionModel->setExecutable(info);
  m_restModel->setExecutable(info);
  unfold();
  m_restTree->expand(m_restModel->index(0, 0));
  fit(m_functionTree);
  fit(m_restTree);
}

void ExecutablePanel::unfold() {
  // The parameters of functions are of use where one is chosen, and as long as the form stays in sight.
  if (m_functionCount <= 4 && !m_formView->isSuppressed()) {
    m_functionTree->expandAll();
  } else {
    m_functionTree->collapseAll();
    m_functionTree->expandToDepth(0);
  }
  fit(m_functionTree);
}

void ExecutablePanel::setRun(std::shared_ptr<const RunView> run) {
  m_run = run;
  showNone();
  m_showing = true;
  m_restModel->setRun(std::move(run));
  m_restTree->expand(m_restModel->index(0, 0));
  fit(m_restTree);
  m_showing = false;
  showSelection();
}

void ExecutablePanel::showNone() {
  // A run that was measured here knows its file; a report of another program does not.
  const bool known = m_run && !m_run->run().executableHash.empty() && !m_run->run().executablePath.empty();
  const QString path = known ? QString::fromStdString(m_run->run().executablePath) : QString();
  m_none->setTexts({}, known ? QStringLiteral("This run was measured with %1. Open it to see its functions "
                                              "and to run it again.")
                                   .arg(path.section(QLatin1Char('/'), -1))
                             : QStringLiteral("A report holds no executable. Open the .so to see its "
                                              "functions and to run it."));
  m_open->setVisible(known);
  m_open->setToolTip(path);
}

void ExecutablePanel::setFormEnabled(bool enabled) {
  m_formView->setEnabled(enabled);
  m_scenarioView->setEnabled(enabled);
}

void ExecutablePanel::showSelection() {
  const OpId op = m_selection->op();
  m_showing = true;
  if (!m_run || op.isNull() || op.name >= m_run->run().names.size()) {
    m_restTree->clearSelection();
  } else {
    const QModelIndex index = m_restModel->kernelIndex(QString::fromStdString(m_run->run().names[op.name]));
    if (index.isValid()) {
      m_restTree->setCurrentIndex(index);
    } else {
      m_restTree->clearSelection();
    }
  }
  m_showing = false;
}

}  // namespace opscope::ui
