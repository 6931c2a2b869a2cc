// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/code_page.h"

#include <QHeaderView>
#include <QSignalBlocker>
#include <algorithm>

#include "ui/bridge/slow_work.h"
#include "ui/models/format.h"
#include "ui/views/code/code_delegates.h"
#include "ui/views/widgets/header_width.h"
#include "ui/views/widgets/page_bar.h"

namespace opscope::ui {
namespace {

/// From here on all words of the page bar have room.
constexpr int kAmpleWidth = 1100;
/// Columns take their widths from these rows at most.
constexpr int kRowsMeasured = 1000;

}  // namespace

CodePage::CodePage(const PageContext& context, QWidget* parent)
    : RunPage(context, "function", QStringLiteral("Code shows the instructions of %1."), parent) {
  m_model = new CodeModel(this);
  m_machine = new MachinePane(theme(), context.background);
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->setChildrenCollapsible(false);
  splitter->setHandleWidth(1);
  splitter->addWidget(buildBytecode());
  splitter->addWidget(m_machine);
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 1);
  splitter->setSizes({theme()->px(580), theme()->px(420)});
  m_machine->setMinimumWidth(theme()->px(260));
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(buildBar());
  layout->addWidget(splitter, 1);
  m_missing = new EmptyState(theme(), "function");
  m_open = m_missing->addButton("open", QStringLiteral("Open a file"));
  connect(m_open, &QPushButton::clicked, this, &CodePage::openRequested);
  m_views = new QStackedWidget;
  m_views->addWidget(content);
  m_views->addWidget(m_missing);
  setContent(m_views);
  connectBar();
  connect(context.selection, &Selection::opChanged, this, [this]() { showSelection(); });
  showContent();
  showMissing(QStringLiteral("Nothing is open"), QString(), QStringLiteral("Open a file"));
}

QWidget* CodePage::buildBar() {
  auto* bar = new PageBar(theme());
  m_functions = new QComboBox;
  m_functions->setAccessibleName(QStringLiteral("Function"));
  m_functions->setToolTip(QStringLiteral("The function whose instructions are shown"));
  m_functions->setMinimumWidth(theme()->px(96));
  m_functions->setMaximumWidth(theme()->px(220));
  m_search = new SearchBar(theme(), QStringLiteral("Find instruction or register"), QStringLiteral("Find"));
  m_search->setMaximumWidth(theme()->px(330));
  m_hide = new QCheckBox(QStringLiteral("Hide allocation and clearing"));
  m_hide->setToolTip(QStringLiteral("Leave out instructions that take memory or clear a register"));
  m_rowShare = new ElidedText(theme(), 12, &Colours::textSecondary, QFont::Normal, Qt::ElideRight);
  m_rowShare->setAlignment(Qt::AlignRight);
  m_hottest = new ActionButton(theme(), nullptr, QStringLiteral("Hottest"));
  m_hottest->setToolTip(QStringLiteral("Go to the instruction that took the longest"));
  m_nextHottest = new ActionButton(theme(), nullptr, QStringLiteral("Next hottest"));
  m_nextHottest->setToolTip(QStringLiteral("Go to the one that comes after this one by time"));
  bar->row()->addWidget(m_functions, 2);
  bar->row()->addWidget(m_search, 4);
  bar->row()->addSpacing(theme()->px(6));
  bar->row()->addWidget(m_hide);
  bar->row()->addWidget(m_rowShare, 3);
  bar->row()->addSpacing(theme()->px(6));
  bar->row()->addWidget(m_hottest);
  bar->row()->addWidget(m_nextHottest);
  return bar;
}

