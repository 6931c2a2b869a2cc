// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/code/machine_pane.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QSignalBlocker>

#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"
#include "ui/views/code/code_delegates.h"
#include "ui/views/widgets/brief_combo.h"

namespace opscope::ui {
namespace {

QString roleWords(session::MachineFunction::Role role) {
  using Role = session::MachineFunction::Role;
  switch (role) {
    case Role::Entry:
      return QStringLiteral("checks and entry");
    case Role::Body:
      return QStringLiteral("called by it");
    case Role::ParallelPart:
      return QStringLiteral("run on the threads");
    case Role::Helper:
      return QStringLiteral("errors and handles");
  }
  return {};
}

}  // namespace

MachinePane::MachinePane(const Theme* theme, Background* background, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_background(background) {
  m_model = new DisassemblyModel(this);
  m_table = new DataTable(theme);
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Machine code"));
  m_table->setAlternatingRowColors(false);
  m_table->setRowHeight(19);
  m_table->setItemDelegate(new MachineCodeDelegate(theme, m_table));
  QHeaderView* header = m_table->horizontalHeader();
  header->setStretchLastSection(true);
  header->setSectionsMovable(false);
  const QFontMetrics fixed(theme->fixedFont(12));
  header->resizeSection(DisassemblyModel::Address,
                        fixed.horizontalAdvance(QLatin1Char('0')) * 8 + theme->px(16));
  header->resizeSection(DisassemblyModel::Name,
                        fixed.horizontalAdvance(QLatin1Char('0')) * 13 + theme->px(16));
  connect(m_table, &DataTable::rowActivated, this, &MachinePane::follow);
  m_empty = new EmptyState(theme, "kernel");
  m_note = new Text(theme, 12, &Colours::textSecondary);
  m_note->setWordWrap(true);
  m_note->setContentsMargins(theme->px(12), theme->px(4), theme->px(12), theme->px(4));
  auto* shown = new QWidget;
  auto* rows = new QVBoxLayout(shown);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  m_head = buildHead();
  rows->addWidget(m_head);
  rows->addWidget(m_note);
  rows->addWidget(m_table, 1);
  m_stack = new QStackedWidget;
  m_stack->addWidget(shown);
  m_stack->addWidget(m_empty);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(m_stack);
  showKernel({}, howToChoose());
}

QString MachinePane::howToChoose() {
  return QStringLiteral("Select an instruction that calls a kernel to see its machine code.");
}

QWidget* MachinePane::buildHead() {
  auto* head = new QWidget;
  auto* rows = new QVBoxLayout(head);
  rows->setContentsMargins(m_theme->px(12), 0, m_theme->px(8), m_theme->px(4));
  rows->setSpacing(m_theme->px(4));
  auto* first = new QHBoxLayout;
  first->setSpacing(m_theme->px(8));
  m_title = new ElidedText(m_theme, 12, &Colours::text, QFont::DemiBold);
  m_title->setFixedHeight(m_theme->px(28));
  m_size = new Text(m_theme, 12, &Colours::textSecondary);
  m_copy = iconButton(m_theme, "copy", QStringLiteral("Copy the selected lines, or all"), this);
  first->addWidget(m_title, 1);
  first->addWidget(m_size);
  first->addWidget(m_copy);
  rows->addLayout(first);
  auto* second = new QHBoxLayout;
  second->setSpacing(m_theme->px(8));
  m_functions = new BriefCombo;
  m_functions->setAccessibleName(QStringLiteral("Function of the kernel"));
  m_functions->setToolTip(QStringLiteral("Functions that the kernel consists of"));
  m_functions->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  m_search = new SearchBar(m_theme, QStringLiteral("Find in machine code"), QStringLiteral("Find"));
  second->addWidget(m_functions, 3);
  second->addWidget(m_search, 4);
  rows->addLayout(second);
  m_facts = new Text(m_theme, 12, &Colours::textSecondary);
  m_facts->setWordWrap(true);
  rows->addWidget(m_facts);
  connect(m_functions, &QComboBox::currentIndexChanged, this, &MachinePane::showFunction);
  connect(m_copy, &QToolButton::clicked, this, &MachinePane::copy);
  connect(m_search, &SearchBar::textChanged, this, [this]() { find(false, false); });
  connect(m_search, &SearchBar::nextRequested, this, [this]() { find(true, false); });
  connect(m_search, &SearchBar::previousRequested, this, [this]() { find(true, true); });
  return head;
}

void MachinePane::setFile(const std::string& path, const std::string& hash) {
  if (path == m_path && hash == m_hash) return;
  m_path = path;
  m_hash = hash;
  m_known.clear();
  showKernel({}, howToChoose());
}

void MachinePane::setTime(const QString& words) {
  m_time = words;
  const QString work = m_model->workText();
  m_facts->setText(m_time.isEmpty() ? work : m_time + QStringLiteral(" · ") + work);
}

void MachinePane::showKernel(const QString& name, const QString& words) {
  if (!name.isEmpty() && name == m_kernel) return;
  m_kernel = name;
  const quint64 number = ++m_number;
  if (name.isEmpty()) {
    showWords(QString(), words);
    return;
  }
  if (const auto known = m_known.find(name); known != m_known.end()) {
    showAnswer(name, known->second);
    return;
  }
  // The old code stays until the new is there.
  m_background->run(
      this,
      [path = m_path, hash = m_hash, name = name.toStdString()]() {
        const SlowWork work("machine code");
        return session::readKernelCode(path, hash, name);
      },
      [this, name, number, hash = m_hash](const Answer& answer) {
        if (hash != m_hash) return;
        m_known.insert_or_assign(name, answer);
        if (number == m_number) showAnswer(name, answer);
      });
}

void MachinePane::showAnswer(const QString& name, const Answer& answer) {
  if (!answer) {
    const base::Error& error = answer.error();
    QString text = format::fromUtf8(error.message) + QLatin1Char('.');
    if (!error.detail.empty()) text += QLatin1Char('\n') + format::fromUtf8(error.detail);
    showWords(QStringLiteral("No machine code of %1").arg(name), text);
    return;
  }
  m_code = *answer;
  const QSignalBlocker block(m_functions);
  m_functions->clear();
  for (const session::MachineFunction& function : m_code->functions) {
    m_functions->addItem(
        QStringLiteral("%1 (%2)").arg(format::fromUtf8(function.name), roleWords(function.role)));
    // The title has the name.
    m_functions->setItemData(m_functions->count() - 1, roleWords(function.role), BriefCombo::BriefRole);
  }
  m_functions->setEnabled(m_functions->count() > 1);
  m_note->setText(format::fromUtf8(m_code->note));
  m_note->setVisible(!m_code->note.empty());
  m_functions->setCurrentIndex(int(m_code->main()));
  showFunction(int(m_code->main()));
  m_stack->setCurrentIndex(0);
}

void MachinePane::showFunction(int position) {
  if (position < 0 || !m_code) return;
  m_model->setCode(m_code, std::size_t(position));
  m_title->setText(format::fromUtf8(m_model->function()->name));
  m_size->setText(m_model->sizeText());
  setTime(m_time);
  m_search->setCount(m_model->countOf(m_search->text()));
}

void MachinePane::showWords(const QString& title, const QString& text) {
  m_code.reset();
  m_model->setCode(nullptr, 0);
  m_empty->setTexts(title, text);
  m_stack->setCurrentIndex(1);
}

void MachinePane::find(bool next, bool backwards) {
  const QString text = m_search->text();
  m_search->setCount(m_model->countOf(text));
  const int current = std::max(0, m_table->currentIndex().row());
  const int row = m_model->find(text, next ? current + (backwards ? -1 : 1) : current, backwards);
  if (row < 0) return;
  m_table->setCurrentIndex(m_model->index(row, DisassemblyModel::Name));
  m_table->scrollTo(m_model->index(row, 0), QAbstractItemView::PositionAtCenter);
}

void MachinePane::follow(int row) {
  const int target = m_model->targetOf(row);
  if (target < 0) return;
  m_table->setCurrentIndex(m_model->index(target, DisassemblyModel::Name));
  m_table->scrollTo(m_model->index(target, 0), QAbstractItemView::PositionAtCenter);
}

QString MachinePane::selectedText() const {
  std::vector<int> rows = m_table->selectedRows();
  // One line is the cursor more often than a wish.
  if (rows.size() == 1) rows.clear();
  return m_model->listing(rows);
}

void MachinePane::copy() {
  QGuiApplication::clipboard()->setText(selectedText());
}

}  // namespace opscope::ui
