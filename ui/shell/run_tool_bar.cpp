// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/run_tool_bar.h"

#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>
#include <QWidgetAction>
#include <algorithm>
#include <tuple>

#include "ui/models/format.h"
#include "ui/views/boards/target_combo.h"
#include "ui/views/look/properties.h"

namespace opscope::ui {
namespace {

constexpr double kSpinWidth = 56;
/// What leaves the bar, in this order: from here on the fields grow narrower, and at last words go.
constexpr int kFields = 5;
constexpr int kLastWords = 11;

/// What a row of the list of functions is.
enum class RowKind { Function, Scenario, AskScenario };

}  // namespace

RunToolBar::RunToolBar(const Theme* theme, Workspace* workspace, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_workspace(workspace) {
  setFixedHeight(theme->px(44));
  m_layout = new QHBoxLayout(this);
  m_layout->setContentsMargins(theme->px(10), 0, theme->px(8), 1);
  m_layout->setSpacing(theme->px(6));
  m_open = new ActionButton(theme, "open", QStringLiteral("Open"), {}, this);
  m_open->setToolTip(QStringLiteral("Open an executable or a report (Ctrl+O)"));
  m_open->setProperty(kFlat, true);
  m_layout->addWidget(m_open);
  m_layout->addSpacing(theme->px(8));
  buildTarget();
  m_device = addCombo(QStringLiteral("Device"), 78, QStringLiteral("The device of the target"));
  m_function = addCombo(QStringLiteral("Function"), 116,
                        QStringLiteral("The function of the executable that Run calls, or a scenario"));
  m_layout->addSpacing(theme->px(8));
  m_run = new ActionButton(theme, "run", QStringLiteral("Run"), QStringLiteral("F5"), this);
  m_run->setPrimary(true);
  m_stop = new ActionButton(theme, "stop", QStringLiteral("Stop"), QStringLiteral("Shift+Esc"), this);
  m_stop->setIconInk(IconInk::Error);
  m_layout->addWidget(m_run);
  m_layout->addWidget(m_stop);
  m_repeats = addSpin(QStringLiteral("Repeats"), 1, QStringLiteral("How often the function is measured"));
  m_warmup = addSpin(QStringLiteral("Warm-up"), 0, QStringLiteral("How often it runs before it is measured"));
  buildRecord();
  m_layout->addStretch(1);
  m_find =
      new ActionButton(theme, "search", QStringLiteral("Find action"), QStringLiteral("Ctrl+Shift+P"), this);
  m_layout->addWidget(m_find);
  connect(m_open, &QPushButton::clicked, this, &RunToolBar::openRequested);
  connect(m_find, &QPushButton::clicked, this, &RunToolBar::paletteRequested);
  connect(m_run, &QPushButton::clicked, workspace, &Workspace::profile);
  connect(m_stop, &QPushButton::clicked, workspace, &Workspace::stop);
  connect(m_function, &QComboBox::activated, this, &RunToolBar::chooseFunction);
  connect(m_device, &QComboBox::textActivated, workspace, &Workspace::setDevice);
  const auto lengths = [this]() { m_workspace->setRunLengths(m_repeats->value(), m_warmup->value()); };
  for (const auto& [field, name, least] :
       {std::tuple(m_repeats, "Repeats", 1), std::tuple(m_warmup, "Warm-up", 0)}) {
    connect(field, &CountBox::refused, m_workspace, [this, field, name, least](const QString& typed) {
      Q_EMIT m_workspace->noticed(QStringLiteral("%1 must be at least %2; “%3” was typed and %4 stays")
                                      .arg(QLatin1String(name))
                                      .arg(least)
                                      .arg(typed)
                                      .arg(field->value()));
    });
  }
  connect(m_repeats, &QSpinBox::valueChanged, this, lengths);
  connect(m_warmup, &QSpinBox::valueChanged, this, lengths);
  connect(workspace, &Workspace::executableChanged, this, &RunToolBar::refreshFunctions);
  connect(workspace, &Workspace::statusChanged, this, &RunToolBar::refresh);
  connect(theme, &Theme::changed, this, qOverload<>(&QWidget::update));
  refreshFunctions();
}

void RunToolBar::buildTarget() {
  m_targets = new TargetList(m_workspace->boards(), this);
  m_target = new TargetCombo(m_theme, this);
  m_target->setModel(m_targets);
  placeCombo(m_target, QStringLiteral("Target"), 158, QStringLiteral("Where the function runs"));
  connect(m_target, &QComboBox::activated, this, &RunToolBar::chooseTarget);
}

void RunToolBar::chooseTarget(int row) {
  const QString id = m_targets->idAt(row);
  if (id != TargetList::manageId()) {
    m_workspace->setTarget(id);
    return;
  }
  // The last row is no target.
  m_target->setCurrentIndex(m_targets->rowOf(m_workspace->choices().target));
  Q_EMIT boardsRequested();
}

void RunToolBar::chooseFunction(int row) {
  const auto kind = RowKind(m_function->itemData(row).toInt());
  if (kind == RowKind::Function) m_workspace->setFunction(m_function->itemText(row));
  // The last row is neither.
  refreshFunction();
  if (kind == RowKind::AskScenario) Q_EMIT scenarioRequested();
}

void RunToolBar::refreshDevices() {
  const QStringList devices =
      m_workspace->executable() ? m_workspace->devices() : QStringList{QString(format::missing())};
  const QSignalBlocker block(m_device);
  QStringList shown;
  for (int i = 0; i < m_device->count(); ++i) shown << m_device->itemText(i);
  if (shown != devices) {
    m_device->clear();
    m_device->addItems(devices);
  }
  const int position = m_device->findText(m_workspace->choices().device);
  if (position >= 0) m_device->setCurrentIndex(position);
}

QComboBox* RunToolBar::addCombo(const QString& label, int width, const QString& tooltip) {
  auto* combo = new QComboBox(this);
  placeCombo(combo, label, width, tooltip);
  return combo;
}

void RunToolBar::placeCombo(QComboBox* combo, const QString& label, int width, const QString& tooltip) {
  auto* text = new Text(m_theme, 12, &Colours::textSecondary);
  text->setText(label);
  m_fields.push_back({combo, text, width});
  m_layout->addWidget(text);
  combo->setFixedWidth(m_theme->px(width));
  combo->setAccessibleName(label);
  combo->setToolTip(tooltip);
  text->setBuddy(combo);
  m_layout->addWidget(combo);
  m_layout->addSpacing(m_theme->px(6));
}

CountBox* RunToolBar::addSpin(const QString& label, int minimum, const QString& tooltip) {
  m_layout->addSpacing(m_theme->px(6));
  auto* text = new Text(m_theme, 12, &Colours::textSecondary);
  text->setText(label);
  m_countLabels.push_back(text);
  m_layout->addWidget(text);
  auto* spin = new CountBox(this);
  spin->setRange(minimum, 1000000);
  spin->setButtonSymbols(QAbstractSpinBox::NoButtons);
  spin->setAlignment(Qt::AlignRight);
  spin->setFixedWidth(m_theme->px(kSpinWidth));
  connect(spin, &QSpinBox::textChanged, this, [this, spin]() { fitSpin(spin); });
  connect(spin->findChild<QLineEdit*>(), &QLineEdit::textEdited, this, [this, spin]() { fitSpin(spin); });
  spin->setKeyboardTracking(false);
  spin->setAccessibleName(label);
  spin->setToolTip(tooltip);
  text->setBuddy(spin);
  m_layout->addWidget(spin);
  return spin;
}

/// A number that is cut would be read as another number.
void RunToolBar::fitSpin(QSpinBox* spin) {
  const QString digits = spin->findChild<QLineEdit*>()->text();
  const int wanted =
      std::max(m_theme->px(kSpinWidth), spin->fontMetrics().horizontalAdvance(digits) + m_theme->px(22));
  if (wanted == spin->minimumWidth()) return;
  spin->setFixedWidth(wanted);
  shareRoom();
}

void RunToolBar::buildRecord() {
  m_layout->addSpacing(m_theme->px(6));
  m_record = new ActionButton(m_theme, nullptr, QStringLiteral("Also record"), {}, this);
  m_record->setToolTip(QStringLiteral("What runs record beside times"));
  m_layout->addWidget(m_record);
  m_more = new ActionButton(m_theme, nullptr, QString(QChar(0x00BB)), {}, this);
  m_more->setAccessibleName(QStringLiteral("More of the run"));
  m_more->hide();
  m_layout->addWidget(m_more);
  for (ActionButton* button : {m_record, m_more}) {
    connect(button, &QPushButton::clicked, this, [this, button]() {
      auto* menu = new QMenu(this);
      menu->setAttribute(Qt::WA_DeleteOnClose);
      if (button == m_more) addCounts(menu);
      addRecords(menu);
      menu->popup(button->mapToGlobal(QPoint(0, button->height())));
    });
  }
}

void RunToolBar::addRecords(QMenu* menu) {
  const RunChoices& choices = m_workspace->choices();
  menu->addSection(QStringLiteral("Also record"));
  QAction* memory = menu->addAction(QStringLiteral("Memory"));
  QAction* threads = menu->addAction(QStringLiteral("Threads of the kernel pool"));
  memory->setCheckable(true);
  memory->setChecked(choices.recordsMemory);
  threads->setCheckable(true);
  threads->setChecked(choices.recordsThreads);
  connect(memory, &QAction::toggled, m_workspace, &Workspace::setRecordsMemory);
  connect(threads, &QAction::toggled, m_workspace, &Workspace::setRecordsThreads);
}

/// Repeats and warm-up that have no room in the bar.
void RunToolBar::addCounts(QMenu* menu) {
  if (!m_repeats->isHidden()) return;
  for (CountBox* field : {m_repeats, m_warmup}) {
    auto* line = new QWidget;
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(m_theme->px(12), m_theme->px(4), m_theme->px(12), m_theme->px(4));
    auto* label = new Text(m_theme, 13, &Colours::text);
    label->setText(field->accessibleName());
    auto* spin = new QSpinBox;
    spin->setRange(field->minimum(), field->maximum());
    spin->setValue(field->value());
    spin->setAccessibleName(field->accessibleName());
    label->setBuddy(spin);
    row->addWidget(label, 1);
    row->addWidget(spin);
    auto* action = new QWidgetAction(menu);
    action->setDefaultWidget(line);
    menu->addAction(action);
    connect(spin, &QSpinBox::valueChanged, field, &QSpinBox::setValue);
  }
}

void RunToolBar::refreshFunctions() {
  m_function->clear();
  const auto& executable = m_workspace->executable();
  if (executable) {
    for (const session::FunctionInfo& function : executable->functions) {
      if (!function.isPrivate)
        m_function->addItem(QString::fromStdString(function.name), int(RowKind::Function));
    }
    m_function->addItem(QStringLiteral("Scenario…"), int(RowKind::AskScenario));
  } else {
    m_function->addItem(format::missing());
  }
  refresh();
}

void RunToolBar::refreshFunction() {
  const QSignalBlocker block(m_function);
  const ScenarioForm& scenario = *m_workspace->scenario();
  const QString name = scenario.fileName();
  int row = m_function->findData(int(RowKind::Scenario));
  if (row >= 0 && (!scenario.isChosen() || m_function->itemText(row) != name)) {
    m_function->removeItem(row);
    row = -1;
  }
  if (scenario.isChosen() && row < 0) {
    row = std::max(0, m_function->count() - 1);
    m_function->insertItem(row, name, int(RowKind::Scenario));
  }
  if (!scenario.isChosen()) row = m_function->findText(m_workspace->choices().function);
  if (row >= 0) m_function->setCurrentIndex(row);
  m_function->setToolTip(
      scenario.isChosen() ? QStringLiteral("The scenario that Run calls: %1").arg(scenario.file())
                          : QStringLiteral("The function of the executable that Run calls, or a scenario"));
}

void RunToolBar::refresh() {
  const bool executable = m_workspace->executable() != nullptr;
  const bool free = executable && !m_workspace->isRunning() && !m_workspace->isOpening();
  for (QWidget* widget : std::initializer_list<QWidget*>{m_device, m_function, m_repeats, m_warmup}) {
    widget->setEnabled(free);
  }
  // A target can be chosen, and boards be looked after, before there is a file.
  m_target->setEnabled(!m_workspace->isRunning() && !m_workspace->isOpening());
  refreshDevices();
  const QSignalBlocker blockTarget(m_target);
  m_target->setCurrentIndex(m_targets->rowOf(m_workspace->choices().target));
  m_target->setToolTip(
      QStringLiteral("Where the function runs: %1").arg(m_target->currentData(Qt::ToolTipRole).toString()));
  m_record->setEnabled(free);
  m_run->setEnabled(m_workspace->canRun());
  // The panel of an error has the next step.
  const auto& failure = m_workspace->failure();
  m_run->setPrimary(!failure || failure->during != Failure::During::Running);
  m_stop->setEnabled(m_workspace->isRunning() && !m_workspace->isStopping());
  refreshFunction();
  const QSignalBlocker blockRepeats(m_repeats), blockWarmup(m_warmup);
  if (!m_repeats->hasFocus()) m_repeats->setValue(m_workspace->choices().repeats);
  if (!m_warmup->hasFocus()) m_warmup->setValue(m_workspace->choices().warmup);
  for (QSpinBox* spin : {m_repeats, m_warmup}) fitSpin(spin);
}

void RunToolBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  shareRoom();
}

/// What leaves when there is too little room, one after the other: words of Find action, labels of what tells
/// itself, shortcuts, Record, then repeats and warm-up, which go into a menu, room in the fields, last words.
void RunToolBar::shareRoom() {
  for (int level = 0; level <= kLastWords; ++level) {
    give(level);
    m_layout->invalidate();
    if (m_layout->sizeHint().width() <= width()) break;
  }
}

void RunToolBar::give(int level) {
  using Says = ActionButton::Says;
  m_find->setSays(level < 1 ? Says::All : Says::Icon);
  for (const Field& field : m_fields) {
    field.label->setVisible(level < 2);
    const double part = 1 - 0.1 * std::clamp(level - kFields, 0, kLastWords - kFields);
    field.combo->setFixedWidth(m_theme->px(field.width * part));
  }
  m_run->setSays(level < 3 ? Says::All : Says::Text);
  m_stop->setSays(level < 3 ? Says::All : level < kLastWords ? Says::Text : Says::Icon);
  m_record->setVisible(level < 4);
  m_more->setVisible(level >= 4);
  for (QWidget* part :
       std::initializer_list<QWidget*>{m_countLabels[0], m_countLabels[1], m_repeats, m_warmup})
    part->setVisible(level < 5);
  m_more->setToolTip(level < 5 ? QStringLiteral("What runs record beside times")
                               : QStringLiteral("Repeats, warm-up, and what runs record beside times"));
  m_open->setSays(level < kLastWords ? Says::All : Says::Icon);
}

void RunToolBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), m_theme->colours().window);
  painter.fillRect(QRect(0, 0, width(), 1), m_theme->colours().line);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme->colours().line);
  const int x = m_open->geometry().right() + m_theme->px(8);
  painter.fillRect(QRect(x, m_theme->px(10), 1, height() - m_theme->px(20)), m_theme->colours().line);
}

}  // namespace opscope::ui