void CodePage::connectBar() {
  connect(m_functions, &QComboBox::currentIndexChanged, this, [this](int position) {
    if (m_code && position >= 0) showFunction(&m_code->functions[std::size_t(position)]);
  });
  connect(m_search, &SearchBar::textChanged, this, [this]() { find(false, false); });
  connect(m_search, &SearchBar::nextRequested, this, [this]() { find(true, false); });
  connect(m_search, &SearchBar::previousRequested, this, [this]() { find(true, true); });
  connect(m_hide, &QCheckBox::toggled, this, [this](bool hides) {
    const auto chosen = chosenInstruction();
    m_showing = true;
    m_model->setHidesHousekeeping(hides);
    m_showing = false;
    if (chosen) goTo(m_model->rowOf(*chosen));
    showHead();
  });
  connect(m_hottest, &QPushButton::clicked, this, [this]() { showHottest(0); });
  connect(m_nextHottest, &QPushButton::clicked, this, [this]() { showHottest(1); });
}

QWidget* CodePage::buildBytecode() {
  auto* head = new QWidget;
  head->setFixedHeight(theme()->px(28));
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(theme()->px(12), 0, theme()->px(12), 0);
  row->setSpacing(theme()->px(8));
  m_title = new Text(theme(), 12, &Colours::text, QFont::DemiBold);
  m_counts = new Text(theme(), 12, &Colours::textSecondary);
  m_counts->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(m_title);
  row->addWidget(m_counts, 1);
  m_table = new DataTable(theme());
  m_table->setModel(m_model);
  m_table->setAccessibleName(QStringLiteral("Bytecode"));
  m_table->setRowHeight(20);
  m_table->setAlternatingRowColors(false);
  auto* code = new BytecodeDelegate(theme(), m_table);
  m_table->setItemDelegate(code);
  m_table->setItemDelegateForColumn(CodeModel::Duration, new NumberDelegate(theme(), m_table));
  m_table->setItemDelegateForColumn(CodeModel::Percent, new ShareBarDelegate(theme(), m_table));
  QHeaderView* header = m_table->horizontalHeader();
  header->setSectionsMovable(false);
  header->setSectionResizeMode(CodeModel::Calls, QHeaderView::Stretch);
  m_table->viewport()->installEventFilter(this);
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CodePage::takeRow);
  connect(m_table, &DataTable::rowActivated, this, &CodePage::follow);
  m_detail = new Text(theme(), 12, &Colours::textSecondary);
  m_detail->setWordWrap(true);
  m_detail->setFixedFont(true);
  m_detail->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_detail->setContentsMargins(theme()->px(12), theme()->px(4), theme()->px(12), theme()->px(4));
  auto* shown = new QWidget;
  auto* rows = new QVBoxLayout(shown);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(head);
  rows->addWidget(m_table, 1);
  rows->addWidget(new Hairline(theme()));
  rows->addWidget(m_detail);
  m_compiled = new EmptyState(theme(), "function");
  m_listing = new QStackedWidget;
  m_listing->addWidget(shown);
  m_listing->addWidget(m_compiled);
  return m_listing;
}

/// The widest text of a column; builtins may lose the prefix that all have.
int CodePage::neededWidth(int column, bool brief) const {
  const QFontMetrics metrics(theme()->fixedFont(12));
  int width = 0;
  for (int row = 0; row < std::min(m_model->rowCount(), kRowsMeasured); ++row) {
    QString text = m_model->index(row, column).data().toString();
    if (brief && text.startsWith(QLatin1String("vm.builtin."))) text = text.mid(10);
    width = std::max(width, metrics.horizontalAdvance(text));
  }
  return width + theme()->px(18);
}

/// Names come first: in a narrow window the registers of results go, then bars, then arguments become
/// shorter.
void CodePage::layoutColumns() {
  QHeaderView* header = m_table->horizontalHeader();
  const int width = m_table->viewport()->width();
  const bool narrow = width < theme()->px(600);
  const int number = std::max(theme()->px(36), neededWidth(CodeModel::Number, false));
  const int duration = headerWidth(theme(), m_table->model(), CodeModel::Duration, 92);
  const int into = narrow ? 0 : std::max(theme()->px(48), neededWidth(CodeModel::Into, false));
  const int names = neededWidth(CodeModel::Calls, false), brief = neededWidth(CodeModel::Calls, true);
  const int arguments = neededWidth(CodeModel::Arguments, false), least = theme()->px(70);
  int room = width - number - duration - into;
  // A bar of the least length that tells something, where names and arguments can still be read.
  const int withBar = theme()->px(132), withoutBar = theme()->px(70);
  const int percent = room - withBar >= std::min(brief, theme()->px(150)) + least ? withBar : withoutBar;
  room -= percent;
  const int shown = room - names >= std::min(arguments, theme()->px(160)) ? names : brief;
  header->resizeSection(CodeModel::Number, number);
  header->resizeSection(CodeModel::Duration, duration);
  header->resizeSection(CodeModel::Percent, percent);
  if (!narrow) header->resizeSection(CodeModel::Into, into);
  header->resizeSection(CodeModel::Arguments, std::clamp(room - shown, least, std::max(least, arguments)));
  m_table->setColumnHidden(CodeModel::Into, narrow);
}

bool CodePage::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_table->viewport() && event->type() == QEvent::Resize) {
    layoutColumns();
    showShare();
  }
  return RunPage::eventFilter(watched, event);
}

CodePage::Source CodePage::source() const {
  if (m_info) return {m_info->path, m_info->hash, false};
  if (run() && !run()->run().executableHash.empty())
    return {run()->run().executablePath, run()->run().executableHash, false};
  return {{}, {}, run() != nullptr};
}

void CodePage::setExecutable(const std::shared_ptr<const session::ExecutableInfo>& info) {
  m_info = info;
  load();
}

void CodePage::setRun(std::shared_ptr<const RunView> run) {
  RunPage::setRun(run);
  showContent();
  load();
  refreshTimes();
}

void CodePage::setStatus(const PageStatus& status) {
  RunPage::setStatus(status);
  if (m_function == status.function) return;
  m_function = status.function;
  const auto* function = m_code ? m_code->find(m_function.toStdString()) : nullptr;
  if (function != nullptr) showFunction(function);
}

void CodePage::showEvent(QShowEvent* event) {
  RunPage::showEvent(event);
  load();
  if (m_machinePending) showMachine(m_table->currentIndex().row());
}

void CodePage::load() {
  const Source wanted = source();
  if (!isVisible() || wanted == m_loaded) return;
  m_loaded = wanted;
  const quint64 number = ++m_number;
  m_machine->setFile(wanted.path, wanted.hash);
  if (wanted.path.empty()) {
    m_code.reset();
    showMissing(run() ? QStringLiteral("A report holds no code") : QStringLiteral("Nothing is open"),
                run() ? QStringLiteral("Open the executable that it was made from to see its instructions.")
                      : QString(),
                run() ? QStringLiteral("Open the executable") : QStringLiteral("Open a file"));
    return;
  }
  using Answer = base::Result<std::shared_ptr<const session::ProgramCode>>;
  context().background->run(
      this,
      [wanted, view = run()]() {
        const SlowWork work("the bytecode");
        Answer answer = session::readProgramCode(wanted.path, wanted.hash);
        auto times = answer && view ? makeCodeTimes(*view, **answer) : nullptr;
        return std::pair(std::move(answer), std::move(times));
      },
      [this, number, view = run()](const std::pair<Answer, std::shared_ptr<const CodeTimes>>& read) {
        if (number != m_number) return;
        if (read.first) {
          // Another run may have come meanwhile: these times are not its own.
          const bool own = view == run();
          showCode(*read.first, own ? read.second : nullptr);
          if (!own) refreshTimes();
          return;
        }
        m_code.reset();
        const base::Error& error = read.first.error();
        QString text = format::fromUtf8(error.message) + QLatin1Char('.');
        const QString advice = format::errorAdvice(error);
        if (!advice.isEmpty()) text += QLatin1Char('\n') + advice;
        showMissing(QStringLiteral("The code cannot be shown"), text, QStringLiteral("Open another file"));
        m_loaded = {};
      });
}

void CodePage::refreshTimes() {
  if (!m_code) return;
  const quint64 number = m_number;
  if (!run()) {
    showCode(m_code, nullptr);
    return;
  }
  context().background->run(
      this, [view = run(), code = m_code]() { return makeCodeTimes(*view, *code); },
      [this, number, view = run()](const std::shared_ptr<const CodeTimes>& times) {
        if (number == m_number && view == run() && m_code) showCode(m_code, times);
      });
}

void CodePage::showCode(std::shared_ptr<const session::ProgramCode> code,
                        std::shared_ptr<const CodeTimes> times) {
  const bool another = code != m_code;
  m_code = std::move(code);
  m_times = std::move(times);
  m_views->setCurrentIndex(0);
  if (!another) {
    const auto chosen = chosenInstruction();
    m_showing = true;
    m_model->setTimes(m_times);
    m_showing = false;
    if (chosen) goTo(m_model->rowOf(*chosen));
    showHead();
    return;
  }
  const QSignalBlocker block(m_functions);
  m_functions->clear();
  for (const session::CodeFunction& function : m_code->functions)
    m_functions->addItem(QString::fromStdString(function.name));
  const session::CodeFunction* function = m_code->find(m_function.toStdString());
  if (function == nullptr && run()) function = m_code->find(run()->run().function);
  if (function == nullptr && !m_code->functions.empty()) function = &m_code->functions.front();
  m_model->setTimes(m_times);
  showFunction(function);
  showSelection();
  if (m_wanted) showInstruction(*std::exchange(m_wanted, std::nullopt));
  if (!m_wantedKernel.isEmpty()) showKernel(std::exchange(m_wantedKernel, QString()));
}

void CodePage::showMissing(const QString& title, const QString& text, const QString& button) {
  m_model->setCode(nullptr, nullptr);
  m_missing->setTexts(title, text);
  m_open->setText(button);
  m_views->setCurrentIndex(1);
}

void CodePage::showFunction(const session::CodeFunction* function) {
  m_showing = true;
  m_model->setCode(m_code, function);
  m_showing = false;
  if (function == nullptr) return;
  const QString name = QString::fromStdString(function->name);
  const QSignalBlocker block(m_functions);
  m_functions->setCurrentIndex(int(function - m_code->functions.data()));
  m_compiled->setTexts(
      QStringLiteral("%1 is machine code").arg(name),
      QStringLiteral("It was built with exec_mode=\"compiled\": there is no bytecode to show."));
  m_listing->setCurrentIndex(function->isCompiled ? 1 : 0);
  m_search->setCount(m_model->countOf(m_search->text()));
  layoutColumns();
  showHead();
  showRow();
  showSelection(true);
}

void CodePage::showHead() {
  const session::CodeFunction* function = m_model->function();
  if (function == nullptr) return;
  qint64 kernels = 0, builtins = 0;
  for (const session::CodeLine& line : function->lines) {
    kernels += line.callee == session::CodeLine::Callee::Kernel ? 1 : 0;
    builtins += line.callee == session::CodeLine::Callee::Builtin ? 1 : 0;
  }
  m_title->setText(QStringLiteral("Bytecode of %1").arg(format::fromUtf8(function->name)));
  QString counts = QStringLiteral("%1 · %2 · %3")
                       .arg(format::counted(qint64(function->lines.size()), "instruction", "instructions"),
                            format::counted(kernels, "kernel call", "kernel calls"),
                            format::counted(builtins, "builtin call", "builtin calls"));
  if (m_times && m_times->entries.empty() && run()) counts += QStringLiteral(" · the run is of another file");
  m_counts->setText(counts);
  const bool any = m_model->functionUs() > 0;
  m_hottest->setEnabled(any);
  m_nextHottest->setEnabled(any);
}

void CodePage::showRow() {
  const int row = m_table->currentIndex().row();
  const bool there = m_model->function() != nullptr && row >= 0 && row < m_model->rowCount();
  m_detail->setText(there ? m_model->detailOf(row) : QString());
  m_detail->setVisible(!m_detail->text().isEmpty());
  showShare();
  Q_EMIT noteChanged();
}

void CodePage::showShare() {
  const int row = m_table->currentIndex().row();
  const bool there = m_model->function() != nullptr && row >= 0 && row < m_model->rowCount();
  const CodeTimes::Entry* time = there ? m_model->timeAt(row) : nullptr;
  if (time == nullptr || m_times->totalUs <= 0) {
    m_rowShare->setText({});
    return;
  }
  const QString words = width() >= theme()->px(kAmpleWidth)
                            ? QStringLiteral("#%1 makes %2\u00A0% of the total")
                            : QStringLiteral("#%1: %2\u00A0%");
  m_rowShare->setText(
      words.arg(m_model->instructionAt(row)).arg(format::percent(time->us / m_times->totalUs * 100)));
}

void CodePage::showMachine(int row) {
  using Callee = session::CodeLine::Callee;
  const session::CodeFunction* function = m_model->function();
  if (function == nullptr) return;
  // Nobody looks: the file is not read for each op that is chosen on another page.
  m_machinePending = !isVisible();
  if (m_machinePending) return;
  m_machine->setTime({});
  if (row >= 0 && m_model->lineAt(row).callee == Callee::Kernel) {
    if (const CodeTimes::Entry* time = m_model->timeAt(row)) {
      m_machine->setTime(QStringLiteral("%1\u00A0µs in this call").arg(format::microseconds(time->us)));
    }
    m_machine->showKernel(format::fromUtf8(m_model->lineAt(row).name), {});
    return;
  }
  const OpId& op = context().selection->op();
  if (function->isCompiled) {
    const bool kernel = run() && op.name < run()->run().names.size();
    m_machine->showKernel(
        kernel ? format::fromUtf8(run()->run().names[op.name]) : QString::fromStdString(function->name), {});
    return;
  }
  QString words = MachinePane::howToChoose();
  if (row >= 0 && m_model->lineAt(row).callee == Callee::Builtin) {
    words = QStringLiteral("%1 is a builtin of the virtual machine: the file holds no code of it.")
                .arg(format::fromUtf8(m_model->lineAt(row).name));
  } else if (row >= 0 && m_model->lineAt(row).callee == Callee::Function) {
    words = QStringLiteral("%1 is a function of bytecode: Return shows its instructions.")
                .arg(format::fromUtf8(m_model->lineAt(row).name));
  }
  m_machine->showKernel({}, words);
}

void CodePage::takeRow() {
  if (m_showing) return;
  showRow();
  const int row = m_table->currentIndex().row();
  if (row < 0 || m_model->function() == nullptr || row >= m_model->rowCount()) return;
  showMachine(row);
  const CodeTimes::Entry* time = m_model->timeAt(row);
  if (time == nullptr || !run() || time->firstCall == report::kNone) return;
  m_showing = true;
  context().selection->setCall(run()->run(), time->firstCall);
  m_showing = false;
}

bool CodePage::focusSearch() {
  if (m_model->function() == nullptr) return false;
  if (m_machine->isAncestorOf(focusWidget())) {
    m_machine->search()->focusField();
  } else {
    m_search->focusField();
  }
  return true;
}

DataTable* CodePage::rowsTable() {
  if (m_model->function() == nullptr) return nullptr;
  return m_machine->table()->hasFocus() && m_machine->model()->rowCount() > 0 ? m_machine->table() : m_table;
}

QString CodePage::note() const {
  const auto chosen = chosenInstruction();
  if (!chosen) return {};
  // By the numbers of the table: those of the executable, from 0 on.
  const session::CodeFunction& function = *m_model->function();
  return QStringLiteral("Instruction #%1 of #%2 – #%3")
      .arg(*chosen)
      .arg(function.first)
      .arg(function.first + function.lines.size() - 1);
}

}  // namespace opscope::ui
